"""How many games there are: each counts once, whoever may see it, wherever it is kept."""

from math import isnan

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue

from engine import commands as c
from engine.bots import Tempo
from service import census, metrics
from service.archiving import outcomes
from service.retention import DAY_MS, Retention
from service.store.base import StoreUnavailableError
from tests.fakes import MemoryStore
from tests.house import House
from tests.tables import BOT, HUMAN, Api, make_app, open_table, started_table

STATUSES = ("lobby", "active", "finished", "aborted", "archived")


def counted():
    """Return how many games of each status are shown."""
    found = {one.labels["status"]: one.value for one in metrics.GAMES.collect()[0].samples}
    return [found[status] for status in STATUSES]


def test_every_game_counts_once(redis_url, redis_db):
    api = Api(make_app(redis_url))
    census.show(api.deps.store)
    assert counted() == [0, 0, 0, 0, 0]

    for visibility in ("public", "unlisted", "private"):
        open_table(api, visibility=visibility)
    started_table(api, HUMAN, BOT, BOT, practice=True)
    ends = [started_table(api) for _ in range(2)]
    for table in ends:
        table.ask("POST", "/abort", "host", expect=200)
    assert counted() == [3, 1, 0, 2, 0]

    list(outcomes(api.deps.store, [ends[0].id], 2**43))
    assert counted() == [3, 1, 0, 2, 1]
    list(Retention(api.deps.store, -DAY_MS, api.deps.clock).some())
    assert counted() == [3, 1, 0, 1, 0]


def test_hints_that_wait_are_counted_by_tempo(redis_db, tmp_path):
    with Redis.from_url(redis_db) as client:
        queues = {one: Queue(f"queue of the {one}", connection=client) for one in Tempo}
        census.show_hints(queues)
        for _ in range(3):
            queues[Tempo.SLOW].enqueue("a.job")
        assert waiting() == {"quick": 0, "slow": 3}

    with Redis(unix_socket_path=str(tmp_path / "none"), retry=Retry(NoBackoff(), 0)) as nowhere:
        census.show_hints({Tempo.SLOW: Queue(connection=nowhere)})
        assert isnan(waiting()["slow"])


def waiting():
    return {one.labels["tempo"]: one.value for one in metrics.HINTS.collect()[0].samples}


@pytest.mark.parametrize("visibility", [c.PUBLIC, c.PRIVATE, c.UNLISTED])
def test_a_game_is_counted_by_its_status_whatever_is_changed_in_it(visibility):
    house = House(MemoryStore())
    census.show(house.deps.store)
    game_id = house.open(None, None, None, None)

    house.ask(game_id, c.ChangeOptions(visibility=visibility))
    house.claim(game_id, 0, name="Ana")
    house.ask(game_id, c.ChangeOptions(visibility=c.PUBLIC))
    house.ask(game_id, c.ChangeOptions(visibility=visibility))
    assert counted()[:4] == [1, 0, 0, 0]
    house.ask(game_id, c.AbortGame())

    assert counted()[:4] == [0, 0, 0, 1]


def test_a_store_that_does_not_answer_hides_no_other_number():
    class Away:
        def __getattr__(self, _):
            raise StoreUnavailableError

    census.show(Away())

    assert all(isnan(one) for one in counted())
