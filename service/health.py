"""Whether the parts that a game needs are there: the store, the queue, the workers."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from redis.exceptions import RedisError
from rq import Queue

from service import stopping
from service.deps import Deps
from service.store.base import StoreUnavailableError
from service.store.redis_store import Health as StoreHealth

PASS: Final = "pass"  # noqa: S105 - a verdict
FAIL: Final = "fail"
_LONGEST_SILENCE_MS: Final = 10_000
_LONGEST_LATENESS_MS: Final = 10_000
_LOOKED_AT: Final = 100
_SAFE_POLICY: Final = "noeviction"


class Health(NamedTuple):
    """Asks the parts, each of which answers or raises within some two seconds.

    *seen_at* gives when a worker was last seen, in ms since the epoch; *not_parked* gives
    those of some games that workers have not given up for now.
    """

    deps: Deps
    queues: Sequence[Queue]
    store_health: Callable[[], StoreHealth]
    seen_at: Callable[[], int | None]
    not_parked: Callable[[Sequence[str]], list[str]]
    durability: str

    def readiness(self) -> dict[str, Any]:
        """Return the verdict on each part and on all of them."""
        asked = {
            "store": self._store,
            "queue": self._queue,
            "workers": self._workers,
            "due": self._due,
        }
        # Side by side: a server that is frozen takes each of them a second.
        with ThreadPoolExecutor(len(asked)) as pool:
            answers = pool.map(lambda ask: ask(), asked.values())
            checks = dict(zip(asked, answers, strict=True))
        well = all(check["status"] == PASS for check in checks.values())
        return {"status": _verdict(well=well and not stopping.is_stopping()), "checks": checks}

    def _store(self) -> dict[str, Any]:
        try:
            health = self.store_health()
        except StoreUnavailableError:
            silent = {"ms": None, "durability": None, "eviction": None}
            return {"status": FAIL, **silent, "reason": "The store does not answer."}
        reason = _unsafe(health)
        return {
            "status": _verdict(well=reason is None),
            "ms": round(health.ms),
            "durability": self.durability,
            "eviction": health.eviction,
            "reason": reason,
        }

    def _queue(self) -> dict[str, Any]:
        try:
            depth = sum(queue.count for queue in self.queues)
        except RedisError:
            return {"status": FAIL, "depth": None}
        return {"status": PASS, "depth": depth}

    def _workers(self) -> dict[str, Any]:
        try:
            seen_at = self.seen_at()
        except RedisError:
            seen_at = None
        if seen_at is None:
            return {"status": FAIL, "last_seen_seconds": None}
        silence = max(0, self.deps.clock() - seen_at)
        well = silence <= _LONGEST_SILENCE_MS
        return {"status": _verdict(well=well), "last_seen_seconds": silence // 1000}

    def _due(self) -> dict[str, Any]:
        now = self.deps.clock()
        try:
            waiting = self._waiting_since(now)
        except StoreUnavailableError:
            return {"status": FAIL, "oldest_seconds": None}
        lateness = now - min(waiting, default=now)
        well = lateness <= _LONGEST_LATENESS_MS
        return {"status": _verdict(well=well), "oldest_seconds": lateness // 1000}

    def _waiting_since(self, now: int) -> list[int]:
        due = {one.game_id: one.due_at for one in self.deps.store.overdue(now, _LOOKED_AT)}
        try:
            # A game that cannot go on is its own trouble, not that of all others.
            return [due[game_id] for game_id in self.not_parked(list(due))]
        except RedisError:
            return list(due.values())


def _unsafe(health: StoreHealth) -> str | None:
    """Return why a store that answers loses games, or None if it does not."""
    if health.eviction != _SAFE_POLICY:
        return f"The store may drop games; it needs `maxmemory-policy {_SAFE_POLICY}`."
    if not health.aof:
        return "The store keeps no file, so its end loses all games; it needs `appendonly yes`."
    if not health.last_write_ok:
        return "The store could not write its file; look at its log and at the disk."
    return None


def _verdict(*, well: bool) -> str:
    return PASS if well else FAIL
