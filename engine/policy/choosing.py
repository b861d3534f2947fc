"""What a seat chooses from, for many hands at once: its legal cards, of cards alike the highest."""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cards import HEARTS, above, card, cards
from engine.policy.history import Seen
from engine.policy.inputs import Cards
from engine.policy.layout import CARDS

_PACK: Final = (1 << CARDS) - 1
_QUEEN: Final = card("QS")
_HEARTS: Final = HEARTS & _PACK
_PENALTIES: Final = _HEARTS | _QUEEN
_ACES: Final = cards("AC AD AS AH")
_NUMBERS: Final = np.arange(CARDS)

Each: TypeAlias = Cards | int
"""Something for each hand, or the same for all."""


def choices_of(one: Seen, own: Cards) -> Cards:
    """Return what the seat of *one* chose from with each of the hands *own*."""
    legal = legal_cards(own, one.led, is_broken=one.is_broken, is_first=one.is_first)
    return unlike(legal, own, one.live | one.pile)


def legal_cards(
    own: Cards, led: Each, *, is_broken: NDArray[np.bool_] | bool, is_first: bool
) -> Cards:
    """Return what may be played from each of *own*, where *led* is the suit to follow, if any."""
    follows = _unless_none(own & led, own)
    if is_first:
        follows = _unless_none(follows & ~_PENALTIES, follows)
    leads = np.where(is_broken, own, _unless_none(own & ~_HEARTS, own))
    return np.where(led, follows, leads)


def unlike(legal: Cards, own: Cards, others: Each) -> Cards:
    """Return *legal* with one of cards alike: neighbours, but for cards that are gone.

    *others* are the cards that others hold, or that lie on the table; *own* among them or not.
    """
    gone = _PACK & ~(own | others) & ~_ACES
    # Each card spreads downward through cards that are gone; what it then touches is like it.
    reach = legal & ~_QUEEN
    for step in (1, 2, 4, 8):
        reach = reach | gone & (reach >> step)
        gone = gone & (gone >> step)
    return legal & ~((reach >> 1) & ~_ACES & ~_QUEEN)


def stands_for(one: Seen, choices: Cards) -> Cards:
    """Return which of its *choices* the card of *one* is alike to."""
    higher = choices & (above(one.card) & _PACK)
    return np.where(choices & one.card, one.card, higher & -higher)


def bits(some: Cards) -> NDArray[np.bool_]:
    """Return for each of *some* sets, a row each, which cards are in it."""
    return (some[:, None] >> _NUMBERS & 1).astype(np.bool_)


def _unless_none(some: Cards, instead: Cards) -> Cards:
    return np.where(some, some, instead)
