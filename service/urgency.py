"""In which order a worker looks at its queues.

The most urgent comes first, but none waits for ever: each other one has a share of the time,
and comes first whenever it has had less.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rq import Queue


class Queued(NamedTuple):
    """A queue, and its share of the time of a worker for whom all queues are full.

    The *share* is more than 0 and less than 1, or 0 for a queue that waits for all others.
    It is one against the more urgent queues; what the first one has is left to it.
    """

    queue: Queue
    share: float


class Urgency:
    """The order of *queued*, the most urgent first, as it is after what was done."""

    def __init__(self, queued: Sequence[Queued]) -> None:
        self._queued: Final = tuple(queued)
        self._owed = [0.0] * len(self._queued)

    @property
    def queues(self) -> list[Queue]:
        """The queues, in the order in which the next job is to be looked for."""
        return [self._queued[at].queue for at in self._order()]

    def took(self, name: str | None, seconds: float) -> None:
        """Note that a job of the queue called *name* took *seconds*; None if all were empty."""
        for at in self._order():
            self._owed[at] = 0.0  # it was looked at, and if nothing waited it is owed nothing
            if self._queued[at].queue.name == name:
                self._owed[at] = -seconds
                self._owe(at, seconds)
                return

    def _owe(self, before: int, seconds: float) -> None:
        for at in range(before + 1, len(self._queued)):
            share = self._queued[at].share
            self._owed[at] += seconds * share / (1 - share)

    def _order(self) -> list[int]:
        return sorted(range(len(self._queued)), key=lambda at: (self._owed[at] <= 0.0, at))
