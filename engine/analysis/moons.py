"""The two choices of who has shot a moon or sun, judged: nothing about them is left to chance."""

from engine.analysis.judged import OWN_MOON, Analysis, Estimate, Judged, Reading
from engine.bots.base import deal_in, phase_of, you_in
from engine.bots.moon_choice import best_choice
from engine.commands import ChooseMoon
from engine.scoring import MoonChoice, deal_points, places_of
from engine.seats import PerSeat
from engine.view import View, taken_in_the_end


def judged_choices(view: View) -> Analysis:
    """Return what both choices bring, first the one that suits the place in the game."""
    best = best_choice(view)
    choices = sorted(MoonChoice, key=lambda choice: choice is not best)
    points = [_points(view, choice) for choice in choices]
    seat, seats = you_in(view).seat, view.rules.seats
    return Analysis(
        seat=seat,
        seats=seats,
        phase=phase_of(view),
        worlds=1,
        readings=(
            Reading(
                judged=tuple(
                    map(lambda choice, some: _judged(view, choice, some), choices, points)
                ),
                gains=tuple((sum(some) - seats * some[seat],) for some in points),
                outcomes=((OWN_MOON,),) * len(choices),
            ),
        ),
    )


def _points(view: View, choice: MoonChoice) -> PerSeat[int]:
    return deal_points(taken_in_the_end(view), view.rules, deal_in(view).shot, choice)


def _judged(view: View, choice: MoonChoice, points: PerSeat[int]) -> Judged:
    seat = you_in(view).seat
    after = tuple(other.total + more for other, more in zip(view.seats, points, strict=True))
    return Judged(
        move=ChooseMoon(seat, choice),
        points=Estimate(points[seat], 0.0),
        gain=Estimate(sum(points) / len(points) - points[seat], 0.0),
        dear=0.0,
        own_moon=1.0,
        other_moon=0.0,
        place=float(places_of(after)[seat]),
    )
