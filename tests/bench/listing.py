"""What a page of the list of games takes: with a hundred games, and with ten thousand."""

import hashlib
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.presets import preset_rules
from service.directory import App, Line, lists_of
from service.embedded import private_server
from service.store.base import NO_HEAD, Marks, Row
from service.store.redis_store import RedisStore
from tests.bench.tables import SEATS
from tests.streams import CREATED_AT, entries_of, stored_game
from tests.tables import Api, make_app

FEW, MANY = 100, 10_000
ROUNDS = 150
PERCENTILE = 95
QUERIES = {
    "newest": "",
    "open tables": "status=lobby&open_seats_min=1",
    "rare preset": "preset=spot",
    "last moved": "sort=-last_event_at",
}


class Page(NamedTuple):
    """The 95th percentile of a page with many games as a ratio to that with few, and a note."""

    name: str
    ratio: float
    note: str


def measure_pages():
    """Return a `Page` for each of the queries."""
    with tempfile.TemporaryDirectory() as folder, private_server(Path(folder)) as url:
        api, store = Api(make_app(url)), RedisStore(url)
        entry = entries_of(stored_game(preset_rules("standard", SEATS), random.Random(3)))[0]
        _fill(store, range(FEW), entry)
        few = _times(api)
        _fill(store, range(FEW, MANY), entry)
        many = _times(api)
        store.close()
    return [
        Page(name, many[name] / few[name], f"{few[name]:.1f} ms, {many[name]:.1f} ms")
        for name in QUERIES
    ]


def _fill(store, numbers, entry):
    for number in numbers:
        game_id = hashlib.blake2b(b"%d" % number, digest_size=16).hexdigest()
        at = CREATED_AT + number * 1_000
        line = _line(number, at)
        row = Row(game_id, at, msgspec.msgpack.encode(line))
        marks = Marks(None, row, lists_of(line, App(), at))
        store.append(game_id, 0, NO_HEAD, [entry], marks)


def _line(number, at):
    status = ("lobby", "active", "finished", "finished")[number % 4]
    free = status == "lobby"
    seats = [("Ana", False), (None if free else "Bea", False), ("Bot", True), ("Bot", True)]
    preset = "spot" if number % 50 == 0 else "standard"
    return Line(status, preset, seats, created_at=at)


def _times(api):
    """Return for each query the 95th percentile of a page of 20, in milliseconds."""
    taken = {name: [] for name in QUERIES}
    client = api.app.test_client()
    for _ in range(ROUNDS):
        for name, query in QUERIES.items():
            began = time.perf_counter()
            answer = client.get(f"/v1/games?{query}")
            taken[name].append((time.perf_counter() - began) * 1_000)
            assert answer.status_code == 200, answer.text
    return {name: _percentile(times) for name, times in taken.items()}


def _percentile(times):
    return statistics.quantiles(times, n=100)[PERCENTILE - 1]
