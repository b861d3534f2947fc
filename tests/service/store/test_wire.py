"""No command is sent twice by itself, and it is told apart whether it may have been done."""

import threading
from collections import Counter

import pytest

from service.store import wire
from service.store.base import (
    NO_HEAD,
    AnswerLost,
    Marks,
    Row,
    StoreUnavailableError,
    VersionConflict,
    head_of,
)
from service.store.redis_store import RedisStore
from tests.service.store.fake_server import SILENCE, answering

pytestmark = pytest.mark.store

GAME = "8814f3a0c2d94be1a7705d6e4f218b9c"
ASKED = ("evalsha", "xrange")
MARKS = Marks(70, Row(GAME, 5, b"row"))


SAYS_NO = [
    b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
    b"-READONLY You can't write against a read only replica.\r\n",
    b"-LOADING Redis is loading the dataset in memory\r\n",
    b"-MISCONF Errors writing to the AOF file: No space left on device\r\n",
    b"-MASTERDOWN Link with MASTER is down\r\n",
    b"-NOREPLICAS Not enough good replicas to write.\r\n",
    b"-BUSY Redis is busy running a script.\r\n",
    b"-NOPERM User has no permissions\r\n",
    b"-NOAUTH Authentication required.\r\n",
    b"-CLUSTERDOWN The cluster is down\r\n",
    b"-MOVED 866 127.0.0.1:1\r\n",
    b"-ERR something new\r\n",
]


@pytest.mark.parametrize("answer", SAYS_NO, ids=lambda answer: answer.split()[0][1:].decode())
def test_a_refusal_of_the_server_is_no_doubt_about_the_outcome(answer):
    with answering(answer) as server:
        store = RedisStore(server.url)

        with pytest.raises(StoreUnavailableError):
            store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)

        store.close()
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", id="cut before the answer"),
        pytest.param(b":", id="cut inside the answer"),
        pytest.param(b"?what\r\n", id="no Redis"),
        pytest.param(SILENCE, id="silence"),
    ],
)
def test_a_lost_answer_is_told_as_such_and_nothing_is_sent_again(answer):
    """Fault case 78."""
    with answering(answer) as server:
        store = RedisStore(server.url)

        with pytest.raises(AnswerLost):
            store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)

        store.close()
        assert len(server.asked) == 1


LOST = b""
EMPTY = b"*0\r\n"


def test_a_read_replaces_a_broken_connection_twice():
    with answering(LOST, LOST, EMPTY, to=b"XRANGE") as server:
        store = RedisStore(server.url)

        assert store.tail(GAME, 0, NO_HEAD) == []

        store.close()
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "times"),
    [
        pytest.param(LOST, 3, id="cut"),
        pytest.param(SILENCE, 1, id="silence"),
        pytest.param(SAYS_NO[2], 1, id="loading"),
        pytest.param(SAYS_NO[-1], 1, id="refused"),
    ],
)
def test_a_read_gives_up_in_time(answer, times):
    with answering(answer, to=b"XRANGE") as server:
        store = RedisStore(server.url)

        with pytest.raises(StoreUnavailableError):
            store.tail(GAME, 0, NO_HEAD)

        store.close()
        assert len(server.asked) == times


def test_an_answer_that_nobody_waited_for_is_never_taken_for_the_next(redis_store, monkeypatch):
    redis_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)

    def interrupted(connection, commands):
        connection.send_packed_command(connection.pack_commands(commands))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(wire, "_answers", interrupted)
        with pytest.raises(KeyboardInterrupt):
            redis_store.tail(GAME, 0, NO_HEAD)

    assert redis_store.last([GAME]) == [(1, b"one")]


def test_connections_are_bounded_and_waited_for(own_server, monkeypatch):
    monkeypatch.setattr(wire, "CONNECTIONS", 3)
    store = RedisStore(own_server.url)
    store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    read = []

    def read_often():
        for _ in range(20):
            read.extend(store.tail(GAME, 0, NO_HEAD))

    readers = [threading.Thread(target=read_often) for _ in range(12)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()

    with store.client() as client:
        assert len(client.client_list()) <= 3 + 1
    store.close()
    assert len(read) == 12 * 20


def test_a_frozen_server_gets_no_command_twice(own_server, own_store):
    """Fault case 78: what it did not answer it does once, when it goes on."""
    own_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    before = calls(own_store)
    own_server.freeze()

    with pytest.raises(AnswerLost):
        own_store.append(GAME, 1, head_of(b"one"), [b"two"], MARKS)
    with pytest.raises(StoreUnavailableError):
        own_store.tail(GAME, 1, head_of(b"one"))

    own_server.thaw()
    assert settled(own_store) == [b"one", b"two"]
    # The reading found no connection, so what was read just now is the only one.
    assert calls(own_store) - before == {"evalsha": 1, "xrange": 1}
    with pytest.raises(VersionConflict):
        own_store.append(GAME, 1, head_of(b"one"), [b"two"], MARKS)


def test_a_caller_waits_for_two_seconds_at_most():
    """One time-out for a free connection and one for the answer: neither is waited for again."""
    assert 2 * wire.TIMEOUT_SECONDS <= 2


def calls(store):
    """How often the server was asked to read and to append so far."""
    with store.client() as client:
        told = client.info("commandstats")
    return Counter({name: told.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ASKED})


def settled(store):
    """What the log has once every command that still waited has run."""
    with store.client() as client:
        while len(client.client_list()) > 2:  # a paused server has yet to notice who left
            client.ping()
    return store.tail(GAME, 0, NO_HEAD)


def test_a_server_that_is_not_there_is_told_as_such(own_server, own_store):
    own_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    own_server.kill()

    with pytest.raises(StoreUnavailableError):
        own_store.append(GAME, 1, head_of(b"one"), [b"two"], MARKS)
    with pytest.raises(StoreUnavailableError):
        own_store.tail(GAME, 0, NO_HEAD)
