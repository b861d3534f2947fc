"""The worker process: what it takes, what it refuses, and what it outlives."""

import json
import os
import signal
import time
import zlib

import pytest
from rq.job import Job
from rq.registry import FailedJobRegistry

from service.notify import FAILURE_SECONDS, PLAY_DUE
from service.urgency import Queued
from service.worker import HintJob, HintWorker, RefusedJobError
from tests.processes import SECONDS, eventually
from tests.table import rules
from tests.workers import workshop

BOTS = ("easy",) * 4
GAME = "ab" * 16
ONE_DEAL = {"ending": {"deals": 1}}
MANY = 2_000


CALLED = []


def called(*args):
    CALLED.append(args)


@pytest.fixture
def shop(redis_db):
    with workshop(redis_db) as shop:
        yield shop


@pytest.fixture
def busy(shop):
    """A workshop whose one worker is ready."""
    shop.hire()
    shop.wait_for_workers()
    return shop


def record(shop, name=PLAY_DUE, args=(GAME,), instance=None, **fields):
    """Put a record into the queue as somebody with access to it could, and return its id."""
    job = Job.create(
        name, args=list(args), connection=shop.client, serializer=shop.queue.serializer
    )
    job.origin, job._instance = shop.queue.name, instance
    job.save()
    if fields:
        shop.client.hset(job.key, mapping=fields)
    shop.client.rpush(shop.queue.key, job.id)
    return job.id


def done(shop, job_id):
    """Wait until the worker has dealt with a job."""
    failed = FailedJobRegistry(queue=shop.queue)

    def is_done():
        is_gone = not shop.client.exists(Job.key_for(job_id))
        return is_gone or job_id in failed.get_job_ids()

    eventually(is_done)


def time_left(shop):
    return [shop.client.ttl(key) for key in shop.client.scan_iter("rq:job:*")]


# What a record may call


def test_a_record_cannot_run_any_other_function(busy, tmp_path):
    touched = tmp_path / "touched"

    job_id = record(busy, "os.system", [f"touch {touched}"])
    done(busy, job_id)

    assert not touched.exists()
    assert "refused a job that names 'os.system'" in busy.said()
    assert busy.workers[0].poll() is None
    assert all(0 < left <= FAILURE_SECONDS for left in time_left(busy))


@pytest.mark.parametrize(
    "name", ["os.system", "service.jobs.make_hands", "play_due", "", "service.jobs.play_due "]
)
def test_only_the_listed_names_are_jobs(name, redis_db, shop):
    job = HintJob.fetch(record(shop, name), shop.client, shop.queue.serializer)

    with pytest.raises(RefusedJobError):
        _ = job.func


def test_a_record_with_an_object_is_refused(shop):
    job = HintJob.fetch(record(shop, instance={"a": 1}), shop.client, shop.queue.serializer)

    with pytest.raises(RefusedJobError):
        _ = job.func


def test_a_record_asks_for_nothing_but_its_job(shop):
    hook = json.dumps([{"url": "http://127.0.0.1:9/", "job_status": "finished"}])
    fields = {
        "success_callback_name": "os.system",
        "failure_callback_name": "os.system",
        "stopped_callback_name": "os.system",
        "webhooks": hook,
        "retries_left": 9,
        "repeats_left": 9,
        "rate_limit_key": "x",
        "failure_ttl": -1,
    }

    job = HintJob.fetch(record(shop, **fields), shop.client, shop.queue.serializer)

    assert (job.success_callback, job.failure_callback, job.stopped_callback) == (None,) * 3
    assert (job.webhooks, job.retries_left, job.repeats_left) == ([], None, None)
    assert (job.has_rate_limit, job.failure_ttl) == (False, FAILURE_SECONDS)


def test_what_is_tidied_up_calls_nothing_either(shop, tmp_path):
    """A record of a job begun long ago, whose failure asks for a call."""
    hook = json.dumps([{"url": "http://127.0.0.1:9/", "job_status": "failed"}])
    names = {"failure_callback_name": f"{__name__}.called", "webhooks": hook, "status": "started"}
    job_id = record(shop, **names)
    shop.client.delete(shop.queue.key)
    shop.client.zadd("rq:wip:hearts", {f"{job_id}:x": 1})
    CALLED.clear()

    worker = HintWorker([Queued(shop.queue, 0.0)], lambda: None)
    worker.run_maintenance_tasks()

    assert shop.client.zcard("rq:wip:hearts") == 0
    assert shop.client.hget(f"rq:job:{job_id}", "status") == b"failed"
    assert CALLED == []
    assert all(0 < left <= FAILURE_SECONDS for left in time_left(shop))


