"""One stream and its feed: what is sent when, and what is read for it."""

import json
import threading
import time

import pytest

from engine.commands import ChangeOptions, KickSeat, StartGame, TableOptions
from service import frames as made_frames
from service import stopping
from service.auth import PUBLIC, Reader, Unauthorized
from service.command_request import TokenRevoked
from service.feeds import Feeds
from service.games import GameNotFoundError
from service.live import Ear
from service.places import Places, StreamCapacityError, TooManyStreamsError
from service.store.base import StoreUnavailableError
from service.streams import Bounds, Follower, Lines, Pace, chunks, open_stream
from service.tempo import waiting_bots
from tests.contract.spec import frames
from tests.fakes import MemoryStore
from tests.house import House, legal_moves

LONG = 3600
CALM = Pace(LONG, LONG)


class SilentBell:
    """A bell that never rings by itself; *ears* has who listens."""

    def __init__(self):
        self.ears = set()

    def add(self, game_id, ear):
        self.ears.add((game_id, ear))

    def remove(self, game_id, ear):
        self.ears.discard((game_id, ear))

    def ring(self):
        for _, ear in tuple(self.ears):
            ear.ring()


class NotedPresence:
    """Shows what it is told to; *here* has who entered and has not left."""

    def __init__(self):
        self.here = []
        self.audience = {}

    def add(self, game_id, audience):
        self.audience[game_id] = audience

    def remove(self, game_id):
        del self.audience[game_id]

    def enter(self, game_id, seat):
        self.here.append((game_id, seat))

    def leave(self, game_id, seat):
        self.here.remove((game_id, seat))

    def show(self, *seats):
        for one in self.audience.values():
            one.show(frozenset(seats))


class CountingStore(MemoryStore):
    """Counts how often the end of a log is read; *is_down*, it does not answer."""

    def __init__(self):
        super().__init__()
        self.reads = 0
        self.is_down = False

    def tail(self, *args):
        self.reads += 1
        if self.is_down:
            raise StoreUnavailableError
        return super().tail(*args)


class Hall:
    """A house with one game, and streams of it."""

    def __init__(self, *, read_first=False):
        self.store = CountingStore()
        self.house = House(self.store)
        self.game_id = self.house.open(None, None, None, None)
        self.bell = SilentBell()
        self.places = Places(10)
        self.presence = NotedPresence()
        self.feeds = Feeds(self.bell, self.presence, read_first=read_first)

    def open(self, reader=PUBLIC, cursor=None, *, pace=CALM, address="here"):
        lines = Lines(self.feeds, self.presence, self.places, Bounds(2, 4), pace, "")
        game = self.house.deps.games.read(self.game_id)
        follower = Follower(reader, address, Ear())
        stream, opening = open_stream(lines, self.house.deps, game, follower, cursor)
        return stream, told(opening)

    def claim(self, seat, **more):
        self.house.claim(self.game_id, seat, name=f"Player {seat}", **more)
        self.bell.ring()

    def reader(self, seat):
        game = self.house.deps.games.read(self.game_id)
        return Reader(seat, game.table.players[seat].grant)


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def _ending(monkeypatch):
    event = threading.Event()
    event.set()
    monkeypatch.setattr(stopping, "_stopping", event)


def told(sent):
    """Return name, id and data of the frames in *sent*."""
    return [(one["event"], one.get("id"), json.loads(one["data"])) for one in frames(sent)]


def pulled(stream):
    stream.feed.refresh()
    return told(stream.pull())


def test_an_event_is_sent_once(hall):
    stream, ((name, cursor, _),) = hall.open()
    assert (name, cursor) == ("snapshot", "1")
    assert pulled(stream) == []

    hall.claim(0)

    assert [(name, cursor) for name, cursor, _ in pulled(stream)] == [("message", "2")]
    assert pulled(stream) == []


def test_what_happens_between_the_look_and_the_wait_is_sent(hall):
    """Fault case 113: first the bell, then the log."""
    joined = hall.feeds.join

    def late(*args):
        hall.claim(0)
        return joined(*args)

    hall.feeds.join = late
    _, opening = hall.open(cursor="1")

    assert [cursor for _, cursor, _ in opening] == ["2"]


def test_a_game_is_read_once_for_all_who_follow_it(hall):
    followed = [hall.open(address=str(number))[0] for number in range(8)]
    hall.store.reads = 0

    hall.claim(0)
    appends = hall.store.reads
    sent = {stream.pull() for stream in followed if stream.feed.refresh() is None}

    assert hall.store.reads == appends + 1
    assert len(sent) == 1
    assert len(hall.bell.ears) == 1


