"""The inputs of the net, each 0 or 1: where in a row of them each group begins.

Cards are numbered in deck order, seats from the one that plays on.
"""

from typing import Final

SUITS: Final = 4
RANKS: Final = 13
CARDS: Final = SUITS * RANKS
SEATS: Final = 4

LOW_CARDS: Final = 4
HIGH_CARDS: Final = 2
"""Of so many of the lowest and highest cards of a suit it is told how many lie beyond them."""

BELOWS: Final = 8
"""How many such numbers are told apart, from 0 on; the last one is that or more."""

_SIZES: Final = {
    # What the hand decides: its cards, those that others have, how many both are in a suit,
    # and how many of the others' lie below the lowest, and above the highest cards of a suit.
    "own": CARDS,
    "out": CARDS,
    # What all see: the trick, and who has what to do with it.
    "trick": (SEATS - 1) * CARDS,
    "best": CARDS,
    "led": SUITS + 1,
    "place": SEATS,
    "pile": 6,
    "void": (SEATS - 1) * SUITS,
    "voids_after": SEATS,
    "voids": SUITS * SEATS,
    "points": SEATS * 8,
    "takers": SEATS + 2,
    "queen": SEATS + 1,
    "broken": 1,
    "first": 1,
    "number": RANKS,
    # Of the hand again.
    "held": SUITS * (RANKS + 1),
    "left": SUITS * (RANKS + 1),
    "low": SUITS * LOW_CARDS * BELOWS,
    "high": SUITS * HIGH_CARDS * BELOWS,
    # And who has the trick so far.
    "winner": SEATS,
}


def _begins() -> dict[str, int]:
    begins, at = {}, 0
    for name, size in _SIZES.items():
        begins[name] = at
        at += size
    return begins


AT: Final = _begins()
"""Group → its first input."""

INPUTS: Final = sum(_SIZES.values())
