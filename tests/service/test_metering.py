"""Requests counted by real processes, which share their counts and outlive their store."""

from contextlib import ExitStack, closing
from itertools import count

import pytest
import requests

from tests.contract.spec import validate
from tests.processes import eventually
from tests.servers import OwnApi
from tests.tables import KEYS, Api, make_app, playing_table

SECONDS = 30


@pytest.fixture
def start(redis_db, tmp_path):
    """Start a process of the API, or of another module, that counts; return how to ask it."""
    numbers = count(1)
    with ExitStack() as stack:

        def start(module="service.server", **more):
            given = {"HEARTS_SECRET_KEYS": KEYS[0], "HEARTS_RATE_LIMITS": "on", **more}
            folder = tmp_path / str(next(numbers))
            server = stack.enter_context(closing(OwnApi(folder, redis_db, module=module, **given)))
            base = "http://{}:{}".format(*server.address)

            def ask(target, method="GET", **named):
                return validate(requests.request(method, base + target, timeout=SECONDS, **named))

            ask.log = server.log
            eventually(lambda: is_live(base))
            return ask

        yield start


def is_live(base):
    try:
        return requests.get(f"{base}/health/live", timeout=SECONDS).ok
    except requests.ConnectionError:
        return False


def test_processes_of_every_kind_count_together(start):
    quota = {"HEARTS_RATE_READ": "7/60"}
    asks = [start(**quota), start(**quota), start("service.stream_server", **quota)]

    statuses = [ask("/v1/time").status_code for ask in asks * 3]

    assert statuses == [200] * 7 + [429] * 2


def test_a_stream_says_what_is_left_before_it_begins(start, redis_db):
    table = playing_table(Api(make_app(redis_db)))
    ask = start("service.stream_server", HEARTS_STREAM_SECONDS="1")
    headers = {"Authorization": f"Bearer {table.tokens[0]}"}

    answer = ask(f"{table.path}/stream", headers=headers)

    assert answer.headers["RateLimit"].startswith('"read";r=599;t=')


def test_a_process_that_cannot_count_serves_everybody(start, own_server):
    ask = start(HEARTS_RATE_READ="2/60", HEARTS_RATE_URL=own_server.url)
    assert [ask("/v1/time").status_code for _ in range(3)] == [200, 200, 429]

    own_server.freeze()

    assert [ask("/v1/time").status_code for _ in range(20)] == [200] * 20
    own_server.thaw()
    assert ask.log.read_text().count("the counting of requests is down") == 1
