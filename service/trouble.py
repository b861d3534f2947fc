"""What workers tell each other about turns that did not go as they should.

Short-lived keys beside the queue. They decide who tries again and when to stop trying,
never what happens in a game: losing all of them changes nothing but a delay.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from engine.seats import Seat
from service.notify import JOB_SECONDS

SWEPT_MS: Final = 1_000
PARKED_MS: Final = 300_000
_LEASE_MS: Final = 1_000 * JOB_SECONDS
_RENEWED_SECONDS: Final = JOB_SECONDS / 4
_COUNT_SECONDS: Final = 600
_SEEN_SECONDS: Final = 3_600


class Decision(NamedTuple):
    """What a bot is to decide: a turn of a game, as one of its seats."""

    game_id: str
    turn_id: int
    seat: Seat

    def __str__(self) -> str:
        """Return what names it in a key."""
        return f"{self.game_id}:{self.turn_id}:{self.seat}"


class Trouble:
    """The shared memory of all workers of one queue, in keys that begin with *prefix*."""

    def __init__(self, client: Redis, prefix: str = "hearts-jobs") -> None:
        self._client: Final = client
        self._prefix: Final = prefix

    @contextmanager
    def attempt(self, decision: Decision) -> Iterator[int]:
        """Be the only one who tries at *decision*, and yield how many have, this one included.

        The count is kept when the process dies inside. Yields 0, which is not a try, if
        somebody else is at it.
        """
        lease = self._lease(decision)
        if not self._client.set(lease, 1, nx=True, px=_LEASE_MS):
            yield 0
            return
        done = Event()
        keeper = Thread(target=self._keep, args=(lease, done), daemon=True)
        keeper.start()
        try:
            yield self._count(f"{self._prefix}:attempts:{decision}")
        finally:
            done.set()
            keeper.join()
            self._client.delete(lease)

    def _keep(self, lease: str, done: Event) -> None:
        """Hold *lease* until all is *done*: on a busy machine that takes longer than the lease.

        It goes soon after a process that dies.
        """
        while not done.wait(_RENEWED_SECONDS):
            with suppress(RedisError, OSError):
                self._client.pexpire(lease, _LEASE_MS)

    def _count(self, key: str) -> int:
        with self._client.pipeline() as pipe:
            pipe.incr(key)
            pipe.expire(key, _COUNT_SECONDS)
            count: int = pipe.execute()[0]
        return count

    def reserve(self, decision: Decision, since: int, ms: int) -> bool:
        """Be the only one who prepares *decision* for so long; return whether we are.

        Whoever has had to decide *since* another moment (ms) is somebody else.
        """
        key = f"{self._prefix}:held:{decision}:{since}"
        return bool(self._client.set(key, 1, nx=True, px=ms))

    def _lease(self, decision: Decision) -> str:
        return f"{self._prefix}:lease:{decision}"

    def forgive(self, decision: Decision) -> None:
        """Take back one try: it did not fail by itself."""
        self._client.decr(f"{self._prefix}:attempts:{decision}")

    def park(self, game_id: str) -> None:
        """Leave the game alone for five minutes: trying again would not help."""
        self._client.set(f"{self._prefix}:parked:{game_id}", 1, px=PARKED_MS)

    def not_parked(self, game_ids: Sequence[str]) -> list[str]:
        """Return those that are not parked."""
        if not game_ids:
            return []
        parked = self._client.mget([f"{self._prefix}:parked:{game_id}" for game_id in game_ids])
        return [
            game_id for game_id, is_parked in zip(game_ids, parked, strict=True) if not is_parked
        ]

    def to_rescue(self, game_ids: Sequence[str]) -> list[str]:
        """Return those that are not parked and that nobody has looked at in the last second.

        From then on, they have been looked at.
        """
        with self._client.pipeline(transaction=False) as pipe:
            for game_id in game_ids:
                pipe.exists(f"{self._prefix}:parked:{game_id}")
                pipe.set(f"{self._prefix}:swept:{game_id}", 1, nx=True, px=SWEPT_MS)
            answers = pipe.execute()
        found = zip(game_ids, answers[::2], answers[1::2], strict=True)
        return [game_id for game_id, is_parked, is_mine in found if is_mine and not is_parked]

    def see_worker(self, now: int) -> None:
        """Note that a worker was ready for jobs at *now*, in ms since the epoch."""
        self._client.set(f"{self._prefix}:seen", now, ex=_SEEN_SECONDS)

    def worker_seen_at(self) -> int | None:
        """Return when a worker was last ready for jobs, or None if not within the hour."""
        seen = self._client.get(f"{self._prefix}:seen")
        return None if seen is None else int(seen)
