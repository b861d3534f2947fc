"""The bell: who waits for a game is woken."""

import logging
import os
import signal
import threading
import time
import warnings
from contextlib import ExitStack

import pytest
from redis import Redis

from service import live, stopping
from service.live import Bell
from service.store.keys import BELL
from service.store.redis_store import RedisStore
from tests.house import House
from tests.processes import eventually
from tests.workers import Server

GAME, OTHER = "a" * 32, "b" * 32
LONG = 5.0
SHORT = 0.05


@pytest.fixture(autouse=True)
def _stopping(monkeypatch):
    """A process that is to end only if the test says so; its listeners end with it."""
    event = threading.Event()
    monkeypatch.setattr(stopping, "_stopping", event)
    monkeypatch.setattr(stopping, "_first", threading.Lock())
    monkeypatch.setattr(live, "_LOOK_EVERY_SECONDS", 0.05)
    yield
    event.set()
    eventually(lambda: not [one for one in threading.enumerate() if one.name == "bell"])


@pytest.fixture
def bell(redis_db):
    return Bell(RedisStore(redis_db).client)


@pytest.fixture
def server(tmp_path, redis_binary):
    server = Server(tmp_path, redis_binary)
    yield server
    server.close()


@pytest.fixture
def ring(redis_db):
    with Redis.from_url(redis_db) as client:
        yield lambda game_id, version=7: client.publish(BELL, f"{game_id} {version}")


def rested(ear):
    """Let the ring that comes with the first subscription pass."""
    while ear.wait(SHORT):
        pass
    return ear


def test_a_ring_wakes_who_waits_for_the_game(bell, ring):
    with bell.listening(GAME) as ear:
        rested(ear)
        ringing = threading.Timer(SHORT, ring, [GAME])
        ringing.start()

        began = time.monotonic()
        assert ear.wait(LONG)
        assert time.monotonic() - began < LONG / 2
        ringing.join()


def test_a_ring_before_the_wait_is_not_lost(bell, ring):
    with bell.listening(GAME) as ear:
        rested(ear)
        ring(GAME)
        eventually(ear._rung.is_set)

        assert ear.wait(0)
        assert not ear.wait(0)


def test_a_ring_for_another_game_wakes_nobody(bell, ring):
    with bell.listening(GAME) as ear, bell.listening(OTHER) as other:
        rested(ear)
        rested(other)
        ring(OTHER)

        assert other.wait(LONG)
        assert not ear.wait(0)


def test_all_who_wait_for_a_game_are_woken(bell, ring):
    with ExitStack() as stack:
        ears = [rested(stack.enter_context(bell.listening(GAME))) for _ in range(4)]
        ring(GAME)

        assert all(ear.wait(LONG) for ear in ears)


def test_a_wait_ends_by_itself(bell):
    with bell.listening(GAME) as ear:
        rested(ear)

        assert not ear.wait(SHORT)


def test_an_append_rings(redis_db, bell):
    house = House(RedisStore(redis_db))
    game_id = house.open(None, None, None, None)
    with bell.listening(game_id) as ear:
        rested(ear)
        house.claim(game_id, 0)

        assert ear.wait(LONG)


@pytest.mark.parametrize("noise", ["", " ", "x", "\xff\xfe", "a" * 100_000, f"{GAME[:-1]} 1"])
def test_a_bell_that_says_nonsense_is_survived(bell, ring, redis_db, noise):
    with bell.listening(GAME) as ear, Redis.from_url(redis_db) as client:
        rested(ear)
        client.publish(BELL, noise.encode("latin-1"))
        ring(GAME)

        assert ear.wait(LONG)


def test_there_is_one_listener_however_many_wait(bell, redis_db):
    with ExitStack() as stack, Redis.from_url(redis_db) as client:
        for _ in range(4):
            stack.enter_context(bell.listening(GAME))

        assert client.pubsub_numsub(BELL) == [(BELL.encode(), 1)]


