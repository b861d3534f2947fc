"""What a playout is worth to a seat: points, or near the end of a game its place in it.

Once the running deal may be the last, a playout counts by who wins: for certain where the
game is then over, else as likely as the totals make it. A point still counts a little, so
that where the places are settled the seat goes on keeping points away.

Only sums, products, quotients and square roots are taken, which come out the same on every
machine.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import sqrt
from operator import add
from typing import Final, NamedTuple, TypeAlias

from engine.bots.base import deal_in, you_in
from engine.cards import union
from engine.playouts import kernel
from engine.playouts.shapes import Playout, Start, World
from engine.rules import MOST_DEALS, Moon, Rules
from engine.scoring import Progress, result_of
from engine.view import View

Gains: TypeAlias = Callable[[Playout, Start, list[World], list[int], int, int, int], list[int]]
"""What each card gains a seat, world by world, as `engine.playouts.kernel.gains` has it."""

GainsApart: TypeAlias = Callable[[Playout, list[Start], list[World], int, int, int], list[int]]
"""The same for worlds with a start of their own, as `engine.playouts.kernel.gains_apart`."""

_STAKE: Final = 20
"""What a win counts, and again the first place over the last, in all points of a deal."""

_SPREAD: Final = 0.45
"""How far totals drift apart by chance in one deal, in a seat's share and for one seat.

With `_HASTE` it makes the chances to win of four seats that are about to end a game come out
as in games of random deals; with three or seven seats and other points nearly so.
"""

_HASTE: Final = 0.5
"""How many deals it takes until the highest total has risen by a seat's share of the points."""


class Aim(NamedTuple):
    """What a search goes for: what playouts *gains* a seat, and how much of it a *point* is.

    A point is that of a gain by points alone, the others' sum less the seat's own for each. With
    *caution* a plan for a moon has to gain so much more over each other seat, in all penalties of
    a deal: in playouts nobody sees a moon coming, and so too many succeed.
    """

    gains: Gains
    gains_apart: GainsApart
    point: float
    caution: float = 0.5


def by_points(_view: View) -> Aim:
    """Return the aim to gain points over the others."""
    return Aim(kernel.gains, kernel.gains_apart, 1.0)


def by_place(view: View) -> Aim:
    """Return the aim to come out well in the game: by points until the deal may be the last."""
    if not may_end(view):
        return by_points(view)
    standing = Standing(view)
    return Aim(standing.gains, standing.gains_apart, standing.point())


def may_end(view: View) -> bool:
    """Return whether the game of *view* may be over with the running deal."""
    ending, deal = view.rules.ending, deal_in(view)
    if deal.number >= MOST_DEALS or (ending.deals is not None and deal.scored + 1 >= ending.deals):
        return True
    highest = max(seat.total for seat in view.seats)
    return ending.target is not None and highest + _most_points(view.rules) >= ending.target


def _most_points(rules: Rules) -> int:
    """Return the most that one deal adds to a total."""
    scoring, most = rules.scoring, rules.penalty_points
    if scoring.moon is not Moon.OFF:
        most = max(most, rules.moon_points, scoring.sun_points or 0)
    return most + max(0, scoring.no_trick)


