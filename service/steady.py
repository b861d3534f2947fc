"""The time of day, from a clock that nobody sets while a process runs.

The wall clock may be set: by a person, or by a daemon that finds it wrong. Deadlines would
pass, or come back. So the time of day is read once, and goes on with a clock that only goes
forward; small corrections of the wall clock, as it is kept right, are followed.
"""

import time
from collections.abc import Callable
from typing import Final

STEP_MS: Final = 500
"""A difference above this is a step, and not followed."""


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