def test_nobody_listens_before_the_first_wait(bell, redis_db):
    with Redis.from_url(redis_db) as client:
        assert client.pubsub_numsub(BELL) == [(BELL.encode(), 0)]


def test_nobody_is_remembered_who_waits_no_longer(bell):
    for _ in range(10):
        with bell.listening(GAME), bell.listening(GAME):
            pass
        with pytest.raises(ZeroDivisionError), bell.listening(GAME):
            raise ZeroDivisionError

    (room,) = bell._rooms.values()
    assert not room._ears


# The end, and a fork


def test_waits_end_when_the_process_is_to_end(bell):
    with bell.listening(GAME) as ear:
        rested(ear)
        threading.Timer(SHORT, stopping.begin).start()

        began = time.monotonic()
        assert ear.wait(LONG)
        assert time.monotonic() - began < LONG / 2
        assert ear.wait(LONG)


def test_a_forked_process_has_a_listener_of_its_own(bell, ring):
    ready, tell = os.pipe()
    with bell.listening(GAME), os.fdopen(ready, "rb") as ready, os.fdopen(tell, "wb") as tell:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # that threads do not survive it
            pid = os.fork()
        if not pid:
            # No assertion may escape into a second run of pytest.
            os._exit(_hears_after_fork(bell, tell))
        tell.close()
        assert ready.read(1)
        ring(GAME)

        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _hears_after_fork(bell, tell):
    try:
        with bell.listening(GAME) as ear:
            # The first is for the subscription, the second for a ring that comes later: both at
            # once would be heard as one.
            heard = ear.wait(LONG)
            tell.write(b"!")
            tell.flush()
            return 0 if heard and ear.wait(LONG) else 1
    except BaseException:  # noqa: BLE001 - the exit code tells
        return 2


# Outages


def test_the_bell_rings_again_after_the_store_was_killed(server, caplog):
    """Whatever rang meanwhile was not heard, so everybody looks."""
    caplog.set_level(logging.INFO)
    bell = Bell(RedisStore(server.url).client)
    with bell.listening(GAME) as ear:
        rested(ear)
        server.kill()
        eventually(lambda: "the bell is down" in caplog.text)
        assert not ear.wait(SHORT)
        server.start()

        assert ear.wait(LONG)
        rested(ear)
        with Redis.from_url(server.url) as client:
            client.publish(BELL, f"{GAME} 1")
        assert ear.wait(LONG)
    assert caplog.text.count("the bell is down") == 1
    assert caplog.text.count("the bell is back") == 1


def test_a_wait_may_begin_while_the_store_is_down(server):
    server.kill()
    bell = Bell(RedisStore(server.url).client)

    began = time.monotonic()
    with bell.listening(GAME) as ear:
        assert time.monotonic() - began < 2
        server.start()

        assert ear.wait(LONG)


def test_a_store_that_falls_silent_is_noticed(server, caplog, monkeypatch):
    """Its connection stands, but nothing will ever come: as after a cut cable."""
    monkeypatch.setattr(live, "_ASK_AFTER_SECONDS", 0.5)
    monkeypatch.setattr(live, "_GIVE_UP_AFTER_SECONDS", 1.0)
    bell = Bell(RedisStore(server.url).client)
    with bell.listening(GAME) as ear:
        rested(ear)
        os.kill(server.process.pid, signal.SIGSTOP)
        eventually(lambda: "the bell is down" in caplog.text)
        os.kill(server.process.pid, signal.SIGCONT)

        assert ear.wait(LONG)


def test_a_quiet_store_is_not_taken_for_a_silent_one(bell, caplog, monkeypatch):
    """Fault case 106: a quiet connection stays for longer than any time-out."""
    monkeypatch.setattr(live, "_ASK_AFTER_SECONDS", 0.3)
    monkeypatch.setattr(live, "_GIVE_UP_AFTER_SECONDS", 0.9)
    with bell.listening(GAME) as ear:
        rested(ear)

        assert not ear.wait(2.5)
    assert caplog.text == ""
