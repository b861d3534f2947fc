"""Health: each part that a game needs, what is said of it, and how soon when it is silent."""

import threading
from dataclasses import replace

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as LostConnectionError

from service.requests import HEALTH
from service.store.base import StoreUnavailableError
from service.store.redis_store import Health as StoreHealth
from service.store.wire import TIMEOUT_SECONDS
from service.wiring import ANSWERS_WITHIN_SECONDS, make_trouble
from tests.processes import SECONDS
from tests.tables import BOT, Api, make_app, make_settings, open_table, started_table

PARTS = {"store", "queue", "workers", "due"}


class Shop:
    """An app whose clock tests move, on a server of its own."""

    def __init__(self, url):
        self.url = url
        self.api = Api(make_app(url))
        self.trouble = make_trouble(make_settings(url))

    @property
    def now(self):
        return self.api.deps.clock()

    def work(self, seconds_ago=0):
        """Let a worker have been there."""
        self.trouble.see_worker(self.now - 1_000 * seconds_ago)

    def verdicts(self):
        """Return the verdict on the whole and on each part."""
        answer = self.api.ask("GET", "/health/ready")
        assert answer.status_code == (200 if answer.json["status"] == "pass" else 503)
        assert ("Retry-After" in answer.headers) == (answer.status_code == 503)
        checks = {part: check["status"] for part, check in answer.json["checks"].items()}
        assert checks.keys() == PARTS
        assert (answer.json["status"] == "pass") == (set(checks.values()) == {"pass"})
        return {part for part, verdict in checks.items() if verdict == "fail"}

    def store(self):
        """Return what is said of the store."""
        return self.api.ask("GET", "/health/ready").json["checks"]["store"]

    def configure(self, **settings):
        with Redis.from_url(self.url) as redis:
            for name, value in settings.items():
                redis.config_set(name.replace("_", "-"), value)

    def is_live(self):
        return self.api.ask("GET", "/health/live", expect=200).json == {"status": "pass"}


@pytest.fixture
def shop(redis_db):
    return Shop(redis_db)


@pytest.fixture
def own_shop(own_server):
    shop = Shop(own_server.url)
    shop.work()
    return shop


def test_all_is_well_with_a_worker(shop):
    shop.work()

    assert shop.verdicts() == set()
    assert shop.store()["durability"] == "buffered"
    assert shop.store()["reason"] is None


def test_without_a_worker_nobody_moves_the_bots(shop):
    assert shop.verdicts() == {"workers"}
    shop.work(seconds_ago=9)
    assert shop.verdicts() == set()
    shop.work(seconds_ago=12)
    assert shop.verdicts() == {"workers"}


def due_since(shop, table, seconds):
    """Let *table* have waited for a bot for that many seconds."""
    key = f"hearts:{{{table.id[:2]}}}:due"
    with Redis.from_url(shop.url) as redis:
        redis.zadd(key, {table.id: shop.now - 1_000 * seconds})


def test_a_bot_that_is_long_overdue_is_reported(shop):
    table = started_table(shop.api, BOT, BOT, BOT)
    shop.work()
    due_since(shop, table, 8)
    assert shop.verdicts() == set()

    due_since(shop, table, 12)
    assert shop.verdicts() == {"due"}


def test_a_game_that_was_given_up_does_not_close_the_house(shop):
    """One log that makes no sense is the trouble of one game."""
    poisoned, other = (started_table(shop.api, BOT, BOT, BOT) for _ in range(2))
    shop.work()
    due_since(shop, poisoned, 5_000)
    due_since(shop, other, 1)
    assert shop.verdicts() == {"due"}

    shop.trouble.park(poisoned.id)
    assert shop.verdicts() == set()
    due_since(shop, other, 12)
    assert shop.verdicts() == {"due"}


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl", "allkeys-random"])
def test_a_store_that_may_evict_is_refused(own_shop, policy):
    """Fault case 108."""
    own_shop.configure(maxmemory_policy=policy)
    assert own_shop.verdicts() == {"store"}
    assert own_shop.store()["eviction"] == policy
    assert "needs `maxmemory-policy noeviction`" in own_shop.store()["reason"]

    own_shop.configure(maxmemory_policy="noeviction")
    assert own_shop.verdicts() == set()


def test_a_store_that_keeps_no_file_is_refused(own_shop):
    own_shop.configure(appendonly="no")
    assert own_shop.verdicts() == {"store"}
    assert "needs `appendonly yes`" in own_shop.store()["reason"]


def test_a_store_that_cannot_write_its_file_is_refused(own_shop):
    told = StoreHealth(ms=1, eviction="noeviction", aof=True, last_write_ok=False)
    health = own_shop.api.app.extensions[HEALTH]._replace(store_health=lambda: told)

    checks = health.readiness()["checks"]

    assert checks["store"]["status"] == "fail"
    assert "could not write its file" in checks["store"]["reason"]


def test_a_full_store_still_reads(own_shop):
    """Fault case 108."""
    table = open_table(own_shop.api)
    own_shop.configure(maxmemory="1")
    full = (503, "store_unavailable")

    answer = own_shop.api.ask("POST", "/v1/games", body={}, expect=full)
    assert answer.headers["Retry-After"] == "1"
    table.ask("POST", "/seats/0/claim", body={"name": "Ana"}, expect=full)
    assert table.version == 1
    own_shop.configure(maxmemory="0")
    table.claim(0)


def test_the_parts_are_asked_side_by_side(shop):
    """So that all of them together, each silent for a second, are reported within two."""
    met = threading.Barrier(len(PARTS), timeout=SECONDS)

    class Silent:
        def overdue(self, *_):
            met.wait()
            raise StoreUnavailableError

        @property
        def count(self):
            met.wait()
            raise LostConnectionError

    def silent(error):
        met.wait()
        raise error

    health = shop.api.app.extensions[HEALTH]._replace(
        deps=replace(shop.api.deps, store=Silent()),
        queues=[Silent()],
        store_health=lambda: silent(StoreUnavailableError),
        seen_at=lambda: silent(LostConnectionError),
    )

    checks = health.readiness()["checks"]

    assert {check["status"] for check in checks.values()} == {"fail"}
    assert ANSWERS_WITHIN_SECONDS == TIMEOUT_SECONDS == 1


def test_a_frozen_store_is_reported_and_comes_back(own_server, own_shop):
    """Fault case 167."""
    with own_server.frozen():
        for _ in range(2):
            assert own_shop.verdicts() == PARTS
            assert own_shop.is_live()

    own_shop.work()
    assert own_shop.verdicts() == set()


def test_a_store_that_is_down_is_reported_and_comes_back(own_server, own_shop):
    """Fault case 167."""
    own_server.kill()
    assert own_shop.verdicts() == PARTS
    assert own_shop.store()["reason"] == "The store does not answer."
    assert own_shop.is_live()

    own_server.start()
    own_shop.work()
    assert own_shop.verdicts() == set()


def test_a_health_check_takes_no_parameters(shop):
    for target in ("/health/live?x=1", "/health/ready?full=1"):
        shop.api.ask("GET", target, expect=(400, "unknown_parameter"))
