"""The store as it is shipped: its configuration, and what each of its users may do."""

import os
import sys
from contextlib import ExitStack

import pytest
import requests
from msgspec.structs import replace
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import (
    AuthenticationError,
    ConnectionError,  # noqa: A004
    NoPermissionError,
)
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

from deploy import make_secrets
from engine.bots import Tempo
from service import embedded, tether
from service.archiving import ARCHIVED, outcomes
from service.store.archive import without_names
from service.store.base import NO_HEAD, Marks
from service.store.codec import decode
from service.store.redis_store import RedisStore
from service.trouble import Decision, Trouble
from service.webhooks.deliveries import Deliveries, Delivery, Seen
from service.webhooks.endpoints import Endpoint, Endpoints
from service.webhooks.messages import TYPES
from service.wiring import QUEUES
from tests.archives import finished_games
from tests.contract.asking import at
from tests.deploy.addresses import ROOT, free_port
from tests.processes import eventually, hearts_up
from tests.tables import SHORT, UNKNOWN_GAME

QUEUE = QUEUES[Tempo.QUICK]
GAME = f"hearts:{{00}}:game:{UNKNOWN_GAME}"


class Shipped:
    """A server with the shipped configuration and users, and what the processes are given."""

    def __init__(self, folder):
        self.secrets = folder / "secrets"
        assert make_secrets.main(self.secrets) == 0
        self.port = free_port()
        for file in self.secrets.glob("*_url*"):
            text = file.read_text().replace(make_secrets.STORE, f"127.0.0.1:{self.port}/0")
            file.chmod(0o600)
            file.write_text(text)
        self.process = tether.start([str(embedded._bundled_binary()), str(self.adapted(folder))])
        password = (self.secrets / "operator_password").read_text().strip()
        self.operator = self.client("hearts_operator", password)
        assert self.operator.ping()

    def adapted(self, folder):
        """Write the shipped configuration with its places and its port exchanged."""
        text = (ROOT / "deploy" / "redis.conf").read_text()
        for theirs, ours in {
            "bind * -::*": f"bind 127.0.0.1\nport {self.port}\nlogfile {folder}/log",
            "/run/secrets/": f"{self.secrets}/",
            "dir /data": f"dir {folder}",
        }.items():
            assert theirs in text
            text = text.replace(theirs, ours)
        (folder / "redis.conf").write_text(text)
        return folder / "redis.conf"

    def client(self, user, password, tries=200):
        retry = Retry(ConstantBackoff(0.05), tries, supported_errors=(ConnectionError,))
        return Redis(
            port=self.port, username=user, password=password, retry=retry, decode_responses=True
        )

    def as_user(self, name):
        """Return a client that may do what the process with the address *name* may."""
        url = (self.secrets / name).read_text().strip()
        return Redis.from_url(url, decode_responses=True)

    def environ(self, queue):
        return {
            "HEARTS_EVENTS_URL_FILE": str(self.secrets / "events_url"),
            "HEARTS_ARCHIVE_URL_FILE": str(self.secrets / "archive_url"),
            "HEARTS_QUEUE_URL_FILE": str(self.secrets / queue),
            "HEARTS_WEBHOOKS_URL_FILE": str(self.secrets / "webhooks_url"),
            "HEARTS_SECRET_KEYS_FILE": str(self.secrets / "secret_keys"),
            "HEARTS_DURABILITY": "fsync",
        }

    def denied(self):
        """Return what was refused to whom since the last time."""
        found = {(one["username"], one["object"]) for one in self.operator.acl_log()}
        self.operator.acl_log_reset()
        return found

    def close(self):
        self.operator.close()
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    shipped = Shipped(tmp_path_factory.mktemp("shipped"))
    yield shipped
    shipped.close()


def is_connected(stream, token):
    """Return whether *stream*, which is then left, says that somebody is connected."""
    head = {"Authorization": f"Bearer {token}"}
    with requests.get(stream, headers=head, stream=True, timeout=60) as answer:
        return any(line == b"event: presence" for line in answer.iter_lines())


