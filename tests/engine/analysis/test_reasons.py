import pytest

from engine.analysis import reason_for
from engine.analysis.reasons import dearest_words
from engine.cards import cards, twins
from engine.state import table_of
from tests.engine.analysis.positions import ALL_PENALTIES, a_moon_to_spoil, openly
from tests.table import a_deal, a_last_card, after, last_card, trick


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


@pytest.mark.parametrize(
    ("dearest", "words"),
    [
        pytest.param(cards("QS"), "the queen of spades", id="one card"),
        pytest.param(twins(cards("QS")), "a queen of spades", id="two packs"),
        pytest.param(cards("9D"), "the 9 of diamonds", id="any card of the rules"),
        pytest.param(cards("2H KH"), "a heart", id="hearts"),
        pytest.param(cards("AS AD"), "a dearest card", id="several suits"),
    ],
)
def test_the_dearest_cards_are_called_by_what_they_are(dearest, words):
    assert dearest_words(dearest) == words
