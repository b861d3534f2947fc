"""Games that are over for too long are taken out of the store; a word is left of each.

Only what is archived goes, by a script that looks once more at what was read. So any number
may do it at once, and one that is cut off has done no harm. What other games say of one that
is gone, their origin, is their own and stays.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine import events as e
from engine.commands import PRIVATE
from engine.errors import CorruptLogError
from service import metrics
from service.store.base import (
    NO_HEAD,
    AnswerLost,
    EventStore,
    Expired,
    VersionConflict,
    Word,
    head_of,
)
from service.store.codec import decode_all
from service.store.envelope import Stored

_log = logging.getLogger(__name__)

EXPIRED: Final = "expired"
FAILED: Final = "failed"
MOVED: Final = "changed meanwhile"

DAY_MS: Final = 86_400_000
WORD_MS: Final = 30 * DAY_MS
"""For how long it is told that a game has expired; then nothing is known of it."""

AT_ONCE: Final = 100


class Retention:
    """Takes games out of *store* that ended more than *after_ms* ago.

    A game that cannot be read stays, where it can be looked at, and is left alone from then on.
    *forget* is told of each that goes.
    """

    def __init__(
        self,
        store: EventStore,
        after_ms: int,
        clock: Callable[[], int],
        forget: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._store = store
        self._after_ms = after_ms
        self._clock = clock
        self._forget = forget
        self._failed: set[str] = set()

    def some(self) -> Iterator[tuple[str, str]]:
        """Take some games out of the store, the oldest first; yield what became of each.

        Raises:
            StoreUnavailableError: The store does not answer.
        """
        now = self._clock()
        found = self._store.ended_before(now - self._after_ms, AT_ONCE + len(self._failed))
        for game_id in found:
            if game_id not in self._failed:
                word = self._outcome(game_id, now)
                if word is FAILED:
                    self._failed.add(game_id)
                yield game_id, word

    def _outcome(self, game_id: str, now: int) -> str:
        try:
            entries = self._store.tail(game_id, 0, NO_HEAD)
            is_private = _is_private(decode_all(entries, 1, None))
            word = Word(now, is_private, WORD_MS)
            self._store.expire(game_id, len(entries), head_of(entries[-1]), word)
            self._forget(game_id)
        except (VersionConflict, AnswerLost, Expired):
            return MOVED
        except CorruptLogError as exc:
            _log.warning("%s stays, it cannot be read: %s", game_id, exc)
            return FAILED
        metrics.EXPIRED.inc()
        _log.info("expired %s", game_id)
        return EXPIRED


def expire_all(retention: Retention, tell: Callable[[str], object]) -> bool:
    """Take out all games that are over for too long; return whether none of them failed.

    *tell* is given a line for each game that has to stay, and one that says how many went.

    Raises:
        StoreUnavailableError: The store does not answer; the same call again goes on.
    """
    tally: Counter[str] = Counter()
    while some := list(retention.some()):
        for game_id, word in some:
            tally[word] += 1
            if word is FAILED:
                tell(f"{game_id}: cannot be taken out, see the log")
        if all(word is MOVED for _, word in some):
            break
    tell(f"{tally[EXPIRED]} expired")
    return not tally[FAILED]


def _is_private(stored: Sequence[Stored]) -> bool:
    """Return whether the game with these events, one at least, was private at its end."""
    visibility = None
    for one in stored:
        match one.event:
            case e.GameCreated(visibility=given):
                visibility = given
            case e.OptionsChanged(visibility=given) if given is not None:
                visibility = given
            case _:
                pass
    return visibility == PRIVATE
