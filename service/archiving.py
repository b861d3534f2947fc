"""Finished games become archives: one small record each, read at the same addresses.

Nothing is taken away but by a script that first looks whether the game is still the one that
was read. So any number may archive at once, and one that is cut off has done no harm.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine import events as e
from engine.errors import CorruptLogError
from service import metrics, stopping
from service.outage import Outage
from service.retention import EXPIRED, Retention
from service.store.archive import CannotArchiveError, pack
from service.store.base import AnswerLost, EventStore, Expired, VersionConflict, head_of
from service.store.codec import decode, decode_all

_log = logging.getLogger(__name__)

ARCHIVED: Final = "archived"
FAILED: Final = "failed"
RUNNING: Final = "not over"
RECENT: Final = "over since not long"
MOVED: Final = "changed meanwhile"

_AT_ONCE: Final = 500
_BETWEEN_GAMES: Final = 0.2
_BETWEEN_LOOKS: Final = 5.0
"""Seconds: what is over can wait, what is played cannot."""

_ENDS: Final = (e.GameFinished, e.GameAborted)


def archive_all(store: EventStore, before: int, tell: Callable[[str], object]) -> bool:
    """Archive every game that ended before *before* (ms); return whether none of them failed.

    *tell* is given a line for each game that has to stay as it is, and now and then one that
    says how far this has come.

    Raises:
        StoreUnavailableError: The store does not answer; the same call again goes on.
    """
    tally: Counter[str] = Counter()
    for game_ids in _pages(store):
        for game_id, word in outcomes(store, game_ids, before):
            tally[word] += 1
            if word is FAILED:
                tell(f"{game_id}: cannot be archived, see the log")
        tell(_told(tally))
    return not tally[FAILED]


def outcomes(store: EventStore, game_ids: Sequence[str], before: int) -> Iterator[tuple[str, str]]:
    """Archive those of *game_ids* that ended before *before*; yield what became of each.

    Raises:
        StoreUnavailableError: The store does not answer.
    """
    for first in range(0, len(game_ids), _AT_ONCE):
        some = game_ids[first : first + _AT_ONCE]
        for game_id, (version, entry) in zip(some, store.last(some), strict=True):
            yield game_id, _outcome(store, game_id, version, entry, before)


def _outcome(store: EventStore, game_id: str, version: int, entry: bytes, before: int) -> str:
    try:
        # Of all that an entry says, only its time needs to know when the game was created.
        if version < 2 or not isinstance(decode(entry, version, 0).event, _ENDS):  # noqa: PLR2004 - created and ended
            return RUNNING
        (created,) = decode_all(store.entries(game_id, 1, 1), 1, None)
        ended_at = decode(entry, version, created.time).time
        if ended_at >= before:
            return RECENT
        _archive(store, game_id, store.entries(game_id, 1, version), ended_at)
    except (VersionConflict, AnswerLost, Expired, ValueError):
        return MOVED
    except (CorruptLogError, CannotArchiveError) as exc:
        _log.warning("%s stays as it is, it cannot be archived: %s", game_id, exc)
        return FAILED
    return ARCHIVED


def _archive(store: EventStore, game_id: str, entries: Sequence[bytes], ended_at: int) -> None:
    decode_all(entries, 1, None)  # a damaged game stays where it can be looked at
    record = pack(entries)
    store.archive(game_id, len(entries), head_of(entries[-1]), record, ended_at)
    metrics.ARCHIVED.inc()
    metrics.ARCHIVED_BYTES.inc(len(record))
    _log.debug("archived %s", game_id)


def _pages(store: EventStore) -> Iterator[Sequence[str]]:
    cursor, game_ids = store.streams_from(0)
    yield game_ids
    while cursor:
        cursor, game_ids = store.streams_from(cursor)
        yield game_ids


def _told(tally: Counter[str]) -> str:
    counts = ", ".join(f"{count} {word}" for word, count in sorted(tally.items()))
    return f"{tally.total()} games: {counts}" if tally else "no games"


class Archiver:
    """Archives on a thread of its own what was over for *after_ms*, a game now and then.

    What *retention* keeps no longer it takes out of the store; None keeps everything.
    """

    def __init__(
        self,
        store: EventStore,
        after_ms: int,
        clock: Callable[[], int],
        retention: Retention | None = None,
    ) -> None:
        self._retention = retention
        self._store = store
        self._after_ms = after_ms
        self._clock = clock
        self._cursor = 0
        self._outage = Outage("archiving")

    def start(self) -> None:
        """Start the thread; it ends by itself."""
        threading.Thread(target=self._run, name="archiver", daemon=True).start()

    def _run(self) -> None:
        while not stopping.wait(_BETWEEN_LOOKS):
            self.round(stopping.wait)

    def round(self, wait: Callable[[float], bool]) -> None:
        """Look at some games; whatever goes wrong is for the next round.

        *wait* is called after each game that was archived or has expired, and says whether
        to end.
        """
        try:
            for _, word in self._outcomes():
                if word in {ARCHIVED, EXPIRED} and wait(_BETWEEN_GAMES):
                    return
        except Exception as exc:  # noqa: BLE001 - said once; the rest must be looked for again
            self._outage.begins(exc)
        else:
            self._outage.ends()

    def _outcomes(self) -> Iterator[tuple[str, str]]:
        self._cursor, game_ids = self._store.streams_from(self._cursor)
        yield from outcomes(self._store, game_ids, self._clock() - self._after_ms)
        if self._retention is not None:
            yield from self._retention.some()
