"""What a hint leaves in the queue."""

import json
import logging
import zlib

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

from engine import commands as c
from engine.bots import Tempo
from service.notify import HINT_SECONDS, PLAY_DUE, THINK_DUE, Notify
from tests.fakes import MemoryStore
from tests.house import House

GAME = "ab" * 16


@pytest.fixture
def client(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


@pytest.fixture
def queue(client):
    return Queue("hearts", connection=client, serializer=JSONSerializer)


@pytest.fixture
def slow_queue(client):
    return Queue("hearts-slow", connection=client, serializer=JSONSerializer)


@pytest.fixture
def notify(queue, slow_queue):
    return Notify({Tempo.QUICK: queue, Tempo.SLOW: slow_queue})


def test_a_hint_is_the_name_of_the_job_and_of_the_game(client, queue, notify):
    notify.hint(GAME)

    (job_id,) = queue.job_ids
    record = client.hgetall(f"rq:job:{job_id}")
    assert json.loads(zlib.decompress(record[b"data"])) == [PLAY_DUE, None, [GAME], {}]
    assert record[b"description"] == PLAY_DUE.encode()


def test_every_hint_is_a_job_of_its_own(queue, notify):
    """Fault case 92."""
    for _ in range(3):
        notify.hint(GAME)

    assert len(set(queue.job_ids)) == 3


def test_a_hint_that_nobody_takes_goes_by_itself(client, queue, notify):
    """Fault case 96."""
    notify.hint(GAME)

    assert 0 < client.ttl(f"rq:job:{queue.job_ids[0]}") <= HINT_SECONDS


def test_nothing_in_rq_tries_again(queue, notify):
    notify.hint(GAME)

    (job,) = queue.jobs
    assert (job.retries_left, job.repeats_left) == (None, None)


def test_a_hint_takes_one_round_trip(client, notify):
    notify.hint(GAME)
    before = client.info("commandstats")["cmdstat_exec"]["calls"]
    for _ in range(10):
        notify.hint(GAME)

    assert client.info("commandstats")["cmdstat_exec"]["calls"] == before + 10


def test_only_a_waiting_bot_is_worth_a_hint(queue, notify):
    house = House(MemoryStore())
    lobby = house.read(house.open("easy", "easy", "easy", "easy"))
    person = house.read(house.started(None, None, None, None))
    bots = house.started("easy", "easy", "easy", "easy")
    waiting = house.read(bots)
    over = house.ask(bots, c.AbortGame()).game

    for game in (lobby, person, over):
        notify(game)
    assert queue.job_ids == []

    notify(waiting)
    assert queue.jobs[0].args == [bots]


def test_who_waits_for_a_slow_bot_waits_in_a_queue_of_its_own(queue, slow_queue, notify):
    house = House(MemoryStore())
    slow = house.started("hard", "easy", "easy", "easy")
    quick = house.started("easy", "hard", "hard", "hard")

    for game_id in (slow, quick):
        notify(house.read(game_id))

    assert [(job.func_name, job.args) for job in slow_queue.jobs] == [(THINK_DUE, [slow])]
    assert [(job.func_name, job.args) for job in queue.jobs] == [(PLAY_DUE, [quick])]


def test_a_queue_that_is_away_is_said_once_and_left_to_the_sweeper(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    nowhere = Redis(unix_socket_path=str(tmp_path / "none"), retry=Retry(NoBackoff(), 0))
    with nowhere as client:
        queue = Queue("hearts", connection=client, serializer=JSONSerializer)
        notify = Notify(dict.fromkeys(Tempo, queue))
        for _ in range(3):
            notify.hint(GAME)

    assert len(caplog.messages) == 1
    assert "down" in caplog.messages[0]
