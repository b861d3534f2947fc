"""Counting in a store that may be slow or gone: nobody waits for it, and nobody is stopped."""

import logging
import time

import pytest
from redis import Redis

from service import metrics
from service.counters import LEFT_ALONE_SECONDS, PREFIX, Charge, Counters
from service.quotas import QUOTAS, Quota
from service.settings import load
from service.wiring import COUNTS_WITHIN_SECONDS, connect, make_counters
from tests.servers import OwnServer
from tests.tables import KEYS, Api, make_app

pytestmark = pytest.mark.store

PATIENT_SECONDS = 60
A_MOMENT = 1.0
"""After which a server that was stopped is given up."""
ONE = Charge("read", Quota(3, 60), "somebody", 1)


class Timer:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


class Pool:
    """The connections of *client*, which says how many were asked for."""

    def __init__(self, client):
        self.connection_pool = self
        self.taken = 0
        self._pool = client.connection_pool

    def get_connection(self):
        self.taken += 1
        return self._pool.get_connection()

    def release(self, connection):
        self._pool.release(connection)


@pytest.fixture
def timer():
    return Timer()


def counters_at(url, timer=time.monotonic, patience=PATIENT_SECONDS):
    return Counters(connect(url, patience), b"secret", timer)


def test_every_charge_is_counted_and_a_look_is_not(redis_db):
    counters, look = counters_at(redis_db), ONE._replace(cost=0)

    found = [counters.count([charge])[0].used for charge in (look, ONE, look, ONE, ONE, ONE, look)]

    assert found == [0, 1, 1, 2, 3, 4, 4]


def test_several_charges_are_one_question(redis_db):
    pool = Pool(connect(redis_db, PATIENT_SECONDS))
    counters = Counters(pool, b"secret")

    found = counters.count([ONE, Charge("join", Quota(5, 30), "somebody", 0), ONE])

    assert [(one.policy, one.used, one.seconds) for one in found] == [
        ("read", 1, 60),
        ("join", 0, 30),
        ("read", 2, 60),
    ]
    assert pool.taken == 1


def test_what_is_given_back_is_not_counted(redis_db):
    counters = counters_at(redis_db)

    counters.count([ONE])

    assert counters.count([ONE._replace(cost=-1)])[0].used == 0


def test_names_of_keys_depend_on_the_secret(redis_db):
    for secret in (b"one", b"other"):
        Counters(connect(redis_db, PATIENT_SECONDS), secret).count([ONE])

    with Redis.from_url(redis_db, decode_responses=True) as client:
        keys = client.keys()
    assert len(keys) == 2
    assert all(key.startswith(f"{PREFIX}read:") for key in keys)


def test_without_a_store_it_is_asked_once_in_a_while(tmp_path, timer, caplog):
    pool = Pool(connect(f"unix://{tmp_path}/none.sock"))
    counters = Counters(pool, b"secret", timer)
    before = metrics.UNCOUNTED._value.get()

    for _ in range(100):
        assert counters.count([ONE]) is None
    assert pool.taken == 1
    timer.now += LEFT_ALONE_SECONDS
    for _ in range(100):
        assert counters.count([ONE]) is None

    assert pool.taken == 2
    assert metrics.UNCOUNTED._value.get() - before == 200
    assert [one.message.partition(":")[0] for one in caplog.records] == [
        "the counting of requests is down"
    ]


def test_once_the_store_is_back_it_is_counted_again(own_server, timer, caplog):
    caplog.set_level(logging.INFO)
    counters = counters_at(own_server.url, timer)
    counters.count([ONE])
    own_server.kill()
    assert counters.count([ONE]) is None

    own_server.start()

    assert counters.count([ONE]) is None
    timer.now += LEFT_ALONE_SECONDS
    assert counters.count([ONE])[0].used == 2
    assert [one.levelname for one in caplog.records] == ["WARNING", "INFO"]


def test_a_store_that_is_silent_is_waited_for_once(own_server, timer):
    pool = Pool(connect(own_server.url, A_MOMENT))
    counters = Counters(pool, b"secret", timer)

    with own_server.frozen():
        answers = {counters.count([ONE]) for _ in range(1_000)}

    assert answers == {None}
    assert pool.taken == 1


def test_an_answer_that_came_too_late_is_nobody_else_s(own_server, timer):
    counters = counters_at(own_server.url, timer, A_MOMENT)
    counters.count([ONE])
    with own_server.frozen():
        counters.count([ONE])
    timer.now += LEFT_ALONE_SECONDS

    other = counters.count([ONE._replace(caller="somebody else")])

    assert other[0].used == 1


def test_a_key_of_another_kind_is_as_bad_as_no_store(redis_db, timer):
    counters = counters_at(redis_db, timer)
    counters.count([ONE])
    with Redis.from_url(redis_db) as client:
        (key,) = client.keys()
        client.delete(key)
        client.rpush(key, "odd")

        assert counters.count([ONE]) is None
        client.delete(key)
    timer.now += LEFT_ALONE_SECONDS
    assert counters.count([ONE])[0].used == 1


def settings(events, queue, **more):
    return load(
        {
            "HEARTS_EVENTS_URL": events,
            "HEARTS_QUEUE_URL": queue,
            "HEARTS_SECRET_KEYS": KEYS[0],
            **more,
        }
    )


def test_counts_lie_beside_the_queue(redis_db, own_server):
    make_counters(settings(redis_db, own_server.url)).count([ONE])

    with Redis.from_url(redis_db) as games, Redis.from_url(own_server.url) as queue:
        assert games.dbsize() == 0
        assert queue.dbsize() == 1


def test_counts_may_have_a_store_of_their_own(redis_db, own_server):
    make_counters(settings(redis_db, redis_db, HEARTS_RATE_URL=own_server.url)).count([ONE])

    with Redis.from_url(redis_db) as others, Redis.from_url(own_server.url) as counts:
        assert (others.dbsize(), counts.dbsize()) == (0, 1)


def test_connecting_takes_no_longer_than_answering(redis_db):
    client = connect(redis_db, COUNTS_WITHIN_SECONDS)

    assert client.connection_pool.connection_kwargs["socket_connect_timeout"] == 0.25
    assert client.connection_pool.connection_kwargs["retry"].get_retries() == 0


def test_games_go_on_where_nothing_can_be_counted(redis_db, tmp_path, caplog):
    """Whatever fails about counting, nobody notices, and nobody is turned away."""
    server = OwnServer(tmp_path / "queue")
    server.start()
    more = {"HEARTS_QUEUE_URL": server.url, "HEARTS_RATE_READ": "1/60", "HEARTS_RATE_LIMITS": "on"}
    api = Api(make_app(redis_db, **more))
    api.ask("GET", "/v1/time", expect=200)
    server.kill()

    answers = [api.ask("GET", "/v1/time", expect=200) for _ in range(20)]
    made = api.ask("POST", "/v1/games", body={}, expect=201)
    server.close()

    assert all("RateLimit" not in one.headers for one in [*answers, made])
    assert sum("the counting of requests is down" in one.message for one in caplog.records) == 1
    assert len(QUOTAS) == len(api.ask("GET", "/v1").json["limits"]["rate_limits"])
