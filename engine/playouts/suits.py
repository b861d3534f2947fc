"""Sets of cards of one pack, suit by suit, as the kernel of playouts reads them.

Compiled together with the kernel. A suit has 13 bits: clubs 0 to 12, then diamonds, spades
and hearts (`engine.cards`).
"""

from typing import Final

from engine.playouts.native import i64

SUIT_BITS: Final = 8191
ONE_OF_EACH_SUIT: Final = 549822930945
DIAMOND_BITS: Final = 67100672
SPADE_BITS: Final = 549688705024
HEART_BITS: Final = 4503049871556608
LOWEST_SPADE: Final = 67108864
LOWEST_HEART: Final = 549755813888
HIGHEST_SHIFT: Final = 39


def _tops() -> list[i64]:
    tops: list[i64] = [0]
    for rank in range(13):
        tops += [1 << rank] * (1 << rank)
    return tops


def _counts() -> list[i64]:
    counts: list[i64] = [0]
    for _ in range(13):
        counts += [1 + count for count in counts]
    return counts


TOP: Final = _tops()
"""The highest card of each set of cards of one suit."""

COUNT: Final = _counts()
"""How many cards there are in each set of cards of one suit."""


def suit_shift(some: i64) -> i64:
    """Return by how many bits the suit of *some* is shifted: 0, 13, 26 or 39."""
    if some < LOWEST_SPADE:
        return 0 if some <= SUIT_BITS else 13
    return 26 if some < LOWEST_HEART else HIGHEST_SHIFT
