"""In which order a worker looks at its queues."""

import pytest
from redis import Redis
from rq import Queue

from service.urgency import Queued, Urgency

SHARES = {"quick": 0.0, "slow": 0.25, "idle": 0.0}
NAMES = list(SHARES)


@pytest.fixture
def urgency(redis_db):
    """Three queues: the second has a quarter of the time, the third what is left."""
    with Redis.from_url(redis_db) as client:
        yield Urgency(
            [Queued(Queue(name, connection=client), share) for name, share in SHARES.items()]
        )


def order(urgency):
    return [queue.name for queue in urgency.queues]


def test_the_most_urgent_comes_first(urgency):
    assert order(urgency) == NAMES


def test_who_has_had_less_than_its_share_comes_first(urgency):
    urgency.took("slow", 1.0)
    for _ in range(3):
        assert order(urgency) == NAMES
        urgency.took("quick", 1.1)

    assert order(urgency) == ["slow", "quick", "idle"]
    urgency.took("slow", 1.0)
    assert order(urgency) == NAMES


def test_who_had_nothing_to_do_is_owed_nothing(urgency):
    urgency.took("quick", 10.0)
    assert order(urgency) == ["slow", "quick", "idle"]

    urgency.took("quick", 0.0)

    assert order(urgency) == NAMES


def test_what_was_done_while_nobody_else_waited_is_not_held_against_anybody(urgency):
    for _ in range(100):
        urgency.took("slow", 1.0)

    urgency.took("quick", 3.1)

    assert order(urgency) == ["slow", "quick", "idle"]


def test_when_all_were_empty_nobody_is_owed_anything(urgency):
    urgency.took("quick", 9.0)
    urgency.took(None, 0.0)

    assert order(urgency) == NAMES


def test_who_is_not_urgent_keeps_nobody_waiting(urgency):
    urgency.took("idle", 100.0)

    assert order(urgency) == NAMES


@pytest.mark.parametrize("slow", [0.1, 5.0, 60.0])
def test_while_both_are_full_a_share_of_the_time_goes_to_the_slow(urgency, slow):
    seconds = {"quick": 1.0, "slow": slow}
    spent = dict.fromkeys(seconds, 0.0)

    for _ in range(10_000):
        name = order(urgency)[0]
        urgency.took(name, seconds[name])
        spent[name] += seconds[name]

    share = spent["slow"] / sum(spent.values())
    # A job is not cut, so the short ones of the slow take less than they may.
    assert share == pytest.approx(min(SHARES["slow"], slow / (1 + slow)), abs=0.02)
