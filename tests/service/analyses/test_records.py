from functools import partial

import pytest
from redis import Redis

from engine.analysis.review import DealReview
from service.analyses.records import (
    DONE,
    FAILED,
    HINTED_MS,
    HINTED_PER_JOB_MS,
    KEPT_MS,
    QUEUED,
    RUNNING,
    Plan,
    Records,
)
from service.store.base import StoreUnavailableError
from tests.engine.analysis.test_mistakes import a_verdict
from tests.tables import at_once

GAME, OTHER = "ab" * 16, "cd" * 16


@pytest.fixture
def client(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


@pytest.fixture
def records(client):
    return Records(client)


def a_plan(**more):
    return Plan(**{"game_id": GAME, "level": "hard", "deals": (1, 2), "decisions": 3} | more)


def test_an_id_stands_for_what_is_judged_and_how():
    same = a_plan()
    others = [
        a_plan(game_id=OTHER),
        a_plan(level="expert"),
        a_plan(deals=(1,)),
        a_plan(deals=(12,)),
        a_plan(method="hearts-analysis-1"),
    ]

    assert a_plan(decisions=4).id == same.id
    assert len({one.id for one in [same, *others]}) == 6


def test_an_analysis_goes_from_queued_by_running_to_done(records):
    plan = a_plan()
    assert records.find(plan.id) is None
    records.open(plan)
    assert records.find(plan.id) == (plan, QUEUED, 0, None)

    records.keep(plan.id, a_verdict(seq=7))
    records.keep(plan.id, a_verdict(seq=7))
    records.keep(plan.id, DealReview(1, (5, 0, 0), (1.5, 2.0, 1.5)))
    assert records.find(plan.id) == (plan, RUNNING, 1, None)
    assert records.judged(plan.id).verdicts == {7: a_verdict(seq=7)}
    assert records.judged(plan.id).deals == {1: DealReview(1, (5, 0, 0), (1.5, 2.0, 1.5))}

    records.finish(plan.id, {"decisions": []})
    assert records.find(plan.id) == (plan, DONE, 3, b'{"decisions":[]}')
    assert records.judged(plan.id) == ({}, {})


def test_one_that_has_failed_may_be_tried_again(records):
    plan = a_plan()
    records.open(plan)
    records.fail(plan.id)
    assert records.find(plan.id).status == FAILED

    records.open(plan)

    assert records.find(plan.id).status == QUEUED


def test_of_several_who_open_the_same_one_does(records, client):
    plan = a_plan()

    assert sorted(at_once(*[partial(records.open, plan)] * 8)) == [False] * 7 + [True]
    assert not records.open(plan)
    records.keep(plan.id, a_verdict())
    assert not records.open(plan)
    records.fail(plan.id)
    assert sorted(at_once(*[partial(records.open, plan)] * 8)) == [False] * 7 + [True]
    records.finish(plan.id, {"decisions": []})
    assert not records.open(plan)
    assert records.idle(9) == []


def test_only_one_is_at_work_and_no_hint_is_sent_then(records):
    plan = a_plan()
    records.open(plan)
    assert [records.wants_hint(plan.id) for _ in range(2)] == [True, False]

    with records.lease(plan.id) as tries:
        assert tries == 0
        assert not records.wants_hint(plan.id)
        with records.lease(plan.id) as other:
            assert other == -1


def test_a_hint_that_was_taken_may_be_followed_by_another(records):
    plan = a_plan()
    assert records.wants_hint(plan.id)

    with records.lease(plan.id):
        pass

    assert records.wants_hint(plan.id)


def test_tries_in_vain_are_counted_until_something_is_judged(records):
    plan, counts = a_plan(), []
    for _ in range(2):
        with records.lease(plan.id) as tries:
            counts.append(tries)
    records.keep(plan.id, a_verdict())
    with records.lease(plan.id) as tries:
        counts.append(tries)

    assert counts == [0, 1, 0]


def test_all_keys_go_by_themselves(records, client):
    plan = a_plan()
    records.open(plan)
    records.wants_hint(plan.id)
    with records.lease(plan.id):
        records.keep(plan.id, a_verdict())
        records.keep(plan.id, DealReview(1, (5, 0, 0), (1.5, 2.0, 1.5)))
        left = {key: client.pttl(key) for key in client.scan_iter()}
    records.finish(plan.id, {})
    records.fail(a_plan(level="expert").id)

    left |= {key: client.pttl(key) for key in client.scan_iter()}
    assert all(0 < one <= KEPT_MS for one in left.values())
    assert all(key.startswith(b"hearts-side:{analyses}:") for key in left)


def test_a_game_is_forgotten_and_no_other(records, client):
    mine, other = a_plan(), a_plan(game_id=OTHER)
    for plan in (mine, a_plan(level="expert"), other):
        records.open(plan)
        records.keep(plan.id, a_verdict())
    records.finish(mine.id, {})

    records.forget(GAME)

    assert records.find(mine.id) is None
    assert records.find(other.id).done == 1
    assert records.idle(9) == [other.id]
    left = [key.decode() for key in client.scan_iter() if not key.endswith(b":waiting")]
    assert all(other.id in key or OTHER in key for key in left)


def test_a_server_that_is_away_is_said_to_be(own_server):
    with Redis.from_url(own_server.url) as client:
        records = Records(client)
        own_server.kill()

        with pytest.raises(StoreUnavailableError):
            records.find("0" * 32)


def test_who_asks_meanwhile_does_not_keep_the_next_hint_from_being_sent(records):
    plan = a_plan()
    assert records.wants_hint(plan.id)

    with records.lease(plan.id):
        assert not records.wants_hint(plan.id)

    assert records.wants_hint(plan.id)


def test_a_hint_that_leads_to_who_is_at_work_keeps_none_from_being_sent(records):
    plan = a_plan()
    with records.lease(plan.id):
        # Whoever asked just before the lease has sent it after all.
        records._client.set(f"hearts-side:{{analyses}}:hinted:{plan.id}", 1)
        with records.lease(plan.id) as other:
            assert other == -1

    assert records.wants_hint(plan.id)


def test_what_is_unsettled_and_has_nobody_is_idle(records):
    plan, other = a_plan(), a_plan(level="expert")
    assert records.idle(9) == []
    records.open(plan)
    records.open(other)
    assert sorted(records.idle(9)) == sorted([plan.id, other.id])
    assert len(records.idle(1)) == 1

    assert records.wants_hint(plan.id)
    assert records.idle(9) == [other.id]
    with records.lease(other.id):
        assert records.idle(9) == []
    assert records.idle(9) == [other.id]
    with records.lease(plan.id):
        pass  # the hint was taken
    assert sorted(records.idle(9)) == sorted([plan.id, other.id])


def test_what_is_settled_gone_or_forgotten_is_not_idle(records, client):
    done, failed, gone = (a_plan(deals=(number,)) for number in (1, 2, 3))
    for plan in (done, failed, gone, a_plan(game_id=OTHER)):
        records.open(plan)
    records.finish(done.id, {})
    records.fail(failed.id)
    client.delete(f"hearts-side:{{analyses}}:plan:{gone.id}")
    records.forget(OTHER)

    assert records.idle(9) == []

    assert not client.exists("hearts-side:{analyses}:waiting")
    records.open(failed)
    assert records.idle(9) == [failed.id]


def test_behind_many_jobs_a_hint_may_wait_for_longer(records, client):
    few, many = a_plan(), a_plan(level="expert")

    records.wants_hint(few.id)
    records.wants_hint(many.id, 100)

    left = [client.pttl(f"hearts-side:{{analyses}}:hinted:{one.id}") for one in (few, many)]
    assert left[0] <= HINTED_MS < left[1] <= HINTED_MS + 100 * HINTED_PER_JOB_MS
