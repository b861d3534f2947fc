"""What the kernel of playouts has to know of rules, worked out once for each."""

from functools import lru_cache
from typing import Final

from engine.bots.stakes import relief
from engine.cards import NO_CARDS, PACK_SIZE, Card, CardSet, each, in_deck_order, union, CLUBS, twins
from engine.playouts.kernel import SUIT_BITS, Table
from engine.rules import KittyTo, Moon, MoonNeeds, OpeningLead, Rules

_FIRST_PACK: Final = (1 << PACK_SIZE) - 1
_SUIT_SHIFTS: Final = (0, 13, 26, 39)
_KITTY_TO: Final = {KittyTo.FIRST_TRICK: 0, KittyTo.FIRST_PENALTY_TRICK: 1, KittyTo.LAST_TRICK: 2}



def table_of(rules: Rules) -> Table:
    """Return *rules* as the kernel reads them."""
    table, limits, scoring = Table(), rules.limits, rules.scoring
    table.seats = rules.seats
    table.two_packs = int(rules.deck.packs > 1)
    table.cancels = int(rules.play.cancel_pairs)
    table.penalties = _once(rules.penalties)
    table.bonuses = _once(rules.bonuses)
    table.barred_first = _once(limits.barred_on_first_trick)
    table.unbroken_lead = _once(limits.unbroken_lead)
    table.unbroken_follow = _once(limits.unbroken_follow)
    table.free_among = _once(limits.free_among)
    table.breaks = _once(limits.breaks_hearts)
    table.kitty_to = _KITTY_TO[rules.deck.kitty_to]
    table.throws = [_once(group) for group in _throws(rules)]
    table.suits, table.worths = _worths(rules, rules.penalties)
    table.boon_suits, table.boons = _worths(rules, rules.bonuses)
    table.no_trick = scoring.no_trick
    table.absorbs = int(scoring.moon_absorbs_bonus)
    needs_all = scoring.moon_needs is MoonNeeds.TRICKS
    if scoring.moon is not Moon.OFF:
        needed = rules.cards if needs_all else rules.penalties
        if scoring.moon_needs is MoonNeeds.COUNTERS:
            needed |= rules.bonuses
        if rules.penalties:
            table.moon, table.moon_twice = _once(needed), _twice(needed)
        table.moon_points = rules.moon_points
        table.subtracts = int(scoring.moon is Moon.SELF_SUBTRACT)
        if scoring.sun_points is not None:
            table.has_sun, table.sun_points = 1, scoring.sun_points
            table.sun, table.sun_twice = _once(rules.cards), _twice(rules.cards)
    table.lasts = int(bool(scoring.no_trick or table.has_sun or (needs_all and table.moon)))
    return table


def _once(some: CardSet) -> int:
    return (some | some >> PACK_SIZE) & _FIRST_PACK


def _twice(some: CardSet) -> int:
    return some & some >> PACK_SIZE & _FIRST_PACK


def _worths(rules: Rules, counters: CardSet) -> tuple[list[int], list[list[int]]]:
    shifts = [shift for shift in _SUIT_SHIFTS if _once(counters) >> shift & SUIT_BITS]
    tables = []
    for shift in shifts:
        worth = [0] * (SUIT_BITS + 1)
        for some in range(1, SUIT_BITS + 1):
            low = some & -some
            one = low << shift
            points = rules.points.get(one, 0) if one & counters else 0
            worth[some] = worth[some ^ low] + points
        tables.append(worth)
    return shifts, tables


def _throws(rules: Rules) -> list[CardSet]:
    """Return the cards in the order in which it is good to throw them, one by one."""
    some = _once(rules.cards)
    order = sorted(in_deck_order(some), key=lambda one: -relief(one, NO_CARDS, rules))
    groups, size = [], 1
    while order:
        groups.append(union(order[:size]))
        order, size = order[size:], size + 1 + size // 3
    return groups