@pytest.mark.parametrize(
    ("claim", "frames"),
    [
        pytest.param({"client_seed": "c4" * 32}, 2, id="that hides something"),
        pytest.param({}, 1, id="that hides nothing"),
    ],
)
def test_a_frame_is_made_once_for_each_view_of_an_event(hall, monkeypatch, claim, frames):
    made = []
    frame = made_frames.event
    monkeypatch.setattr(made_frames, "event", lambda *args: made.append(args) or frame(*args))
    hall.claim(0)
    streams = [hall.open(address=str(number))[0] for number in range(3)]
    streams += [hall.open(hall.reader(0), address="a")[0] for _ in range(2)]

    hall.claim(1, **claim)
    for stream in streams:
        assert len(pulled(stream)) == 1

    assert len(made) == frames


def test_who_is_behind_what_is_kept_reads_the_log(hall, monkeypatch):
    monkeypatch.setattr("service.feeds._EVENTS_KEPT", 1)
    stream, _ = hall.open(cursor="1")
    other, _ = hall.open(cursor="1")
    for seat in (0, 1, 2):
        hall.claim(seat)
        pulled(other)

    assert stream.is_behind
    assert [cursor for _, cursor, _ in pulled(stream)] == ["2", "3", "4"]


def test_nobody_is_kept_who_has_gone(hall):
    hall.claim(0)
    streams = [hall.open(address=str(number))[0] for number in range(3)]
    streams += [hall.open(hall.reader(0), address="a")[0] for _ in range(2)]
    for stream in (*streams, *streams):
        stream.close()

    assert (hall.places.count, hall.feeds._feeds, hall.bell.ears) == (0, {}, set())
    assert (hall.presence.here, hall.presence.audience) == ([], {})


# What comes without an event


def test_a_quiet_stream_has_a_heartbeat(hall):
    stream, _ = hall.open(pace=Pace(0, LONG))

    ((name, cursor, data),) = pulled(stream)

    assert (name, cursor, data["version"]) == ("heartbeat", None, 1)
    assert data["now"].startswith("2026-09-21T")


def test_a_busy_stream_has_none(hall):
    stream, _ = hall.open(pace=Pace(0, LONG))
    hall.claim(0)

    assert [name for name, _, _ in pulled(stream)] == ["message"]


def test_a_lost_bell_delays_and_loses_nothing(hall, monkeypatch):
    monkeypatch.setattr("service.feeds._READ_AGAIN_SECONDS", 0)
    stream, _ = hall.open()
    hall.house.claim(hall.game_id, 0)

    assert [cursor for _, cursor, _ in pulled(stream)] == ["2"]


def test_a_store_that_is_down_ends_no_stream(hall):
    stream, _ = hall.open(pace=Pace(0, LONG))
    hall.claim(0)
    hall.store.is_down = True

    assert [name for name, _, _ in pulled(stream)] == ["heartbeat"]
    assert stream.patience() <= 1
    hall.store.is_down = False
    assert [cursor for _, cursor, _ in pulled(stream)] == ["2"]


def test_a_log_that_was_rewound_resets_who_follows_it(hall):
    """Fault case 85: what was read is gone, and the log has grown another way."""
    hall.claim(0)
    stream, _ = hall.open()
    del hall.store.streams[hall.game_id][1:]
    hall.house.deps.games.forget(hall.game_id)
    hall.claim(3)
    hall.claim(2)

    (reset, _, _), (snapshot, cursor, state) = pulled(stream)

    assert (reset, snapshot, cursor) == ("reset", "snapshot", "3")
    assert [seat["name"] for seat in state["seats"]] == [None, None, "Player 2", "Player 3"]


# Who is there


def presences(found):
    assert all(name == "presence" and cursor is None for name, cursor, _ in found)
    return [(data["seat"], data["connected"]) for _, _, data in found]


def test_whoever_comes_or_goes_is_told_to_all_once(hall):
    hall.claim(0)
    streams = [hall.open(hall.reader(0))[0], hall.open()[0]]
    told_of = []
    for seats in [(0, 2), (0, 2), (0,), (3,)]:
        hall.presence.show(*seats)
        sent = [presences(pulled(stream)) for stream in streams]
        assert sent[0] == sent[1]
        told_of.append(sent[0])

    assert told_of == [[(0, True), (2, True)], [], [(2, False)], [(0, False), (3, True)]]


@pytest.mark.parametrize("cursor", [None, "1", "77"])
def test_a_stream_begins_with_those_who_are_there(hall, cursor):
    hall.open()
    hall.presence.show(1, 3)

    stream, opening = hall.open(cursor=cursor, address="elsewhere")

    assert presences(opening[-2:]) == [(1, True), (3, True)]
    assert "presence" not in [name for name, _, _ in opening[:-2]]
    assert pulled(stream) == []


