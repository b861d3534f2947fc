"""What workers tell each other: the same from a server and from memory."""

import time
from unittest.mock import Mock

import pytest
from redis import Redis

from service.trouble import PARKED_MS, SWEPT_MS, Decision, Trouble
from tests.house import NOON, MemoryTrouble
from tests.processes import eventually

GAME, OTHER = "a" * 32, "b" * 32
TURN = Decision(GAME, 17, 2)


@pytest.fixture
def client(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


@pytest.fixture(params=["server", "memory"])
def trouble(request):
    if request.param == "memory":
        return MemoryTrouble()
    return Trouble(request.getfixturevalue("client"))


def tries(trouble, decision, times=1):
    for _ in range(times):
        with trouble.attempt(decision) as count:
            pass
    return count


def test_tries_are_counted(trouble):
    assert [tries(trouble, TURN) for _ in range(3)] == [1, 2, 3]


def test_each_decision_has_its_own_count(trouble):
    tries(trouble, TURN, 2)

    others = [TURN._replace(seat=3), TURN._replace(turn_id=18), TURN._replace(game_id=OTHER)]
    assert [tries(trouble, other) for other in others] == [1, 1, 1]


def test_one_at_a_time_tries(trouble):
    with trouble.attempt(TURN) as first:
        with trouble.attempt(TURN) as second:
            pass
        with trouble.attempt(TURN._replace(seat=3)) as other:
            pass

    assert (first, second, other) == (1, 0, 1)
    assert tries(trouble, TURN) == 2


def test_who_tries_for_long_is_not_joined_by_others(client, monkeypatch):
    monkeypatch.setattr("service.trouble._LEASE_MS", 300)
    monkeypatch.setattr("service.trouble._RENEWED_SECONDS", 0.02)
    with Trouble(client).attempt(TURN):
        time.sleep(0.6)
        with Trouble(client).attempt(TURN) as other:
            assert other == 0

    assert tries(Trouble(client), TURN) == 2


def test_who_tries_and_dies_leaves_the_way_free_after_a_while(client, monkeypatch):
    monkeypatch.setattr("service.trouble._LEASE_MS", 1)
    monkeypatch.setattr("service.trouble.Thread", lambda **_: Mock())
    trouble = Trouble(client)
    with trouble.attempt(TURN):
        eventually(lambda: tries(trouble, TURN) > 0)


def test_one_at_a_time_prepares(trouble):
    assert trouble.reserve(TURN, NOON, 60_000)
    assert not trouble.reserve(TURN, NOON, 60_000)
    assert trouble.reserve(TURN._replace(seat=3), NOON, 60_000)
    assert trouble.reserve(TURN, NOON + 1, 60_000), "another bot, put in charge later"


def test_who_prepares_and_dies_leaves_the_way_free_after_a_while(client):
    trouble = Trouble(client)
    trouble.reserve(TURN, NOON, 1)

    eventually(lambda: trouble.reserve(TURN, NOON, 60_000))


def test_a_try_that_fails_is_counted_and_leaves_the_way_free(trouble):
    with pytest.raises(ZeroDivisionError), trouble.attempt(TURN):
        raise ZeroDivisionError

    assert tries(trouble, TURN) == 2


def test_a_try_may_be_forgiven(trouble):
    with trouble.attempt(TURN):
        trouble.forgive(TURN)

    assert tries(trouble, TURN) == 1


def test_a_game_is_rescued_once_a_second(trouble):
    assert trouble.to_rescue([GAME, OTHER]) == [GAME, OTHER]
    assert trouble.to_rescue([GAME, OTHER]) == []


def test_a_parked_game_is_not_rescued(trouble):
    trouble.park(GAME)

    assert trouble.to_rescue([GAME, OTHER]) == [OTHER]


def test_it_is_known_who_is_parked(trouble):
    trouble.park(GAME)

    assert trouble.not_parked([GAME, OTHER]) == [OTHER]
    assert trouble.not_parked([]) == []


# Only on a server


def test_every_key_goes_by_itself(client):
    trouble = Trouble(client)
    with trouble.attempt(TURN):
        lease = client.pttl(f"hearts-jobs:lease:{TURN}")
        trouble.forgive(TURN)
        trouble.park(GAME)
        trouble.to_rescue([GAME])
        trouble.see_worker(5)
        left = {key: client.pttl(key) for key in client.scan_iter("*")}

    assert len(left) == 5
    assert all(0 < milliseconds <= 3_600_000 for milliseconds in left.values())
    assert 1_000 < lease <= 2_000
    assert left[f"hearts-jobs:swept:{GAME}".encode()] <= SWEPT_MS
    assert left[f"hearts-jobs:parked:{GAME}".encode()] <= PARKED_MS


def test_a_try_of_a_killed_process_is_counted_and_its_lease_ends(client):
    trouble = Trouble(client)
    trouble.attempt(TURN).__enter__()
    client.delete(f"hearts-jobs:lease:{TURN}")  # as its time does

    assert tries(trouble, TURN) == 2


def test_a_worker_is_seen_when_it_was_seen(client):
    trouble = Trouble(client)
    assert trouble.worker_seen_at() is None

    trouble.see_worker(1_790_000_000_000)

    assert trouble.worker_seen_at() == 1_790_000_000_000
