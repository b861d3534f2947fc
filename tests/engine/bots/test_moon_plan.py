import pytest

from engine.bots import LEVELS
from engine.bots.moon_plan import planned_card
from engine.bots.standing import by_place, by_points
from engine.bots.worlds import Worlds
from engine.cards import cards, code_of, codes_of, lowest
from engine.playouts.shapes import Playout
from engine.playouts.starts import start_of
from engine.playouts.tables import table_of
from engine.view import view_for
from tests.engine.bots.shooter import moons
from tests.table import STANDARD, a_deal, rules

SEED = bytes(range(32))
SURE = "QC AC KC AD KD AS KS QS AH KH QH JH TH"
STRONG = "QC AC KC AD KD AS KS QS AH QH JH TH 9H"
UNSURE = "QC AC KC AD KD AS KS JS TS AH QH JH 2H"
SPOILT = ("", "3C 6C 7C 9H", "", "")
NOT_ENOUGH = "AC KC QC JC AD KD 2D AS KS QS AH JH TH"
WEAK = "3C 2C 4C 5C 2D 4D 5D 2S 4S 5S 2H 4H AH"


def dealt(hand, **more):
    """Return a deal in which seat 0 leads from *hand*, and the others have what is left."""
    rest = codes_of(STANDARD.cards & ~cards(hand))
    others = {f"seat{seat}": " ".join(rest[seat - 1 :: 3]) for seat in (1, 2, 3)}
    return a_deal(seat0=hand, hearts_broken=True, **others, **more)


def planned(state, aim_of=by_points):
    view = view_for(0, state)
    playout, instead = Playout(table_of(view.rules)), lowest(view.you.legal)
    card = planned_card(view, playout, start_of(view), Worlds(view, SEED), instead, aim_of(view))
    return card and code_of(card)


def test_a_strong_hand_goes_for_the_moon_by_its_longest_run_without_penalties():
    assert planned(dealt(STRONG)) == "AC"


def test_a_moon_that_is_made_without_a_plan_needs_none():
    assert planned(dealt(SURE)) is None


def test_a_weak_hand_has_no_plan():
    assert planned(dealt(WEAK)) is None


def test_nothing_is_left_of_the_plan_once_another_has_a_penalty():
    assert planned(dealt(STRONG, taken=SPOILT)) is None


@pytest.mark.parametrize("scoring", [{"moon": "off"}, {"moon_points": -5}])
def test_there_is_no_plan_where_a_moon_brings_nothing(scoring):
    assert planned(dealt(STRONG, rules=rules(scoring=scoring))) is None


def test_the_more_a_moon_brings_the_less_sure_it_has_to_be():
    assert planned(dealt(UNSURE, rules=rules(scoring={"moon_points": 26}))) == "AC"
    assert planned(dealt(UNSURE, rules=rules(scoring={"moon_points": 1}))) is None


def test_the_more_cautious_a_level_is_the_surer_it_has_to_be():
    assert planned(dealt(UNSURE), cautious(0.75)) == "AC"
    assert planned(dealt(UNSURE), cautious(2)) is None


def cautious(caution):
    return lambda view: by_points(view)._replace(caution=caution)


def test_near_the_end_a_moon_is_gone_for_if_the_place_asks_for_it():
    last = dealt(NOT_ENOUGH, totals=(99, 75, 98, 97))

    assert planned(last) is None
    assert planned(last, by_place) == "AC"
    assert planned(dealt(NOT_ENOUGH), by_place) is None


def test_who_always_shoots_succeeds_half_as_often_against_a_search(monkeypatch):
    for budget in ("play_budget", "pass_budget"):
        monkeypatch.setattr(LEVELS["hard"], budget, 60)

    assert 2 * len(moons("hard", 12)) <= len(moons("medium", 12))
