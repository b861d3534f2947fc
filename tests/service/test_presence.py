"""Who is connected, as the streams of a process are told it."""

import threading

import pytest
from redis import Redis
from redis.exceptions import RedisError

from service import presence as module
from service import stopping
from service.attendance import Attendance
from service.presence import GRACE_SECONDS, Presence
from tests.processes import eventually

GAME, OTHER = "00" * 16, "11" * 16
BEAT = 100.0


class Audience:
    """Remembers what it was shown, and has the last of it in *present*."""

    def __init__(self):
        self.shown = []

    def show(self, present):
        self.shown.append(set(present))

    @property
    def present(self):
        return self.shown[-1] if self.shown else set()


class Board:
    """A list that is *there* as tests say; *written* has what came."""

    def __init__(self):
        self.there = {}
        self.written = []
        self.is_down = False

    def exchange(self, games):
        if self.is_down:
            raise RedisError("down")
        self.written += games
        for game_id, here, gone, _ in games:
            self.there[game_id] = self.there.get(game_id, frozenset()) - gone | here
        return [self.there[game_id] for game_id, *_ in games]


class Process:
    """One process, its list and its clock, without a thread."""

    def __init__(self):
        self.now = 0.0
        self.board = Board()
        self.presence = Presence(None, BEAT, lambda: self.now)
        self.presence._is_running = True
        self.audience = Audience()
        self.presence.add(GAME, self.audience)

    def round(self, *others):
        """Do a round after others have written that the seats *others* are there, and no more."""
        self.board.there[GAME] = frozenset(others)
        return self.presence.round(self.board)

    def later(self, seconds, *others):
        self.now += seconds
        return self.round(*others)


@pytest.fixture
def process():
    return Process()


def test_who_comes_is_shown_at_once(process):
    process.presence.enter(GAME, 2)
    process.round()
    process.presence.ring(GAME)
    process.round(1, 2)

    assert process.audience.shown == [{2}, {1, 2}]


def test_who_goes_is_shown_after_a_while(process):
    process.round(1)
    process.presence.ring(GAME)

    wait = process.round()
    assert (process.audience.present, wait) == ({1}, GRACE_SECONDS)
    process.later(GRACE_SECONDS - 1)
    assert process.audience.present == {1}
    process.later(1)
    assert process.audience.shown == [{1}, set()]


def test_who_comes_back_within_the_while_was_never_gone(process):
    process.round(1)
    for _ in range(5):
        process.presence.ring(GAME)
        process.round()
        process.presence.ring(GAME)
        process.later(GRACE_SECONDS - 1, 1)
    process.later(3 * BEAT, 1)

    assert process.audience.shown == [{1}]


def test_a_seat_is_here_until_its_last_stream_is_closed(process):
    for _ in range(2):
        process.presence.enter(GAME, 0)
    process.round()
    process.presence.leave(GAME, 0)
    process.round(0)
    assert process.board.written[-1].here == {0}
    process.presence.leave(GAME, 0)
    process.round(0)

    last = process.board.written[-1]
    assert (last.here, last.gone, last.is_news) == (frozenset(), {0}, True)


def test_others_are_told_what_is_new_and_nothing_else(process):
    process.presence.enter(GAME, 0)
    for _ in range(3):
        process.round()
        process.presence.ring(GAME)
    process.later(BEAT)

    assert [one.is_news for one in process.board.written] == [True, False, False, False]
    assert {one.here for one in process.board.written} == {frozenset({0})}


def test_lines_are_renewed_with_every_beat(process):
    process.presence.enter(GAME, 0)

    assert process.round() == BEAT
    process.later(BEAT / 2)
    assert len(process.board.written) == 1
    process.later(BEAT / 2)
    assert len(process.board.written) == 2


def test_games_that_are_due_about_now_go_in_one_round(process):
    process.presence.add(OTHER, Audience())
    process.round()
    process.presence.ring(OTHER)
    process.later(0.3)
    del process.board.written[:]

    process.later(BEAT - 0.3)

    assert {one.game_id for one in process.board.written} == {GAME, OTHER}


def test_nothing_is_kept_of_a_game_that_nobody_follows(process):
    process.presence.enter(GAME, 0)
    process.round()
    process.presence.leave(GAME, 0)
    process.presence.remove(GAME)
    process.round()

    assert process.presence._tables == {}
    process.presence.ring(GAME)
    assert process.presence._tables == {}


def test_who_follows_after_others_begins_with_those_who_are_there(process):
    process.round(1)
    process.presence.remove(GAME)
    process.round(1)
    later = Audience()
    process.presence.add(GAME, later)
    process.round(1)

    assert later.shown == [{1}]


def test_a_list_that_is_down_is_made_up_for(process):
    process.presence.enter(GAME, 0)
    process.board.is_down = True
    with pytest.raises(RedisError):
        process.presence.round(process.board)
    process.board.is_down = False
    process.presence.round(process.board)

    assert process.audience.present == {0}


def test_a_list_that_was_lost_shows_nobody_gone(process):
    """Those here are written anew at once, those elsewhere by their own processes."""
    process.presence.enter(GAME, 0)
    process.round(0, 3)
    process.presence.ring_all()
    process.round()
    process.presence.ring_all()
    process.round(3)
    process.later(BEAT, 3)

    assert process.audience.shown == [{0, 3}]
    assert process.board.there[GAME] == {0, 3}


# With threads, and a real list


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.5)


class Real:
    """A process with a thread; *audience* of the one game."""

    def __init__(self, url, beat):
        self.presence = Presence(lambda: Redis.from_url(url), beat)
        self.audience = Audience()
        self.presence.add(GAME, self.audience)

    def shows(self, *seats):
        eventually(lambda: self.audience.present == set(seats))


@pytest.fixture
def _ended(monkeypatch):
    """Threads of this test end with it."""
    event = threading.Event()
    monkeypatch.setattr(stopping, "_stopping", event)
    yield
    event.set()
    for thread in threading.enumerate():
        if thread.name == "presence":
            thread.join()


@pytest.mark.store
@pytest.mark.usefixtures("_quick", "_ended")
def test_processes_tell_each_other_who_comes_and_goes(redis_db):
    one, other = Real(redis_db, 3_600), Real(redis_db, 3_600)

    one.presence.enter(GAME, 0)
    other.presence.enter(GAME, 2)
    for process in (one, other):
        process.shows(0, 2)
    one.presence.leave(GAME, 0)
    for process in (one, other):
        process.shows(2)


@pytest.mark.store
@pytest.mark.usefixtures("_quick", "_ended")
def test_the_seats_of_a_process_that_was_killed_go_by_themselves(redis_db):
    with Redis.from_url(redis_db) as client:
        killed = Attendance(client, 4_000)
        killed.exchange([module.Lines(GAME, frozenset({1}), frozenset(), is_news=True)])
    one = Real(redis_db, 0.2)

    eventually(lambda: one.audience.shown == [{1}, set()])


@pytest.mark.store
@pytest.mark.usefixtures("_quick", "_ended")
def test_a_process_that_ends_takes_its_lines_back(redis_db):
    one = Real(redis_db, 3_600)
    one.presence.enter(GAME, 1)
    one.shows(1)

    stopping.begin()

    with Redis.from_url(redis_db) as client:
        eventually(lambda: not client.exists(f"hearts-presence:{GAME}"))
