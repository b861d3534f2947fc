"""Bots under faults: whatever is killed, lost, doubled or broken, the games go on by themselves.

Real workers beside a real server; nobody sends a request after the start of a game. How long
a rescue may take is a matter of pauses that add up, in tests/service/test_sweeper.py.
"""

import random
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.bots import LEVELS
from service.jobs import LATE_MS, LATE_TRIES
from service.notify import FAILURE_SECONDS
from service.steady import wall_clock
from service.trouble import Decision
from tests.house import legal_moves
from tests.processes import eventually
from tests.table import rules
from tests.workers import Server, autos, turns_of_bots, workshop

pytestmark = pytest.mark.slow

BOTS = ("easy",) * 4
ONE_DEAL = rules(ending={"deals": 1, "tie": "share"})
ENDLESS = rules(ending={"deals": 256, "target": None})
NO_PASS = rules(passing={"cycle": ["hold"]}, ending={"deals": 1, "tie": "share"})


@pytest.fixture
def shop(redis_db):
    with workshop(redis_db) as shop:
        yield shop


@pytest.fixture
def server(tmp_path, redis_binary):
    server = Server(tmp_path, redis_binary)
    yield server
    server.close()


def every_turn_was_played_once(shop, game_ids):
    for game_id in game_ids:
        turns = turns_of_bots(shop.house, game_id)
        assert len(set(turns)) == len(turns)
    return True


def test_seven_bots_finish_a_game_unattended(shop):
    """Fault cases 97 and 101."""
    levels = ("random", *("easy",) * 6)
    game_ids = shop.tables(1, *levels, rules=rules(seats=7))
    shop.hire()

    shop.finish(game_ids)

    assert every_turn_was_played_once(shop, game_ids)
    assert set(autos(shop.house, game_ids[0])) == {None}


def test_bots_move_as_soon_as_people_have_gone(shop):
    """Fault cases 94 and 97: nobody has to look for games that stand still."""
    shop.hire(how="unswept")
    shop.wait_for_workers()
    (game_id,) = shop.tables(1, None, "easy", "easy", "easy", rules=ONE_DEAL)
    house = shop.new_house()

    def persons_turn():
        game = house.read(game_id)
        return game if game.is_over or game.turn.seats == (0,) else None

    house.ask(game_id, legal_moves(house.read(game_id), 0)[0])
    while not (game := eventually(persons_turn)).is_over:
        house.ask(game_id, legal_moves(game)[0])

    assert every_turn_was_played_once(shop, [game_id])
    assert "failed" not in shop.said()


def keep_alive(shop, **more):
    """Start a worker again for each that has ended, and return how many there were."""
    dead = [worker for worker in shop.workers if worker.poll() is not None]
    for worker in dead:
        shop.workers.remove(worker)
        shop.hire(**more)
    return len(dead)


def test_workers_that_are_killed_around_appends_lose_and_double_nothing(shop):
    """Fault cases 82, 89 and 91: death before, and after, the append of a move."""
    game_ids = shop.tables(3, *BOTS, rules=ONE_DEAL)
    shop.hire(3, how="mortal")
    deaths = 0
    while shop.client.exists(*[f"hearts:{{{one:02x}}}:due" for one in range(256)]):
        deaths += keep_alive(shop, how="mortal")
        eventually(lambda: True)
    shop.finish(game_ids)

    assert deaths >= 3
    assert every_turn_was_played_once(shop, game_ids)
    # Some turns lose several workers, one after the other, and no game is given up for that.
    assert "parked" not in shop.said()


def test_games_go_on_when_all_workers_are_killed_at_once(shop):
    """Fault case 91."""
    game_ids = shop.tables(8, *BOTS, rules=ENDLESS)
    shop.hire(2)
    shop.all_move(game_ids)

    for _ in range(3):
        shop.kill()
        shop.hire(2)
        shop.all_move(game_ids)
    shop.kill()

    assert every_turn_was_played_once(shop, game_ids)


