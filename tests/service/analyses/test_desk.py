"""Working at analyses, cut off anywhere, doubled, and in vain."""

import random

import msgspec
import pytest
from redis import Redis

from engine import events as e
from engine.analysis.decisions import DealFinder
from engine.shuffle import game_id_of
from service.analyses import desk as desks
from service.analyses.desk import MOST_TRIES, Desk
from service.analyses.records import DONE, FAILED, Plan
from service.games import Games
from service.store.base import Marks
from tests.analyses import TINY, Hinted, Ticking
from tests.engine.analysis.hurrying import hurry
from tests.fakes import MemoryStore
from tests.streams import entries_of, stored_game

HURRIED = 1.0
"""Of a clock that goes so fast a slice is over after one decision."""


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    hurry(monkeypatch)


class _StumbleError(Exception):
    """What a review raises that does not work."""


@pytest.fixture
def hinted(redis_db):
    with Redis.from_url(redis_db) as client:
        yield Hinted(client)


@pytest.fixture
def stored():
    return stored_game(TINY, random.Random(1))


@pytest.fixture
def games(stored):
    store = MemoryStore()
    store.append(game_id_of(stored[0].event.commitment), 0, b"", entries_of(stored), Marks(None))
    return Games(store)


@pytest.fixture
def plan(stored):
    made = [one for one in stored if isinstance(one.event, e.CardsPassed | e.CardPlayed)]
    return Plan(game_id_of(stored[0].event.commitment), "hard", (1, 2), len(made))


def result_of(hinted, plan):
    record = hinted.orders.records.find(plan.id)
    assert record.status == DONE
    return msgspec.json.decode(record.result)


def test_every_decision_is_judged_once(hinted, games, plan, stored):
    hinted.orders.open(plan)

    hinted.work(games)

    result = result_of(hinted, plan)
    made = [one.seq for one in stored if isinstance(one.event, e.CardsPassed | e.CardPlayed)]
    assert [one["seq"] for one in result["decisions"]] == made
    assert [one["deal"] for one in result["deals"]] == [1, 2]
    assert [one["decisions"] for one in result["seats"]] == [8] * 4


def test_work_in_slices_comes_to_the_same(hinted, games, plan):
    hinted.orders.open(plan)
    hinted.work(games)
    at_once = result_of(hinted, plan)
    hinted.orders.records.forget(plan.game_id)

    hinted.orders.open(plan)
    steps = 0
    while hinted.sent:
        Desk(games, hinted.orders, Ticking(HURRIED)).work(hinted.sent.pop(0))
        steps += 1

    assert result_of(hinted, plan) == at_once
    assert steps > plan.decisions


def test_a_game_is_played_again_once_for_all_slices(hinted, games, plan, monkeypatch):
    reads, read = [], Games.log
    monkeypatch.setattr(Games, "log", lambda *args: reads.append(args) or read(*args))
    hinted.orders.open(plan)
    desk = Desk(games, hinted.orders, Ticking(HURRIED))

    while hinted.sent:
        desk.work(hinted.sent.pop(0))

    assert hinted.orders.records.find(plan.id).status == DONE
    assert len(reads) == 1


def test_a_long_log_is_read_in_slices_too(hinted, games, plan, monkeypatch):
    monkeypatch.setattr("service.games.AT_ONCE", 3)
    taken, take = [], DealFinder.take
    monkeypatch.setattr(DealFinder, "take", lambda *args: taken.append(args) or take(*args))
    hinted.orders.open(plan)
    desk = Desk(games, hinted.orders, Ticking(HURRIED))
    slices = []

    while hinted.sent:
        taken.clear()
        desk.work(hinted.sent.pop(0))
        slices.append(len(taken))

    assert max(slices) == 3
    assert sum(slices) == games.read(plan.game_id).version
    assert sum(map(bool, slices)) > 2 * MOST_TRIES, "none of them was in vain"
    assert len(result_of(hinted, plan)["decisions"]) == plan.decisions


def test_of_many_long_logs_all_are_read_to_their_end(hinted, games, plan, monkeypatch):
    monkeypatch.setattr("service.games.AT_ONCE", 3)
    monkeypatch.setattr(desks, "MOST_OPEN", 1)
    plans = [
        plan,
        msgspec.structs.replace(plan, deals=(1,)),
        msgspec.structs.replace(plan, deals=(2,)),
        msgspec.structs.replace(plan, level="expert"),
    ]
    for one in plans:
        hinted.orders.open(one)
    desk = Desk(games, hinted.orders, Ticking(HURRIED))

    while hinted.sent:
        desk.work(hinted.sent.pop(0))

    assert {hinted.orders.records.find(one.id).status for one in plans} == {DONE}


