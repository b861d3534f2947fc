"""The time of day, from a clock that nobody sets while a process runs.

The wall clock may be set: by a person, or by a daemon that finds it wrong. Deadlines would
pass, or come back. So the time of day is read once, and goes on with a clock that only goes
forward; small corrections of the wall clock, as it is kept right, are followed.

Deadlines are kept by workers. So a process that writes what they judge goes by their time,
where it is started by a clock that is not theirs.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

_log = logging.getLogger(__name__)

STEP_MS: Final = 500
"""A difference above this is a step, and not followed."""


APART_MS: Final = 5_000
"""Two clocks that differ by more are not the same; signs of workers are a little old."""

_ASK_AGAIN_MS: Final = 10_000


def boot_clock() -> int:
    """Return the milliseconds since the machine was started, asleep or not, where it tells."""
    kind = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(kind) // 1_000_000


def wall_clock() -> int:
    """Return the time of day in milliseconds since the epoch, however it was set."""
    return time.time_ns() // 1_000_000


class SteadyClock:
    """Gives the time of day in milliseconds since the epoch, without steps."""

    def __init__(
        self, wall: Callable[[], int] = wall_clock, ticks: Callable[[], int] = boot_clock
    ) -> None:
        self._wall = wall
        self._ticks = ticks
        self._offset = wall() - ticks()

    def __call__(self) -> int:
        """Return the time of day."""
        offset = self._wall() - self._ticks()
        # Threads may race here; each of their offsets is as good.
        if abs(offset - self._offset) <= STEP_MS:
            self._offset = offset
        return self._ticks() + self._offset


class SharedClock:
    """Gives the time of day as *others* keep it, where that is not what *clock* says.

    They are asked when the time is first needed, and then now and again until somebody is
    there; None is what they say as long as nobody is.
    """

    def __init__(self, clock: Callable[[], int], others: Callable[[], int | None]) -> None:
        self._clock = clock
        self._others = others
        self._ahead = 0
        self._ask_at: int | None = clock()
        self._has_asked = False
        self._asking = threading.Lock()

    def __call__(self) -> int:
        """Return the time of day."""
        if self._is_due():
            with self._asking:
                if self._is_due():
                    self._ask()
        return self._clock() + self._ahead

    def _is_due(self) -> bool:
        ask_at = self._ask_at  # once: another thread may have been answered meanwhile
        return ask_at is not None and self._clock() >= ask_at

    def _ask(self) -> None:
        if self._has_asked:
            self._ask_at = self._clock() + _ASK_AGAIN_MS  # meanwhile nobody else waits for it
        self._has_asked = True
        told, own = self._others(), self._clock()
        if told is not None and abs(told - own) > APART_MS:
            self._ahead = told - own
            _log.warning("this clock is not that of the workers, by %d ms", self._ahead)
        # The last of all: who sees that nobody has to ask goes by what was answered.
        self._ask_at = own + _ASK_AGAIN_MS if told is None else None
