"""The store's answer is lost: the outcome is settled by reading the log, never guessed."""

import threading
import time
from functools import partial
from itertools import product

import pytest

from engine.bots import Tempo
from service.store.redis_store import RedisStore
from service.wiring import make_queues
from tests.fakes import Fault, FaultyStore
from tests.processes import eventually
from tests.tables import (
    BOT,
    HUMAN,
    Api,
    Table,
    at_once,
    full_table,
    make_app,
    make_settings,
    new_key,
    open_table,
    outcome_of,
    playing_table,
)

UNAVAILABLE = (503, "store_unavailable")
SEED = "a1" * 32


def one_to_be_ready(api):
    return full_table(api, HUMAN, BOT, BOT, auto_start=True)


# Command → what a table needs before it, the request, and the kinds of events it brings.
COMMANDS = {
    "claim": (open_table, ("POST", "/seats/2/claim", None, {"name": "Cid"}), {"seat.claimed"}),
    "any claim": (open_table, ("POST", "/seats/claim", None, {"name": "Cid"}), {"seat.claimed"}),
    "update": (full_table, ("PATCH", "/seats/0", 0, {"client_seed": SEED}), {"seat.updated"}),
    "start": (full_table, ("POST", "/start", "host", None), {"game.started", "deal.dealt"}),
    "abort": (full_table, ("POST", "/abort", "host", None), {"game.aborted"}),
    "move": (playing_table, ("POST", "/moves", None, None), {"card.played"}),
    "options": (
        full_table,
        ("PATCH", "", "host", {"lobby": "closed", "rules": {"ending": {"target": 7}}}),
        {"game.options_changed", "lobby.changed"},
    ),
    "bot": (open_table, ("PATCH", "/seats/2", "host", BOT), {"seat.bot_assigned"}),
    "ready": (
        partial(full_table, auto_start=True),
        ("PATCH", "/seats/0", 0, {"ready": True}),
        {"seat.updated"},
    ),
    "last to be ready": (
        one_to_be_ready,
        ("PATCH", "/seats/0", 0, {"ready": True}),
        {"seat.updated", "game.started", "deal.dealt"},
    ),
    "kick": (
        playing_table,
        ("PATCH", "/seats/2", "host", {"kick": True}),
        {"seat.kicked", "seat.control_changed"},
    ),
    "reissue": (
        playing_table,
        ("PATCH", "/seats/2", "host", {"reissue": True}),
        {"seat.token_rotated"},
    ),
    "release": (
        playing_table,
        ("POST", "/seats/2/release", 2, None),
        {"seat.released", "seat.control_changed"},
    ),
    "hand over": (
        playing_table,
        ("PUT", "/seats/2/control", 2, {"controller": "bot"}),
        {"seat.control_changed"},
    ),
    "rotate": (full_table, ("POST", "/seats/2/rotate-token", 2, None), {"seat.token_rotated"}),
    "rotate the host's": (
        full_table,
        ("POST", "/host/rotate-token", "host", None),
        {"host.token_rotated"},
    ),
}
UNKNOWN = [Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.LATE]


class Faulty:
    """A table whose store fails as planned from now on, and the command to try."""

    def __init__(self, api, command):
        make, request, self.kinds = COMMANDS[command]
        self.table = make(api)
        self.method, self.path, self.viewer, self.body = request
        if command == "move":
            self.viewer = self.table.state()["turn"]["seats"][0]
            self.body = self.table.a_move(self.viewer)
        self.before = self.table.version
        self.inner = api.deps.store

    def fail(self, *plan, methods=("append",)):
        self.table.api.over(FaultyStore(self.inner, plan, methods))

    def send(self, **more):
        return self.table.ask(self.method, self.path, self.viewer, self.body, **more)

    def new_events(self):
        return [one["type"] for one in self.table.events(after=self.before)]

    def is_done_once(self):
        found = self.new_events()
        return set(found) == self.kinds and len(found) == len(self.kinds)