def test_a_log_that_somebody_else_has_dealt_with_takes_no_room(hinted, games, plan, monkeypatch):
    monkeypatch.setattr("service.games.AT_ONCE", 3)
    monkeypatch.setattr(desks, "MOST_OPEN", 1)
    other = msgspec.structs.replace(plan, level="expert")
    desk = Desk(games, hinted.orders, Ticking(HURRIED))
    hinted.orders.open(plan)
    desk.work(hinted.sent.pop(0))
    hinted.work(games)  # another worker is faster
    hinted.orders.open(other)

    while hinted.sent:
        desk.work(hinted.sent.pop(0))

    assert hinted.orders.records.find(other.id).status == DONE


def test_whoever_dies_of_a_log_is_not_tried_for_ever(hinted, games, plan, monkeypatch):
    monkeypatch.setattr("service.games.AT_ONCE", 3)
    hinted.orders.open(plan)
    for _ in range(MOST_TRIES):
        desk = Desk(games, hinted.orders, Ticking(HURRIED))  # the process is a new one
        for _ in range(4):
            desk.work(plan.id)
        with hinted.orders.records.lease(plan.id):
            pass  # it dies here

    Desk(games, hinted.orders).work(plan.id)

    assert hinted.orders.records.find(plan.id).status == FAILED


def test_jobs_in_any_number_add_nothing(hinted, games, plan):
    hinted.orders.open(plan)
    desk = Desk(games, hinted.orders, Ticking(HURRIED))
    for _ in range(3):
        desk.work(plan.id)
    done = hinted.orders.records.find(plan.id).done

    hinted.work(games)
    first = result_of(hinted, plan)
    for _ in range(3):
        desk.work(plan.id)

    assert done == 2  # what the deal promised was the first step
    assert result_of(hinted, plan) == first
    assert hinted.sent == []


def test_nobody_works_where_somebody_is_at_it(hinted, games, plan):
    hinted.orders.open(plan)

    with hinted.orders.records.lease(plan.id):
        Desk(games, hinted.orders).work(plan.id)

    assert hinted.orders.records.find(plan.id).done == 0


def test_a_job_that_names_nothing_is_no_trouble(hinted, games):
    Desk(games, hinted.orders).work("0" * 32)

    assert hinted.sent == []


def test_what_was_judged_before_a_fault_is_kept(hinted, games, plan, monkeypatch):
    hinted.orders.open(plan)
    judge, left = desks.judge, iter([True] * 5)

    def stumbling(*args):
        if not next(left, False):
            raise _StumbleError
        return judge(*args)

    monkeypatch.setattr(desks, "judge", stumbling)
    with pytest.raises(_StumbleError):
        hinted.work(games)

    assert hinted.orders.records.find(plan.id).done == 5
    monkeypatch.undo()
    hinted.orders.hint(plan.id)
    hinted.work(games)
    assert len(result_of(hinted, plan)["decisions"]) == plan.decisions


def test_one_that_fails_again_and_again_has_failed(hinted, games, plan, monkeypatch):
    hinted.orders.open(plan)

    def stumbling(*_):
        raise _StumbleError

    monkeypatch.setattr(desks, "judge", stumbling)
    for _ in range(MOST_TRIES + 1):  # the first try has found what the deal promised
        hinted.orders.hint(plan.id)
        with pytest.raises(_StumbleError):
            hinted.work(games)
    hinted.orders.hint(plan.id)
    hinted.work(games)

    assert hinted.orders.records.find(plan.id).status == FAILED


def test_what_a_worker_dies_of_is_not_tried_for_ever(hinted, games, plan):
    hinted.orders.open(plan)
    for _ in range(MOST_TRIES):
        with hinted.orders.records.lease(plan.id):
            pass  # it dies here

    Desk(games, hinted.orders).work(plan.id)

    assert hinted.orders.records.find(plan.id).status == FAILED


def test_a_game_that_cannot_be_read_fails(hinted, stored, plan):
    store = MemoryStore()
    entries = entries_of(stored)
    store.append(plan.game_id, 0, b"", [*entries[:5], *entries[6:]], Marks(None))
    hinted.orders.open(plan)

    hinted.work(Games(store))

    assert hinted.orders.records.find(plan.id).status == FAILED


def test_of_a_game_that_is_gone_nothing_is_kept(hinted, plan):
    hinted.orders.open(plan)

    hinted.work(Games(MemoryStore()))

    assert hinted.orders.records.find(plan.id) is None
