"""Counting what callers ask for, for all processes, in a store that may be lost.

One round trip for a request, with commands that every user of the store may be given: no
script. A window begins with the first that counts in it, so that those of different callers
end at different times. If the store does not answer, nothing is counted and everybody
passes; then it is left alone for a while, so that its time-outs do not add up.

Names of keys tell neither tokens nor addresses.
"""

import hashlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from service import metrics
from service.outage import Outage
from service.quotas import Quota, Standing

PREFIX: Final = "hearts-rate:"
LEFT_ALONE_SECONDS: Final = 5.0
_NAME_BYTES: Final = 16


class Charge(NamedTuple):
    """What *caller* is to be charged under *policy*; nothing is only looked up."""

    policy: str
    quota: Quota
    caller: str
    cost: int


class Counters:
    """Counts in the store behind *client*, under names that only *secret* leads to.

    *client* asks once, and waits for a short time. *timer* gives seconds.
    """

    def __init__(
        self, client: Redis, secret: bytes, timer: Callable[[], float] = time.monotonic
    ) -> None:
        # What the client itself adds to a pipeline takes longer than the commands in it.
        self._pool: Any = client.connection_pool
        self._secret = hashlib.sha256(secret).digest()
        self._timer = timer
        self._outage = Outage("the counting of requests")
        self._lock = threading.Lock()
        self._again_at = 0.0

    def count(self, charges: Sequence[Charge]) -> list[Standing] | None:
        """Charge *charges* and return how their callers stand then; None if nobody can tell."""
        is_trial = self._again_at > 0
        if is_trial and not self._may_try():
            metrics.UNCOUNTED.inc()
            return None
        try:
            answers = self._ask([one for charge in charges for one in self._commands(charge)])
        except RedisError as exc:
            self._leave_alone(exc)
            metrics.UNCOUNTED.inc()
            return None
        if is_trial:
            self._come_back()
        return _standings(charges, answers)

    def _may_try(self) -> bool:
        """Tell whether this request is the one that tries; the others go on as before."""
        with self._lock:
            now = self._timer()
            is_due = now >= self._again_at
            if is_due:
                self._again_at = now + LEFT_ALONE_SECONDS
            return is_due

    def _leave_alone(self, exc: RedisError) -> None:
        with self._lock:
            self._again_at = self._timer() + LEFT_ALONE_SECONDS
            self._outage.begins(exc)

    def _come_back(self) -> None:
        with self._lock:
            self._again_at = 0.0
            self._outage.ends()

    def _commands(self, charge: Charge) -> list[tuple[str | int, ...]]:
        name = hashlib.blake2b(
            charge.caller.encode(), digest_size=_NAME_BYTES, key=self._secret
        ).hexdigest()
        key = f"{PREFIX}{charge.policy}:{name}"
        if not charge.cost:
            return [("GET", key), ("PTTL", key)]
        # Should the second be lost, the next request makes up for it.
        return [
            ("INCRBY", key, charge.cost),
            ("EXPIRE", key, charge.quota.seconds, "NX"),
            ("PTTL", key),
        ]

    def _ask(self, commands: Sequence[tuple[str | int, ...]]) -> list[Any]:
        connection = self._pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_commands(commands))
            return [connection.read_response() for _ in commands]
        except BaseException:
            # An answer may still come: the next to use this connection would take it for its own.
            connection.disconnect()
            raise
        finally:
            self._pool.release(connection)


def _standings(charges: Sequence[Charge], answers: Sequence[Any]) -> list[Standing]:
    rest = iter(answers)
    found = []
    for charge in charges:
        used = int(next(rest) or 0)
        if charge.cost:
            next(rest)
        left = next(rest)
        seconds = math.ceil(left / 1_000) if left > 0 else charge.quota.seconds
        found.append(Standing(charge.policy, charge.quota, used, seconds))
    return found
