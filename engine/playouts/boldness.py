"""How a seat plays that goes for a moon: it takes every trick it can, and throws what loses.

Compiled together with the kernel, and in its manner: cards are those of one pack, *others*
the cards in other hands.
"""

from engine.playouts.native import i64
from engine.playouts.shapes import Start, Table
from engine.playouts.suits import COUNT, HIGHEST_SHIFT, SUIT_BITS, TOP, suit_shift


def can_shoot(table: Table, start: Start, seat: i64) -> bool:
    """Return whether no other seat has taken what *seat* needs for a moon."""
    other: i64 = 0
    for taken in start.taken:
        if other != seat and taken & table.moon:
            return False
        other += 1  # noqa: SIM113 - compiled, `enumerate` is slower
    return True


def bold_lead(choice: i64, others: i64) -> i64:
    """Return the card of *choice* to lead: few are above it, and many lie behind it."""
    card: i64 = 0
    best: i64 = 0
    shift: i64 = 0
    while shift <= HIGHEST_SHIFT:
        mine: i64 = choice >> shift & SUIT_BITS
        if mine:
            top: i64 = TOP[mine]
            above: i64 = COUNT[(others >> shift & SUIT_BITS) & ~(top + top - 1)]
            worth: i64 = COUNT[mine] - 10 * above
            if above == 0:
                worth += 20
            if card == 0 or worth > best:
                card = top << shift
                best = worth
        shift += 13
    return card


def bold_follow(choice: i64, beaten: i64, later: i64) -> i64:
    """Return the card of *choice*, all of the suit led, to follow with.

    It goes over what lies there, *beaten*: as high as it can, or as low if no seat plays *later*.
    """
    over: i64 = choice & ~beaten
    if over == 0:
        return choice & -choice
    if later == 0:
        return over & -over
    shift: i64 = suit_shift(over & -over)
    return TOP[over >> shift] << shift


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
                worth -= 2
            if card == 0 or worth > best:
                card = low << shift
                best = worth
        shift += 13
    return card
