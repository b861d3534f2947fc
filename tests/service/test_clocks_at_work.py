"""Clocks under faults: real workers beside a real server, which are killed, and races.

How long a time-out may take is a matter of pauses that add up; here it only has to come.
"""

import pytest

from engine import events as e
from engine.clocks import Clock, OnTimeout
from service.deadlines import deadline_of
from service.steady import wall_clock
from tests.campaigns.clock_races import races
from tests.house import at_once, legal_moves
from tests.processes import eventually
from tests.table import rules
from tests.workers import workshop

pytestmark = pytest.mark.slow

NO_PASS = rules(passing={"cycle": ["hold"]}, ending={"deals": 1, "tie": "share"})
ONE_SECOND = Clock(1, 1, 1, "easy", OnTimeout.BOT_MOVE)
PEOPLE = (None,) * 4


@pytest.fixture
def shop(redis_db):
    with workshop(redis_db) as shop:
        yield shop


def of_kind(shop, game_id, *kinds):
    return [one for one in shop.house.log(game_id) if isinstance(one.event, kinds)]


def test_whoever_is_late_is_moved_by_a_worker(shop):
    shop.hire(2)
    shop.wait_for_workers()
    game_id = shop.house.started(*PEOPLE, rules=NO_PASS, clock=ONE_SECOND)

    eventually(lambda: len(of_kind(shop, game_id, e.TurnTimedOut)) >= 2)

    moved = of_kind(shop, game_id, e.CardPlayed)
    assert {one.event.auto for one in moved} == {"timeout"}
    late = of_kind(shop, game_id, e.TurnTimedOut)
    assert len({one.event.turn_id for one in late}) == len(late)


def test_nobody_pays_for_workers_that_were_killed(shop):
    """The clock goes on where it stood, and fifteen seconds more."""
    shop.hire(1)
    shop.wait_for_workers()
    clock = Clock(5, 5, 5, "easy")
    game_id = shop.house.started(*PEOPLE, rules=NO_PASS, clock=clock)
    deadline = deadline_of(shop.house.read(game_id))
    shop.kill()
    eventually(lambda: wall_clock() > deadline + 1_000)

    shop.hire(2)
    eventually(lambda: of_kind(shop, game_id, e.TurnExtended))

    (extended,) = of_kind(shop, game_id, e.TurnExtended)
    assert extended.event.deadline_at > deadline + 15_000
    assert of_kind(shop, game_id, e.TurnTimedOut) == []


def test_of_a_late_move_and_the_workers_one_is_first(shop):
    shop.hire(2)
    shop.wait_for_workers()
    tables = [shop.house.started(*PEOPLE, rules=NO_PASS, clock=ONE_SECOND) for _ in range(8)]
    games = {game_id: shop.house.read(game_id) for game_id in tables}

    def late(game_id):
        game = games[game_id]
        move, guard = legal_moves(game)[0], shop.house.guard(game.turn.id)
        eventually(lambda: wall_clock() >= deadline_of(game) + 1_000)
        return shop.house.ask(game_id, move, guard=guard)

    answers = at_once([lambda game_id=game_id: late(game_id) for game_id in tables])

    for game_id, answer in zip(tables, answers, strict=True):
        turn_id = games[game_id].turn.id
        decisions = [
            one.event
            for one in of_kind(shop, game_id, e.CardPlayed)
            if one.event.turn_id == turn_id
        ]
        assert len(decisions) == 1
        assert (decisions[0].auto is None) is not isinstance(answer, Exception)


def test_of_all_who_end_a_turn_at_one_instant_one_does(redis_db):
    """A hundred of the races of `make clock-races`, each of which judges itself."""
    with races(redis_db, seed="a hundred") as running:
        for _ in range(100):
            running.race()

    assert running.won.total() >= 100
