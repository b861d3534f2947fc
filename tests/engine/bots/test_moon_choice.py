import pytest

from engine.bots.moon_choice import best_choice
from engine.scoring import MoonChoice
from engine.view import view_for
from tests.table import a_last_card, after, last_card

ALL_PENALTIES = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


@pytest.mark.parametrize(
    ("totals", "choice"),
    [
        pytest.param((40, 55, 60, 71), MoonChoice.OTHERS_ADD, id="leads afterwards"),
        pytest.param((90, 20, 30, 40), MoonChoice.SELF_SUBTRACT, id="still behind"),
        pytest.param((95, 20, 30, 80), MoonChoice.SELF_SUBTRACT, id="E4, adding would lose"),
        pytest.param((70, 80, 90, 95), MoonChoice.OTHERS_ADD, id="E5, adding wins"),
        pytest.param((101, 101, 101, 101), MoonChoice.OTHERS_ADD, id="either wins at once"),
        pytest.param((130, 100, 20, 20), MoonChoice.SELF_SUBTRACT, id="the better place"),
    ],
)
def test_a_moon_goes_the_way_that_suits_the_place(totals, choice):
    game = a_last_card(ALL_PENALTIES, totals=totals)

    assert best_choice(view_for(0, after(game, last_card(game)))) == choice
