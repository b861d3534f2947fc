"""The inputs of the net that a hand decides, suit by suit."""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.policy.layout import AT, BELOWS, HIGH_CARDS, INPUTS, LOW_CARDS, RANKS

Cards: TypeAlias = NDArray[np.int64]
"""Sets of cards, as bits: of one pack, or of one suit."""

Inputs: TypeAlias = NDArray[np.int64]
"""Rows of the inputs that are set; `UNSET` fills up what is left of a row."""

UNSET: Final = INPUTS
WHOLE_SUIT: Final = (1 << RANKS) - 1

_RANKS: Final = np.arange(RANKS)
_HOLDINGS: Final = np.arange(1 << RANKS)
_COUNT: Final = np.bitwise_count(_HOLDINGS).astype(np.int64)
"""How many cards each holding of a suit has."""

_TOP: Final = np.array([0, *(1 << one.bit_length() - 1 for one in range(1, 1 << RANKS))], np.int64)
"""The highest of them."""


def suit_inputs(suit: int, held: Cards, left: Cards) -> Inputs:
    """Return what is set where seats hold *held* of the *suit* so numbered, others *left* of it."""
    columns = [
        *_each_card("own", suit, held),
        *_each_card("out", suit, left),
        AT["held"] + (RANKS + 1) * suit + _COUNT[held],
        AT["left"] + (RANKS + 1) * suit + _COUNT[left],
    ]
    rest = held
    for place in range(LOW_CARDS):
        lowest = rest & -rest
        first = AT["low"] + BELOWS * (LOW_CARDS * suit + place)
        columns.append(_how_many(first, lowest, left & np.maximum(lowest - 1, 0)))
        rest = rest ^ lowest
    rest = held
    for place in range(HIGH_CARDS):
        highest = _TOP[rest]
        first = AT["high"] + BELOWS * (HIGH_CARDS * suit + place)
        columns.append(_how_many(first, highest, left & -highest))
        rest = rest ^ highest
    return np.stack(columns, axis=1)


def _each_card(group: str, suit: int, some: Cards) -> list[NDArray[np.int64]]:
    first = AT[group] + RANKS * suit
    return [np.where(some >> rank & 1, first + rank, UNSET) for rank in _RANKS]


def _how_many(first: int, one: Cards, beyond: Cards) -> NDArray[np.int64]:
    """Return the inputs, from *first* on, of how many cards lie *beyond*, where there is *one*."""
    return np.where(one > 0, first + np.minimum(_COUNT[beyond], BELOWS - 1), UNSET)
