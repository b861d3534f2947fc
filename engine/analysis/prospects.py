"""What a move brings with the better of two ways to go on: without a moon, or with one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Generic

from engine.analysis.judged import OWN_MOON, Analysis, Judged, Reading, estimate
from engine.analysis.tallies import MoveT, Tally, dearest_left, dearest_of
from engine.bots.base import phase_of, you_in
from engine.bots.moon_making import worth_of_moon
from engine.bots.moon_plan import enough, is_hopeful
from engine.bots.standing import by_points
from engine.playouts.kernel import NOBODY
from engine.view import View


class Prospect(Generic[MoveT]):
    """What *move* brings the seat of *view*, who may go for a moon after it.

    *meek* and *bold* have been played out in the same worlds, or *bold* in fewer, and then the
    moon is out of sight.
    """

    def __init__(self, move: MoveT, view: View) -> None:
        self.move = move
        self._enough = int(enough(view.rules, by_points(view)))
        self.meek, self.bold = Tally(move, view), Tally(move, view)

    @property
    def with_moon(self) -> bool:
        """Whether a moon was tried in as many worlds as the rest."""
        return len(self.bold.gains) == len(self.meek.gains)

    @property
    def better(self) -> Tally[MoveT]:
        """The way to go on that a bot would choose.

        With a moon it gains what that gains beyond what bots ask of one: nothing at first, where
        they begin to go for it. If it gained all at once, a card would be worth many points more
        than its like wherever one of them is just beyond that line.
        """
        if not self.with_moon:
            return self.meek
        bold = self.bold.less(self._enough)
        return bold if sum(bold.gains) > sum(self.meek.gains) else self.meek

    @property
    def in_full(self) -> Tally[MoveT]:
        """The way to go on of who asks of a moon no more than that it clearly gains something."""
        if not self.with_moon:
            return self.meek
        surplus = estimate(
            [bold - meek for bold, meek in zip(self.bold.gains, self.meek.gains, strict=True)]
        )
        return self.bold if surplus.is_clear and surplus.mean > 0 else self.meek

    def judged(self, way: Tally[MoveT]) -> Judged:
        """Return what the move is likely to bring, if it goes on that *way*."""
        if not self.with_moon:
            return way.judged()
        return replace(
            way.judged(),
            is_bold=way is not self.meek,
            bold_moon=max(one.share(OWN_MOON) for one in (self.meek, self.bold)),
        )


class Shooting:
    """Whether moons are still to be tried for the seat of *view*, and by whom."""

    def __init__(self, view: View) -> None:
        self._seat = you_in(view).seat
        taken = tuple(seat.taken for seat in view.seats)
        self.is_open = worth_of_moon(self._seat, taken, view.rules) > 0

    @property
    def ways(self) -> Sequence[int]:
        """The seats that go for a moon in the playouts of a move, one after the other."""
        return (NOBODY, self._seat) if self.is_open else (NOBODY,)

    def look_at(self, prospects: Iterable[Prospect[MoveT]]) -> None:
        """Give moons up if they look hopeless after *prospects*."""
        self.is_open = self.is_open and any(is_hopeful(one.bold.gains) for one in prospects)


def analysis_of(
    view: View, prospects: Iterable[Prospect[MoveT]], *, in_order: bool = False
) -> Analysis:
    """Return what *prospects* found, the move that gains most first, in their order else."""
    both = [(one, one.better, one.in_full) for one in prospects]
    both.sort(key=lambda ways: -sum(ways[1].gains))
    readings = [[(one, way) for one, way, _ in both]]
    if any(one.with_moon for one, *_ in both):
        readings.append([(one, way) for one, _, way in both])
    left = dearest_left(view)
    return Analysis(
        seat=you_in(view).seat,
        seats=view.rules.seats,
        phase=phase_of(view),
        worlds=len(both[0][0].meek.gains),
        readings=tuple(map(_reading, readings)),
        dearest_is_left=not left or bool(left & dearest_of(view.rules)),
        in_order=in_order,
    )


def _reading(ways: Sequence[tuple[Prospect[MoveT], Tally[MoveT]]]) -> Reading:
    return Reading(
        judged=tuple(one.judged(way) for one, way in ways),
        gains=tuple(tuple(way.gains) for _, way in ways),
        outcomes=tuple(tuple(way.outcomes) for _, way in ways),
    )
