"""How likely worlds make the plays that were seen, all worlds at once."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.policy.choosing import bits, choices_of, stands_for
from engine.policy.history import Seen
from engine.policy.inputs import WHOLE_SUIT, Cards, suit_inputs
from engine.policy.layout import RANKS, SUITS
from engine.policy.net import SCALE, Exact, Net, Whole, load_net

Likelihoods: TypeAlias = NDArray[np.float64]

_BY_CHANCE: Final = 0.05
"""How often a seat is taken to play any card, however unlike the net."""

_STEPS: Final = 64
"""So many steps of the table of odds are one unit of how much a card is wanted."""

_UNITS: Final = 16
_EVEN: Final = 1 << 20


def likelihoods(plays: Sequence[Seen], hands: Cards) -> Likelihoods:
    """Return how likely each of some worlds makes *plays*.

    *hands* has a row for each world: what each seat holds there now. The rules are those for
    which `is_known` holds.
    """
    found = np.ones(len(hands))
    if not plays or not len(hands):
        return found
    net = load_net()
    own = np.stack([hands[:, one.seat] | one.later for one in plays])
    choices = np.stack([choices_of(one, some) for one, some in zip(plays, own, strict=True)])
    # Where there was nothing to choose, nothing is to be learnt.
    at_play, at_world = np.nonzero(choices & (choices - 1))
    lives = np.array([one.live for one in plays])
    played = np.stack([stands_for(one, some) for one, some in zip(plays, choices, strict=True)])
    sums = _public_sums(net, plays)[at_play]
    _add_hands(net, sums, own[at_play, at_world], lives[at_play])
    chances = np.ones(own.shape)
    chances[at_play, at_world] = _chances(
        net.wanted(sums), choices[at_play, at_world], played[at_play, at_world]
    )
    for row in chances:
        found *= row
    return found


def _public_sums(net: Net, plays: Sequence[Seen]) -> Whole:
    sums = np.stack([net.first[list(one.inputs)].sum(axis=0) for one in plays])
    return (sums + net.first_bias).astype(np.int32)


def _add_hands(net: Net, sums: Whole, own: Cards, lives: Cards) -> None:
    """Add to *sums* what the hands *own* decide, where *lives* are in all hands."""
    for suit in range(SUITS):
        held = own >> RANKS * suit & WHOLE_SUIT
        left = (lives & ~own) >> RANKS * suit & WHOLE_SUIT
        # Few of all ways to hold a suit come up in the worlds of one decision.
        keys, which = np.unique(held << RANKS | left, return_inverse=True)
        inputs = suit_inputs(suit, keys >> RANKS, keys & WHOLE_SUIT)
        sums += net.first[inputs].sum(axis=1, dtype=np.int32)[which]


def _chances(wanted: Exact, choices: Cards, played: Cards) -> Likelihoods:
    """Return how often seats that want their *choices* so much play what they *played*."""
    may = bits(choices)
    top = np.where(may, wanted, -np.inf).max(axis=1)
    steps = np.floor((top[:, None] - wanted) * (_STEPS / SCALE**2))
    odds = _odds()[np.clip(steps, 0, _STEPS * _UNITS).astype(np.int64)] * may
    likely: Likelihoods = (odds * bits(played)).sum(axis=1) / odds.sum(axis=1)
    likely *= 1 - _BY_CHANCE
    likely += _BY_CHANCE / may.sum(axis=1)
    return likely


@cache
def _odds() -> Exact:
    """Return how often a card is played that is wanted less, by steps, in whole numbers.

    By the decimal library: what the processor's says differs in the last digits.
    """
    steps = [Decimal(-step) / _STEPS for step in range(_STEPS * _UNITS)]
    return np.array([*(int(_EVEN * one.exp()) for one in steps), 0], np.float64)