def test_what_a_killed_worker_had_ready_is_made_up_for(shop):
    (worker,) = shop.hire()
    # Whoever comes when a move is already due has nothing to keep ready.
    shop.wait_for_workers()
    game_ids = shop.tables(3, None, "hard", "hard", "hard")
    eventually(lambda: list(shop.client.scan_iter("hearts-jobs:held:*")))

    worker.kill()
    shop.hire()

    eventually(lambda: all(len(turns_of_bots(shop.house, one)) == 3 for one in game_ids))
    assert all(set(autos(shop.house, one)) == {None} for one in game_ids)


def test_a_lost_hint_is_made_up_for(shop):
    """Fault cases 92 and 97."""
    shop.hire()
    shop.wait_for_workers()
    game_ids = shop.tables(10, *BOTS, rules=ONE_DEAL)
    shop.client.delete(shop.queue.key)

    shop.finish(game_ids)

    assert every_turn_was_played_once(shop, game_ids)


def test_hints_without_a_record_or_a_queue_stop_nothing(shop):
    shop.hire()
    game_ids = shop.tables(10, *BOTS, rules=ONE_DEAL)
    for key in shop.client.scan_iter("rq:*"):
        shop.client.delete(key)

    shop.finish(game_ids)

    assert every_turn_was_played_once(shop, game_ids)


def test_hints_in_any_number_and_order_add_nothing(shop):
    """Fault case 89."""
    rng = random.Random(4)
    over = shop.tables(2, *BOTS, rules=ONE_DEAL)
    shop.hire(2, how="unswept")
    shop.finish(over)
    people = shop.tables(2, None, None, None, None)
    running = shop.tables(8, *BOTS, rules=ONE_DEAL)
    idle = [shop.house.read(one).version for one in over + people]
    hints = (over + people + running + ["0" * 32]) * 10
    rng.shuffle(hints)

    for game_id in hints:
        shop.house._hint(game_id)
    shop.finish(running)
    for game_id in hints:
        shop.house._hint(game_id)
    eventually(lambda: not shop.client.llen(shop.queue.key))
    shop.dismiss()

    assert [shop.house.read(one).version for one in over + people] == idle
    assert every_turn_was_played_once(shop, running)
    assert "failed" not in shop.said()


@pytest.mark.parametrize("how", ["raise", "die"])
def test_where_a_level_fails_a_fallback_move_is_made_and_the_game_goes_on(shop, how):
    """Fault cases 37 and 93."""
    (game_id,) = shop.tables(1, *BOTS, rules=NO_PASS)
    shop.hire(2, how=how, HOSTILE_TABLE=game_id)

    def moved():
        keep_alive(shop, how=how, HOSTILE_TABLE=game_id)
        return turns_of_bots(shop.house, game_id)

    seat, turn_id = eventually(moved)[0]
    shop.kill()

    tries = shop.client.get(f"hearts-jobs:attempts:{Decision(game_id, turn_id, seat)}")
    assert int(tries) == LATE_TRIES + 1
    _, _, *moves = autos(shop.house, game_id)
    assert set(moves) == {"fallback"}
    # One more may have been announced when its worker was killed.
    assert shop.said().count("makes a fallback move") - len(moves) in (0, 1)
    left = [shop.client.ttl(key) for key in shop.client.scan_iter("rq:job:*")]
    assert all(0 < one <= FAILURE_SECONDS for one in left)
    shop.hire()
    shop.finish([game_id])


def test_bots_of_every_level_play_a_deal_to_its_end(shop):
    levels = [*LEVELS, *LEVELS][:8]
    game_ids = [shop.tables(1, *some, rules=ONE_DEAL)[0] for some in (levels[:4], levels[4:])]
    shop.hire()

    shop.finish(game_ids)

    assert {auto for one in game_ids for auto in autos(shop.house, one)} == {None}


