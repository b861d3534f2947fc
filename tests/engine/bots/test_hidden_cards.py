"""A bot's choice does not change when cards that it cannot see change."""

import random

import pytest

from engine.bots import choose, fallback_move
from engine.presets import PRESETS
from engine.view import all_hands, view_for
from tests.engine.bots.bot_games import BY_RULES, SEARCHING, TABLES, decisions, short
from tests.engine.bots.other_worlds import other_world


@pytest.fixture(scope="module")
def twins():
    """Every decision of one deal of every preset and table, with another world like it."""
    rng = random.Random(16)
    return [
        (decision, other_world(decision.state, decision.view.you.seat, rng))
        for number, (preset, seats) in enumerate(TABLES)
        for decision in decisions(short(preset, seats, deals=1), *BY_RULES, game=number)
    ]


def test_thousands_of_positions_have_other_hidden_cards(twins):
    changed = [one for one, other in twins if all_hands(other) != all_hands(one.state)]

    assert len(changed) > 2_000
    assert {one.view.rules.preset for one in changed} == set(PRESETS)


def test_the_seat_sees_no_difference(twins):
    for decision, other in twins:
        assert view_for(decision.view.you.seat, other) == decision.view


@pytest.mark.parametrize(("preset", "seats"), [("standard", 4), ("kitty", 5)])
def test_no_level_that_searches_does(preset, seats):
    rng = random.Random(17)
    for one in list(decisions(short(preset, seats, deals=1), *SEARCHING, "easy", "random"))[::5]:
        view = view_for(one.view.you.seat, other_world(one.state, one.view.you.seat, rng))

        assert choose(view, one.level, one.seed) == one.move


def test_no_level_chooses_otherwise_when_hidden_cards_change(twins):  # fault case 44
    for decision, other in twins:
        view = view_for(decision.view.you.seat, other)

        assert choose(view, decision.level, decision.seed) == decision.move
        assert fallback_move(view) == fallback_move(decision.view)
