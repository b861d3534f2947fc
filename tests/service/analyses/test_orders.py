"""Hints at analyses: what has lost its own is found by whoever sweeps."""

import pytest
from redis import Redis

from service.analyses.records import FAILED, Plan
from tests.analyses import Hinted


@pytest.fixture
def hinted(redis_db):
    with Redis.from_url(redis_db) as client:
        yield Hinted(client)


def asked(hinted, *deals):
    """Return the ids of analyses of one game, one for each of *deals*, whose hints are queued."""
    plans = [Plan("ab" * 16, "hard", (deal,), 9) for deal in deals]
    for plan in plans:
        hinted.orders.open(plan)
    hinted.sent.clear()
    return [plan.id for plan in plans]


def test_what_has_lost_its_job_gets_another_and_no_second_one(hinted):
    lost, waiting, worked_at, failed = asked(hinted, 1, 2, 3, 4)
    records = hinted.orders.records
    with records.lease(lost):
        pass  # a worker took it, and died
    records.fail(failed)

    with records.lease(worked_at):
        for _ in range(2):
            hinted.orders.sweep()

    assert hinted.sent == [lost]
    assert records.find(failed).status == FAILED
    assert not records.wants_hint(waiting)


def test_where_nothing_waits_there_is_nothing_to_sweep(hinted):
    hinted.orders.sweep()

    assert hinted.sent == []
