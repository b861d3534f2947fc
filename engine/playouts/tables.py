"""What the kernel of playouts has to know of rules, worked out once for each."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engine.cards import NO_CARDS, PACK_SIZE, SUITS, CardSet, in_deck_order, union
from engine.playouts.shapes import Table
from engine.playouts.suits import SUIT_BITS
from engine.rules import KittyTo, Moon, MoonNeeds, Rules
from engine.stakes import relief

WHIM: Final = 64
"""Of 256, how often a seat that is played out plays any card."""

_FIRST_PACK: Final = (1 << PACK_SIZE) - 1
_SUIT_SIZE: Final = PACK_SIZE // len(SUITS)
_KITTY_TO: Final = {KittyTo.FIRST_TRICK: 0, KittyTo.FIRST_PENALTY_TRICK: 1, KittyTo.LAST_TRICK: 2}

_tables: Final[dict[object, Table]] = {}
_MOST_TABLES: Final = 64


def table_of(rules: Rules, whim: int = WHIM) -> Table:
    """Return *rules* as the kernel reads them, not to be changed; *whim* is 0 to 256."""
    # Rules hold mappings, so they cannot be a key themselves.
    key = (rules.seats, rules.cards, rules.deck.kitty_to, rules.play, _scoring_of(rules), whim)
    if key not in _tables:
        if len(_tables) == _MOST_TABLES:
            del _tables[next(iter(_tables))]
        _tables[key] = _table(rules, whim)
    return _tables[key]


def once(some: CardSet) -> CardSet:
    """Return *some* as cards of the first pack."""
    return (some | some >> PACK_SIZE) & _FIRST_PACK


def twice(some: CardSet) -> CardSet:
    """Return those cards of the first pack of which *some* has both twins."""
    return some & some >> PACK_SIZE & _FIRST_PACK


def _scoring_of(rules: Rules) -> tuple[object, ...]:
    scoring = rules.scoring
    return (
        tuple(rules.points.items()),
        scoring.no_trick,
        scoring.moon,
        rules.moon_points,
        scoring.moon_needs,
        scoring.moon_absorbs_bonus,
        scoring.sun_points,
    )


def _table(rules: Rules, whim: int) -> Table:
    table = Table()
    table.seats = rules.seats
    table.whim = whim
    table.kitty_to = _KITTY_TO[rules.deck.kitty_to]
    _put_play(table, rules)
    _put_points(table, rules)
    if rules.scoring.moon is not Moon.OFF:
        _put_moon(table, rules)
    table.lasts = int(bool(table.no_trick or table.has_sun or table.moon == once(rules.cards)))
    _put_policy(table, rules)
    return table


def _put_play(table: Table, rules: Rules) -> None:
    limits = rules.limits
    table.two_packs = int(rules.deck.packs > 1)
    table.cancels = int(rules.play.cancel_pairs)
    table.barred_first = once(limits.barred_on_first_trick)
    table.unbroken_lead = once(limits.unbroken_lead)
    table.unbroken_follow = once(limits.unbroken_follow)
    table.free_among = once(limits.free_among)
    table.breaks = once(limits.breaks_hearts)


def _put_points(table: Table, rules: Rules) -> None:
    table.penalties, table.bonuses = once(rules.penalties), once(rules.bonuses)
    table.suits, table.worths = _worths(rules, table.penalties)
    table.boon_suits, table.boons = _worths(rules, table.bonuses)
    table.no_trick = rules.scoring.no_trick
    table.absorbs = int(rules.scoring.moon_absorbs_bonus)


def _put_moon(table: Table, rules: Rules) -> None:
    scoring, needed = rules.scoring, rules.penalties
    if scoring.moon_needs is MoonNeeds.COUNTERS:
        needed |= rules.bonuses
    if scoring.moon_needs is MoonNeeds.TRICKS:
        needed = rules.cards
    if rules.penalties:
        table.moon, table.moon_twice = once(needed), twice(needed)
    table.moon_points = rules.moon_points
    table.subtracts = int(scoring.moon is Moon.SELF_SUBTRACT)
    if scoring.sun_points is not None:
        table.has_sun, table.sun_points = 1, scoring.sun_points
        table.sun, table.sun_twice = once(rules.cards), twice(rules.cards)


def _put_policy(table: Table, rules: Rules) -> None:
    """Put down what the rules of thumb go by: what is not led, and what is thrown first."""
    table.shy = table.bonuses | _dear(rules)
    table.throws = _throws(rules)


def _dear(rules: Rules) -> CardSet:
    """Return the penalties that count half as much as the dearest or more, if others count less."""
    worths = [points for points in rules.points.values() if points > 0]
    if not worths or min(worths) == max(worths):
        return NO_CARDS
    dear = (some for points, some in rules.value_sets if 2 * points >= max(worths))
    return once(union(dear))


def _throws(rules: Rules) -> list[CardSet]:
    """Return the cards in the order in which it is good to throw them.

    The first stand alone, later ones in groups that grow: there it matters less, and few
    groups are looked through.
    """
    order = sorted(in_deck_order(once(rules.cards)), key=lambda one: -relief(one, NO_CARDS, rules))
    groups, size = [], 1
    while order:
        groups.append(sum(order[:size]))
        order, size = order[size:], size + 1 + size // 3
    return groups


def _worths(rules: Rules, counters: CardSet) -> tuple[list[int], list[list[int]]]:
    """Return the shifts of the suits of *counters*, and for each the points of its sets."""
    shifts = [shift for shift in range(0, PACK_SIZE, _SUIT_SIZE) if counters >> shift & SUIT_BITS]
    return shifts, [_sums(_points(rules, counters >> shift << shift, shift)) for shift in shifts]


def _points(rules: Rules, counters: CardSet, shift: int) -> tuple[int, ...]:
    some = (1 << shift + rank for rank in range(_SUIT_SIZE))
    return tuple(rules.points[one] if one & counters else 0 for one in some)


@lru_cache(maxsize=64)
def _sums(points: Sequence[int]) -> list[int]:
    """Return, for every set of cards of one suit, the sum of its *points*, the two's first."""
    sums = [0]
    for worth in points:
        sums += [worth + some for some in sums]
    return sums
