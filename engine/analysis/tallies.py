"""What the playouts of one move add up to."""

from collections.abc import Sequence
from copy import copy
from typing import Generic, TypeVar

from engine.analysis.judged import DEAR, OTHER_MOON, OWN_MOON, Judged, estimate
from engine.bots.base import you_in
from engine.cards import NO_CARDS, PACK_SIZE, CardSet, union
from engine.commands import Move
from engine.playouts.counting import score
from engine.playouts.shapes import Playout
from engine.playouts.tables import once
from engine.rules import Rules
from engine.scoring import shot
from engine.view import View

MoveT = TypeVar("MoveT", bound=Move)


class Tally(Generic[MoveT]):
    """Counts what comes of *move* for the seat of *view*, playout by playout."""

    def __init__(self, move: MoveT, view: View) -> None:
        self.move = move
        self.gains: list[int] = []
        self.outcomes: list[int] = []
        self._rules, self._seat = view.rules, you_in(view).seat
        self._totals = [seat.total for seat in view.seats]
        dearest = dearest_left(view)
        # Of a card whose twin the seat has already, the other twin is left.
        self._second = once(dearest) & once(_own(view))
        self._dearest = once(dearest) & ~self._second
        self._points: list[int] = []
        self._places = 0

    def add(self, playout: Playout) -> None:
        """Count the deal that was just played out."""
        score(playout)
        points = [player.points for player in playout.players]
        self._count(points)
        own = playout.players[self._seat]
        took_dear = own.taken & self._dearest | own.taken_twice & self._second
        self.outcomes.append(bool(took_dear) * DEAR | self._moon(playout))

    def add_moon(self, points: Sequence[int]) -> None:
        """Count a deal in which the seat takes all that is left, for these *points* of all.

        One pack is meant: with two nobody is known to take all.
        """
        self._count(points)
        self.outcomes.append(bool(self._dearest) * DEAR | OWN_MOON)

    def less(self, gain: int) -> "Tally[MoveT]":
        """Return the same, with so much less of a *gain* in each world."""
        found = copy(self)
        found.gains = [one - gain for one in self.gains]
        return found

    def judged(self) -> Judged:
        """Return what *move* is likely to bring."""
        worlds = len(self._points)
        return Judged(
            move=self.move,
            points=estimate(self._points),
            gain=estimate(self.gains, self._rules.seats),
            dear=self.share(DEAR),
            own_moon=self.share(OWN_MOON),
            other_moon=self.share(OTHER_MOON),
            place=self._places / worlds,
        )

    def share(self, outcome: int) -> float:
        """Return in what share of the worlds there was that *outcome*."""
        return sum(1 for one in self.outcomes if one & outcome) / len(self.outcomes)

    def _count(self, points: Sequence[int]) -> None:
        own = points[self._seat]
        self._points.append(own)
        self.gains.append(sum(points) - len(points) * own)
        after = [total + more for total, more in zip(self._totals, points, strict=True)]
        self._places += 1 + sum(total < after[self._seat] for total in after)

    def _moon(self, playout: Playout) -> int:
        # Nobody has shot who has not what the moon of the table needs; few come so far.
        needed = playout.table.moon
        if not needed or all(needed & ~player.taken for player in playout.players):
            return 0
        taken = tuple(one.taken | one.taken_twice << PACK_SIZE for one in playout.players)
        found = shot(taken, self._rules)
        if found is None:
            return 0
        return OWN_MOON if found.seat == self._seat else OTHER_MOON


def dearest_of(rules: Rules) -> CardSet:
    """Return the cards of the dearest penalty, both twins, none where there is no penalty."""
    points, some = rules.value_sets[-1] if rules.value_sets else (0, NO_CARDS)
    return some if points > 0 else NO_CARDS


def dearest_left(view: View) -> CardSet:
    """Return the cards of the dearest penalty that nobody is known to have taken yet.

    None where only those that cost least are left, but not by the rules: a heart, once the
    queen of spades is gone, is no more than its points.
    """
    penalties = [some for points, some in view.rules.value_sets if points > 0]
    gone = union(seat.taken for seat in view.seats) | _own(view)
    for some in reversed(penalties):
        if left := some & ~gone:
            return left if some != penalties[0] or len(penalties) == 1 else NO_CARDS
    return NO_CARDS


def _own(view: View) -> CardSet:
    """Return what the seat of *view* has taken, with the kitty, which it alone knows."""
    you = you_in(view)
    return view.seats[you.seat].taken | you.kitty
