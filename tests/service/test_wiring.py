"""What a process is put together from."""

import time

import pytest
from redis.exceptions import ConnectionError as LostConnectionError

from engine.bots import Tempo
from service.settings import load
from service.steady import wall_clock
from service.store.base import StoreUnavailableError
from service.wiring import (
    ANSWERS_WITHIN_SECONDS,
    connect,
    make_bell,
    make_deps,
    make_queues,
    make_trouble,
    make_waits,
)
from tests.fakes import MemoryStore
from tests.house import House


def settings(tmp_path, url, **more):
    return load(
        {
            "HEARTS_DATA_DIR": str(tmp_path),
            "HEARTS_EVENTS_URL": url,
            "HEARTS_SECRET_KEYS": "x" * 32,
            **more,
        }
    )


@pytest.fixture
def nowhere(tmp_path):
    return settings(tmp_path, f"unix://{tmp_path}/none.sock")


def test_commands_and_hints_work_with_what_is_put_together(tmp_path, redis_db):
    deps = make_deps(settings(tmp_path, redis_db))
    house = House(deps.store)
    house.deps = deps

    game_id = house.started(None, "easy", "easy", "easy")

    assert deps.games.read(game_id).times.last_event_at == pytest.approx(wall_clock(), abs=60_000)
    queue = make_queues(settings(tmp_path, redis_db))[Tempo.QUICK]
    assert [job.args for job in queue.jobs] == [[game_id]]
    assert deps.store.overdue(wall_clock(), 1)[0].game_id == game_id


def test_nothing_waits_for_a_server_at_the_start(nowhere):
    make_deps(nowhere)
    make_bell(nowhere)
    make_trouble(nowhere)
    make_queues(nowhere)


def test_without_a_server_commands_say_so_and_hints_do_not(nowhere):
    deps = make_deps(nowhere)

    with pytest.raises(StoreUnavailableError):
        deps.games.read("0" * 32)
    bots = House(MemoryStore())
    deps.notify(bots.read(bots.started("easy", "easy", "easy", "easy")))


def test_half_of_the_threads_may_wait(tmp_path, redis_db):
    assert make_waits(settings(tmp_path, redis_db, HEARTS_API_THREADS="10")).capacity == 5


def test_nothing_is_sent_twice(tmp_path, redis_db):
    """Fault case 78: no retries, and every answer is waited for a second only."""
    with connect(redis_db) as client:
        options = client.connection_pool.connection_kwargs

        assert options["retry"].get_retries() == 0
        assert options["socket_timeout"] == ANSWERS_WITHIN_SECONDS
        assert options["socket_connect_timeout"] == ANSWERS_WITHIN_SECONDS
        assert client.get_connection_kwargs()["protocol"] == 2


def test_a_server_that_is_not_there_is_known_at_once(nowhere):
    began = time.monotonic()

    with connect(nowhere.queue_url) as client, pytest.raises(LostConnectionError):
        client.ping()

    assert time.monotonic() - began < ANSWERS_WITHIN_SECONDS
