from dataclasses import replace

import pytest

from engine.analysis import Analysis, Estimate
from engine.analysis.judged import DEAR, OTHER_MOON, OWN_MOON, Judged, Reading, estimate
from engine.cards import card
from engine.commands import ChooseMoon, PassCards, PlayCard
from engine.scoring import MoonChoice
from engine.state import TurnType

LOW, HIGH = PlayCard(0, card("2C")), PlayCard(0, card("AC"))


def judged(move):
    nothing = Estimate(0.0, 0.0)
    return Judged(move, nothing, nothing, 0.0, 0.0, 0.0, 1.0)


def a_reading(*moves, gains, outcomes=None):
    return Reading(
        judged=tuple(map(judged, moves)),
        gains=gains,
        outcomes=outcomes or tuple((0,) * len(some) for some in gains),
    )


def an_analysis(*moves, gains, outcomes=None, in_full=None, seats=4, **more):
    """Return an analysis of *moves* by *gains*, and by those *in_full* if there are any."""
    readings = [
        a_reading(*moves, gains=some, outcomes=outcomes) for some in (gains, in_full) if some
    ]
    return Analysis(
        seat=0,
        seats=seats,
        phase=TurnType.PLAY,
        worlds=len(gains[0]),
        readings=tuple(readings),
        **more,
    )


def test_an_estimate_is_the_mean_and_its_standard_error():
    assert estimate([1, 3, 5, 7]) == (4.0, pytest.approx((20 / 3 / 4) ** 0.5))
    assert estimate([4, 12, 20, 28], 4) == (4.0, pytest.approx((20 / 3 / 4) ** 0.5))


def test_what_is_always_the_same_is_certain_and_so_is_a_single_number():
    assert estimate([5, 5, 5], 5) == (1.0, 0.0)
    assert estimate([6], 4) == (1.5, 0.0)


def test_only_what_lies_beyond_two_standard_errors_is_clear():
    assert Estimate(2.1, 1.0).is_clear
    assert Estimate(-2.1, 1.0).is_clear
    assert not Estimate(2.0, 1.0).is_clear
    assert not Estimate(0.0, 0.0).is_clear


def test_moves_are_compared_world_by_world():
    # Worlds differ far more than the moves do in any of them.
    found = an_analysis(LOW, HIGH, gains=((44, 4, 84), (40, 0, 80)))

    assert found.difference(LOW, HIGH) == (1.0, 0.0)
    assert found.difference(HIGH, LOW) == (-1.0, 0.0)
    assert found.is_better(LOW, HIGH)
    assert not found.is_better(HIGH, LOW)
    assert found.cost(HIGH).mean == 1.0
    assert found.cost(found.best.move) == (0.0, 0.0)


def test_a_difference_within_its_error_makes_no_move_better():
    found = an_analysis(LOW, HIGH, gains=((8, 0, 8, 0), (0, 8, 0, 4)))

    assert found.difference(LOW, HIGH).mean == 0.25
    assert not found.is_better(LOW, HIGH)


def test_of_two_readings_the_one_counts_that_says_less_for_the_better_move():
    # The high card goes for a moon; it is better by one reading, and worse by the other.
    found = an_analysis(LOW, HIGH, gains=((40, 44), (28, 32)), in_full=((40, 44), (67, 71)))

    assert found.difference(LOW, HIGH).mean == -27 / 4
    assert found.difference(HIGH, LOW).mean == -12 / 4
    assert not found.is_better(LOW, HIGH)
    assert not found.is_better(HIGH, LOW)
    assert found.best.move == LOW


def test_a_move_that_both_readings_prefer_is_better_by_the_less_of_both():
    found = an_analysis(HIGH, LOW, gains=((44, 40), (28, 24)), in_full=((83, 79), (28, 24)))

    assert found.difference(HIGH, LOW) == (4.0, 0.0)
    assert found.is_better(HIGH, LOW)


