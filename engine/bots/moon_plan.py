"""A plan for a moon: to take every trick, as long as that succeeds in most worlds.

It is tried out in worlds, as cards are in the search. It is looked at afresh for every play:
kept while it is likely to succeed, and given up with the first card another takes towards it.
"""

from typing import Final

from engine.bots.moon_making import worth_of_moon
from engine.bots.worlds import Worlds
from engine.cards import Card
from engine.playouts.attempts import Attempt
from engine.playouts.shapes import Start, Table
from engine.view import View

_GLANCE: Final = 8
_WORLDS: Final = 60
_FEWEST: Final = 3
"""How many attempts at a glance have to succeed before the others are made."""

_CAUTION: Final = 3
"""What a failure is taken to cost, in all penalties of a deal; a success brings the moon.

It costs less, but in attempts nobody sees a moon coming, and so too many succeed.
"""


def planned_card(view: View, table: Table, start: Start, worlds: Worlds) -> Card | None:
    """Return the card with which the seat goes on towards a moon, or None if it better does not.

    With two packs there is no plan.
    """
    worth = worth_of_moon(start.seat, tuple(seat.taken for seat in view.seats), view.rules)
    if worth <= 0 or table.two_packs:
        return None
    attempts = _attempts(_GLANCE, table, start, worlds)
    if _successes(attempts) < _FEWEST:
        return None
    attempts += _attempts(_WORLDS - _GLANCE, table, start, worlds)
    won = _successes(attempts)
    cost = _CAUTION * view.rules.penalty_points
    return attempts[0].card if won * worth >= (len(attempts) - won) * cost else None


def _attempts(count: int, table: Table, start: Start, worlds: Worlds) -> list[Attempt]:
    return [Attempt(table, start, world, worlds.luck()) for world in worlds.draw(count)]


def _successes(attempts: list[Attempt]) -> int:
    return sum(attempt.succeeded for attempt in attempts)
