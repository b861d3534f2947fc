"""Worlds for a search, the likelier ones more often: those that make what others have played."""

from itertools import accumulate
from math import sqrt
from typing import Final

import numpy as np

from engine.bots.worlds import Worlds
from engine.playouts.kernel import LEHMER_PRIME
from engine.playouts.shapes import World
from engine.policy import is_known, likelihoods, seen_plays
from engine.view import View

_POOL: Final = 500
"""So many worlds are weighed against each other."""


class LikelyWorlds(Worlds):
    """Draws worlds as `Worlds` does, as often as they make the others' plays likely.

    Where the net was taught at other rules, all that agree with the view are alike.
    """

    def __init__(self, view: View, seed: bytes) -> None:
        super().__init__(view, seed)
        plays = seen_plays(view) if is_known(view.rules) else []
        self._pool = super().draw(_POOL) if plays else []
        hands = np.array([world.hands for world in self._pool], np.int64)
        # Up to here and no further: nobody plays quite as the net does.
        weights = [sqrt(one * sqrt(one)) for one in likelihoods(plays, hands).tolist()]
        self._up_to = list(accumulate(weights))

    def draw(self, count: int) -> list[World]:
        """Return *count* worlds, the likeliest several times."""
        if not self._pool:
            return super().draw(count)
        step = self._up_to[-1] / count
        first = self.luck() / LEHMER_PRIME * step
        found = np.searchsorted(self._up_to, [first + step * at for at in range(count)])
        last = len(self._pool) - 1
        return [self._pool[min(at, last)] for at in found.tolist()]
