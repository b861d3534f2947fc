"""What a worker has ready before its moment, and does when that has come.

In this process alone, on a thread that waits for nothing else: what dies with the process is
looked for again like any other turn.
"""

import heapq
import logging
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Final, TypeAlias

from service.logs import where

_log = logging.getLogger(__name__)

Act: TypeAlias = Callable[[], object]


class Held:
    """Does what it is given once its time has come: one after the other, the earliest first."""

    def __init__(self) -> None:
        self._acts: Final[list[tuple[float, int, Act]]] = []
        self._numbers = count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def __call__(self, seconds: float, act: Act) -> None:
        """Do *act* in so many *seconds*; what it raises is written down."""
        with self._changed:
            heapq.heappush(self._acts, (time.monotonic() + seconds, next(self._numbers), act))
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="held", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            act = self._next()
            try:
                act()
            except Exception as exc:  # noqa: BLE001 - said here; the sweeper looks after the turn
                _log.error("a held move failed: %s", where(exc))

    def _next(self) -> Act:
        with self._changed:
            while not self._acts or self._acts[0][0] > time.monotonic():
                self._changed.wait(self._acts[0][0] - time.monotonic() if self._acts else None)
            return heapq.heappop(self._acts)[2]
