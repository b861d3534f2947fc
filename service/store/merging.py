"""Lists that lie in parts on many keys, read as one in the order of their places."""

from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from typing import Final, Generic, TypeAlias, TypeVar

from service.store.wire import Command, Wire

_A_FEW: Final = 4
_TIMES_MORE: Final = 8

Moment: TypeAlias = tuple[int, str]
"""Milliseconds since the epoch, and a game id."""

_Part = TypeVar("_Part", bound=Hashable)


class Parts(Generic[_Part]):
    """What lies in parts behind *wire*.

    *ask* makes the command for the first so many of one part, *read* reads its answer.
    """

    def __init__(
        self,
        wire: Wire,
        ask: Callable[[_Part, int], Command],
        read: Callable[[list[bytes]], list[Moment]],
    ) -> None:
        self._wire = wire
        self._ask = ask
        self._read = read

    def first(self, parts: Sequence[_Part], limit: int, *, newest_first: bool) -> list[Moment]:
        """Return the first *limit* moments of all *parts* together, shards or lists of them.

        Games lie evenly on the shards, so each is asked for a few, and again for more where a
        few were too few.
        """
        found: dict[_Part, list[Moment]] = {}
        waiting, count = list(parts), min(limit, _A_FEW)
        while True:
            answers = self._wire.read([self._ask(part, count) for part in waiting])
            found.update(zip(waiting, map(self._read, answers), strict=True))
            first = sorted(chain.from_iterable(found.values()), reverse=newest_first)[:limit]
            if count >= limit:
                return first
            chosen = set(first)
            waiting = [
                part for part in waiting if len(found[part]) == count and found[part][-1] in chosen
            ]
            if not waiting:
                return first
            count = min(limit, count * _TIMES_MORE)


def scored_moments(answer: list[bytes]) -> list[Moment]:
    """Return the moments of a set whose scores are times, members and scores by turns."""
    return [
        (int(score), game_id.decode())
        for game_id, score in zip(answer[::2], answer[1::2], strict=True)
    ]
