"""Who has waited too long is hinted at again."""

import logging

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as LostConnectionError

from engine import events as e
from engine.clocks import Clock
from service import supervisor
from service.jobs import LATE_TRIES, play_due
from service.notify import JOB_SECONDS
from service.store.base import StoreUnavailableError
from service.sweeper import (
    ANALYSES_SECONDS,
    EVERY_SECONDS,
    GRACE_MS,
    GRACE_PER_HINT_MS,
    GRACE_PER_SLOW_HINT_MS,
    UNSERVED_SECONDS,
    Shared,
    Sweeper,
    greet,
    sweep,
)
from service.trouble import SWEPT_MS, Trouble
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.house import House, MemoryTrouble

BOTS = ("easy",) * 4
SLOW = ("hard",) * 4
PEOPLE = (None,) * 4
HOUR = 3_600_000


@pytest.fixture
def house():
    return House(MemoryStore())


def swept(house, quick=0, slow=0):
    return house.sweep(quick, slow)


def waiting(house, *seats):
    game_id = house.started(*(seats or BOTS))
    house.hinted.clear()
    return game_id


def test_a_bot_is_given_a_second(house):
    waiting(house)

    house.now += GRACE_MS - 1

    assert swept(house) == []


def test_a_game_that_waits_for_too_long_is_hinted_at_again(house):
    game_id = waiting(house)

    house.now += GRACE_MS

    assert swept(house) == [game_id]
    assert house.hinted == [game_id]


# What is promised, in milliseconds. Tests with processes show that each of these rescues comes;
# how soon is the sum of the pauses in it, whatever else a machine is busy with.
SWEEP = 1_000 * EVERY_SECONDS
TRY = 1_000 * JOB_SECONDS + SWEPT_MS + SWEEP
RESTART = 1_000 * (supervisor._LOOK_EVERY_SECONDS + supervisor._FIRST_PAUSE_SECONDS)


@pytest.mark.parametrize(
    ("pauses", "promised"),
    [
        pytest.param(GRACE_MS + SWEEP, 2_000, id="a lost hint"),
        pytest.param(RESTART + TRY, 5_000, id="a killed worker that was at a late turn"),
        pytest.param(RESTART + GRACE_MS + SWEEP, 5_000, id="a killed worker that held a move"),
        pytest.param((1 + LATE_TRIES) * TRY, 12_000, id="a level that hangs until the fallback"),
    ],
)
def test_the_pauses_of_a_rescue_add_up_to_less_than_is_promised(pauses, promised):
    assert pauses < promised


def test_who_waits_in_a_long_queue_is_not_lost(house):
    game_id = waiting(house)

    house.now += GRACE_MS + 20 * GRACE_PER_HINT_MS - 1

    assert swept(house, quick=20) == []
    assert swept(house, quick=19) == [game_id]


def test_who_waits_among_many_slow_ones_is_not_lost(house):
    game_id = waiting(house, *SLOW)

    house.now += GRACE_MS + GRACE_PER_HINT_MS + 20 * GRACE_PER_SLOW_HINT_MS - 1

    assert swept(house, quick=1, slow=20) == []
    house.trouble.a_second_passes()
    assert swept(house, quick=1, slow=19) == [game_id]


def test_a_quick_bot_waits_no_longer_for_many_slow_ones(house):
    quick, slow = waiting(house), waiting(house, *SLOW)

    house.now += GRACE_MS

    assert swept(house, slow=1_000) == [quick]
    assert slow not in house.hinted


def test_a_second_sweep_leaves_the_first_its_time(house):
    game_id = waiting(house)
    house.now += GRACE_MS
    swept(house)

    assert swept(house) == []
    house.trouble.a_second_passes()
    assert swept(house) == [game_id]


def test_a_parked_game_does_not_keep_others_waiting(house):
    parked, other = waiting(house), waiting(house)
    house.trouble.park(parked)

    house.now += GRACE_MS

    assert swept(house) == [other]


def test_nothing_is_asked_about_nobody(house):
    class Silent:
        def to_rescue(self, game_ids):
            raise AssertionError(game_ids)

    assert sweep(house.deps.store, Silent(), house.hinted.append, house.backlog(), house.now) == []


def test_a_rescue_is_written_down(house, caplog):
    game_id = waiting(house)
    house.now += 1_500

    with caplog.at_level(logging.INFO):
        swept(house)

    assert f"hinted again at {game_id} after 1500 ms" in caplog.messages


