"""The pass with which a seat goes for a moon, if that is likely to gain more than another.

What would lose a trick goes: the others are to get what no suit needs to run.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from engine.bots.base import deal_in, you_in
from engine.bots.halving import best_of
from engine.bots.moon_making import worth_of_moon
from engine.bots.moon_plan import is_hopeful, is_worth_it
from engine.bots.pass_worlds import Pass, PassWorlds, sums
from engine.bots.standing import Aim
from engine.cards import Card, CardSet, above, in_deck_order, suit_of, union
from engine.rules import Rules
from engine.view import View

_LOSERS: Final = 4
"""So many losers, and as many as are passed, are tried in any company."""

_ROUNDS: Final = 4

_FEWEST: Final = 4
"""In fewer worlds than these no pass can be told from another."""


def bold_pass(view: View, worlds: PassWorlds, instead: Pass, budget: int, aim: Aim) -> Pass | None:
    """Return the pass that gains most by a moon, or None if *instead* is better without.

    *budget* are the simulations at most.
    """
    rules = view.rules
    taken = tuple(seat.taken for seat in view.seats)
    if worth_of_moon(you_in(view).seat, taken, rules) <= 0:
        return None
    choices = list(_losing(worlds.hand, deal_in(view).pass_count, rules))
    glance = budget // (_ROUNDS + 1) // len(choices)
    if glance < _FEWEST:
        return None
    rows = worlds.glance(choices, glance)
    if not any(is_hopeful(column) for column in zip(*rows, strict=True)):
        return None
    ahead = [round(aim.point * gain) for gain in sums(rows)]
    best = best_of(choices, worlds.bold_gains, budget - budget // (_ROUNDS + 1), _ROUNDS, ahead)
    count = budget // _ROUNDS // 2
    surplus = worlds.surplus(best, instead, count)
    return best if is_worth_it(surplus, count, rules, aim) else None


def _losing(hand: CardSet, count: int, rules: Rules) -> Iterator[Pass]:
    """Yield passes of *count* cards of *hand* above which others have many."""

    def key(one: Card) -> int:
        others = rules.cards & ~hand & above(one)
        return (hand & suit_of(one)).bit_count() - 4 * others.bit_count()

    losers = sorted(in_deck_order(hand), key=key)[: count + _LOSERS]
    for some in combinations(losers, count):
        yield tuple(in_deck_order(union(some)))