def test_records_that_cannot_be_read_are_survived_and_go_by_themselves(busy):
    broken = [
        record(busy, data=b"\x80\x04garbage"),
        record(busy, data=zlib.compress(b"[1, 2]")),
        record(busy, status="no such status"),
        record(busy, result_ttl="soon"),
        record(busy, created_at="yesterday"),
    ]
    game_id = busy.house.started(*BOTS)

    busy.finish([game_id])

    for job_id in broken:
        done(busy, job_id)
    assert all(0 < left <= FAILURE_SECONDS for left in time_left(busy))
    assert busy.workers[0].poll() is None


def test_text_in_place_of_a_game_is_a_failed_job(busy):
    """Failed records go by themselves."""
    job_ids = [record(busy, args=[text]) for text in ("", "x" * 5_000, GAME + "\n")]
    job_ids += [record(busy, args=args) for args in ([], [1], [None], [GAME, GAME])]
    for job_id in job_ids:
        done(busy, job_id)

    registry = FailedJobRegistry(queue=busy.queue)
    assert sorted(registry.get_job_ids()) == sorted(job_ids)
    assert all(0 < left <= FAILURE_SECONDS for left in time_left(busy))
    assert busy.workers[0].poll() is None


# Quick bots and slow ones


def test_quick_bots_do_not_wait_until_slow_ones_are_done(busy):
    slow = busy.tables(3, *("expert",) * 4, rules=rules(**ONE_DEAL))
    busy.all_move(slow)

    busy.finish(busy.tables(1, *BOTS, rules=rules(**ONE_DEAL)))

    assert not any(busy.house.read(one).is_over for one in slow)


def test_slow_bots_do_not_wait_until_quick_ones_are_done(busy):
    (over,) = busy.tables(1, *BOTS, rules=rules(**ONE_DEAL))
    busy.finish([over])
    for _ in range(MANY):
        busy.house._hint(over)

    busy.all_move(busy.tables(1, *("hard",) * 4))

    assert busy.queue.count > 0


# What stays behind


def test_nothing_stays_behind_a_job_that_was_done(busy):
    """Fault case 96."""
    busy.finish(busy.tables(1, *BOTS))
    # A game may be over before the last job for it is.
    eventually(lambda: not list(busy.client.scan_iter("rq:job:*")))
    before = set(busy.client.scan_iter("rq:*"))
    busy.finish(busy.tables(3, *BOTS))

    eventually(lambda: set(busy.client.scan_iter("rq:*")) == before)


# Coming and going


def test_a_worker_waits_on_an_empty_queue(busy):
    """Fault case 106: longer than its connection waits for an answer."""
    (process,) = busy.workers
    shown = set()
    # It shows itself between two waits, and seldom: by then it has waited several times.
    eventually(lambda: shown.add(busy.trouble.worker_seen_at()) or len(shown) == 3)
    assert process.poll() is None

    game_id = busy.house.started(*BOTS)

    busy.finish([game_id])
    assert "down" not in busy.said()


def test_a_worker_that_is_told_to_ends_and_says_goodbye(busy):
    assert busy.client.scard("rq:workers") == 1

    codes = busy.dismiss()

    assert codes == [0]
    assert busy.client.scard("rq:workers") == 0


def test_a_worker_that_is_told_to_finishes_its_job(shop):
    """The table is left in a whole state, and no record behind."""
    shop.hire(how="unswept")
    game_ids = shop.tables(20, *BOTS)
    eventually(lambda: any(shop.house.read(one).table.scored for one in game_ids))

    assert shop.dismiss() == [0]

    assert shop.client.llen(shop.queue.intermediate_queue_key) == 0
    assert "failed" not in shop.said()


def test_a_worker_is_seen(busy):
    assert busy.trouble.worker_seen_at() == pytest.approx(time.time() * 1000, abs=1_000 * SECONDS)


def test_ctrl_c_ends_a_worker(busy):
    os.kill(busy.workers[0].pid, signal.SIGINT)

    assert busy.workers[0].wait(SECONDS) == 0
