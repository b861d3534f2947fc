"""A plan for a moon: to take every trick, as long as that gains more than to avoid points.

It is tried out in worlds, as cards are in the search, and weighed afresh for every play: what
fails, too, is in it, for there the seat takes most of the points, and not all.
"""

from collections.abc import Sequence
from typing import Final

from engine.bots.base import you_in
from engine.bots.memory import recall
from engine.bots.moon_making import worth_of_moon
from engine.bots.standing import Aim
from engine.bots.worlds import Worlds
from engine.cards import NO_CARDS, Card, held, named
from engine.playouts import kernel
from engine.playouts.boldness import bold_follow, bold_lead, bold_throw
from engine.playouts.shapes import Playout, Start, Table
from engine.playouts.tables import once
from engine.rules import Rules
from engine.view import View

GLANCE: Final = 8
"""In so many worlds moons are tried, whatever the hand."""

_WORLDS: Final = 60
_FEWEST: Final = 0.3
"""In how many of the first worlds the plan has to gain anything to be looked at longer."""


def planned_card(  # noqa: PLR0913, PLR0917 - all that the search before it had
    view: View, playout: Playout, start: Start, worlds: Worlds, instead: Card, aim: Aim
) -> Card | None:
    """Return the card that goes on towards a moon, or None if *instead* gains enough beside it."""
    seat = start.seat
    if worth_of_moon(seat, tuple(one.taken for one in view.seats), view.rules) <= 0:
        return None
    some, luck = worlds.draw(GLANCE), worlds.luck()
    if not is_hopeful(kernel.gains(playout, start, some, [0], seat, luck, seat)):
        return None
    some, luck = worlds.draw(_WORLDS), worlds.luck()
    bold = aim.gains(playout, start, some, [0], seat, luck, seat)
    meek = aim.gains(playout, start, some, [named(instead)], seat, luck, kernel.NOBODY)
    surplus = sum(bold) - sum(meek)
    if not is_worth_it(surplus, _WORLDS, view.rules, aim):
        return None
    return _bold_card(view, playout.table, start)


def is_hopeful(gains: Sequence[int]) -> bool:
    """Return whether a plan that has brought *gains* in some worlds is worth a longer look."""
    return sum(gain > 0 for gain in gains) >= _FEWEST * len(gains)


def is_worth_it(surplus: int, worlds: int, rules: Rules, aim: Aim) -> bool:
    """Return whether a plan that gains *surplus* more of *aim* in all *worlds* gains enough."""
    return surplus > enough(rules, aim) * worlds


def enough(rules: Rules, aim: Aim) -> float:
    """Return how much more of *aim* a plan has to gain in a world, on average."""
    return aim.point * aim.caution * rules.penalty_points * (rules.seats - 1)


def _bold_card(view: View, table: Table, start: Start) -> Card:
    """Return the legal card that seats which go for a moon play in playouts."""
    legal, others = you_in(view).legal, once(recall(view).out)
    choice = once(legal)
    if not start.place:
        card = bold_lead(choice, others, table.moon)
    elif choice & start.suit:
        beaten = 2 * start.best - 1 if start.best else NO_CARDS
        stake = table.moon & (start.pile | others & start.suit)
        card = bold_follow(choice, others, beaten, stake, table.seats - 1 - start.place)
    else:
        card = bold_throw(choice, others, table.moon)
    return held(card, legal)