every_command = pytest.mark.parametrize("command", COMMANDS)


@every_command
@pytest.mark.parametrize("with_key", [True, False])
def test_one_lost_answer_is_not_noticed(api, command, with_key):
    """Fault case 78."""
    store = api.deps.store
    for fault in (*UNKNOWN, Fault.CONFLICT):
        faulty = Faulty(api.over(store), command)
        faulty.fail(fault)
        key = new_key() if with_key else None
        answer = faulty.send(key=key)

        assert answer.status_code in {200, 201}
        assert "Idempotency-Replayed" not in answer.headers
        assert faulty.is_done_once()
        if with_key:
            again = faulty.send(key=key, expect=answer.status_code)
            assert again.data == answer.data
            assert faulty.is_done_once()


@every_command
def test_two_lost_answers_are_not_noticed(api, command):
    """Fault case 78."""
    store = api.deps.store
    for faults in product(UNKNOWN, repeat=2):
        faulty = Faulty(api.over(store), command)
        faulty.fail(*faults)

        assert faulty.send().status_code in {200, 201}
        assert faulty.is_done_once()


@every_command
def test_what_cannot_be_settled_is_503_and_the_repeat_settles_it(api, command):
    """Fault case 78: the log cannot be read after the answer was lost."""
    store = api.deps.store
    for fault in UNKNOWN:
        faulty = Faulty(api.over(store), command)
        api.over(_FailingReads(store, [fault, Fault.UNAVAILABLE]))
        key = new_key()
        answer = faulty.send(key=key, expect=UNAVAILABLE)
        assert answer.headers["Retry-After"] == "1"

        again = faulty.send(key=key)
        assert again.status_code in {200, 201}
        assert faulty.is_done_once()
        assert faulty.send(key=key).data == again.data


class _FailingReads(FaultyStore):
    """Fails at one append, and at the first read after it."""

    def __init__(self, inner, plan):
        super().__init__(inner, plan[:1])
        self._reads = plan[1:]

    def _call(self, name, call):
        if name == "tail" and "append" in self.calls and self._reads:
            self._plan, self._methods = iter([self._reads.pop()]), (name,)
        return super()._call(name, call)


@pytest.mark.parametrize("fault", [*UNKNOWN, Fault.CONFLICT], ids=lambda one: one.name)
@pytest.mark.parametrize("with_key", [True, False])
def test_a_game_is_created_once(api, fault, with_key):
    """Fault case 78."""
    inner, key = api.deps.store, new_key() if with_key else None
    api.over(FaultyStore(inner, [fault]))
    body = {"claim": {"seat": 0, "name": "Ana"}}
    made = api.ask("POST", "/v1/games", body=body, key=key, expect=201)

    assert Table(api, made.json).state(0)["you"]["seat"] == 0
    if with_key:
        assert api.ask("POST", "/v1/games", body=body, key=key, expect=201).data == made.data
    assert len(api.ask("GET", "/v1/games", expect=200).json["items"]) == 1


@pytest.mark.parametrize("fault", [*UNKNOWN, Fault.CONFLICT], ids=lambda one: one.name)
def test_a_fork_is_made_once(api, fault):
    """Fault case 78."""
    table, key = playing_table(api), new_key()
    at = table.version
    table.ask("POST", "/abort", "host", expect=200)
    api.over(FaultyStore(api.deps.store, [fault]))
    body = {"at_version": at, "claim": {"seat": 0, "name": "Ana"}, "visibility": "public"}
    made = table.ask("POST", "/forks", body=body, key=key, expect=201)

    assert table.ask("POST", "/forks", body=body, key=key, expect=201).data == made.data
    assert Table(api, made.json).state(0)["you"]["seat"] == 0
    assert len(api.ask("GET", "/v1/games?origin=fork", expect=200).json["items"]) == 1


