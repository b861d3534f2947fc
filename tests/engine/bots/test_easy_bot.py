from collections import Counter
from dataclasses import replace

import pytest

from engine.bots.base import Draws
from engine.bots.easy_bot import EasyBot
from engine.cards import card, code_of, codes_of, union
from engine.scoring import MoonChoice
from engine.view import view_for
from tests.table import STANDARD, a_deal, a_last_card, a_new_deal, after, last_card, rules, trick

SEEDS = [number.to_bytes(32, "big") for number in range(400)]
CALM = next(seed for seed in SEEDS if Draws(seed).below(5))
"""A seed with which rules of thumb decide."""

OMNIBUS = rules("omnibus")
BLACK_MARIA = rules("black_maria")
ALL_PENALTIES = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


@pytest.mark.parametrize(
    ("on_table", "hand", "played", "rules"),
    [
        pytest.param("TD", "2D 9D KD", "9D", STANDARD, id="ducks as high as it can"),
        pytest.param("KS", "2S JS QS", "QS", STANDARD, id="ducks with the dearest card"),
        pytest.param("4D", "6D 9D KD", "6D", STANDARD, id="goes over as low as it can"),
        pytest.param("4S", "QS AS", "AS", STANDARD, id="keeps the dear card when it goes over"),
        pytest.param("4D 6D 5D", "2D 9D KD", "KD", STANDARD, id="takes a free trick high"),
        pytest.param("4S 6S 5S", "2S KS QS", "KS", STANDARD, id="last, not with the dear card"),
        pytest.param("4D QS 5D", "2D 9D KD", "2D", STANDARD, id="last, leaves a dear trick"),
        pytest.param("4D QS 5D", "9D KD", "KD", STANDARD, id="last and forced, gets rid of high"),
        pytest.param("5D", "AC QS KH", "QS", STANDARD, id="void, throws the dearest"),
        pytest.param("5D", "AC KS KH", "KS", STANDARD, id="void, throws what may catch"),
        pytest.param("5C", "JD 2H 3H", "3H", OMNIBUS, id="void, keeps the bonus"),
        pytest.param("4D JD", "2D KD", "KD", OMNIBUS, id="goes for a bonus"),
        pytest.param("4D JD 5D", "2D QD KD", "KD", OMNIBUS, id="last, takes a bonus"),
        pytest.param("4D 3D 5D", "2D JD KD", "JD", OMNIBUS, id="last, takes its own bonus"),
        pytest.param("KD", "JD AD", "AD", OMNIBUS, id="gives no bonus away"),
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
        pytest.param("2C 9C KD", "2C", STANDARD, id="the lowest card"),
        pytest.param("KS AH", "AH", STANDARD, id="not what may catch the queen"),
        pytest.param("QS JC", "JC", STANDARD, id="not the queen"),
        pytest.param("JD AC", "AC", OMNIBUS, id="not a bonus"),
        pytest.param("JD", "JD", OMNIBUS, id="a bonus if nothing else is left"),
    ],
)
def test_it_leads(hand, led, rules):
    assert _plays(a_deal(rules=rules, seat0=hand, hearts_broken=True), 0) == led


def test_on_a_first_trick_without_points_it_gets_rid_of_its_highest_club():
    game = a_deal(trick=trick(0, "2C"), seat1="3C 9C AC", first_trick=True)

    assert _plays(game, 1) == "AC"


def test_on_a_first_trick_with_points_it_ducks():
    game = a_deal(rules=rules("pagat"), trick=trick(0, "TC"), seat1="3C 9C AC", first_trick=True)

    assert _plays(game, 1) == "9C"


def test_it_passes_its_heaviest_cards():
    game = a_new_deal(seat0="2C 3C AS QS KS 4D 5D 6D 7D 2H 3H 4H 9C")

    assert _passes(game) == ["QS", "KS", "AS"]


@pytest.mark.parametrize("kept", ["JD", "AD"], ids=["the bonus", "what may catch it"])
def test_it_keeps(kept):
    game = a_new_deal(rules=OMNIBUS, seat0=f"{kept} 9C TC KC 2H")

    assert _passes(game) == ["9C", "TC", "KC"]


def test_about_one_pass_in_five_is_random():
    view = view_for(0, a_new_deal(seat0="2C 3C AS QS KS 4D 5D 6D 7D 2H 3H 4H 9C"))

    passes = Counter(union(EasyBot().choose_pass(view, seed)) for seed in SEEDS)

    assert 0.75 < passes.most_common(1)[0][1] / len(SEEDS) < 0.85


def test_about_one_play_in_five_is_random():
    view = view_for(1, a_deal(trick=trick(0, "9C"), seat1="3C 8C KC AC"))

    played = Counter(EasyBot().choose_play(view, seed) for seed in SEEDS)

    assert set(played) == {card("3C"), card("8C"), card("KC"), card("AC")}
    assert 0.8 < played[card("8C")] / len(SEEDS) < 0.9


def test_it_remembers_nothing():
    fresh = a_deal(trick=trick(0, "9S"), seat1="8S KS AH")
    later = replace(fresh, taken=(card("QS"), *fresh.taken[1:]))

    assert [EasyBot().choose_play(view_for(1, fresh), seed) for seed in SEEDS] == [
        EasyBot().choose_play(view_for(1, later), seed) for seed in SEEDS
    ]


def test_chance_has_no_part_in_settling_a_moon():
    game = a_last_card(ALL_PENALTIES, totals=(95, 20, 30, 80))
    view = view_for(0, after(game, last_card(game)))

    assert {EasyBot().choose_moon(view, seed) for seed in SEEDS[:20]} == {MoonChoice.SELF_SUBTRACT}


def _plays(game, seat):
    return code_of(EasyBot().choose_play(view_for(seat, game), CALM))


def _passes(game):
    return codes_of(union(EasyBot().choose_pass(view_for(0, game), CALM)))
