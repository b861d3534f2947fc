from dataclasses import replace

import pytest

from engine import reasons
from engine.analysis import Estimate, reason_for
from engine.analysis.judged import DEAR, OTHER_MOON, OUTCOMES, OWN_MOON
from engine.analysis.reasons import why_better
from engine.state import table_of
from tests.engine.analysis.positions import ALL_PENALTIES, a_moon_to_spoil, openly
from tests.engine.analysis.test_judged import HIGH, LOW, an_analysis
from tests.table import STANDARD, a_deal, a_last_card, after, last_card, rules, trick


def reason(game, seat):
    return reason_for(openly(game, seat, 100), table_of(game).rules)


def test_the_queen_is_the_reason_where_she_makes_the_difference():
    game = a_deal(
        trick=trick(1, "QS 2S 3S"), seat0="KS 4S", seat1="2D", seat2="3D", seat3="4D",
        taken=("", "2H", "", ""),
    )  # fmt: skip

    assert reason(game, 0) == (
        "Keeps the queen of spades away in 100 % of the worlds tried, KS in 0 %."
    )


def test_points_are_the_reason_where_they_are_hearts():
    game = a_deal(
        trick=trick(1, "9H 2H 3H"), seat0="KH 4H", seat1="2D", seat2="3D", seat3="4D",
        taken=("", "5H", "", ""), hearts_broken=True,
    )  # fmt: skip

    assert reason(game, 0) == "Ends the deal with 0.0 points on average, KH with 5.0."


def test_a_moon_of_another_seat_that_is_spoilt_is_the_reason():
    assert reason(a_moon_to_spoil(), 3) == (
        "Lets another seat shoot the moon in 0 % of the worlds tried, 4S in 100 %."
    )


def test_a_moon_of_ones_own_is_the_reason():
    hearts = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    game = a_deal(
        trick=trick(3, "QS 2S 3S"), seat2="AS 4S AH", seat3="2D 3D", seat0="4D 5D", seat1="6D 7D",
        taken=("", "", hearts, ""), hearts_broken=True,
    )  # fmt: skip

    assert reason(game, 2).startswith("Shoots the moon in ")


def test_where_no_move_is_clearly_better_that_is_said():
    game = a_deal(leads=0, seat0="2C 3D", seat1="4C 5C", seat2="6D 7D", seat3="8C 9D")

    assert reason(game, 0).startswith("No move is clearly better than others in 50 worlds tried; ")


def test_a_single_card_needs_no_reason():
    game = a_deal(leads=0, seat0="2C", seat1="3C", seat2="4C", seat3="5C")

    assert reason(game, 0) == "Nothing but 2C is allowed."


@pytest.mark.parametrize(
    ("totals", "words"),
    [
        pytest.param((40, 55, 60, 71), "adding the points to the others", id="leads"),
        pytest.param((95, 20, 30, 80), "subtracting the points", id="adding would lose"),
    ],
)
def test_of_a_moon_the_place_is_the_reason(totals, words):
    game = a_last_card(ALL_PENALTIES, totals=totals)
    game = after(game, last_card(game))
    place = {40: 1, 95: 3}[totals[0]]

    assert reason(game, 0) == f"After the deal, {words} leaves this seat in place {place}."


def against(best, other, points=(0.0, 99.0), **more):
    """Return why *best* is better than *other*, each the gains and the outcomes of its worlds.

    *points* are what they cost; *more* goes with the question.
    """
    gains, outcomes = zip(*(zip(*worlds, strict=True) for worlds in (best, other)), strict=True)
    found = an_analysis(LOW, HIGH, gains=gains, outcomes=outcomes).compared(LOW, HIGH)
    one, two = map(with_chances, (found.one, found.other), outcomes, points)
    return why_better(replace(found, one=one, other=two), **more)


def with_chances(one, outcomes, points):
    own, others, dear = (
        sum(bool(came & outcome) for came in outcomes) / len(outcomes) for outcome in OUTCOMES
    )
    points = Estimate(points, 0.0)
    return replace(one, own_moon=own, other_moon=others, dear=dear, points=points)


def test_what_makes_up_most_of_the_gains_is_the_reason():
    quiet, queen = [(20, 0)] * 16, [(-26, DEAR), *[(20, 0)] * 3] * 4

    assert against(quiet, queen) == (reasons.DEAREST_CARD, 100, 75)
    assert against(quiet, [(-26, OTHER_MOON), *quiet[:3]] * 4) == (reasons.OTHER_MOON, 0, 25)


def test_a_moon_is_the_reason_however_little_it_gains_beyond_what_bots_ask_of_one():
    shot, failed, quiet = (39, OWN_MOON | DEAR), (-90, DEAR), (5, 0)

    assert against([shot, shot, shot, failed], [quiet] * 4) == (reasons.OWN_MOON, 75, 0)


