"""Who has waited too long is hinted at again, whatever became of the job.

Every worker process sweeps. The due sets, written with the events, say which games wait, and
the records of analyses which of these; no job's record stands in the way, since each hint is a
new job.
"""

import logging
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from engine.clocks import MILLISECONDS, MOST_SECONDS
from service import stopping
from service.analyses.orders import Orders
from service.outage import Outage
from service.store.base import EventStore
from service.trouble import Trouble
from service.watch import Watch

_log = logging.getLogger(__name__)

EVERY_SECONDS: Final = 0.5
UNSERVED_SECONDS: Final = 10.0
"""How often without an API: all whose time is up wait for it, and most hints are for nothing."""

ANALYSES_SECONDS: Final = 5.0
"""How often analyses are looked for: nobody's turn waits for them."""

GRACE_MS: Final = 1_000
GRACE_PER_HINT_MS: Final = 50
"""How long a worker takes for a hint at quick bots at most, unless something is wrong."""

GRACE_PER_SLOW_HINT_MS: Final = 100
"""How long for one at slow bots, each of whose moves may take it beyond the other."""

LOOKED_AT: Final = 1_000
"""How many overdue games a sweep looks at, parked ones among them."""


class Backlog(NamedTuple):
    """How many hints are queued at quick bots and at slow ones; a game *is_slow* in the latter."""

    quick: int
    slow: int
    is_slow: Callable[[str], bool]

    @property
    def grace_ms(self) -> int:
        """How long a game in the first queue may wait there; no game may wait for less."""
        return GRACE_MS + GRACE_PER_HINT_MS * self.quick

    def may_wait(self, game_id: str, late_ms: int) -> bool:
        """Return whether the game may still be in the second queue, being *late_ms* late."""
        longest = self.grace_ms + GRACE_PER_SLOW_HINT_MS * self.slow
        # Few games are so late, so only of few it is asked.
        return late_ms < longest and self.is_slow(game_id)


def sweep(
    store: EventStore, trouble: Trouble, hint: Callable[[str], None], backlog: Backlog, now: int
) -> list[str]:
    """Hint at the games that have waited for too long at *now* (ms), and return them.

    Not at those that are parked, nor at those that somebody has swept in the last second.
    *backlog* is what is queued: a game that waits in a long queue is not lost, and hints at
    all that do would only make the queue longer.

    Raises:
        StoreUnavailableError: The store does not say who waits.
        RedisError: The queue's server does not say who is parked.
    """
    overdue = {due.game_id: due.due_at for due in store.overdue(now - backlog.grace_ms, LOOKED_AT)}
    found = trouble.to_rescue(list(overdue)) if overdue else []
    lost = [one for one in found if not backlog.may_wait(one, now - overdue[one])]
    for game_id in lost:
        hint(game_id)
        _log.info("hinted again at %s after %d ms", game_id, now - overdue[game_id])
    return lost


def greet(store: EventStore, hint: Callable[[str], None], now: int, most: int = LOOKED_AT) -> None:
    """Hint, after an outage, at the games whose clock runs, so that they learn of it.

    At *most* of them, those first whose time is up first; the others learn of it when their
    time is up, before anything else becomes of that.

    Raises:
        StoreUnavailableError: The store does not say who waits.
    """
    for due in store.overdue(now + MILLISECONDS * MOST_SECONDS, most):
        hint(due.game_id)


class Shared(NamedTuple):
    """What all workers know; *orders* are the analyses to go on with, None where nobody does."""

    trouble: Trouble
    watch: Watch
    orders: Orders | None = None


class Sweeper:
    """Sweeps twice a second on a thread of its own, until the process is to end."""

    def __init__(
        self,
        store: EventStore,
        shared: Shared,
        hint: Callable[[str], None],
        backlog: Callable[[], Backlog],
        clock: Callable[[], int],
    ) -> None:
        self._store = store
        self._trouble, self._watch, self._orders = shared
        self._hint = hint
        self._backlog = backlog
        self._clock = clock
        self._outage = Outage("sweeping")
        self._swept_at = self._analyses_at = 0

    def start(self) -> None:
        """Start the thread; it ends by itself."""
        threading.Thread(target=self._run, name="sweeper", daemon=True).start()

    def _run(self) -> None:
        while not stopping.wait(EVERY_SECONDS):
            self.round()

    def round(self) -> None:
        """Sweep once; whatever goes wrong is for the next round."""
        try:
            now = self._clock()
            self._sweep_games(now)
            self._sweep_analyses(now)
        except Exception as exc:  # noqa: BLE001 - said once; who waits must be looked for again
            self._outage.begins(exc)
        else:
            self._outage.ends()

    def _sweep_games(self, now: int) -> None:
        if self._watch.is_back(now):
            greet(self._store, self._hint, now)
        elif self._watch.is_unserved and now - self._swept_at < 1_000 * UNSERVED_SECONDS:
            return
        self._swept_at = now
        sweep(self._store, self._trouble, self._hint, self._backlog(), now)

    def _sweep_analyses(self, now: int) -> None:
        if self._orders is not None and now - self._analyses_at >= 1_000 * ANALYSES_SECONDS:
            self._analyses_at = now
            self._orders.sweep()
