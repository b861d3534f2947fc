"""What a move brings with the better of two ways to go on: without a moon, or with one."""

from collections.abc import Iterable, Sequence
from typing import Generic

from engine.analysis.tallies import MoveT, Tally
from engine.bots.base import you_in
from engine.bots.moon_making import worth_of_moon
from engine.bots.moon_plan import is_hopeful, is_worth_it
from engine.bots.standing import by_points
from engine.playouts.kernel import NOBODY
from engine.view import View


class Prospect(Generic[MoveT]):
    """What *move* brings the seat of *view*, who may go for a moon after it.

    *meek* and *bold* have been played out in the same worlds, or *bold* in fewer, and then the
    moon is out of sight.
    """

    def __init__(self, move: MoveT, view: View) -> None:
        self.move, self._rules, self._aim = move, view.rules, by_points(view)
        self.meek, self.bold = Tally(move, view), Tally(move, view)

    @property
    def better(self) -> Tally[MoveT]:
        """The way to go on that a bot would choose."""
        worlds = len(self.meek.gains)
        if len(self.bold.gains) < worlds:
            return self.meek
        surplus = sum(self.bold.gains) - sum(self.meek.gains)
        return self.bold if is_worth_it(surplus, worlds, self._rules, self._aim) else self.meek


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
