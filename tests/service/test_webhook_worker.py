"""The process that tells webhooks, with a real store and a real target with TLS."""

import random
import signal
import subprocess
import sys
import threading

import pytest
from redis import Redis

from engine import commands as c
from service import notify, steady
from service.notify import TELL_HOOKS, NotifyHooks
from service.settings import load
from service.store.base import Due
from service.store.redis_store import RedisStore
from service.webhook_worker import HookJob, make_hook_hands, sweep_hooks, tell_hooks
from service.webhooks import deliveries as d
from service.webhooks.deliveries import Delivery
from service.webhooks.endpoints import Endpoint
from service.webhooks.messages import TYPES, messages_of
from service.wiring import make_hooks, make_hooks_queue
from service.worker import RefusedJobError
from tests.fakes import MemoryStore
from tests.hooks import OK, Authority, Target
from tests.house import House, MemoryTrouble, legal_moves
from tests.processes import SECONDS, environment, eventually

KEY = "a key that workers and tests share"
APP = c.TableOptions(application="shop")
HOST = "localhost"


class Shop:
    """An application with an endpoint at a *target*, and processes that tell it."""

    def __init__(self, folder, url, authority):
        self._folder = folder
        self._environ = environment(
            folder,
            HEARTS_EVENTS_URL=url,
            HEARTS_SECRET_KEYS=KEY,
            HEARTS_WEBHOOK_TARGETS="any",
            HEARTS_LOG_LEVEL="info",
            SSL_CERT_FILE=str(authority.file),
        )
        self.settings = load(
            {name: value for name, value in self._environ.items() if name.startswith("HEARTS_")}
        )
        self.hooks = make_hooks(self.settings)
        self.hint = NotifyHooks(make_hooks_queue(self.settings))
        self.house = House(RedisStore(url), keys=self.settings.secret_keys, clock=steady.wall_clock)
        self.held = threading.Event()
        self.held.set()
        self.target = Target(self._say, authority.serving(HOST))
        self.processes = []
        self.endpoint = self.hooks.endpoints.add(
            Endpoint(
                id=f"whe_{1:032x}",
                app="shop",
                url=f"https://{HOST}:{self.target.port}/hooks?token=hidden",
                events=TYPES,
                prefix=None,
                signing="ed25519",
                key_id=self.house.deps.keyring.current,
                created_at=0,
                made_with="",
            )
        )

    def _say(self, *_):
        self.held.wait(SECONDS)
        return OK

    def hire(self):
        with self._folder.joinpath("webhooks.log").open("a") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "service", "webhooks"], env=self._environ, stderr=log
            )
        self.processes.append(process)
        return process

    def said(self):
        return self._folder.joinpath("webhooks.log").read_text()

    def listed(self):
        return self.hooks.deliveries.page(self.endpoint.id, None, 5_000)[0]

    def expected(self, game_id):
        games = self.house.deps.games
        game = games.read(game_id)
        moments = games.moments(game, 1, game.version)
        return {one.id for stored, moment in moments for one in messages_of(stored, moment)}

    def arrived(self):
        return [headers["webhook-id"] for _, _, headers, _ in self.target.asked]

    def is_settled(self, game_id):
        found = {one.id: one.status for one in self.listed()}
        return found.keys() == self.expected(game_id) and d.PENDING not in found.values()

    def close(self):
        self.held.set()
        for process in self.processes:
            process.kill()
            process.wait()
        self.target.close()
        self.house.deps.store.close()


@pytest.fixture
def shop(redis_db, tmp_path):
    found = Shop(tmp_path, redis_db, Authority(tmp_path))
    yield found
    found.close()


def test_a_game_is_told_to_its_end_and_the_process_ends_when_told(shop):
    process = shop.hire()
    game_id = shop.house.started(None, None, None, options=APP)
    shop.hint(shop.house.read(game_id))
    eventually(lambda: len(shop.arrived()) == 4)  # the start, and a pass of each

    shop.house.ask(game_id, c.AbortGame())
    eventually(lambda: shop.is_settled(game_id))

    assert sorted(shop.arrived()) == sorted(shop.expected(game_id))
    process.terminate()
    assert process.wait(SECONDS) == 0
    assert "hidden" not in shop.said()
    assert "204 after" in shop.said()


