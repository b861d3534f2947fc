"""Where a search spends its simulations: more on what still may be best."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, TypeVar

T = TypeVar("T")

Judge: TypeAlias = Callable[[list[T], int], Sequence[int]]
"""Plays several choices out in so many further worlds, and returns what each gains in all."""

_FEWEST: Final = 2


def best_of(
    choices: list[T], judge: Judge[T], budget: int, rounds: int, ahead: Sequence[int] = ()
) -> T:
    """Return the one of *choices* that gains most in *budget* simulations.

    They are spread evenly over *rounds*, and within one over the choices left; after each but the
    last the worse half is dropped. All choices left have met the same worlds. Of
    equal ones the first comes out.
    """
    gained = list(ahead) or [0] * len(choices)
    left = list(range(len(choices)))
    for number in range(rounds):
        worlds = max(1, budget // rounds // len(left))
        for at, gain in zip(left, judge([choices[at] for at in left], worlds), strict=True):
            gained[at] += gain
        left.sort(key=lambda at: (-gained[at], at))
        if number < rounds - 1:
            left = left[: max(_FEWEST, (len(left) + 1) // 2)]
    return choices[left[0]]
