"""Games by id: the cache of folded games, and reading on from where it stands.

The cache is only a cache: dropping it changes nothing but the time a request takes.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.errors import CorruptLogError
from engine.seats import Seat
from engine.state import Lobby, Status, status_of
from service import metrics
from service.game import Game, Loss, grown, opened_game
from service.quarantine import Quarantine
from service.store.base import NO_HEAD, Archived, EventStore, Expired, Rewound, head_of
from service.store.codec import decode_all
from service.store.envelope import Stored

log = logging.getLogger(__name__)

GAMES_KEPT: Final = 512
AT_ONCE: Final = 500
"""How many events are read in one go."""


class GameNotFoundError(Exception):
    """There is no such game."""

    def __init__(self, game_id: str) -> None:
        super().__init__(f"there is no game {game_id}")


class QuarantinedError(Exception):
    """The log of this one game does not fold; *reason* is for the operator."""

    def __init__(self, game_id: str, reason: str) -> None:
        super().__init__(f"the log of {game_id} does not fold: {reason}")
        self.game_id = game_id


class Games:
    """The games of one process; *quarantine* has those that are closed."""

    def __init__(self, store: EventStore, kept: int = GAMES_KEPT) -> None:
        self.quarantine = Quarantine()
        self._store = store
        self._kept = kept
        self._cache: OrderedDict[str, Game] = OrderedDict()
        self._lost: OrderedDict[str, Loss] = OrderedDict()
        self.on_loss: Callable[[Game, Loss], object] | None = None
        """Voids the running deal of a game whose log has lost its end."""
        self._lock = threading.Lock()

    def cached(self, game_id: str) -> Game | None:
        """Return the game as this process last saw it; it may be behind the log."""
        with self._lock:
            game = self._cache.get(game_id)
            if game is not None:
                self._cache.move_to_end(game_id)
            return game

    def keep(self, game: Game) -> None:
        """Remember *game*, unless a later moment of it is remembered already."""
        with self._lock:
            known = self._cache.get(game.game_id)
            if known is None or known.version < game.version:
                self._cache[game.game_id] = game
                self._cache.move_to_end(game.game_id)
            if len(self._cache) > self._kept:
                self._cache.popitem(last=False)

    def forget(self, game_id: str) -> None:
        """Drop what is remembered of the game."""
        with self._lock:
            self._cache.pop(game_id, None)

    def lose(self, game: Game) -> None:
        """Drop *game*, since the log has lost it, and note that its deal is void."""
        table = game.table
        proof = f"{game.version}|{game.head.hex()}"
        self.forget(game.game_id)
        log.warning("the log of %s was rewound behind version %d", game.game_id, game.version)
        self._note(game.game_id, Loss(proof, table.deals, table.voided_versions))

    def doubt(self, game: Game, seat: Seat | None, grant: int) -> None:
        """Void the running deal if *grant*, of a genuine token, is above the log's.

        *game* was read after the token came.

        Raises:
            StoreUnavailableError: The store does not answer.
        """
        seats = range(len(game.table.players))
        if (seat is None or seat in seats) and grant > game.grant(seat):
            log.warning("the log of %s does not know a token that was given", game.game_id)
            self._note(game.game_id, Loss(f"token|{seat}|{grant}", elapsed=grant))
            self.find(game.game_id)

    def _note(self, game_id: str, loss: Loss) -> None:
        with self._lock:
            known = self._lost.get(game_id)
            if known is None or known.deal < loss.deal:
                self._lost[game_id] = loss
            if len(self._lost) > self._kept:
                self._lost.popitem(last=False)

    def find(self, game_id: str) -> Game | None:
        """Return the game as the log has it now, or None if there is none.

        A deal that may have been seen as the log no longer has it is voided first.

        Raises:
            Expired: It was there, and is no more.
            QuarantinedError: Its log makes no sense.
            StoreUnavailableError: The store does not answer.
            BusyError: Others were faster as often as we tried to void it.
        """
        game = self._found(game_id)
        return self._settled(game_id, game) if game_id in self._lost else game

    def _settled(self, game_id: str, game: Game | None) -> Game | None:
        with self._lock:
            loss = self._lost.pop(game_id, None)
        if loss is None or self.on_loss is None or game is None or game.is_over:
            return game
        if isinstance(game.state, Lobby):
            # What was dealt may have been seen: the first deal is void as soon as it is dealt.
            if loss.deal:
                self._note(game_id, loss)
            return game
        if loss.is_settled(game):
            return game
        try:
            self.on_loss(game, loss)
        except Exception:
            # Whoever asks is told, and whoever comes next tries again.
            self._note(game_id, loss)
            raise
        return self._found(game_id)

    def look_up(self, game_id: str) -> Game:
        """Return the game as `read` does, but do not remember it: for who reads many once.

        Raises:
            GameNotFoundError: There is none.
            QuarantinedError: Its log makes no sense.
            StoreUnavailableError: The store does not answer.
        """
        game = self._found(game_id, keep=False)
        if game is None:
            raise GameNotFoundError(game_id)
        return game

    def _found(self, game_id: str, *, keep: bool = True) -> Game | None:
        known = self.cached(game_id)
        try:
            game = self._grown(game_id, known)
            if game is None or game is known:
                return game
            _check_end(game)
        except CorruptLogError as exc:
            self.forget(game_id)
            self.quarantine.tell(game_id, "log", str(exc))
            raise QuarantinedError(game_id, str(exc)) from exc
        if known is None:
            self.quarantine.lift(game_id, "log")
        if keep:
            self.keep(game)
        return game

    def is_taken(self, game_id: str) -> bool:
        """Return whether there is such a game, or was one that has expired.

        Raises:
            QuarantinedError: Its log makes no sense.
            StoreUnavailableError: The store does not answer.
        """
        try:
            return self.find(game_id) is not None
        except Expired:
            return True

    def read(self, game_id: str) -> Game:
        """Return the game as the log has it now.

        Raises:
            GameNotFoundError: There is none.
            Expired: It was there, and is no more.
            QuarantinedError: Its log makes no sense.
            StoreUnavailableError: The store does not answer.
        """
        game = self.find(game_id)
        if game is None:
            raise GameNotFoundError(game_id)
        return game

    def follow(self, game: Game) -> tuple[Game, list[Stored]]:
        """Return *game* as the log has it now, and the events that it lacked.

        For who keeps the game: it is not remembered here, and its indexes stay as they are.

        Raises:
            Rewound: The log no longer has the version of *game*.
            QuarantinedError: The log makes no sense.
            StoreUnavailableError: The store does not answer.
        """
        try:
            entries = self._store.tail(game.game_id, game.version, game.head)
            if not entries:
                return game, []
            stored = decode_all(entries, game.version + 1, game.times.created_at)
            game = game.plus(stored, head_of(entries[-1]))
            _check_end(game)
        except CorruptLogError as exc:
            self.quarantine.tell(game.game_id, "log", str(exc))
            raise QuarantinedError(game.game_id, str(exc)) from exc
        return game, stored

    def at(self, game: Game, version: int) -> Game:
        """Return *game* as it was at *version*, from 1 to its own.

        Raises:
            Rewound: The log has lost it since.
        """
        if version == game.version:
            return game
        entries = self._entries(game, 1, version)
        return opened_game(game.game_id, decode_all(entries, 1, None), head_of(entries[-1]))

    def events(self, game: Game, first: int, last: int) -> list[Stored]:
        """Return the events of *game* numbered *first* to *last*, both included.

        Raises:
            Rewound: The log has lost some of them since.
        """
        if first > last:
            return []
        entries = self._entries(game, first, last)
        return decode_all(entries, first, game.times.created_at)

    def _entries(self, game: Game, first: int, last: int) -> list[bytes]:
        entries = self._store.entries(game.game_id, first, last)
        if len(entries) != last - first + 1:
            self.lose(game)
            msg = f"{game.game_id} has lost what it had up to version {last}"
            raise Rewound(msg)
        return entries

    def log(self, game_id: str) -> tuple[int, Iterator[list[Stored]]]:
        """Return how many events a game has, and all of them, some hundred at a time.

        None is folded, and each is decoded when its turn comes; the iterator may raise
        `CorruptLogError`, too.

        Raises:
            GameNotFoundError: There is none.
            Expired: It was there, and is no more.
            CorruptLogError: Its log makes no sense.
            StoreUnavailableError: The store does not answer.
        """
        # Read in one go: an archived game is unpacked as a whole.
        entries = self._store.tail(game_id, 0, NO_HEAD)
        if not entries:
            raise GameNotFoundError(game_id)
        return len(entries), _decoded(entries)

    def batches(self, game: Game, first: int, last: int) -> Iterator[list[Stored]]:
        """Yield the events of *game* numbered *first* to *last*, some hundred at a time.

        Raises:
            Rewound: The log has lost some of them since.
        """
        for begin in range(first, last + 1, AT_ONCE):
            yield self.events(game, begin, min(begin + AT_ONCE - 1, last))

    def moments(
        self, game: Game, first: int, last: int, *, before: Game | None = None
    ) -> Iterator[tuple[Stored, Game]]:
        """Yield the events of *game* numbered *first* to *last*, each with the game after it.

        The log before *first* is folded once, unless that is the moment *before*, and every
        event from there on once.

        Raises:
            Rewound: The log has lost some of them since.
        """
        moment = before
        if moment is None or moment.version != first - 1:
            moment = self.at(game, first - 1) if 1 < first <= last else None
        for begin in range(first, last + 1, AT_ONCE):
            entries = self._entries(game, begin, min(begin + AT_ONCE - 1, last))
            for entry, stored in zip(
                entries, decode_all(entries, begin, game.times.created_at), strict=True
            ):
                moment = _next_moment(game.game_id, moment, stored, entry)
                yield stored, moment

    def _grown(self, game_id: str, known: Game | None) -> Game | None:
        if known is None:
            return _timed(game_id, None, self._store.tail(game_id, 0, NO_HEAD))
        try:
            entries = self._store.tail(game_id, known.version, known.head)
        except Archived:
            # Nothing is lost: from now on it is remembered as the archive has it.
            self.forget(game_id)
            return self._grown(game_id, None)
        except Expired:
            self.forget(game_id)
            raise
        except Rewound:
            self.lose(known)
            return self._grown(game_id, None)
        return _timed(game_id, known, entries)


def _decoded(entries: Sequence[bytes]) -> Iterator[list[Stored]]:
    created_at = decode_all(entries[:1], 1, None)[0].time
    for begin in range(0, len(entries), AT_ONCE):
        yield decode_all(entries[begin : begin + AT_ONCE], begin + 1, created_at)


def _timed(game_id: str, known: Game | None, entries: Sequence[bytes]) -> Game | None:
    if not entries:
        return known
    with metrics.FOLD.time():
        return grown(game_id, known, entries)


def _next_moment(game_id: str, moment: Game | None, stored: Stored, entry: bytes) -> Game:
    head = head_of(entry)
    if moment is None:
        return opened_game(game_id, [stored], head)
    return moment.plus([stored], head)


def _check_end(game: Game) -> None:
    # All events of a command are stored at once, so no log ends between them.
    if status_of(game.state) is Status.ACTIVE and game.turn is None:
        msg = f"it ends inside a command, with event {game.version}"
        raise CorruptLogError(msg)