def test_only_who_holds_a_seat_is_there(hall):
    hall.claim(2)
    host = Reader(None, hall.house.deps.games.read(hall.game_id).table.host_grant)
    for reader in (PUBLIC, host):
        hall.open(reader)
    streams = [hall.open(hall.reader(2), address=str(number))[0] for number in range(2)]

    assert hall.presence.here == [(hall.game_id, 2)] * 2
    for _ in range(2):
        streams[0].close()
    assert hall.presence.here == [(hall.game_id, 2)]


def test_who_is_refused_was_never_there(hall):
    hall.claim(0)
    entered = []
    hall.presence.enter = lambda *seat: entered.append(seat)

    with pytest.raises(TokenRevoked):
        hall.open(hall.reader(0)._replace(grant=12345))

    assert entered == []


def test_presence_is_no_news_of_the_game(hall):
    """It reads no log, moves no cursor, and is nothing that a resumed stream would repeat."""
    stream, _ = hall.open()
    hall.store.reads = 0

    hall.presence.show(0)

    assert presences(pulled(stream)) == [(0, True)]
    assert hall.store.reads == 0


# Bots that are to play


def test_a_bot_is_told_of_when_its_turn_opens_and_not_again(hall):
    hall.game_id = hall.house.open(None, "easy", "easy", None)
    for seat in (0, 3):
        hall.claim(seat)
    stream, _ = hall.open()
    hall.house.ask(hall.game_id, StartGame())
    said, due = [], []
    for _ in range(20):
        hall.bell.ring()
        found = pulled(stream)
        game = hall.house.read(hall.game_id)
        said += [one for one in found if one[0] != "message"]
        due += [(seat, game.turn.id) for seat in waiting_bots(game)]
        hall.house.ask(hall.game_id, legal_moves(game)[0])

    assert {seat for seat, _ in due} == {1, 2}
    assert said == [
        ("bot.thinking", None, {"seat": seat, "turn_id": turn_id})
        for seat, turn_id in dict.fromkeys(due)
    ]


def test_a_stream_begins_with_the_bot_whose_turn_it_is(hall):
    hall.game_id = hall.house.started(None, "easy", None, None)

    stream, opening = hall.open()

    turn_id = hall.house.read(hall.game_id).turn.id
    assert opening[1:] == [("bot.thinking", None, {"seat": 1, "turn_id": turn_id})]
    assert pulled(stream) == []


def test_a_bot_that_plays_on_for_a_person_is_told_of(hall):
    hall.game_id = hall.house.started(None, None, None, None)
    stream, _ = hall.open()

    hall.house.ask(hall.game_id, KickSeat(2, "easy", 99))
    hall.bell.ring()

    assert [name for name, _, _ in pulled(stream)] == ["message"] * 2 + ["bot.thinking"]


# The end


def test_a_stream_ends_with_its_token(hall):
    hall.claim(0)
    hall.claim(1)
    mine, _ = hall.open(hall.reader(0))
    other, _ = hall.open(hall.reader(1))

    hall.house.ask(hall.game_id, KickSeat(0, "easy", 99))
    hall.bell.ring()

    assert pulled(mine) == [("stream.end", None, {"reason": "unauthorized"})]
    assert mine.is_over
    assert next(name for name, _, _ in pulled(other)) == "message"


def test_a_stream_ends_with_its_ticket(hall):
    hall.claim(0)
    reader = hall.reader(0)._replace(until=hall.house.now + 1)
    stream, _ = hall.open(reader)

    assert pulled(stream) == []
    hall.house.now += 1
    assert pulled(stream) == [("stream.end", None, {"reason": "unauthorized"})]


def test_who_has_no_token_sees_no_more_of_a_game_that_turns_private(hall):
    hall.claim(0)
    mine, _ = hall.open(hall.reader(0))
    other, _ = hall.open()

    hall.house.ask(hall.game_id, ChangeOptions(visibility="private"))
    hall.bell.ring()

    assert pulled(other) == [("stream.end", None, {"reason": "unauthorized"})]
    assert [name for name, _, _ in pulled(mine)] == ["message"]
    with pytest.raises(GameNotFoundError):
        hall.open()


