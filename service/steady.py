"""The time of day, from a clock that nobody sets while a process runs.

The wall clock may be set: by a person, or by a daemon that finds it wrong. Deadlines would
pass, or come back. So the time of day is read once, and goes on with a clock that only goes
forward; small corrections of the wall clock, as it is kept right, are followed.

Deadlines are kept by workers. So a process that writes what they judge goes by their time,
where it has a clock that is not theirs.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

_log = logging.getLogger(__name__)

STEP_MS: Final = 500
"""A difference above this is a step, and not followed."""


APART_MS: Final = 1_000
"""Two clocks that differ by more are not the same."""

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
        ticks = self._ticks()
        offset = self._wall() - ticks
        # Threads may race here; each of their offsets is as good.
        if abs(offset - self._offset) <= STEP_MS:
            self._offset = offset
        return ticks + self._offset


class SharedClock:
    """Gives the time of day as *others* keep it, where that is not what *clock* says.

    They are asked when the time is first needed, and from then on now and again: whoever keeps
    the time may be started anew, by a clock that was set right. None is what they say as long
    as nobody is there, and changes nothing.
    """

    def __init__(self, clock: Callable[[], int], others: Callable[[], int | None]) -> None:
        self._clock = clock
        self._others = others
        self._ahead = 0
        self._ask_at = clock()
        self._has_asked = False
        self._asking = threading.Lock()

    def __call__(self) -> int:
        """Return the time of day."""
        now = self._clock()
        if now < self._ask_at:
            return now + self._ahead
        # The first answer is waited for by all; later ones by the one that asks.
        if self._asking.acquire(blocking=not self._has_asked):
            try:
                self._ask_if_due()
            finally:
                self._asking.release()
        return self._clock() + self._ahead

    def _ask_if_due(self) -> None:
        if self._clock() < self._ask_at:
            return  # another thread has asked meanwhile
        told, own = self._others(), self._clock()
        if told is not None:
            self._follow(told - own)
        # The last of all: who sees that nobody has to ask goes by what was answered.
        self._has_asked = True
        self._ask_at = own + _ASK_AGAIN_MS

    def _follow(self, ahead: int) -> None:
        """Go by others who are *ahead* of the own clock (ms), where we do not yet."""
        if abs(ahead - self._ahead) <= APART_MS:
            return
        self._ahead = ahead if abs(ahead) > APART_MS else 0
        if self._ahead:
            _log.warning("this clock is not that of the workers, by %d ms", self._ahead)
        else:
            _log.warning("this clock is that of the workers again")