def test_work_in_plenty_fails_no_job_and_makes_no_fallback_move(shop):
    """Each table is late before the first worker is there, and again at its second move."""
    game_ids = shop.tables(2, *("expert",) * 4)
    game_ids += shop.tables(10, *("expert",) * 4, rules=NO_PASS)
    eventually(lambda: shop.house.deps.store.overdue(wall_clock() - LATE_MS, 100)[11:])
    shop.hire(2)

    shop.all_move(game_ids)
    shop.all_move(game_ids)

    assert "a job failed" not in shop.said()
    assert "fallback" not in shop.said()
    assert {auto for one in game_ids for auto in autos(shop.house, one)} == {None}
    assert not list(shop.client.scan_iter("rq:failed:*"))


def test_poison_games_delay_no_other(shop):
    """One that hangs, one that cannot be read, and twenty others."""
    hanging, corrupt = shop.tables(2, *BOTS, rules=ONE_DEAL)
    key = f"hearts:{{{corrupt[:2]}}}:game:{corrupt}"
    shop.client.xdel(key, "2-0")
    shop.hire(2, how="hang", HOSTILE_TABLE=hanging)
    shop.wait_for_workers()
    game_ids = shop.tables(20, *BOTS, rules=ONE_DEAL)

    shop.finish(game_ids)

    assert shop.client.exists(f"hearts-jobs:parked:{corrupt}")
    assert not shop.house.read(hanging).is_over
    eventually(lambda: turns_of_bots(shop.house, hanging))
    assert shop.said().count(f"quarantined {corrupt} (log)") in (1, 2)  # by each worker once


def test_bots_go_on_when_the_server_was_killed(server):
    """Fault case 99."""
    with workshop(server.url) as shop:
        game_ids = shop.tables(8, *BOTS, rules=ENDLESS)
        workers = shop.hire(2)
        shop.all_move(game_ids)
        for _ in range(3):
            server.kill()
            server.start()
            shop.all_move(game_ids)

        assert [worker.poll() for worker in workers] == [None, None]
        shop.kill()
        assert every_turn_was_played_once(shop, game_ids)


def test_workers_outlive_their_queue(server, redis_db):
    """Fault case 99, with the queue on a server of its own, which comes back empty."""
    with workshop(redis_db, server.url) as shop:
        (worker,) = shop.hire()
        shop.wait_for_workers()
        server.kill()
        game_ids = shop.tables(5, *BOTS, rules=ONE_DEAL)
        eventually(lambda: {"the queue is down", "sweeping is down"} <= complaints(shop))
        assert worker.poll() is None
        server.start()
        shop.client.flushall()

        shop.finish(game_ids)

        assert worker.poll() is None
        assert shop.said().count("the queue is down") == 1
        assert shop.said().count("sweeping is down") == 1


def complaints(shop):
    return set(re.findall(r"[a-z ]+ is down", shop.said()))


def test_a_worker_may_come_before_its_server(server, redis_db):
    server.kill()
    with workshop(redis_db, server.url) as shop:
        (worker,) = shop.hire()
        eventually(lambda: "the queue is down" in shop.said())
        server.start()
        game_ids = shop.tables(1, *BOTS, rules=ONE_DEAL)

        shop.finish(game_ids)

        assert worker.poll() is None


def test_people_and_bots_at_full_speed_make_no_mistake(shop):
    """Fault cases 39 and 94: six tables of two people and two bots, moved at once."""
    shop.hire(2, how="unswept")
    shop.wait_for_workers()
    game_ids = shop.tables(6, None, "easy", None, "easy", rules=ONE_DEAL)

    def play(game_id):
        house = shop.new_house()
        while not (game := house.read(game_id)).is_over:
            for seat in {0, 2} & set(game.turn.seats):
                house.ask(game_id, legal_moves(game, seat)[0])
        return house

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(play, game_ids))

    assert every_turn_was_played_once(shop, game_ids)
    assert "failed" not in shop.said()
