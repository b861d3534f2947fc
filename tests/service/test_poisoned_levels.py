"""A level that fails in one position, in every way, beside games that must not notice.

Real workers beside a real server. Each game is over in the end, and then every move of its
bots comes out again but the one that the fallback made.
"""

import json
from collections import Counter

import pytest

from engine import commands as c
from engine.verify.bot_moves import Comparison
from service.audit_command import audit
from tests.audits import log_of
from tests.house import legal_moves
from tests.processes import SECONDS, eventually
from tests.table import rules
from tests.workers import workshop

pytestmark = pytest.mark.slow

ONE_DEAL = {"ending": {"target": None, "deals": 1, "tie": "share"}}
BOTS = ("easy", "hard", "random", "medium")
POISONED = {"cheat": BOTS, "hang": BOTS, "crash": BOTS, "raise": (None, *BOTS[1:])}
TABLES = (
    ("standard", (None, "easy", "hard", "random")),
    ("omnibus", ("easy", "expert", "medium", "hard")),
    ("spot", ("medium", "hard", "easy", "random", "hard", "easy", "medium")),
    ("cancellation", (None, "hard", "medium", "random", "hard", "easy", "easy", "medium")),
)


@pytest.fixture(scope="module")
def shop(redis_url):
    with workshop(redis_url) as shop:
        shop.client.flushall()  # a house makes the same games each time
        yield shop


@pytest.fixture(scope="module")
def games(shop):
    """Play games with a poison, and games beside them, to their ends; return their ids."""
    tables = {started(shop, "standard", seats): how for how, seats in POISONED.items()}
    others = [started(shop, *table) for table in TABLES]
    how = {"how": "poisoned", "HOSTILE_TABLES": json.dumps(tables)}
    shop.hire(2, **how)

    def all_over():
        hire_again(shop, how)
        left = [game for one in [*tables, *others] if not (game := shop.house.read(one)).is_over]
        for game in left:
            if game.table.players[0].claimed and 0 in game.turn.seats:
                play_or_leave(shop.house, game)
        return not left

    eventually(all_over, 3 * SECONDS)  # many workers start here, one after the other
    return tables, others


def started(shop, preset, seats):
    return shop.house.started(*seats, rules=rules(preset, len(seats), **ONE_DEAL))


def hire_again(shop, how):
    for dead in [worker for worker in shop.workers if worker.poll() is not None]:
        shop.workers.remove(dead)
        shop.hire(**how)


def play_or_leave(house, game):
    """Play for seat 0 as its player, who leaves in the fifth trick."""
    if game.table.players[0].playing_level is not None:
        return
    if getattr(game.state, "number", 0) > 4:
        house.ask(game.game_id, c.ReleaseSeat(0, "medium"))
    else:
        house.ask(game.game_id, legal_moves(game, 0)[0])


def marks(shop, game_id):
    moves = (one.event for one in shop.house.log(game_id) if one.actor.kind == "bot")
    return Counter(event.auto for event in moves if hasattr(event, "auto"))


def test_each_poison_is_one_fallback_move_and_one_line(shop, games):
    """Fault cases 37 and 93."""
    tables, _ = games
    told = [line for line in shop.said().splitlines() if "makes a fallback move" in line]

    for game_id, how in tables.items():
        assert marks(shop, game_id)["fallback"] == 1, how
        assert len([line for line in told if game_id in line]) == 1, how
    assert len(told) == len(tables)


def test_other_games_do_not_notice(shop, games):
    _, others = games

    for game_id in others:
        assert marks(shop, game_id).keys() <= {None, "takeover"}


def test_whoever_left_was_stood_in_for(shop, games):
    _, others = games

    assert sum(marks(shop, game_id)["takeover"] > 5 for game_id in others) == 2


def test_every_move_that_a_level_made_comes_out_again(shop, games):
    tables, others = games

    for game_id in [*tables, *others]:
        found = audit(game_id, log_of(shop.house, game_id), lambda _: None)

        assert found.exit_code == 0
        not_made = [move for move in found.moves if move.comparison is not Comparison.AGREES]
        wanted = [(1, 3, Comparison.FALLBACK)] if game_id in tables else []
        assert [(move.seat, move.trick, move.comparison) for move in not_made] == wanted
