"""How many may wait at once: in this process, and of those who share a name."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from service import metrics

WAITS_PER_TOKEN: Final = 2


class StreamCapacityError(Exception):
    """This process holds as many waits and streams as it may."""


class TooManyStreamsError(Exception):
    """One caller holds as many of what *policy* names as it may."""

    def __init__(self, policy: str) -> None:
        super().__init__(f"This caller has as many {policy} open as it may.")
        self.policy = policy


class Places:
    """Room for *capacity* at once, whatever they are called."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._changed = threading.Condition()
        self._count = 0
        self._taken: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many places are taken."""
        return self._count

    def take(self, policy: str, bounds: Mapping[str, int]) -> Callable[[], None]:
        """Take a place and return what gives it back, once, however often it is called.

        *bounds* has the names under which it counts, each with how many may have it.

        Raises:
            TooManyStreamsError: As many have one of the names already.
            StreamCapacityError: There is no room for one more.
        """
        with self._changed:
            if any(self._taken[name] >= bound for name, bound in bounds.items()):
                metrics.STREAMS_REFUSED.labels("caller").inc()
                raise TooManyStreamsError(policy)
            if self._count >= self.capacity:
                metrics.STREAMS_REFUSED.labels("capacity").inc()
                raise StreamCapacityError
            self._count += 1
            self._taken.update(bounds.keys())
        return _Once(lambda: self._leave(bounds))

    @contextmanager
    def taken(self, policy: str, bounds: Mapping[str, int]) -> Iterator[None]:
        """Have a place while inside.

        Raises:
            TooManyStreamsError: As many have one of the names already.
            StreamCapacityError: There is no room for one more.
        """
        leave = self.take(policy, bounds)
        try:
            yield
        finally:
            leave()

    def wait_until_empty(self, seconds: float) -> bool:
        """Wait up to *seconds* until nobody has a place; tell whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, seconds)

    def _leave(self, bounds: Mapping[str, int]) -> None:
        with self._changed:
            self._count -= 1
            self._taken.subtract(bounds.keys())
            self._taken += Counter()  # drops who has none any more
            self._changed.notify_all()


class _Once:
    """Calls *action* the first time it is called itself."""

    __slots__ = ("_action",)

    def __init__(self, action: Callable[[], None]) -> None:
        self._action: list[Callable[[], None]] = [action]

    def __call__(self) -> None:
        with suppress(IndexError):
            action = self._action.pop()  # one step, whichever threads come here together
            action()