@pytest.mark.whole_game
def test_a_game_is_played_and_nobody_asks_for_more_than_is_allowed(shipped, tmp_path):
    bot, human = {"kind": "bot", "level": "easy"}, {"kind": "human"}
    with ExitStack() as stack:
        api = stack.enter_context(
            hearts_up(tmp_path, command="api", **shipped.environ("queue_url_api"))
        )
        worker = start_worker(tmp_path, shipped.environ("queue_url_worker"))
        stack.callback(worker.wait)
        stack.callback(worker.terminate)
        client = at(api.address)
        ready = eventually(lambda: passing(client.ask("GET", "/health/ready")))
        # The API says that it is there, and the worker has found that.
        eventually(lambda: shipped.operator.exists("hearts-jobs:api-seen"))
        made = client.ask(
            "POST",
            "/v1/games",
            body={
                "seats": [human, bot, bot, bot],
                "rules": SHORT,
                "claim": {"seat": 0, "name": "A"},
            },
        ).json
        path, token = f"/v1/games/{made['id']}", made["seat_token"]
        client.ask("GET", "/v1/games", status=200)
        client.ask("POST", f"{path}/start", token=made["host_token"], status=200)
        assert is_connected(f"{api.address}{path}/stream", token)
        while (state := client.ask("GET", path, token=token).json)["status"] == "active":
            if not state["you"]["to_act"]:
                client.ask("GET", f"{path}/events?after={state['version']}&wait=25", token=token)
                continue
            move = state["you"]["legal_moves"][0] | {"turn_id": state["turn"]["id"]}
            client.ask("POST", f"{path}/moves", token=token, body=move, status=201)
        asked = client.ask("POST", f"{path}/analyses", body={"level": "hard"}, status=202)
        assert eventually(lambda: judged(client, asked.headers["Location"]))

    assert state["result"]["reason"] == "deals_played"
    assert ready["checks"]["store"]["durability"] == "fsync"
    assert list(tmp_path.iterdir()) == []
    assert shipped.denied() == set()


def judged(client, path):
    return client.ask("GET", path, status=200).json["progress"]["done"]


def passing(reply):
    return reply.json if reply.status == 200 else None


def start_worker(folder, environ, command="worker"):
    inherited = {name: value for name, value in os.environ.items() if name[:7] != "HEARTS_"}
    more = {"HEARTS_DATA_DIR": str(folder), "HEARTS_LOG_LEVEL": "warning"}
    return tether.start([sys.executable, "-m", "service", command], inherited | environ | more)


def test_a_worker_may_do_what_failing_jobs_make_it_do(shipped, tmp_path):
    decision = Decision(UNKNOWN_GAME, 1, 0)
    with shipped.as_user("queue_url_worker") as client:
        trouble = Trouble(client)
        with trouble.attempt(decision) as tries:
            assert tries == 1
        trouble.forgive(decision)
        trouble.park(UNKNOWN_GAME)
        assert trouble.to_rescue([UNKNOWN_GAME]) == []
    with shipped.as_user("queue_url_api") as client:
        assert Trouble(client).not_parked([UNKNOWN_GAME]) == []
        Queue(QUEUE, connection=client, serializer=JSONSerializer).enqueue_call("os.getcwd")

    worker = start_worker(tmp_path, shipped.environ("queue_url_worker"))
    try:
        eventually(lambda: shipped.operator.zcard(f"rq:failed:{QUEUE}"))
    finally:
        worker.terminate()
        worker.wait()

    assert shipped.denied() == set()


def test_who_archives_may_do_that(shipped):
    url = (shipped.secrets / "archive_url").read_text().strip()
    store = RedisStore(url)
    (entries,) = finished_games(1)
    game_id = decode(entries[0], 1, None).event.commitment[:32]
    events = RedisStore((shipped.secrets / "events_url").read_text().strip())
    events.append(game_id, 0, NO_HEAD, entries, Marks(None))

    assert dict(outcomes(store, store.streams_from(0)[1], 2**43))[game_id] == ARCHIVED
    assert events.tail(game_id, 0, NO_HEAD) == without_names(entries)
    assert shipped.denied() == set()
    for one in (store, events):
        one.close()


def test_who_tells_webhooks_may_do_that(shipped, tmp_path):
    url = (shipped.secrets / "webhooks_url").read_text().strip()
    with Redis.from_url(url) as client:
        endpoints, deliveries = Endpoints(client), Deliveries(client)
        endpoint = endpoints.add(an_endpoint())
        endpoints.change(endpoint.id, lambda one: replace(one, events=TYPES))
        assert endpoints.of("shop")
        endpoints.succeeds(endpoint.id)
        seen = (UNKNOWN_GAME, Seen(1, b"head"))
        new = Delivery("msg_test-1", "webhook.test", "{}", created_at=1, next_at=1)
        deliveries.record({endpoint.id: [new]}, seen)
        assert deliveries.seen(UNKNOWN_GAME) == seen[1]
        deliveries.record({endpoint.id: [replace(new, id="msg_test-2", created_at=2**42)]})
        deliveries.record({endpoint.id: [replace(new, id="msg_test-3", created_at=2**42)]})

        process = start_worker(tmp_path, shipped.environ("queue_url_worker"), "webhooks")
        try:
            eventually(lambda: deliveries.find(endpoint.id, "msg_test-3").attempts)
        finally:
            process.terminate()
            process.wait()
        endpoints.remove(endpoint)
        deliveries.forget(endpoint.id)

    assert shipped.denied() == set()


