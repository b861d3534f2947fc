"""A move follows from what whoever checks it can know: not from when the bot was asked.

Seats pass at the same time, so a bot may have been asked before or after others have passed;
and a file in another form has other numbers and names.
"""

import random
from dataclasses import replace
from itertools import starmap

import pytest

from engine.bots import LEVELS, choose
from engine.cards import each, union
from engine.passing import direction_of
from engine.state import Passing, TurnType
from engine.view import view_for
from tests.engine.bots.bot_games import BY_RULES, SEARCHING, TABLES, decisions, short
from tests.table import rules

WITH_A_PASS = [table for table in TABLES if direction_of(short(*table), 1) not in {None, "hold"}]
TWO_PACKS = rules("cancellation", 8, passing={"cycle": ["left2"], "count": 3})
SCATTERED = rules(seats=6, passing={"cycle": ["scatter"]}, ending={"deals": 1})
SEED = bytes(range(32))


def passing(rules, game=0):
    """Return the state in which nobody has passed."""
    first = next(decisions(rules, "random", game=game))
    assert isinstance(first.state, Passing)
    return first.state


def after_passes(state, seats, rng):
    """Return *state* after *seats* have passed some cards."""
    hands, passed = list(state.hands), list(state.passed)
    for seat in seats:
        cards = tuple(rng.sample(list(each(hands[seat])), state.deal.pass_count))
        passed[seat] = cards
        hands[seat] ^= union(cards)
    return replace(state, hands=tuple(hands), passed=tuple(passed), version=state.version + 1)


def moments(state, rng):
    """Yield a seat that has not passed, and the game with different others who have."""
    seats = range(state.table.rules.seats)
    for seat in seats:
        others = [other for other in seats if other != seat]
        some = rng.sample(others, rng.randrange(1, len(others)))
        yield seat, [after_passes(state, who, rng) for who in (some, others)]


@pytest.mark.parametrize("table", [*starmap(short, WITH_A_PASS), TWO_PACKS, SCATTERED])
def test_who_has_passed_before_changes_no_pass(table):
    state, rng = passing(table), random.Random(4)
    for seat, others in moments(state, rng):
        for level in BY_RULES:
            move = choose(view_for(seat, state), level, SEED)

            assert [choose(view_for(seat, one), level, SEED) for one in others] == [move, move]


@pytest.mark.parametrize("level", SEARCHING)
@pytest.mark.parametrize(
    "table", [short("standard", 4, 1), short("kitty", 5, 1), TWO_PACKS, SCATTERED]
)
def test_nor_one_of_a_level_that_searches(table, level):
    state, rng = passing(table), random.Random(5)
    seat, others = next(moments(state, rng))
    move = choose(view_for(seat, state), level, SEED)

    assert [choose(view_for(seat, one), level, SEED) for one in others] == [move, move]


def elsewhere(view):
    """Return *view* as another file or a later moment has it: other names, numbers, players."""
    seats = [
        replace(
            seat,
            name="Somebody",
            is_bot=not seat.is_bot,
            bot_level=None,
            claimed=not seat.claimed,
            ready=not seat.ready,
            client_seed_given=not seat.client_seed_given,
        )
        for seat in view.seats
    ]
    return replace(
        view,
        version=view.version + 7,
        revealed_version=view.revealed_version + 1,
        commitment="f" * 64,
        deals_commitment="e" * 64,
        lobby_is_open=not view.lobby_is_open,
        seats=tuple(seats),
        turn=view.turn._replace(id=view.turn.id + 7),
    )


MOON = rules(scoring={"hearts": {}}, ending={"target": None, "deals": 1, "tie": "share"})


@pytest.mark.parametrize("level", LEVELS)
def test_names_and_numbers_change_no_move(level):
    step = 9 if level in SEARCHING else 1
    for table in (short("standard", 4, 1), short("cancellation", 7, 1), MOON):
        for one in list(decisions(table, "medium"))[::-step]:
            move = choose(one.view, level, one.seed)

            assert choose(elsewhere(one.view), level, one.seed) == move


def test_a_moon_is_among_them():
    *_, last = decisions(MOON, "medium")

    assert last.view.turn.type is TurnType.MOON
