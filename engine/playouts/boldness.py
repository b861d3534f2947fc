"""How a seat plays that goes for a moon: it takes every trick it can, and throws what loses.

Compiled together with the kernel, and in its manner: cards are those of one pack, *others*
the cards in other hands.
"""

from typing import Final

from engine.playouts.native import i64
from engine.playouts.shapes import Start, Table
from engine.playouts.suits import COUNT, HIGHEST_SHIFT, SUIT_BITS, TOP, suit_shift

MANY: Final = 5
"""So many cards of a suit are out when it will be led again."""


def can_shoot(table: Table, start: Start, seat: i64) -> bool:
    """Return whether no other seat has taken what *seat* needs for a moon."""
    other: i64 = 0
    for taken in start.taken:
        if other != seat and taken & table.moon:
            return False
        other += 1  # noqa: SIM113 - compiled, `enumerate` is slower
    return True


def bold_lead(choice: i64, others: i64, needed: i64) -> i64:
    """Return the card of *choice* to lead: few are above it, and many lie behind it.

    A suit of which others hold what is *needed* comes later. Where others hold higher cards of
    the best suit, and nothing needed, its lowest card goes: that trick may be lost.
    """
    card: i64 = 0
    best: i64 = 0
    shift: i64 = 0
    while shift <= HIGHEST_SHIFT:
        mine: i64 = choice >> shift & SUIT_BITS
        theirs: i64 = others >> shift & SUIT_BITS
        if mine:
            lead: i64 = TOP[mine]
            above: i64 = COUNT[theirs & ~(lead + lead - 1)]
            worth: i64 = COUNT[mine] - 10 * above
            if above == 0:
                worth += 20
            if theirs << shift & needed:
                worth -= 15
            elif above:
                lead = mine & -mine
            if card == 0 or worth > best:
                card = lead << shift
                best = worth
        shift += 13
    return card


def bold_follow(choice: i64, others: i64, beaten: i64, stake: i64, later: i64) -> i64:
    """Return the card of *choice*, all of the suit led, to follow with.

    With nothing at *stake*, which is needed and lies there or may yet fall, the trick is lost: if
    no seat plays *later*, if a higher card is out, or while many are. Else the card goes over
    what is *beaten*, as high as it can, or last as low.
    """
    low: i64 = choice & -choice
    over: i64 = choice & ~beaten
    if over == 0:
        return low
    shift: i64 = suit_shift(low)
    top: i64 = TOP[over >> shift] << shift
    # A constant on the left of a shift would be one of 32 bits once compiled.
    theirs: i64 = (others >> shift & SUIT_BITS) << shift
    if stake == 0 and (later == 0 or theirs > top or COUNT[theirs >> shift] >= MANY):
        return low
    return top if later else over & -over


def bold_throw(choice: i64, others: i64, needed: i64) -> i64:
    """Return the card of *choice* to throw: many are above it, and it is not *needed*."""
    card: i64 = 0
    best: i64 = 0
    shift: i64 = 0
    while shift <= HIGHEST_SHIFT:
        mine: i64 = choice >> shift & SUIT_BITS
        if mine:
            low: i64 = mine & -mine
            worth: i64 = 4 * COUNT[(others >> shift & SUIT_BITS) & ~(low + low - 1)]
            if low << shift & needed:
                worth -= 16
            if card == 0 or worth > best:
                card = low << shift
                best = worth
        shift += 13
    return card
