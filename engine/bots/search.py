"""The search for a play: each card is played out in the same worlds, the best one counts.

A world lays the hidden cards somewhere they may lie; from there the deal goes on by rules of
thumb and a little chance. A card is as good as the points it keeps away from its seat, and
brings to the others, on average. Moons are in it, since they are scored like all else; one of
its own the seat may also go for by a plan.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.bots.base import deal_in, you_in
from engine.bots.halving import best_of
from engine.bots.medium_bot import prices, sure_card
from engine.bots.memory import recall
from engine.bots.moon_plan import planned_card
from engine.bots.standing import Aim, by_points
from engine.bots.worlds import Worlds
from engine.cards import Card, CardSet, above, below, in_deck_order, named, one_of_each, union
from engine.playouts import kernel
from engine.playouts.shapes import Playout
from engine.playouts.starts import start_of
from engine.playouts.tables import table_of
from engine.stakes import points_of
from engine.view import View

_ROUNDS: Final = 3

_TRUST: Final = 100
"""How many worlds the price of a card by rules of thumb counts for."""


def best_play(
    view: View,
    seed: bytes,
    budget: int,
    aim_of: Callable[[View], Aim] = by_points,
    worlds_of: Callable[[View, bytes], Worlds] = Worlds,
) -> Card:
    """Return the card that gains most in *budget* simulations, drawn from *seed*."""
    if one := sure_card(view):
        return one
    choices = list(unlike_cards(view))
    if len(choices) == 1:
        return choices[0]
    playout, worlds, start = Playout(table_of(view.rules)), worlds_of(view, seed), start_of(view)
    aim = aim_of(view)

    def judge(cards: list[Card], count: int) -> Sequence[int]:
        found = aim.gains(
            playout,
            start,
            worlds.draw(count),
            [named(one) for one in cards],
            start.seat,
            worlds.luck(),
            kernel.NOBODY,
        )
        return [sum(found[at :: len(cards)]) for at in range(len(cards))]

    trust = _TRUST * aim.point * view.rules.seats
    ahead = [-round(trust * price) for price in prices(view, choices)]
    best = best_of(choices, judge, budget, _ROUNDS, ahead)
    return planned_card(view, playout, start, worlds, best, aim) or best


def unlike_cards(view: View) -> Iterator[Card]:
    """Yield one of each group of legal cards that are alike, in deck order.

    Neighbours of a suit are if they count the same, and no card lies between that is out or
    on the table. Of such cards the highest stands for all.
    """
    legal = list(in_deck_order(one_of_each(you_in(view).legal)))
    live = recall(view).out | union(deal_in(view).trick)
    for one, other in zip(legal, [*legal[1:], None], strict=True):
        if other is None or not _are_alike(one, other, live, view):
            yield one


def _are_alike(one: Card, other: Card, live: CardSet, view: View) -> bool:
    rules = view.rules
    between = above(one) & below(other)
    same_suit = bool(above(one) & other)
    return (
        same_suit
        and not rules.play.cancel_pairs
        and not between & live
        and points_of(one, rules) == points_of(other, rules)
    )