class Broken(MemoryTrouble):
    def to_rescue(self, _):
        raise LostConnectionError("away")


def test_an_outage_is_said_once_and_survived(house, caplog):
    game_id = waiting(house)
    house.now += GRACE_MS
    store = FaultyStore(house.deps.store, [Fault.UNAVAILABLE] * 3, ("overdue",))
    sweeper = Sweeper(
        store,
        Shared(house.trouble, house.watch),
        house.hinted.append,
        house.backlog,
        lambda: house.now,
    )

    with caplog.at_level(logging.INFO):
        for _ in range(3):
            sweeper.round()
        assert len(caplog.messages) == 1
        sweeper.round()

    assert house.hinted == [game_id]
    assert "sweeping is back" in caplog.messages[-1]


def test_a_queue_that_is_away_is_survived(house, caplog):
    waiting(house)
    house.now += GRACE_MS

    Sweeper(
        house.deps.store,
        Shared(Broken(), house.watch),
        house.hinted.append,
        house.backlog,
        lambda: house.now,
    ).round()

    assert caplog.messages == ["sweeping is down: away"]
    assert house.hinted == []


def test_whatever_goes_wrong_the_next_round_comes(house):
    game_id = waiting(house)
    house.now += GRACE_MS
    backlogs = iter([ZeroDivisionError, house.backlog()])

    def backlog():
        found = next(backlogs)
        if found is ZeroDivisionError:
            raise found
        return found

    sweeper = Sweeper(
        *(house.deps.store, Shared(house.trouble, house.watch)),
        *(house.hinted.append, backlog, lambda: house.now),
    )
    sweeper.round()
    sweeper.round()

    assert house.hinted == [game_id]


def test_a_sweep_without_a_store_says_so(house):
    store = FaultyStore(house.deps.store, [Fault.UNAVAILABLE], ("overdue",))

    with pytest.raises(StoreUnavailableError):
        sweep(store, house.trouble, house.hinted.append, house.backlog(), house.now)


def test_all_sweepers_together_hint_once(house, redis_db):
    game_ids = {waiting(house) for _ in range(20)}
    house.now += GRACE_MS
    with Redis.from_url(redis_db) as client:
        for _ in range(4):
            sweep(
                house.deps.store, Trouble(client), house.hinted.append, house.backlog(), house.now
            )

    assert sorted(house.hinted) == sorted(game_ids)


def test_who_is_not_greeted_after_an_outage_gets_the_time_back_all_the_same(house):
    clock = Clock(60, 60, 60, "easy")
    game_ids = [house.started(*PEOPLE, clock=clock) for _ in range(5)]
    house.watch.outages.append((house.now, house.now + HOUR))
    house.now += HOUR
    greet(house.deps.store, house.hinted.append, house.now, most=2)
    greeted = list(house.hinted)
    assert len(greeted) == 2

    for game_id in swept(house):
        play_due(house.hands(), game_id)

    for game_id in game_ids:
        (after,) = [one.event for one in house.log(game_id) if one.actor.kind == "timer"]
        assert isinstance(after, e.TurnExtended)
        assert after.deadline_at > house.now + 60_000


def test_without_an_api_it_is_seldom_that_somebody_is_looked_for(house):
    game_id = waiting(house)
    house.now += GRACE_MS
    house.watch.is_unserved = True
    shared = Shared(house.trouble, house.watch)
    sweeper = Sweeper(
        house.deps.store, shared, house.hinted.append, house.backlog, lambda: house.now
    )

    for _ in range(2 * int(UNSERVED_SECONDS)):
        sweeper.round()
        house.trouble.a_second_passes()
        house.now += 500
    assert house.hinted == [game_id]
    sweeper.round()

    assert house.hinted == [game_id] * 2


class Swept:
    """Analyses that are only swept, and how often."""

    def __init__(self):
        self.count = 0

    def sweep(self):
        self.count += 1


def test_analyses_are_looked_for_now_and_then_whether_an_api_is_there_or_not(house):
    house.watch.is_unserved = True
    analyses = Swept()
    shared = Shared(house.trouble, house.watch, analyses)
    sweeper = Sweeper(
        house.deps.store, shared, house.hinted.append, house.backlog, lambda: house.now
    )

    for _ in range(4 * int(ANALYSES_SECONDS)):
        sweeper.round()
        house.now += 500

    assert analyses.count == 2