def test_two_moves_are_compared_in_one_reading_throughout():
    found = an_analysis(
        *(LOW, HIGH),
        gains=((40, 44), (28, 32)),
        in_full=((40, 44), (67, 71)),
        outcomes=((0, 0), (OWN_MOON, 0)),
    )
    cautious, in_full = (
        replace(one, judged=tuple(replace(move, place=place) for move in one.judged))
        for place, one in zip((2.0, 3.0), found.readings, strict=True)
    )
    found = replace(found, readings=(cautious, in_full))
    there, back = found.compared(LOW, HIGH), found.compared(HIGH, LOW)

    assert (there.one, there.other) == in_full.judged
    assert (back.other, back.one) == cautious.judged
    assert there.parts == {OWN_MOON: -27, OTHER_MOON: 0, DEAR: 0, 0: -27}
    assert back.parts == {OWN_MOON: -12, OTHER_MOON: 0, DEAR: 0, 0: -12}


def test_a_rival_is_what_a_move_is_worse_than_whichever_way_moons_count():
    # By the first reading both others are better than the middle card, by the second one is.
    middle = PlayCard(0, card("7C"))
    found = an_analysis(
        LOW, HIGH, middle, gains=((12, 12), (9, 9), (4, 4)), in_full=((12, 12), (48, 48), (40, 40))
    )

    assert found.rival(middle).move == HIGH
    assert found.difference(HIGH, middle).mean == 5 / 4
    assert found.rival(LOW).move == LOW


def test_what_is_better_beyond_doubt_is_a_rival_before_what_may_be_much_better():
    middle = PlayCard(0, card("7C"))
    found = an_analysis(LOW, HIGH, middle, gains=((60, -40), (4, 4), (0, 0)))

    assert found.rival(middle).move == HIGH
    assert found.cost(middle) == (1.0, 0.0)


def test_no_move_costs_less_than_nothing():
    found = an_analysis(LOW, HIGH, gains=((40, 44), (28, 32)), in_full=((40, 44), (67, 71)))

    assert found.cost(LOW) == found.cost(HIGH) == (0.0, 0.0)


def test_of_moves_as_good_as_each_other_the_rival_is_the_first():
    found = an_analysis(LOW, HIGH, gains=((12, 12), (12, 12)))

    assert found.rival(HIGH).move == found.rival(LOW).move == LOW


def test_a_difference_is_told_apart_by_what_came_of_both_moves_in_each_world():
    found = an_analysis(
        LOW,
        HIGH,
        gains=((78, 9, 5, 20, 3), (20, 1, 6, -26, 1)),
        outcomes=((OWN_MOON | DEAR, DEAR, 0, OTHER_MOON, 0), (0, DEAR, DEAR, OTHER_MOON, DEAR)),
    )

    assert found.compared(LOW, HIGH).parts == {OWN_MOON: 58, OTHER_MOON: 0, DEAR: 1, 0: 54}
    assert found.compared(HIGH, LOW).parts == {OWN_MOON: -58, OTHER_MOON: 0, DEAR: -1, 0: -54}


def test_a_card_stands_for_its_twin_and_a_pass_for_all_its_orders():
    two, three = card("2C"), card("3D")
    passed = an_analysis(PassCards(0, (two, three)), gains=((1, 2),))

    assert passed.of(PassCards(0, (three << 52, two))) == passed.best
    assert an_analysis(LOW, gains=((1, 2),)).of(PlayCard(0, LOW.card << 52)).move == LOW


def test_with_scatter_the_order_makes_another_pass():
    one, other = card("2C"), card("3D")
    found = an_analysis(PassCards(0, (one, other)), gains=((1, 2),), in_order=True)

    with pytest.raises(KeyError):
        found.of(PassCards(0, (other, one)))


def test_a_move_that_was_not_judged_is_not_there():
    with pytest.raises(KeyError):
        an_analysis(LOW, gains=((1, 2),)).cost(HIGH)
    with pytest.raises(KeyError):
        an_analysis(LOW, gains=((1, 2),)).of(ChooseMoon(0, MoonChoice.OTHERS_ADD))
