"""A bot's move does not depend on which of two equal cards is which."""

import random

import pytest

from engine.bots import choose, fallback_move
from engine.cards import code_of, union
from engine.commands import PassCards, PlayCard
from engine.state import Passing, Playing
from engine.view import view_for
from tests.engine.bots.bot_games import BY_RULES, decisions
from tests.table import rules, twins_exchanged

TABLES = [
    rules(
        seats=seats,
        deck={"packs": 2, "leftover": "kitty", "kitty_to": kitty_to},
        passing={"cycle": cycle},
        ending={"target": None, "deals": 2, "tie": "share"},
    )
    for seats, kitty_to, cycle in (
        (6, "first_trick", ["left", "scatter"]),
        (9, "last_trick", ["hold", "right2"]),
    )
]


def codes(move):
    match move:
        case PassCards(cards=cards):
            return [code_of(one) for one in cards]
        case PlayCard(card=one):
            return code_of(one)
        case _:
            return move


@pytest.mark.parametrize("level", BY_RULES)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.seats))
def test_the_same_codes_are_chosen_when_twins_are_exchanged(table, level):
    rng, seen = random.Random(level), 0
    for one in decisions(table, level):
        if isinstance(one.state, Passing | Playing):
            some = union(rng.sample(table.deck_order[:52], 26))
            view = view_for(one.view.you.seat, twins_exchanged(one.state, some))

            seen += view != one.view
            assert codes(choose(view, level, one.seed)) == codes(one.move)
            assert codes(fallback_move(view)) == codes(fallback_move(one.view))
    assert seen > 100


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.seats))
def test_so_it_is_with_levels_that_search(table):
    rng, asked = random.Random(5), 0
    for one in decisions(table, "random"):
        if isinstance(one.state, Passing | Playing) and not rng.randrange(12):
            some = union(rng.sample(table.deck_order[:52], 26))
            view, level = view_for(one.view.you.seat, twins_exchanged(one.state, some)), "hard"

            asked += view != one.view
            assert codes(choose(view, level, one.seed)) == codes(choose(one.view, level, one.seed))
    assert asked > 5