def test_a_moon_that_is_hardly_ever_made_is_no_reason_for_a_loss_in_all_worlds():
    better, worse = [(12, 0)] * 20, [(0, OTHER_MOON), *[(8, 0)] * 19]

    assert against(better, worse) == (reasons.FEWER_POINTS, 0, 0)


def test_what_falls_no_less_to_the_better_move_is_no_reason():
    better, worse = [(20, DEAR), (20, 0)], [(0, 0), (0, DEAR)]

    assert against(better, worse) == (reasons.FEWER_POINTS, 0, 0)


def test_where_a_move_goes_for_a_moon_what_that_costs_is_no_reason_for_another_by_itself():
    # It takes the queen on purpose: what it loses by her, it mostly gets back by the moon.
    quiet, bold = [(10, 0)] * 4, [(36, OWN_MOON | DEAR), (-20, DEAR), (8, 0), (-18, 0)]

    assert against(quiet, bold) == (reasons.FEWER_POINTS, 0, 0)


def test_where_the_dearest_penalty_is_gone_the_dearest_left_is_the_reason():
    quiet, king = [(20, 0)] * 16, [(-26, DEAR), *[(20, 0)] * 3] * 4

    assert against(quiet, king, dearest_is_left=False) == (reasons.DEAREST_LEFT, 100, 75)


@pytest.mark.parametrize(
    ("points", "why"),
    [
        pytest.param((3.0, 6.0), reasons.FEWER_POINTS, id="all of it"),
        pytest.param((3.0, 4.5), reasons.FEWER_POINTS, id="half of it"),
        pytest.param((3.0, 4.4), reasons.MORE_FOR_OTHERS, id="less than half"),
        pytest.param((3.0, 3.0), reasons.MORE_FOR_OTHERS, id="nothing"),
        pytest.param((8.0, 3.0), reasons.MORE_FOR_OTHERS, id="it costs more"),
    ],
)
def test_points_are_the_reason_of_whoever_has_most_of_the_difference(points, why):
    assert against([(12, 0)] * 4, [(0, 0)] * 4, points) == (why, 0, 0)


def test_the_points_of_a_reason_are_those_of_the_ranking():
    # Where moons count in full the low card has more points, and is better all the same.
    found = an_analysis(LOW, HIGH, gains=((24, 24), (0, 0)), in_full=((24, 24), (12, 12)))
    readings = [
        replace(one, judged=tuple(map(with_points, one.judged, points)))
        for one, points in zip(found.readings, ((3.0, 9.0), (7.0, 6.4)), strict=True)
    ]
    words = reason_for(replace(found, readings=tuple(readings)), STANDARD)

    assert words == "Ends the deal with 3.0 points on average, AC with 9.0."


def with_points(one, points):
    return replace(one, points=Estimate(points, 0.0))


def test_a_move_that_costs_more_says_what_it_is_better_for():
    found = an_analysis(LOW, HIGH, gains=((24, 24), (0, 0)))
    (reading,) = found.readings
    reading = replace(reading, judged=tuple(map(with_points, reading.judged, (7.0, 6.4))))

    assert reason_for(replace(found, readings=(reading,)), STANDARD) == (
        "Ends the deal with 7.0 points on average, AC with 6.4; the others then get more."
    )


def test_a_chance_that_hardly_differs_is_no_reason():
    # In most worlds that they differ in, the queen falls to either as often; the rest is luck.
    better = [(40, DEAR), (40, 0), (40, 0), (40, DEAR), (40, 0)]
    worse = [(0, 0), (0, DEAR), (0, DEAR), (0, 0), (0, DEAR)]

    assert against(better, worse) == (reasons.FEWER_POINTS, 0, 0)


def bold_against_meek(is_bold=True):
    found = an_analysis(
        *(LOW, HIGH), gains=((60,) * 4, (10,) * 4), outcomes=((OWN_MOON,) * 4, (0,) * 4)
    ).compared(LOW, HIGH)
    one = replace(found.one, own_moon=1.0, is_bold=True, bold_moon=1.0)
    other = replace(found.other, is_bold=is_bold, bold_moon=0.25)
    return why_better(replace(found, one=one, other=other))


def test_who_gives_up_a_moon_is_told_how_often_it_could_have_been_made():
    assert bold_against_meek(is_bold=False) == (reasons.OWN_MOON, 100, 25)


def test_of_two_who_go_for_a_moon_it_counts_how_often_they_make_it():
    assert bold_against_meek(is_bold=True) == (reasons.OWN_MOON, 100, 0)


def test_what_is_left_in_black_maria_is_a_reason():
    game = a_deal(
        trick=trick(1, "KS 2S 3S"), seat0="AS 4S", seat1="2D", seat2="3D", seat3="4D",
        taken=("", "QS", "2H", ""), rules=rules("black_maria"),
    )  # fmt: skip

    assert reason(game, 0) == (
        "Avoids the dearest card left in 100 % of the worlds tried, AS in 0 %."
    )
