"""Streams: what one client is sent, frame by frame, whatever serves it.

A stream itself waits for nothing. `chunks` serves it from a thread of its own;
`service.stream_app` serves all streams of a process from one loop.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.seats import Seat
from service import frames, metrics, stopping
from service.auth import Reader, Unauthorized, check_reader
from service.command_request import TokenRevoked
from service.deps import Deps
from service.feeds import NO_TURNS, Feed, Feeds, Moment
from service.frames import End
from service.game import Game
from service.games import GameNotFoundError
from service.live import Ear, Rings
from service.places import Places, TooManyStreamsError
from service.presence import NOBODY, Presence
from service.schemas.responses import Viewer
from service.store.base import Rewound, StoreUnavailableError

EVENTS_CAUGHT_UP: Final = 500
"""How many events a client may be behind; beyond, it is sent the state instead."""

_ASK_AGAIN_SECONDS: Final = 1.0
_DIGITS: Final = re.compile("[0-9]{1,9}", re.ASCII)


class Pace(NamedTuple):
    """After how many seconds without news a heartbeat comes, and after how many the end."""

    heartbeat: float
    end: float


class Bounds(NamedTuple):
    """How many streams a token may have open in this process, and an address."""

    token: int
    address: int


@dataclass(frozen=True, slots=True)
class Lines:
    """The streams of one process, those that are *open*; their room, and how they are kept."""

    feeds: Feeds
    presence: Presence
    places: Places
    bounds: Bounds
    pace: Pace
    address_header: str
    open: "set[Stream]" = field(default_factory=set)

    def try_those_of(self, names: Iterable[str]) -> None:
        """Let the streams that count under one of *names* send something at once.

        On a thread, only sending finds out that a client has gone.
        """
        for stream in tuple(self.open):
            if not stream.names.isdisjoint(names):
                stream.beat_now()


class Follower(NamedTuple):
    """Who opens a stream: a *reader* at an *address*, woken by *ear*."""

    reader: Reader
    address: str
    ear: Rings


class Stream:
    """What one follower is still to be sent.

    *cursor* is the version that it has; *opening* is what to send at once. `pull` has the
    rest, to be called whenever the ear was rung and after `patience` seconds.
    """

    __slots__ = (
        "_beat_at",
        "_clock",
        "_cursor",
        "_end_at",
        "_epoch",
        "_leave",
        "_pace",
        "_present",
        "_reader",
        "_thinking",
        "_viewer",
        "ear",
        "feed",
        "is_over",
        "names",
        "seat",
    )

    def __init__(
        self,
        feed: Feed,
        follower: Follower,
        pace: Pace,
        clock: Callable[[], int],
        leave: Callable[[], None],
    ) -> None:
        self.feed = feed
        self.ear = follower.ear
        self.is_over = False
        self.names: frozenset[str] = frozenset()
        self.seat: Seat | None = None
        self._reader = follower.reader
        self._viewer = Viewer(follower.reader.seat)
        self._pace = pace
        self._clock = clock
        self._leave = leave
        self._cursor = 0
        self._epoch = 0
        self._thinking = NO_TURNS
        self._present = NOBODY
        self._end_at = time.monotonic() + pace.end
        self._beat_at = 0.0

    def opening(self, cursor: str | None) -> bytes:
        """Return what a client that has *cursor* is sent first; None is for one without any.

        Raises:
            TokenRevoked: Its token was replaced.
            StoreUnavailableError: The store does not answer.
        """
        moment = self.feed.now
        game, self._epoch = moment.game, moment.epoch
        check_reader(self._reader, game)
        known = version_in(cursor)
        if cursor is None:
            sent = self._snapshot(game)
        elif known is None or known > game.version:
            sent = frames.reset(game) + self._snapshot(game)
        else:
            self._cursor = known
            sent = self._caught_up(moment)
        self._beat_at = time.monotonic() + self._pace.heartbeat
        return frames.retry() + b"\n" + sent + self._asides(moment)

    @property
    def is_behind(self) -> bool:
        """Whether `pull` has to read the log."""
        moment = self.feed.now
        return moment.epoch == self._epoch and not moment.reaches(self._cursor)

    def patience(self) -> float:
        """Return after how many seconds there is something to do, if nothing rings."""
        least = min(self._beat_at, self._end_at) - time.monotonic()
        return max(0.0, min(least, _ASK_AGAIN_SECONDS) if self.feed.is_stale else least)

    def pull(self) -> bytes:
        """Return what to send now; after the last of it, the stream is over."""
        moment = self.feed.now
        reason = self._reason_to_end(moment.game)
        if reason is not None:
            return self._end(reason)
        try:
            sent = self._news(moment)
            if sent:
                lag = self._clock() - moment.game.times.last_event_at
                metrics.STREAM_LAG.observe(max(0, lag) / 1_000)
        except (Rewound, StoreUnavailableError):
            sent = b""  # the feed will find out which, and say so
        sent += self._asides(moment)
        if moment.game.is_over and self._cursor == moment.game.version:
            sent += self._end("game_over")
        now = time.monotonic()
        if not sent and now >= self._beat_at:
            sent = frames.heartbeat(moment.game, self._clock())
        if sent:
            self._beat_at = now + self._pace.heartbeat
        return sent

    def beat_now(self) -> None:
        """Have a heartbeat sent without waiting for its time."""
        self._beat_at = 0.0
        self.ear.ring()

    def close(self) -> None:
        """Give the place back; harmless to repeat."""
        self.is_over = True
        self._leave()

    def _reason_to_end(self, game: Game) -> End | None:
        until = self._reader.until
        try:
            check_reader(self._reader, game)
        except (TokenRevoked, Unauthorized, GameNotFoundError):
            return "unauthorized"
        if until is not None and self._clock() >= until:
            return "unauthorized"
        if game.is_over and self._cursor == game.version:
            return "game_over"
        is_done = stopping.is_stopping() or self.feed.is_broken
        return "rotate" if is_done or time.monotonic() >= self._end_at else None

    def _end(self, reason: End) -> bytes:
        self.is_over = True
        return frames.end(reason)

    def _news(self, moment: Moment) -> bytes:
        if moment.epoch != self._epoch:
            self._epoch = moment.epoch
            return frames.reset(moment.game) + self._snapshot(moment.game)
        return self._caught_up(moment)

    def _caught_up(self, moment: Moment) -> bytes:
        version = moment.game.version
        if version - self._cursor > EVENTS_CAUGHT_UP:
            return self._snapshot(moment.game)
        if moment.reaches(self._cursor):
            sent = moment.since(self._cursor, self._viewer)
        else:
            sent = self.feed.log(self._cursor + 1, version, self._viewer)
        self._cursor = version
        return sent

    def _asides(self, moment: Moment) -> bytes:
        """Return what is no event: which bots are to play, and who has come or gone."""
        thinking, present = moment.thinking, self.feed.present
        sent = b""
        if thinking is not self._thinking and self._cursor == moment.game.version:
            new = sorted(thinking - self._thinking)
            sent = b"".join(frames.thinking(seat, turn_id) for turn_id, seat in new)
            self._thinking = thinking
        if present is not self._present and not moment.game.is_over:
            changed = sorted(present ^ self._present)
            sent += b"".join(frames.presence(one, connected=one in present) for one in changed)
            self._present = present
        return sent

    def _snapshot(self, game: Game) -> bytes:
        self._cursor = game.version
        return frames.snapshot(game, self._viewer)


def version_in(cursor: str | None) -> int | None:
    """Return the version that *cursor* stands for, or None."""
    return int(cursor) if cursor is not None and _DIGITS.fullmatch(cursor) else None


def open_stream(
    lines: Lines, deps: Deps, game: Game, follower: Follower, cursor: str | None
) -> tuple[Stream, bytes]:
    """Return a stream of *game* for *follower*, who has *cursor*, and what to send at once.

    Raises:
        TooManyStreamsError: The follower has as many as it may.
        StreamCapacityError: This process has as many as it may.
        TokenRevoked: The follower's token was replaced.
        StoreUnavailableError: The store does not answer.
    """
    names = _names(lines.bounds, game.game_id, follower)
    try:
        give_back = lines.places.take("streams", names)
    except TooManyStreamsError:
        lines.try_those_of(names)
        raise
    try:
        feed = lines.feeds.join(deps.games, game, follower.ear)
    except BaseException:
        give_back()
        raise

    def leave() -> None:
        try:
            lines.open.remove(stream)  # one step, whichever threads come here together
        except KeyError:
            return
        lines.feeds.leave(feed, follower.ear)
        give_back()
        if stream.seat is not None:
            lines.presence.leave(game.game_id, stream.seat)

    stream = Stream(feed, follower, lines.pace, deps.clock, leave)
    stream.names = frozenset(names)
    lines.open.add(stream)
    try:
        opening = stream.opening(cursor)
    except BaseException:
        leave()
        raise
    stream.seat = _seat(game, follower)  # not before: who is refused was never there
    if stream.seat is not None:
        lines.presence.enter(game.game_id, stream.seat)
    return stream, opening


def chunks(stream: Stream, opening: bytes) -> Iterator[bytes]:
    """Yield what *stream* sends, *opening* first, on this thread; its ear is an `Ear`."""
    assert isinstance(stream.ear, Ear), "an ear that a thread can wait at"
    with closing(stream):
        yield opening
        while not stream.is_over:
            if sent := stream.pull():
                yield sent
            if not stream.is_over:
                stream.ear.wait(stream.patience())
                stream.feed.refresh()


def _seat(game: Game, follower: Follower) -> Seat | None:
    """Return the seat that is present by the stream, if any."""
    return None if game.is_over else follower.reader.seat


def _names(bounds: Bounds, game_id: str, follower: Follower) -> Mapping[str, int]:
    names = {f"address {follower.address}": bounds.address}
    seat, grant, _ = follower.reader
    if grant is not None:
        names[f"{game_id} {seat} {grant}"] = bounds.token
    return names
