"""Games as the streams of this process follow them: each read once, however many follow.

A feed hears the bell of its game, and whoever follows it is woken. The first who comes reads
what the log has more, and the others find it read, and each frame made once for each view.
Who has no thread to read on finds it read already: then it is read by who rings.
"""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from engine.disclosure import private_part
from engine.seats import Seat
from service import frames, stopping
from service.game import Game, Indexes
from service.games import GameNotFoundError, Games, QuarantinedError
from service.live import Bell, Rings
from service.presence import NOBODY, Presence
from service.schemas.responses import PUBLIC, Viewer
from service.store.base import Expired, Rewound, StoreUnavailableError
from service.store.envelope import Stored
from service.tempo import waiting_bots

# Who is further behind reads the log: a slow client must not make a game's memory grow.
_EVENTS_KEPT: Final = 8
# A bell can be lost: this is how long that may delay a stream that is otherwise woken.
_READ_AGAIN_SECONDS: Final = 5.0

BotTurns: TypeAlias = frozenset[tuple[int, Seat]]
"""Turns that bots have still to play, each with the seat."""

NO_TURNS: Final[BotTurns] = frozenset()


@dataclass(frozen=True, slots=True)
class _Recent:
    """An event, and its frame for each view that has asked for it.

    Most events hide nothing from anybody: their one frame is the public's.
    """

    stored: Stored
    hides: bool
    framed: dict[Viewer, bytes] = field(default_factory=dict)

    def frame(self, viewer: Viewer) -> bytes:
        """Return the frame for *viewer*."""
        reader = viewer if self.hides else PUBLIC
        found = self.framed.get(reader)
        if found is None:
            found = self.framed[reader] = frames.event(self.stored, reader)
        return found


class Moment(NamedTuple):
    """A *game* as it was last read, and its last few events.

    *epoch* grows when the log is found to have lost what was read of it. *thinking* follows
    from the log alone: a bot's turn is in it until the bot has played, whatever it holds.
    """

    game: Game
    recent: tuple[_Recent, ...] = ()
    epoch: int = 0
    thinking: BotTurns = NO_TURNS

    def reaches(self, version: int) -> bool:
        """Return whether all events after *version* are among the last few."""
        return self.game.version - version <= len(self.recent)

    def since(self, version: int, viewer: Viewer) -> bytes:
        """Return the frames of what came after *version*, to which this `reaches`."""
        first = len(self.recent) - (self.game.version - version)
        return b"".join([one.frame(viewer) for one in self.recent[first:]])


class Feed:
    """One game for those in this process who follow it; *now* is what was last read of it.

    *present* has the seats that are connected, as far as that is known. *read_first*: it is
    read by who rings, before those are woken who follow.
    """

    def __init__(self, games: Games, game: Game, *, read_first: bool = False) -> None:
        self.now = _moment(_without_indexes(game))
        self.present = NOBODY
        self.is_broken = False
        self._games = games
        self._read_first = read_first
        self._is_stale = True
        self._read_at = 0.0
        self._reading = threading.Lock()
        self._lock = threading.Lock()
        self._followers: set[Rings] = set()

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return self.now.game.game_id

    @property
    def is_due(self) -> bool:
        """Whether the log should be read: the bell rang, or it is long ago."""
        return self._is_stale or time.monotonic() - self._read_at >= _READ_AGAIN_SECONDS

    @property
    def is_stale(self) -> bool:
        """Whether the game has moved on since it was read, or the store did not answer."""
        return self._is_stale

    def ring(self) -> None:
        """Hear that the game has moved on."""
        self._is_stale = True
        # A store that does not answer does not ring either: nobody else has to wait for it.
        if self._read_first and not stopping.is_stopping():
            with suppress(Exception):  # it goes on being stale, so who follows meets it, too
                self.refresh()
        self._ring_all()

    def show(self, present: frozenset[Seat]) -> None:
        """Hear that the seats in *present* are connected, and no others."""
        self.present = present
        self._ring_all()

    def _ring_all(self) -> None:
        with self._lock:
            followers = tuple(self._followers)
        for one in followers:
            one.ring()

    def add(self, follower: Rings) -> None:
        """Ring *follower*, too, from now on."""
        with self._lock:
            self._followers.add(follower)

    def drop(self, follower: Rings) -> bool:
        """Ring *follower* no longer; tell whether nobody is left."""
        with self._lock:
            self._followers.discard(follower)
            return not self._followers

    def refresh(self, *, anyway: bool = False) -> None:
        """Read the log if it is due; a store that does not answer is asked the next time."""
        with self._reading:
            if self.is_broken or not (anyway or self.is_due):
                return
            self._is_stale = False  # before reading: who rings from here on is not yet heard
            try:
                self._read()
            except StoreUnavailableError:
                self._is_stale = True
            except (QuarantinedError, GameNotFoundError, Expired):
                self.is_broken = True
            except BaseException:
                self._is_stale = True
                raise
            self._read_at = time.monotonic()

    def _read(self) -> None:
        game, recent, epoch, _ = self.now
        try:
            game, stored = self._games.follow(game)
        except Rewound:
            game = _without_indexes(self._games.read(game.game_id))
            self.now = _moment(game, epoch=epoch + 1)
            return
        if stored:
            more = (_Recent(one, bool(private_part(one.event))) for one in stored)
            self.now = _moment(game, (*recent, *more)[-_EVENTS_KEPT:], epoch)

    def log(self, first: int, last: int, viewer: Viewer) -> bytes:
        """Return the frames of the events numbered *first* to *last*, read from the log.

        Raises:
            Rewound: The log has lost some of them since.
            StoreUnavailableError: The store does not answer.
        """
        stored = self._games.events(self.now.game, first, last)
        return b"".join(frames.event(one, viewer) for one in stored)


class Feeds:
    """The feeds of one process, each there as long as somebody follows it.

    *read_first*: those who follow have no threads to read on.
    """

    def __init__(self, bell: Bell, presence: Presence, *, read_first: bool = False) -> None:
        self._bell = bell
        self._presence = presence
        self._read_first = read_first
        self._lock = threading.Lock()
        self._feeds: dict[str, Feed] = {}

    def join(self, games: Games, game: Game, follower: Rings) -> Feed:
        """Return the feed of *game*, read after *follower* can hear what follows."""
        with self._lock:
            feed = self._feeds.get(game.game_id)
            is_new = feed is None
            if feed is None:
                feed = Feed(games, game, read_first=self._read_first)
                self._feeds[game.game_id] = feed
                self._presence.add(game.game_id, feed)
            feed.add(follower)
        if is_new:
            self._bell.add(game.game_id, feed)
        feed.refresh(anyway=True)
        return feed

    def leave(self, feed: Feed, follower: Rings) -> None:
        """Let *follower* hear no more."""
        with self._lock:
            if not feed.drop(follower):
                return
            if self._feeds.get(feed.game_id) is feed:
                del self._feeds[feed.game_id]
                self._presence.remove(feed.game_id)
        self._bell.remove(feed.game_id, feed)


def _moment(game: Game, recent: tuple[_Recent, ...] = (), epoch: int = 0) -> Moment:
    turn = game.turn
    if turn is None:
        return Moment(game, recent, epoch)
    thinking = frozenset((turn.id, seat) for seat in waiting_bots(game))
    return Moment(game, recent, epoch, thinking)


def _without_indexes(game: Game) -> Game:
    # They are the larger part of a long game, and no stream asks for them.
    return replace(game, indexes=Indexes.empty())
