import random
from itertools import combinations, islice

import pytest

from engine.bots.giving import Scales, heaviest
from engine.bots.pass_search import best_pass, passes_to_try
from engine.cards import cards, each, union
from engine.state import Passing
from engine.view import view_for
from tests.engine.bots.bot_games import TABLES, decisions, short
from tests.engine.bots.other_worlds import other_world
from tests.table import STANDARD, rules

HAND = cards("2C 3C 9D TD 2S 3S JS KS 4H 5H 9H JH AH")


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_pass_is_of_the_hand_whatever_is_hidden_and_the_same_again(preset, seats):
    rng = random.Random(f"{preset} {seats}")
    game = decisions(short(preset, seats, 1), "random")
    for one in islice((one for one in game if isinstance(one.state, Passing)), 2):
        seat = one.view.you.seat
        found = best_pass(one.view, one.seed, 60)
        other = view_for(seat, other_world(one.state, seat, rng))

        assert len(set(found)) == one.view.deal.pass_count
        assert not union(found) & ~one.view.you.hand
        assert best_pass(other, one.seed, 60) == found


def test_what_rules_of_thumb_pass_is_tried_first_and_no_pass_twice():
    tried = passes_to_try(HAND, 3, STANDARD)

    assert union(tried[0]) == union(heaviest(HAND, 3, STANDARD))
    assert len(tried) == len(set(tried)) == 40


def test_short_suits_are_passed_whole_among_others():
    tried = [union(some) for some in passes_to_try(HAND, 3, STANDARD)]

    for short_suit in ("2C 3C", "9D TD"):
        assert any(cards(short_suit) & ~some == 0 for some in tried)


def test_with_scatter_rules_of_thumb_decide():
    table = rules(seats=5, passing={"cycle": ["scatter"]}, ending={"target": None, "deals": 1})
    for one in decisions(table, "random"):
        if isinstance(one.state, Passing):
            hand = one.view.you.hand

            assert best_pass(one.view, one.seed, 60) == heaviest(hand, 4, table)


def test_a_hand_that_is_passed_whole_leaves_no_choice():
    assert len(passes_to_try(cards("2C 3C 4C"), 3, STANDARD)) == 1


def test_in_few_simulations_a_pass_is_found_that_lightens_the_hand_well():
    scales = Scales(STANDARD)
    for one in decisions(short("standard", 4, 3), "random"):
        if isinstance(one.state, Passing):
            hand = one.view.you.hand
            lightest = max(scales.relief(union(some), hand) for some in combinations(each(hand), 3))
            found = scales.relief(union(best_pass(one.view, one.seed, 1)), hand)

            assert found > 0.8 * lightest
