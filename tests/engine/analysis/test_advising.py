"""Hints: what is advised does not depend on what is hidden, nor on what bots draw."""

import random
from dataclasses import replace
from itertools import islice

import pytest

from engine.analysis import HINT_BUDGETS, advise, analyse, basis_of, hint_seed
from engine.bots import LEVELS, seed_for
from engine.cards import code_of, one_of_each, union
from engine.state import Passing, Playing
from engine.view import view_for
from tests.engine.bots.bot_games import SEARCHING, decisions, short
from tests.engine.bots.other_worlds import other_world
from tests.table import link, rules, twins_exchanged

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}
TABLES = [("standard", 4), ("omnibus", 3), ("cancellation", 6), ("kitty", 5)]


def some_decisions(preset, seats):
    return list(decisions(short(preset, seats, 1), "random"))[::29]


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_hint_is_legal_and_the_same_whatever_is_hidden(preset, seats):
    rng = random.Random(preset)
    for one in some_decisions(preset, seats):
        seat = one.view.you.seat
        advice = advise(one.view, "hard", link(1))
        other = view_for(seat, other_world(one.state, seat, rng))

        assert advise(other, "hard", link(1)) == advice
        moves = [one.move for one in advice.ranking]
        if isinstance(one.state, Playing):
            assert {code_of(move.card) for move in moves} == codes(one.view.you.legal)
        if isinstance(one.state, Passing):
            assert all(codes(union(move.cards)) <= codes(one.view.you.hand) for move in moves)


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_nothing_counts_for_advice_but_its_basis(preset, seats):
    table = rules(preset, seats, passing={"cycle": ["left"]}, ending=ONE_DEAL)
    for one in [*islice(decisions(table, "random"), seats), *some_decisions(preset, seats)]:
        basis, seed = basis_of(one.view), hint_seed(one.view, link(1))

        assert analyse(basis, 80, seed) == analyse(one.view, 80, seed)
        assert basis_of(basis) == basis


def test_who_sits_where_and_how_long_the_log_is_is_no_part_of_the_basis():
    for one in some_decisions("standard", 4):
        others = tuple(
            replace(seat, name="Ana", is_bot=False, bot_level=None, claimed=True)
            for seat in one.view.seats
        )
        turn = one.view.turn._replace(seats=(one.view.you.seat,))
        other = replace(one.view, version=one.view.version + 9, seats=others, turn=turn)

        assert basis_of(other) == basis_of(one.view)


def test_who_else_has_passed_is_no_part_of_the_basis():
    table = rules("standard", 4, passing={"cycle": ["left"]}, ending=ONE_DEAL)
    first, *later, _ = (one.state for one in islice(decisions(table, "random"), 4))

    assert {view_for(3, one).seats[0].hand_size for one in (first, *later)} == {13, 10}
    for one in later:
        assert basis_of(view_for(3, one)) == basis_of(view_for(3, first))


def codes(some):
    return {code_of(one) for one in (1 << place for place in range(104)) if one & one_of_each(some)}


def test_a_hint_does_not_say_which_of_two_twins_is_which():
    table = rules(
        seats=6,
        deck={"packs": 2, "leftover": "kitty"},
        passing={"cycle": ["left", "scatter"]},
        ending={"target": None, "deals": 2, "tie": "share"},
    )
    rng = random.Random(3)
    for one in list(decisions(table, "random"))[::37]:
        some = union(rng.sample(table.deck_order[:52], 26))
        view = view_for(one.view.you.seat, twins_exchanged(one.state, some))

        assert advise(view, "hard", link(1)) == advise(one.view, "hard", link(1))


def test_no_hint_tells_what_a_bot_would_draw():
    for one in some_decisions("standard", 4):
        assert hint_seed(one.view, link(1)) != seed_for(one.view, link(1))


def test_another_link_or_decision_means_another_seed():
    views = [one.view for one in some_decisions("standard", 4)]
    seeds = {hint_seed(view, link(deal)) for view in views for deal in (1, 2)}

    assert len(seeds) == 2 * len(views)


def test_the_levels_that_search_give_hints():
    assert [*HINT_BUDGETS, "master"] == list(SEARCHING)
    assert set(HINT_BUDGETS) <= set(LEVELS)


def test_points_are_told_in_hundredths():
    one = some_decisions("standard", 4)[1]
    advice = advise(one.view, "hard", link(1))

    assert all(isinstance(some.points, int) and some.error >= 0 for some in advice.ranking)
