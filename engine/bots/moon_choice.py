"""Which way the points of one's own moon go, by the place in the game afterwards."""

from typing import NamedTuple

from engine.bots.base import deal_in, you_in
from engine.scoring import MoonChoice, Progress, deal_points, places_of, result_of
from engine.view import View, taken_in_the_end


def best_choice(view: View) -> MoonChoice:
    """Return the choice that wins, else that does not lose, else that suits the place.

    Both move the seat away from the others by the same points; adding brings the end
    nearer, which suits the leader alone.

    Raises:
        AssertionError: It is the public's view, or nothing is dealt.
    """
    return min(MoonChoice, key=lambda choice: _prospect(choice, view))


class _Prospect(NamedTuple):
    """How a choice leaves the seat; the smaller the better."""

    lost: bool
    going_on: bool
    place: int
    unsuited: bool


def _prospect(choice: MoonChoice, view: View) -> _Prospect:
    deal, seat = deal_in(view), you_in(view).seat
    points = deal_points(taken_in_the_end(view), view.rules, deal.shot, choice)
    totals = tuple(other.total + more for other, more in zip(view.seats, points, strict=True))
    progress = Progress(deal.scored, deal.number).with_this_deal()
    end, place = result_of(totals, progress, view.rules), places_of(totals)[seat]
    hastens = choice is MoonChoice.OTHERS_ADD
    return _Prospect(
        lost=end is not None and place > 1,
        going_on=end is None,
        place=place,
        unsuited=hastens is not (place == 1),
    )
