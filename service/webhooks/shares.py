"""Who gets how many of the threads that send: no app many, and who was slow few.

All bounds are of one process.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Final

from service.webhooks.endpoints import Endpoint

THREADS: Final = 16
AT_ONCE: Final = 4
"""How many attempts are made at once at one endpoint."""

OF_AN_APP: Final = THREADS // 4
"""How many are made at once at all endpoints of an app together."""

OF_THE_SLOW: Final = THREADS // 2
"""How many are made at once, of all apps, at endpoints that were slow; one at each of them."""


class Shares:
    """Which attempts are under way, and who may have how many more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: Counter[str] = Counter()
        self._apps: Counter[str] = Counter()
        self._slow: set[str] = set()

    def in_turn(self, endpoints: Sequence[Endpoint]) -> list[Endpoint]:
        """Return *endpoints*, first those with the fewest attempts under way, of app and own."""
        with self._lock:
            return sorted(endpoints, key=lambda one: (self._apps[one.app], self._busy[one.id]))

    def free_for(self, endpoint: Endpoint, waiting: int) -> int:
        """Return how many attempts at *endpoint* may begin, if *waiting* endpoints want to.

        What is free is divided among those; the last of them may have it all.
        """
        with self._lock:
            free = THREADS - self._busy.total()
            return max(0, min(self._bound(endpoint), free, max(1, free // waiting)))

    def _bound(self, endpoint: Endpoint) -> int:
        of_app = OF_AN_APP - self._apps[endpoint.app]
        if endpoint.id not in self._slow:
            return min(of_app, AT_ONCE - self._busy[endpoint.id])
        of_slow = OF_THE_SLOW - sum(self._busy[one] for one in self._slow)
        return min(of_app, of_slow, 1 - self._busy[endpoint.id])

    def begins(self, endpoint: Endpoint) -> None:
        """Note that an attempt begins."""
        with self._lock:
            self._busy[endpoint.id] += 1
            self._apps[endpoint.app] += 1

    def ends(self, endpoint: Endpoint) -> None:
        """Note that an attempt is over."""
        with self._lock:
            self._busy -= Counter([endpoint.id])
            self._apps -= Counter([endpoint.app])

    def judge(self, endpoint_id: str, *, is_slow: bool) -> None:
        """Note whether the last attempt at an endpoint *is_slow*."""
        with self._lock:
            if is_slow:
                self._slow.add(endpoint_id)
            else:
                self._slow.discard(endpoint_id)