def an_endpoint():
    return Endpoint(
        id=f"whe_{1:032x}",
        app="shop",
        url="https://127.0.0.1/",
        events=(),
        prefix=None,
        signing="ed25519",
        key_id="00000000",
        created_at=0,
        made_with="",
    )


FORBIDDEN = {
    "webhooks_url": [
        f"XRANGE {GAME} - +",
        "GET hearts-jobs:seen",
        "HGET rq:job:1 data",
        "GET hearts-side:other",
        "PUBLISH hearts:bell x",
        "SUBSCRIBE hearts:bell",
        "EVAL return{} 0",
    ],
    "events_url": [
        f"DEL {GAME}",
        f"XTRIM {GAME} MAXLEN 0",
        f"XDEL {GAME} 1-0",
        f"EXPIRE {GAME} 1",
        f"SET {GAME} x",
        "XADD games * e x",
        "HGET rq:job:1 data",
        "GET hearts-jobs:seen",
        "SUBSCRIBE hearts:other",
        "PSUBSCRIBE *",
        "EVAL return{} 0",
        "FUNCTION LIST",
    ],
    "archive_url": [
        f"DEL {GAME}",
        f"XADD {GAME} * e x",
        f"XTRIM {GAME} MAXLEN 0",
        "HDEL hearts:{aa}:archive x",
        "HGET rq:job:1 data",
        "SUBSCRIBE hearts:bell",
        "EVAL return{} 0",
    ],
    "queue_url_api": [
        f"XRANGE {GAME} - +",
        f"LRANGE rq:queue:{QUEUE} 0 -1",
        f"DEL rq:queue:{QUEUE}",
        "HGETALL rq:job:1",
        "SUBSCRIBE hearts:bell",
    ],
    "queue_url_worker": [
        f"XRANGE {GAME} - +",
        f"DEL {GAME}",
        "SUBSCRIBE hearts:bell",
        "PUBLISH hearts:bell x",
        "EVAL return{} 0",
    ],
}
EVERYBODY = [
    "FLUSHALL",
    "KEYS *",
    "CONFIG GET *",
    "ACL LIST",
    "SHUTDOWN",
    "REPLICAOF NO ONE",
    "MONITOR",
]


@pytest.mark.parametrize(
    ("user", "command"),
    [(user, command) for user, own in FORBIDDEN.items() for command in own + EVERYBODY],
)
def test_nobody_may_do_what_they_have_no_need_for(shipped, user, command):
    with shipped.as_user(user) as client, pytest.raises(NoPermissionError):
        client.execute_command(*command.split())
    shipped.denied()


def test_who_has_no_password_learns_only_whether_the_store_is_up(shipped):
    with shipped.client("hearts_health", "any") as client:
        assert client.ping()
        with pytest.raises(NoPermissionError):
            client.info()
    shipped.denied()
    for user, password in [("default", ""), ("hearts_events", "guessed")]:
        with shipped.client(user, password, 0) as client, pytest.raises(AuthenticationError):
            client.ping()
    shipped.denied()


def test_the_server_took_the_configuration_as_it_was_meant(shipped):
    found = shipped.operator.config_get("*")

    assert found["appendonly"] == "yes"
    assert found["appendfsync"] == "always"
    assert found["save"] == ""
    assert found["maxmemory-policy"] == "noeviction"
    assert found["maxmemory"] == str(512 << 20)
    assert found["protected-mode"] == "yes"


def test_secrets_are_never_made_twice(shipped, capsys):
    before = {file.name: file.read_bytes() for file in shipped.secrets.iterdir()}

    assert make_secrets.main(shipped.secrets) == 1

    assert "nothing was changed" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in shipped.secrets.iterdir()} == before


def test_secrets_are_for_the_containers_and_nobody_else_here(tmp_path):
    folder = tmp_path / "secrets"
    make_secrets.main(folder)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o444}
    users = (folder / "users.acl").read_text()
    assert "<" not in users
    assert all(file.read_text().strip() not in users for file in folder.glob("*_password"))