class Standing:
    """The totals before the running deal of *view*, and what its points make of them."""

    def __init__(self, view: View) -> None:
        deal, rules = deal_in(view), view.rules
        self._rules, self._seat = rules, you_in(view).seat
        self._totals = tuple(seat.total for seat in view.seats)
        self._so_far = tuple(seat.deal_points for seat in view.seats)
        self._left = _size(rules, ~union(seat.taken for seat in view.seats))
        self._all = max(1, _size(rules, rules.cards))
        self._progress = Progress(deal.scored, deal.number).with_this_deal()
        self._leaves_choice = rules.scoring.moon in {Moon.SHOOTER_CHOICE, Moon.SAFETY}
        self._known: dict[tuple[int, ...], int] = {}

    def gains(  # noqa: PLR0913, PLR0917 - in place of the kernel's own
        self,
        state: Playout,
        start: Start,
        worlds: list[World],
        cards: list[int],
        seat: int,
        draw: int,
        bold: int = kernel.NOBODY,
    ) -> list[int]:
        """Return what each of *cards* is worth to the seat, world by world.

        Raises:
            AssertionError: *seat* is another one.
        """
        assert seat == self._seat, "places are those of the seat that sees them"
        return self._worths(kernel.outcomes(state, start, worlds, cards, draw, bold))

    def gains_apart(  # noqa: PLR0913, PLR0917 - the same
        self,
        state: Playout,
        starts: list[Start],
        worlds: list[World],
        seat: int,
        draw: int,
        bold: int = kernel.NOBODY,
    ) -> list[int]:
        """Return what each of *worlds*, from a start of its own, is worth to the seat.

        Raises:
            AssertionError: *seat* is another one.
        """
        assert seat == self._seat, "places are those of the seat that sees them"
        found: list[int] = []
        for start, world in zip(starts, worlds, strict=True):
            found += kernel.outcomes(state, start, [world], [0], draw, bold)
        return self._worths(found)

    def _worths(self, found: list[int]) -> list[int]:
        size = self._rules.seats + 2
        return [self._worth_of(tuple(found[at : at + size])) for at in range(0, len(found), size)]

    def point(self) -> float:
        """Return what a point gained is worth, on average over ways in which the deal may end.

        In these one seat takes half of what is left, one half of the rest, and all share what
        remains.
        """
        if not self._left:
            return 1.0
        ends, seats = list(self._ends()), self._rules.seats
        return _slope(
            [sum(points) - seats * points[self._seat] for points in ends],
            [self.worth(points) for points in ends],
        )

    def worth(self, points: Sequence[int], shooter: int = -1, shot: int = 0) -> float:
        """Return what it is worth that the deal brings *points*, to each seat its own.

        The points of a moon or sun, *shot* by *shooter*, went to the others; who may choose
        does so, unless that ends the game for another.
        """
        after = tuple(map(sum, zip(self._totals, points, strict=True)))
        end = result_of(after, self._progress, self._rules)
        if self._leaves_choice and shooter >= 0 and end and shooter not in end.winners:
            after = tuple(total - shot for total in after)
            end = result_of(after, self._progress, self._rules)
        win, place = self._prospects(after, self._scale(after) if end is None else 0.0)
        gain = sum(points) - len(points) * points[self._seat]
        return gain + _STAKE * self._all * (win + place)

    def _worth_of(self, end: tuple[int, ...]) -> int:
        """Return the worth of one *end* that a playout comes to."""
        known = self._known.get(end)
        if known is None:
            *points, shooter, shot = end
            known = self._known[end] = round(self.worth(points, shooter, shot))
        return known

    def _prospects(self, after: tuple[int, ...], scale: float) -> tuple[float, float]:
        """Return the chance to win and the place, from 1 down to 0, to expect with totals *after*.

        On *scale* the odds of a total fall by e; it is 0 where the game is over.
        """
        own, lowest = after[self._seat], min(after)
        if scale:
            odds = [_decay((total - lowest) / scale) for total in after]
            mine = odds[self._seat]
            win, ahead = mine / _added(odds), _added(mine / (mine + other) for other in odds)
        else:
            win = 1 / after.count(own) if own == lowest else 0.0
            ahead = _added((own < other) + (own == other) / 2 for other in after)
        # Against itself a seat is half ahead.
        return win, (ahead - 0.5) / (len(after) - 1)

    def _scale(self, after: tuple[int, ...]) -> float:
        """Return how far totals drift apart by chance until the game ends, from *after* on."""
        ending, share = self._rules.ending, self._all / len(after)
        left = float(MOST_DEALS - self._progress.last)
        if ending.deals is not None:
            left = min(left, max(1, ending.deals - self._progress.scored))
        if ending.target is not None:
            left = min(left, 1 + _HASTE * max(0, ending.target - max(after)) / share)
        return _SPREAD * share * sqrt(len(after) * left)

    def _ends(self) -> list[list[int]]:
        half = (self._left + 1) // 2
        quarter = (self._left - half + 1) // 2
        rest = (self._left - half - quarter) // self._rules.seats
        seats = range(self._rules.seats)
        return [
            [
                points + rest + half * (seat == most) + quarter * (seat == more)
                for seat, points in enumerate(self._so_far)
            ]
            for most in seats
            for more in seats
        ]


def _size(rules: Rules, some: int) -> int:
    """Return the points of the cards in *some*, those of bonus cards as if they were penalties."""
    return rules.points_in(some & rules.penalties) - rules.points_in(some & rules.bonuses)


def _slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return by how much *ys* rise with *xs*, which are not all equal: by least squares."""
    x, y = _added(xs) / len(xs), _added(ys) / len(ys)
    rise = _added((one - x) * (other - y) for one, other in zip(xs, ys, strict=True))
    return rise / _added((one - x) * (one - x) for one in xs)


def _added(some: Iterable[float]) -> float:
    """Return the sum of *some*, added one by one: `sum` rounds otherwise from Python 3.12 on."""
    return reduce(add, some, 0.0)


def _decay(number: float) -> float:
    """Return about e to the power of minus *number*, which is not negative."""
    some = 1 / (1 + number / 16)
    for _ in range(4):
        some *= some
    return some