def test_spectators_who_are_not_wanted_see_the_table_until_it_starts(hall):
    hall.game_id = hall.house.open(None, None, None, None, options=TableOptions(spectators=False))
    for seat in range(4):
        hall.claim(seat)
    stream, _ = hall.open()

    hall.house.ask(hall.game_id, StartGame())
    hall.bell.ring()

    assert pulled(stream) == [("stream.end", None, {"reason": "unauthorized"})]
    with pytest.raises(Unauthorized):
        hall.open()


def test_an_old_stream_is_to_be_opened_anew(hall):
    stream, _ = hall.open(pace=Pace(LONG, 0))

    sent = stream.pull()

    assert told(sent) == [("stream.end", None, {"reason": "rotate"})]
    assert b"retry: " in sent


def test_nobody_comes_back_at_the_same_time_as_all_others(hall):
    waits = {hall.open(pace=Pace(LONG, 0))[0].pull().split(b"\n")[0] for _ in range(4)}

    assert len(waits) > 1


@pytest.mark.usefixtures("_ending")
def test_streams_end_with_their_process(hall):
    stream, _ = hall.open()

    assert pulled(stream) == [("stream.end", None, {"reason": "rotate"})]


def test_a_game_that_makes_no_sense_any_more_ends_its_streams(hall):
    stream, _ = hall.open()
    hall.claim(0)
    hall.store.streams[hall.game_id][-1] = b"nonsense"

    assert pulled(stream) == [("stream.end", None, {"reason": "rotate"})]


# Room


def test_a_token_has_as_many_streams_as_it_may(hall):
    hall.claim(0)
    mine = [hall.open(hall.reader(0), address=str(number))[0] for number in range(2)]

    with pytest.raises(TooManyStreamsError):
        hall.open(hall.reader(0), address="elsewhere")
    mine[0].close()
    hall.open(hall.reader(0), address="elsewhere")


def test_an_address_has_as_many_streams_as_it_may(hall):
    for _ in range(4):
        hall.open()

    with pytest.raises(TooManyStreamsError):
        hall.open()
    hall.open(address="elsewhere")


def test_a_process_has_as_many_streams_as_it_may(hall):
    for number in range(10):
        hall.open(address=str(number))

    with pytest.raises(StreamCapacityError):
        hall.open(address="elsewhere")


def test_who_is_refused_takes_no_place(hall):
    hall.claim(0)
    reader = hall.reader(0)._replace(grant=12345)

    with pytest.raises(Exception, match="no longer valid"):
        hall.open(reader)

    assert (hall.places.count, hall.bell.ears) == (0, set())


# Without a thread of its own


@pytest.fixture
def threadless_hall():
    return Hall(read_first=True)


def test_the_bell_reads_for_who_has_no_thread(threadless_hall):
    hall = threadless_hall
    followed = [hall.open(address=str(number))[0] for number in range(8)]
    hall.house.claim(hall.game_id, 0)
    hall.store.reads = 0

    hall.bell.ring()

    assert [[cursor for _, cursor, _ in told(stream.pull())] for stream in followed] == [["2"]] * 8
    assert not any(stream.feed.is_due for stream in followed)
    assert hall.store.reads == 1


def test_a_store_that_is_down_when_the_bell_rings_is_asked_again(threadless_hall):
    hall = threadless_hall
    stream, _ = hall.open()
    hall.house.claim(hall.game_id, 0)
    hall.store.is_down = True

    hall.bell.ring()

    assert stream.ear.wait(0)
    assert stream.pull() == b""
    assert stream.patience() <= 1
    hall.store.is_down = False
    assert [cursor for _, cursor, _ in pulled(stream)] == ["2"]


def test_a_reading_that_fails_is_met_by_who_follows(threadless_hall, monkeypatch):
    """The bell rings for other games, too, and goes on."""
    hall = threadless_hall
    stream, _ = hall.open()
    monkeypatch.setattr(hall.store, "tail", lambda *_: 1 / 0)

    hall.bell.ring()

    assert stream.ear.wait(0)
    with pytest.raises(ZeroDivisionError):
        stream.feed.refresh()


@pytest.mark.usefixtures("_ending")
def test_nothing_is_read_for_streams_that_are_to_end(threadless_hall):
    hall = threadless_hall
    hall.open()
    hall.store.reads = 0

    hall.bell.ring()

    assert hall.store.reads == 0


# On a thread of its own


def test_a_thread_sends_what_happens_as_it_happens(hall):
    stream, _ = hall.open()
    sending = chunks(stream, b"first")
    assert next(sending) == b"first"

    threading.Timer(0.05, hall.claim, [0]).start()
    began = time.monotonic()
    ((_, cursor, _),) = told(next(sending))

    assert cursor == "2"
    assert time.monotonic() - began < 3
    sending.close()
    assert hall.places.count == 0
