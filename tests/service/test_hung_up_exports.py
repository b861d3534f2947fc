"""A bulk export to clients that hang up, over the API's process as it is shipped."""

import random
import socket
from dataclasses import replace
from http.client import HTTPConnection

import pytest

from engine.commands import TableOptions
from engine.shuffle import game_id_of
from service.api.bulk_exports import EXPORTS_PER_APP
from service.directory import ends_for
from service.keyring import Keyring
from service.store.base import NO_HEAD, Marks, Row
from service.store.redis_store import RedisStore
from tests.processes import SECONDS, eventually
from tests.servers import OwnApi
from tests.streams import entries_of, stored_game
from tests.table import rules
from tests.tables import KEYS

GAMES = 250
"""So many that no buffer on the way holds them all."""

KEY = Keyring([KEYS[0].encode()]).app_key("shop", "0" * 12)


@pytest.fixture
def address(redis_db, tmp_path):
    """The address of a process with few threads, of which half may be held by exports."""
    keep_games(redis_db)
    own = OwnApi(tmp_path, redis_db, HEARTS_SECRET_KEYS=KEYS[0], HEARTS_API_THREADS="4")
    yield own.address
    own.close()


def keep_games(url):
    """Keep one game of an app many times over, each time under another id."""
    store = RedisStore(url)
    stored = stored_game(rules("standard"), random.Random(1))
    created, (_, *others) = stored[0], entries_of(stored)
    (ends,) = ends_for("shop", None, ["finished"])
    for number in range(GAMES):
        options, commitment = TableOptions(application="shop"), f"{number:032x}".ljust(64, "0")
        event = replace(created.event, options=options, commitment=commitment)
        entries = [*entries_of([created._replace(event=event)]), *others]
        game_id = game_id_of(commitment)
        marks = Marks(None, Row(game_id, created.time, b"row"), {ends: stored[-1].time})
        store.append(game_id, 0, NO_HEAD, entries, marks)
    store.close()


def begun(address):
    """Return a connection on which an export has begun, of which no more is read."""
    head = f"GET /v1/exports?limit=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\n\r\n"
    connection = socket.create_connection(address, SECONDS)
    connection.sendall(head.encode())
    return connection, connection.recv(1_000).split(b"\r\n")[0]


def status_of_another(address):
    """Return the status of an export that is read to its end."""
    connection = HTTPConnection(*address, timeout=SECONDS)
    try:
        connection.request("GET", "/v1/exports?limit=1", headers={"Authorization": f"Bearer {KEY}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def test_who_hangs_up_in_the_middle_frees_the_thread(address):
    for _ in range(3):
        some = [begun(address) for _ in range(EXPORTS_PER_APP)]
        assert {status for _, status in some} == {b"HTTP/1.1 200 OK"}
        assert status_of_another(address) == 429
        for connection, _ in some:
            connection.close()
        eventually(lambda: status_of_another(address) == 200)
