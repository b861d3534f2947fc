"""An application that is told of a whole game by webhooks, every answer held to the contract."""

import json
import random
import secrets
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from service import settings
from service.app import create_app
from service.jobs import make_hands, play_due
from service.keyring import Keyring
from service.webhook_worker import make_hook_hands, tell_hooks
from service.webhooks.courier import Courier
from service.wiring import make_hooks, make_sender
from tests.contract import history
from tests.contract.asking import in_process
from tests.contract.driver import Driver

SECRET = "one secret gives the same deals in each run"
PLANS = [{"kind": "human"}, {"kind": "human"}, {"kind": "bot", "level": "easy"}, {"kind": "human"}]
RULES = {"ending": {"target": None, "deals": 1, "tie": "share"}}
MESSAGES = ["game.finished", "game.started", "turn.opened"]


class Receiver:
    """An app's own server: it answers as *statuses* say, 204 after those, and keeps what came."""

    def __init__(self):
        self.statuses, self.came = [], []
        self._lock = threading.Lock()

    def take(self, headers, body):
        with self._lock:
            self.came.append((headers["webhook-id"], json.loads(body)))
            return self.statuses.pop(0) if self.statuses else 204


@contextmanager
def listening(receiver):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(receiver.take(self.headers, body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hooks"
        server.shutdown()


class App:
    """The service in this process as an application asks it, every answer held to the contract."""

    def __init__(self, redis_url, folder):
        self.settings = settings.load(
            {
                "HEARTS_DATA_DIR": str(folder),
                "HEARTS_EVENTS_URL": redis_url,
                "HEARTS_SECRET_KEYS": SECRET,
                "HEARTS_RATE_LIMITS": "off",
                "HEARTS_WEBHOOK_TARGETS": "any",
            }
        )
        self.service = in_process(create_app(self.settings))
        self.token = Keyring(self.settings.secret_keys).app_key("shop", secrets.token_hex(6))
        self._hands, self._hook_hands = make_hands(self.settings), make_hook_hands(self.settings)

    def ask(self, method, path, **more):
        return self.service.ask(method, path, token=self.token, **more)

    def play(self, plans=PLANS):
        """Play a whole game of the application and return its driver."""
        bots = lambda game_id: play_due(self._hands, game_id)  # noqa: E731 - a name for a call
        driver = Driver(self.service, random.Random("an app's game"), care=0.05, bots=bots)
        driver.app = self.token
        driver.open({"rules": RULES, "seats": plans, "visibility": "private"})
        driver.fill()
        driver.start()
        driver.play()
        history.check(driver)
        return driver

    def tell(self, game_id):
        """Write down and send all there is to tell of the game."""
        tell_hooks(self._hook_hands, game_id)
        self.send()

    def send(self):
        """Send what is due."""
        hooks, deps = make_hooks(self.settings), self._hook_hands.deps
        courier = Courier(deps, hooks.endpoints, hooks.deliveries, make_sender(self.settings))
        for endpoint_id in hooks.deliveries.queues(deps.clock(), 100):
            while due := hooks.deliveries.take(endpoint_id, deps.clock(), 100):
                for delivery in due:
                    courier.attempt(endpoint_id, delivery)
        courier.close()


@pytest.fixture
def app(redis_url, tmp_path):
    return App(redis_url, tmp_path)


@pytest.fixture
def receiver():
    return Receiver()


@pytest.fixture
def url(receiver):
    with listening(receiver) as url:
        yield url


@pytest.fixture
def endpoint(app, url):
    body = {"url": url, "events": MESSAGES}
    key = secrets.token_urlsafe(24)
    made = app.ask("POST", "/v1/webhook-endpoints", body=body, key=key, status=201)
    again = app.ask("POST", "/v1/webhook-endpoints", body=body, key=key, status=201)
    assert again.is_replay
    assert again.json == made.json
    yield f"/v1/webhook-endpoints/{made.json['id']}"
    app.ask("DELETE", f"/v1/webhook-endpoints/{made.json['id']}", status=204)


def deliveries(app, endpoint):
    """Return all deliveries of *endpoint*, the newest first, page by page."""
    found, cursor = [], ""
    while cursor is not None:
        page = app.ask("GET", f"{endpoint}/deliveries?limit=40{cursor}", status=200).json
        found += page["items"]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    return found


def test_a_whole_game_is_told_once(app, endpoint, receiver):
    driver = app.play()
    app.tell(driver.game_id)
    app.tell(driver.game_id)

    told = [message["type"] for _, message in receiver.came]
    assert told.count("game.started") == told.count("game.finished") == 1
    assert {name for name, _ in receiver.came} == {
        one["id"] for one in deliveries(app, endpoint) if one["status"] == "delivered"
    }
    assert all(message["data"]["game_id"] == driver.game_id for _, message in receiver.came)


def test_what_fails_can_be_sent_again(app, endpoint, receiver):
    receiver.statuses = [500]
    app.ask("POST", f"{endpoint}/test", status=202)
    app.send()
    (waiting,) = deliveries(app, endpoint)
    assert waiting["status"] == "pending"
    assert [one["status"] for one in waiting["attempts"]] == [500]

    app.ask("POST", f"{endpoint}/deliveries/{waiting['id']}/retry", status=202)
    app.send()

    (done,) = deliveries(app, endpoint)
    assert done["status"] == "delivered"
    assert [name for name, _ in receiver.came] == [waiting["id"]] * 2


def test_an_endpoint_is_changed_and_gets_a_new_secret(app, endpoint):
    before = app.ask("GET", endpoint, status=200).json
    changed = app.ask("PATCH", endpoint, body={"events": ["game.finished"]}, status=200).json
    turned = app.ask("POST", f"{endpoint}/rotate-secret", status=200).json

    assert changed["events"] == ["game.finished"]
    assert turned["public_key"] != before["public_key"]
    listed = app.ask("GET", "/v1/webhook-endpoints", status=200).json["items"]
    assert before["id"] in {one["id"] for one in listed}
