import random

import pytest

from engine.analysis.decisions import PlayedDeal, played_deals
from engine.analysis.outset import outset
from engine.cards import CODES
from engine.rules import Moon
from tests.engine.recordings import read, recorded_games
from tests.games import play_game
from tests.table import a_new_deal, rules

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}
NO_MOON = {"moon": Moon.OFF.value}


def a_deal_of(*hands):
    """Return a deal in which nobody passes, and the first seats hold *hands*."""
    seats = {f"seat{seat}": hand for seat, hand in enumerate(hands)}
    held = {code for hand in hands for code in hand.split()}
    rest = [code for code in CODES if code not in held]
    for seat in range(len(hands), 4):
        seats[f"seat{seat}"] = " ".join(rest[seat % 2 :: 2])
    beginning = a_new_deal(rules=rules(passing={"cycle": ["hold"]}, scoring=NO_MOON), **seats)
    return PlayedDeal(1, "5e" * 32, beginning, (), (0, 0, 0, 0), ())


def first_deal(seed=1, **options):
    events = play_game(rules(ending=ONE_DEAL, **options), random.Random(seed))
    return next(iter(played_deals(events)))


@pytest.mark.parametrize("path", recorded_games(), ids=lambda path: path.stem)
def test_hands_are_worth_something_under_all_rules(path):
    events = read(path)

    for deal in played_deals(events):
        found = outset(deal)
        assert len(found) == len(deal.points)
        assert found == outset(deal)


def test_without_moons_all_points_are_expected_by_somebody():
    deal = first_deal(scoring=NO_MOON)

    assert sum(outset(deal)) == pytest.approx(26)


def test_low_cards_are_worth_less_than_high_ones():
    low = "2C 3C 4C 5C 2D 3D 4D 5D 2S 3S 4S 2H 3H"
    high = "TC JC QC KC TD JD QD KD QS KS AS KH AH"
    deal = a_deal_of(low, high)

    promised = outset(deal)

    assert promised[0] < 2
    assert promised[1] > 8
