from dataclasses import replace

import pytest

from engine.bots.medium_bot import MediumBot
from engine.cards import code_of, codes_of, union
from engine.scoring import MoonChoice
from engine.view import view_for
from tests.table import STANDARD, a_deal, a_last_card, a_new_deal, after, last_card, rules, trick

SEED = bytes(32)

OMNIBUS = rules("omnibus")
BLACK_MARIA = rules("black_maria")
ALL_PENALTIES = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


@pytest.mark.parametrize(
    ("on_table", "hand", "played", "rules"),
    [
        pytest.param("TD", "2D 9D KD", "9D", STANDARD, id="ducks as high as it can"),
        pytest.param("KS", "2S JS QS", "QS", STANDARD, id="ducks with the dearest card"),
        pytest.param("4D 6D 5D", "2D 9D KD", "KD", STANDARD, id="takes a free trick high"),
        pytest.param("4S 6S 5S", "2S KS QS", "KS", STANDARD, id="last, not with the dear card"),
        pytest.param("4D QS 5D", "2D 9D KD", "2D", STANDARD, id="last, leaves a dear trick"),
        pytest.param("4D QS 5D", "9D KD", "KD", STANDARD, id="last and forced, gets rid of high"),
        pytest.param("5D", "AC QS KH", "QS", STANDARD, id="void, throws the dearest"),
        pytest.param("5D", "2C KS 2H", "KS", STANDARD, id="void, throws what may catch"),
        pytest.param("5C", "JD 2H 3H", "3H", OMNIBUS, id="void, keeps the bonus"),
        pytest.param("4D JD 5D", "2D QD KD", "KD", OMNIBUS, id="last, takes a bonus"),
        pytest.param("4D 3D 5D", "2D JD KD", "JD", OMNIBUS, id="last, takes its own bonus"),
        pytest.param("4D KS AS", "2D KD", "2D", BLACK_MARIA, id="fears the cards of the rules"),
    ],
)
def test_it_follows_a_rule_of_thumb(on_table, hand, played, rules):
    lies = trick(0, on_table)
    seat = len(lies.cards)
    game = a_deal(rules=rules, trick=lies, hearts_broken=True, **{f"seat{seat}": hand})

    assert _plays(game, seat) == played


@pytest.mark.parametrize(
    ("hand", "led", "rules"),
    [
        pytest.param("2H 9H KH", "2H", STANDARD, id="the lowest heart"),
        pytest.param("3S KH AH", "3S", STANDARD, id="a low spade, to draw the queen"),
        pytest.param("KS 3H", "3H", STANDARD, id="not what may catch the queen"),
        pytest.param("QS JC", "JC", STANDARD, id="not the queen"),
        pytest.param("JD 4C", "4C", OMNIBUS, id="not a bonus"),
    ],
)
def test_it_leads(hand, led, rules):
    assert _plays(a_deal(rules=rules, seat0=hand, hearts_broken=True), 0) == led


def test_it_remembers_that_the_queen_is_gone():
    fresh = a_deal(trick=trick(0, "9D"), seat1="2S KS AC")
    gone = replace(fresh, tricks=((trick(0, "3S QS 4S 5S"), 1),))

    assert [_plays(game, 1) for game in (fresh, gone)] == ["KS", "AC"]


def test_it_remembers_who_is_void():
    fresh = a_deal(seat0="TD TC", hearts_broken=True)
    clubs, diamonds = (
        replace(fresh, tricks=((trick(1, played), 1),)) for played in ("AC QD KC 4C", "AD QC KD 4D")
    )

    assert [_plays(game, 0) for game in (clubs, diamonds)] == ["TD", "TC"]


def test_it_finishes_a_moon_that_is_as_good_as_made():
    game = a_deal(
        seat0="KH AH",
        taken=("2H 3H 4H 5H 6H 7H 8H 9H TH JH QS", "", "", ""),
        hearts_broken=True,
    )

    assert _plays(game, 0) == "AH"


def test_it_takes_a_heart_to_spoil_the_moon_of_another():
    lies = trick(1, "9D 4D 2H")
    game = a_deal(trick=lies, seat0="3D KD", hearts_broken=True)
    shooting = replace(game, taken=a_taken("", "QS 3H 4H 5H"))

    assert [_plays(one, 0) for one in (game, shooting)] == ["3D", "KD"]


def test_it_passes_its_heaviest_cards():
    game = a_new_deal(seat0="2C 3C AS QS KS 4D 5D 6D 7D 2H 3H 4H 9C")

    assert _passes(game) == ["QS", "KS", "AS"]


def test_a_void_is_worth_no_more_for_several_dear_cards_in_a_suit():
    hand = "8C TC QC 2D TD 2S 3S 7S QS 3H 9H TH AH"

    assert set(_passes(a_new_deal(rules=BLACK_MARIA, seat0=hand))) == {"QS", "TC", "QC"}


def test_it_settles_its_moon_by_the_place_in_the_game():
    game = a_last_card(ALL_PENALTIES, totals=(95, 20, 30, 80))
    view = view_for(0, after(game, last_card(game)))

    assert MediumBot().choose_moon(view, SEED) is MoonChoice.SELF_SUBTRACT


def a_taken(*codes):
    return a_deal(taken=(*codes, "", "")).taken


def _plays(game, seat):
    return code_of(MediumBot().choose_play(view_for(seat, game), SEED))


def _passes(game):
    return codes_of(union(MediumBot().choose_pass(view_for(0, game), SEED)))
