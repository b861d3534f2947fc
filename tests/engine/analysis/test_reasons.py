from dataclasses import replace

import pytest

from engine import reasons
from engine.analysis import Estimate, reason_for
from engine.analysis.judged import DEAR, OTHER_MOON, OUTCOMES, OWN_MOON
from engine.analysis.reasons import why_better
from engine.state import table_of
from tests.engine.analysis.positions import ALL_PENALTIES, a_moon_to_spoil, openly
from tests.engine.analysis.test_judged import HIGH, LOW, an_analysis
from tests.table import a_deal, a_last_card, after, last_card, rules, trick


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

    assert reason(game, 0) == "Costs 0.0 points on average, KH 5.0."


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


def against(best, other, points=(1.0, 2.0), **more):
    """Return why *best* is better than *other*, each the gains and the outcomes of its worlds.

    *points* are what they cost, and *more* of their analysis may be given.
    """
    gains, outcomes = zip(*(zip(*worlds, strict=True) for worlds in (best, other)), strict=True)
    found = an_analysis(LOW, HIGH, gains=gains, outcomes=outcomes)
    (reading,) = found.readings
    both = tuple(map(with_chances, reading.judged, outcomes, points))
    return why_better(replace(found, readings=(replace(reading, judged=both),), **more), LOW, HIGH)


def with_chances(one, outcomes, points):
    own, others, dear = (
        sum(bool(came & outcome) for came in outcomes) / len(outcomes) for outcome in OUTCOMES
    )
    points = Estimate(points, 0.0)
    return replace(one, own_moon=own, other_moon=others, dear=dear, points=points)


def test_what_makes_up_most_of_the_gains_is_the_reason():
    quiet, queen = [(20, 0)] * 4, [(-26, DEAR), *[(20, 0)] * 3]

    assert against(quiet, queen) == (reasons.DEAREST_CARD, 100, 75)
    assert against(quiet, [(-26, OTHER_MOON), *quiet[1:]]) == (reasons.OTHER_MOON, 0, 25)


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
    quiet, king = [(20, 0)] * 4, [(-26, DEAR), *[(20, 0)] * 3]

    assert against(quiet, king, is_dearest=False) == (reasons.DEAREST_LEFT, 100, 75)


@pytest.mark.parametrize("points", [(3.0, 3.0), (8.0, 3.0)])
def test_a_move_that_costs_no_less_is_better_because_the_others_get_more(points):
    assert against([(12, 0)] * 4, [(0, 0)] * 4, points) == (reasons.MORE_FOR_OTHERS, 0, 0)


def test_what_is_left_in_black_maria_is_a_reason():
    game = a_deal(
        trick=trick(1, "KS 2S 3S"), seat0="AS 4S", seat1="2D", seat2="3D", seat3="4D",
        taken=("", "QS", "2H", ""), rules=rules("black_maria"),
    )  # fmt: skip

    assert reason(game, 0) == (
        "Keeps the dearest card left away in 100 % of the worlds tried, AS in 0 %."
    )
