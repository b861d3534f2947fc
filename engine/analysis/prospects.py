"""What a move brings with the better of two ways to go on: without a moon, or with one."""

from collections.abc import Iterable, Sequence
from typing import Generic

from engine.analysis.tallies import MoveT, Tally
from engine.bots.base import you_in
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
    def better(self) -> Tally[MoveT]:
        """The way to go on that a bot would choose.

        With a moon it gains what that gains beyond what bots ask of one: nothing at first, where
        they begin to go for it. If it gained all at once, a card would be worth many points more
        than its like wherever one of them is just beyond that line.
        """
        if len(self.bold.gains) < len(self.meek.gains):
            return self.meek
        bold = self.bold.less(self._enough)
        return bold if sum(bold.gains) > sum(self.meek.gains) else self.meek


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