@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_a_process_that_ends_in_an_attempt_leaves_it_to_the_next(shop, end):
    shop.held.clear()
    shop.hire()
    game_id = shop.house.started(None, None, None, options=APP)
    shop.hint(shop.house.read(game_id))
    eventually(lambda: len(shop.arrived()) == 4)
    getattr(shop.processes[0], end)()
    assert shop.processes[0].wait(SECONDS) == (-signal.SIGKILL if end == "kill" else 0)
    # It has not waited for what it was at.
    assert [one.attempts for one in shop.listed()] == [()] * 4

    # As if the time that an attempt may take had passed.
    with Redis.from_url(shop.settings.webhooks_url) as client:
        client.delete(*client.keys("*:lease:*"))
        (queue,) = client.keys("*:queue:*")
        client.zadd(queue, dict.fromkeys(client.zrange(queue, 0, -1), 0))
        (queues,) = client.keys("hearts-side:*:queues")
        client.zadd(queues, dict.fromkeys(client.zrange(queues, 0, -1), 0))
    shop.held.set()
    shop.hire()
    eventually(lambda: shop.is_settled(game_id))

    arrived = shop.arrived()
    assert set(arrived) == shop.expected(game_id)
    assert len(arrived) == 2 * len(set(arrived))


@pytest.mark.slow
def test_processes_that_are_killed_at_any_moment_lose_nothing(shop):
    rng, game_id = random.Random(7), shop.house.started(None, None, None, options=APP)
    for _ in range(4):
        process = shop.hire()
        before = len(shop.listed())
        for _ in range(12):
            shop.house.ask(game_id, legal_moves(shop.house.read(game_id))[0])
        eventually(lambda seen=before: len(shop.listed()) > seen)
        threading.Event().wait(rng.random() / 4)
        process.kill()
        process.wait()
        with Redis.from_url(shop.settings.webhooks_url) as client:
            leases = client.keys("*:lease:*")
            if leases:
                client.delete(*leases)
            for queue in client.keys("*:queue:*"):
                client.zadd(queue, dict.fromkeys(client.zrange(queue, 0, -1), 0))
    shop.house.ask(game_id, c.AbortGame())
    shop.hire()

    eventually(lambda: shop.is_settled(game_id))
    delivered = {one.id for one in shop.listed() if one.status == d.DELIVERED}
    assert delivered <= set(shop.arrived())
    assert all(one.reason == d.TURN_OVER for one in shop.listed() if one.status == d.DROPPED)


def test_the_process_tries_what_was_written_down_by_others(shop):
    now = steady.wall_clock()
    one = Delivery("msg_test-1", "webhook.test", "{}", created_at=now, next_at=now)
    shop.hooks.deliveries.record({shop.endpoint.id: [one]})

    shop.hire()

    eventually(lambda: shop.arrived() == ["msg_test-1"])


def test_the_sweeper_hints_at_what_waits_for_too_long():
    store, hinted = MemoryStore(), []
    store.hooks |= {"a": 1_000, "b": 2_500}
    trouble = MemoryTrouble()

    assert store.hooks_due(1_500, 10) == [Due("a", 1_000)]
    assert sweep_hooks(store, trouble, hinted.append, 2_000) == ["a"]
    assert sweep_hooks(store, trouble, hinted.append, 2_000) == []
    trouble.a_second_passes()
    trouble.park("a")
    assert sweep_hooks(store, trouble, hinted.append, 3_500) == ["b"]
    assert hinted == ["a", "b"]


def test_a_game_that_cannot_be_read_is_parked(shop):
    hands = make_hook_hands(shop.settings)

    tell_hooks(hands, "0" * 32)
    with pytest.raises(ValueError, match="names no game"):
        tell_hooks(hands, "../x")

    assert hands.trouble.not_parked(["0" * 32]) == []


def test_a_record_of_the_queue_calls_nothing_else(shop):
    queue = make_hooks_queue(shop.settings)
    job = queue.enqueue("os.system", "true")
    sound = queue.enqueue(TELL_HOOKS, "0" * 32)

    with pytest.raises(RefusedJobError):
        _ = HookJob.fetch(job.id, connection=queue.connection, serializer=queue.serializer).func
    found = HookJob.fetch(sound.id, connection=queue.connection, serializer=queue.serializer)
    found.hands = None
    assert found.func.func is tell_hooks


def test_hints_that_nobody_takes_come_to_an_end(shop, monkeypatch):
    monkeypatch.setattr(notify, "MOST_HINTS", 3)
    queue, now = make_hooks_queue(shop.settings), [0.0]
    hints = NotifyHooks(queue, timer=lambda: now[0])
    game = shop.house.read(shop.house.started(None, None, None, options=APP))

    for _ in range(50):
        now[0] += 1
        hints(game)
    assert 3 <= queue.count < 10

    queue.empty()
    now[0] += 5
    hints(game)
    assert queue.count == 1


def test_a_commit_hints_at_games_of_applications_where_no_bot_is_next(shop):
    queue = make_hooks_queue(shop.settings)
    for seats, options, hints in [
        ((None, None, None), {}, 0),
        (("easy", None, None), {"options": APP}, 0),
        ((None, None, None), {"options": APP}, 1),
    ]:
        game_id = shop.house.started(*seats, **options)
        before = queue.count
        shop.hint(shop.house.read(game_id))
        assert queue.count - before == hints
