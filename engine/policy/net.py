"""The net, in whole numbers: which card a seat that plays as `expert` would choose.

Two hidden layers, over inputs of 0 or 1. Weights are whole numbers, as many to a unit as
`SCALE`; sums of their products stay below 2^53, so they are exact in any order, and the same
on every machine.
"""

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int32]
"""Whole numbers."""

Exact: TypeAlias = NDArray[np.float64]
"""Whole numbers as the processor multiplies them fastest."""

SHIFT: Final = 7
SCALE: Final = 1 << SHIFT
"""So many of a weight, and of what a layer gives, are one unit."""


class Net(NamedTuple):
    """The weights, by layers; each bias stands at the scale of the sums it is added to.

    *first* has a row of zeros behind its inputs, for none.
    """

    first: Whole
    first_bias: Whole
    second: Exact
    second_bias: Exact
    third: Exact
    third_bias: Exact

    def wanted(self, sums: Whole) -> Exact:
        """Return how much each card is wanted, for rows of *sums* of the first layer.

        In units of `SCALE` squared; what is wanted more by one unit is chosen e times as often.
        """
        hidden = np.maximum(sums, 0).astype(np.float64)
        hidden = np.maximum(hidden @ self.second + self.second_bias, 0)
        return np.floor(hidden / SCALE) @ self.third + self.third_bias


@cache
def load_net() -> Net:
    """Return the net that the package has."""
    with files("engine.policy").joinpath("plays.npz").open("rb") as file:
        saved = np.load(file)
        return Net(
            first=np.pad(saved["first"].astype(np.int32), ((0, 1), (0, 0))),
            first_bias=saved["first_bias"].astype(np.int32),
            second=saved["second"].astype(np.float64),
            second_bias=saved["second_bias"].astype(np.float64),
            third=saved["third"].astype(np.float64),
            third_bias=saved["third_bias"].astype(np.float64),
        )