def test_a_store_that_is_down_changes_nothing(api):
    table = full_table(api)
    inner, version = api.deps.store, table.version
    for methods in (("append",), ("tail", "entries", "append"), ("tail",)):
        api.over(FaultyStore(inner, [Fault.UNAVAILABLE] * 2, methods))
        table.ask("POST", "/start", "host", expect=UNAVAILABLE)

    api.over(inner)
    assert table.version == version
    table.start()


def test_endless_conflicts_are_given_up(api):
    table = full_table(api)
    api.over(FaultyStore(api.deps.store, [Fault.CONFLICT] * 100))

    answer = table.ask("POST", "/start", "host", expect=(503, "busy"))
    assert answer.headers["Retry-After"] == "1"
    api.over(api.deps.store.inner)
    table.start()


def test_a_bot_is_hinted_at_when_the_answer_was_lost(api, redis_db):
    """The hint is sent by whoever finds that the move was made."""
    table = full_table(api, BOT, BOT, HUMAN)
    queue = make_queues(make_settings(redis_db))[Tempo.QUICK]
    api.over(FaultyStore(api.deps.store, [Fault.LOST_AFTER]))
    assert queue.count == 0

    table.start()
    assert queue.count == 1


# A server that is frozen in the middle of a command


@pytest.fixture
def own(own_server):
    """A server that may be frozen, and a way into an app on it."""
    return own_server, Api(make_app(own_server.url))


def in_background(call):
    found = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    return thread, found


def test_every_command_to_a_frozen_store_is_503_in_time_and_settled_by_its_repeat(own):
    """Fault case 78."""
    server, api = own
    doings = [Faulty(api, command) for command in COMMANDS]
    keys = [new_key() for _ in doings]
    path = doings[0].table.path
    targets = ["/v1/games", path, f"{path}/events", f"{path}/events?wait=20&after=99"]
    with server.frozen():
        sent = [partial(doing.send, key=key) for doing, key in zip(doings, keys, strict=True)]
        asked = [partial(api.ask, "GET", target) for target in targets]
        for some in (sent, asked):
            began = time.monotonic()
            answers = at_once(*some)
            assert time.monotonic() - began < 2.5
            assert {outcome_of(answer) for answer in answers} == {UNAVAILABLE}
            assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
        api.ask("GET", "/v1/presets", expect=200)

    for doing, key in zip(doings, keys, strict=True):
        assert doing.send(key=key).status_code in {200, 201}
        assert doing.is_done_once()


@pytest.mark.parametrize("seconds", [0.5, 1.6])
def test_a_freeze_in_the_middle_of_a_move_makes_it_once(own, seconds):
    """Fault case 78."""
    server, api = own
    moving = Faulty(api, "move")
    append = RedisStore.append
    is_sent = threading.Event()

    class Slow(FaultyStore):
        """Freezes the server when the append is about to be sent."""

        def append(self, *args):
            if not is_sent.is_set():
                server.freeze()
                is_sent.set()
            return append(self.inner, *args)

    api.over(Slow(moving.inner))
    key = new_key()
    thread, found = in_background(lambda: moving.send(key=key))
    try:
        assert is_sent.wait(10)
        thread.join(seconds)
    finally:
        server.thaw()
    thread.join(10)

    (answer,) = found
    assert outcome_of(answer) in {201, UNAVAILABLE}
    again = moving.send(key=key, expect=201)
    assert answer.status_code == 503 or again.data == answer.data
    assert moving.is_done_once()


def test_a_store_that_was_killed_comes_back_with_everything(own):
    server, api = own
    table = playing_table(api)
    shown = table.ask("GET", viewer=0, expect=200).data
    server.kill()
    table.ask("GET", viewer=0, expect=UNAVAILABLE)
    api.ask("POST", "/v1/games", body={}, expect=UNAVAILABLE)
    server.start()

    eventually(lambda: table.ask("GET", viewer=0).status_code == 200)
    assert table.ask("GET", viewer=0, expect=200).data == shown
    table.play(until=lambda turn: turn["id"] > 12)
