from dataclasses import replace

import pytest

from engine.bots.memory import recall
from engine.bots.moon_making import alarm, sure_trick, threat_to
from engine.cards import card, code_of
from engine.playing import Situation
from engine.view import view_for
from tests.table import STANDARD, a_deal, hands, in_order, rules, trick

ALL_BUT_THE_HIGH = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS"


@pytest.mark.parametrize(
    ("taken", "threat"),
    [
        pytest.param(("", "QS 2H 3H 5H", "4D", ""), 1, id="three fifths are with one seat"),
        pytest.param(("", "QS", "4D", ""), None, id="half of them is not alarming"),
        pytest.param(("", "QS 2H 3H 5H", "4H", ""), None, id="another seat has one"),
        pytest.param(("QS 2H 3H 5H", "", "", ""), None, id="it is the seat's own"),
        pytest.param(("", "", "", ""), None, id="nobody has any"),
    ],
)
def test_a_seat_that_alone_has_most_penalties_is_a_threat(taken, threat):
    found = threat_to(0, hands(*taken), STANDARD)

    assert (found and found.seat) == threat


def test_nobody_threatens_to_shoot_where_there_is_no_moon():
    assert threat_to(0, hands("", "QS 4H 5H 6H", "", ""), rules(scoring={"moon": "off"})) is None


@pytest.mark.parametrize(
    ("on_table", "one", "sign"),
    [
        pytest.param("9D 2H", "KD", -1, id="takes a heart itself"),
        pytest.param("9D 2H", "3D", 1, id="leaves a heart to the threat"),
        pytest.param("9D 3C", "3D", 0, id="leaves nothing to the threat"),
        pytest.param("9D JD", "2H", -1, id="gives a heart to another"),
        pytest.param("9D JC", "2H", 1, id="gives a heart to the threat"),
    ],
)
def test_a_point_of_ones_own_is_cheap_and_one_for_the_threat_is_dear(on_table, one, sign):
    threat = threat_to(2, hands("QS 4H 5H 6H", "", "", ""), STANDARD)
    lies = in_order(on_table)
    at = Situation(card(one), lies, STANDARD.limits, False, True, None)

    assert alarm(card(one), threat, at, 2, STANDARD) == sign * threat.worth


@pytest.mark.parametrize(
    ("taken", "hand", "led"),
    [
        pytest.param(ALL_BUT_THE_HIGH, "KH AH", "AH", id="the top card of what is left"),
        pytest.param(ALL_BUT_THE_HIGH, "KH AC", None, id="a heart out is above its own"),
        pytest.param("QS", "AC KC AH KH QH JH", "AC", id="the suit with the most cards out"),
        pytest.param("", "2C AH", None, id="a card that takes nothing"),
    ],
)
def test_it_leads_to_its_own_moon(taken, hand, led):
    game = a_deal(seat0=hand, taken=(taken, "", "", ""), hearts_broken=True)

    assert _sure(game, 0) == led


@pytest.mark.parametrize(
    ("on_table", "hand", "played"),
    [
        pytest.param("KH", "AH", "AH", id="takes what goes on with it"),
        pytest.param("AC", "KH AH", None, id="cannot take this trick"),
        pytest.param("TC", "KC AH", None, id="somebody may go over"),
    ],
)
def test_it_takes_a_trick_for_its_own_moon_only_for_certain(on_table, hand, played):
    game = a_deal(
        seat1=hand,
        trick=trick(0, on_table),
        taken=("", ALL_BUT_THE_HIGH, "", ""),
        hearts_broken=True,
    )

    assert _sure(game, 1) == played


def test_no_moon_is_made_once_another_has_a_penalty():
    game = a_deal(seat0="KH AH", taken=("3H QS", "2H", "", ""), hearts_broken=True)

    assert _sure(game, 0) is None


def test_no_moon_is_made_that_costs_points():
    costly = rules(scoring={"moon_points": -7})
    game = a_deal(
        rules=costly, seat0="KH AH", taken=(ALL_BUT_THE_HIGH, "", "", ""), hearts_broken=True
    )

    assert _sure(game, 0) is None


def _sure(game, seat):
    view = view_for(seat, game)
    taken = tuple(other.taken for other in view.seats)
    # The cards in nobody's hand here count as played, but for those the test speaks of.
    view = replace(view, deal=replace(view.deal, tricks=((trick(0, "2C"), 0),)))
    found = sure_trick(view.you.legal, view.you.situation, recall(view), taken, game.table.rules)
    return found and code_of(found)
