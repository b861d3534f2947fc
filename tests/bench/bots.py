"""How long people wait for bots that search, and for others beside them.

Tables of one person and three bots over HTTP, with two workers and no think time
(`HEARTS_BOT_DELAY=0`). People move at a rate that is set, each time at some table whose turn
is the person's. A wait is from the answer to a person's move until that person is to act
again; whoever follows the bell and reads the log sees that. Nobody passes cards: deals hold.

    python -m tests.bench.bots
"""

import json
import os
import random
import statistics
import time
from contextlib import contextmanager

from engine.cards import code_of, each
from engine.playing import legal_plays
from engine.state import situation
from service.games import Games
from service.kernel import kernel_kind
from service.live import BELL
from service.store.redis_store import RedisStore
from tests.bench.load import Connection, request_bytes
from tests.bench.processes import processes
from tests.bench.rows import Row, say, shown

PERSON = 0
SLOW_TABLES, QUICK_TABLES = 100, 20
SLOW, QUICK = "expert", "medium"
WORKERS = 2
USUAL_RATE = 20
"""Moves a second at a hundred tables, where everybody needs five seconds for a card."""

QUICK_RATE = 10
LEAD_IN, SETTLES, LASTS = 15.0, 2.0, 10.0
FULL_LOAD = 1_000
STEP = 0.85
LONGEST_WAIT = 2.0
MOST_STEPS = 5
RULES = {
    "passing": {"cycle": ["hold"]},
    "scoring": {"moon": "others_add"},  # a person has nothing but cards to play
    "ending": {"target": None, "deals": 256, "tie": "share"},
}


class Seated:
    """A started game of one person and three bots of *level*; *waits* are seconds."""

    def __init__(self, address, level):
        self._address = address
        bots = [{"kind": "bot", "level": level}] * 3
        body = {"rules": RULES, "seats": [{"kind": "human"}, *bots]}
        body["claim"] = {"seat": PERSON, "name": "Ana"}
        made = self._ask("POST", "/v1/games", None, body)
        self.game_id, self._token = made["id"], made["seat_token"]
        self._path = f"/v1/games/{made['id']}"
        self._ask("POST", f"{self._path}/start", made["host_token"])
        self._moved_at = None
        self.waits = []

    def _ask(self, method, path, token, body=None):
        raw = b"" if body is None else json.dumps(body).encode()
        # A connection of its own: a server hangs up on one that is silent for long.
        connection = Connection(self._address)
        connection.send(request_bytes(method, path, token, raw))
        status, answer = connection.receive()
        if status >= 400:
            raise AssertionError(answer)
        return json.loads(answer)

    def play(self, game, rng):
        """Play any card, in *game*, in which the person is to play."""
        card = rng.choice(list(each(legal_plays(situation(game.state, PERSON)))))
        body = {"type": "play", "card": code_of(card), "turn_id": game.turn.id}
        self._ask("POST", f"{self._path}/moves", self._token, body)
        self._moved_at = time.perf_counter()

    def comes_round(self):
        """Note that the person is to act again."""
        if self._moved_at is not None:
            self.waits.append(time.perf_counter() - self._moved_at)
            self._moved_at = None


class Crowd:
    """People at *tables*, who move as often as they are told to."""

    def __init__(self, tables, rng):
        self._tables, self._rng = tables, rng
        self._ready = {}
        self._next_at = float("inf")
        self._pause = 0.0

    def go(self, rate):
        """Move *rate* times a second from now on; 0 is never."""
        self._pause = 1 / rate if rate else float("inf")
        self._next_at = time.perf_counter() + self._pause
        self.waits()

    def waits(self):
        """Return how long people have waited since this was asked."""
        found = [wait for table in self._tables.values() for wait in table.waits]
        for table in self._tables.values():
            table.waits = []
        return found

    @property
    def away(self):
        """How many tables have not come round."""
        return len(self._tables) - len(self._ready)

    def look_at(self, game):
        """See whether the person at *game* is to act."""
        if game.turn is not None and game.turn.seats == (PERSON,):
            self._tables[game.game_id].comes_round()
            self._ready[game.game_id] = game

    def act(self):
        """Make a move if one is due and anybody can; say in how many seconds the next one is."""
        now = time.perf_counter()
        if self._next_at <= now and self._ready:
            game = self._ready.pop(self._rng.choice(list(self._ready)))
            self._tables[game.game_id].play(game, self._rng)
            # What could not be made in time is not made up for.
            self._next_at = max(self._next_at + self._pause, now)
        return max(0.0, self._next_at - time.perf_counter()) if self._ready else 1.0


class Hall:
    """All tables of a run, followed by one listener."""

    def __init__(self, address, url):
        rng, store = random.Random(5), RedisStore(url)
        self._games = Games(store)
        self._bell = store.client().pubsub(ignore_subscribe_messages=True)
        self._bell.subscribe(BELL)
        self._of = {}
        self.slow = self._seated(SLOW_TABLES, SLOW, address, rng)
        self.quick = self._seated(QUICK_TABLES, QUICK, address, rng)

    def _seated(self, count, level, address, rng):
        tables = [Seated(address, level) for _ in range(count)]
        crowd = Crowd({table.game_id: table for table in tables}, rng)
        self._of |= dict.fromkeys((table.game_id for table in tables), crowd)
        for table in tables:
            crowd.look_at(self._games.read(table.game_id))
        return crowd

    def run(self, seconds):
        """Let people play for so long."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            wait = min(left, self.slow.act(), self.quick.act())
            self._listen(wait)

    def settle(self):
        """Wait until all tables have come round."""
        self.slow.go(0)
        self.quick.go(0)
        while self.slow.away or self.quick.away:
            self.run(0.1)

    def _listen(self, seconds):
        rung = set()
        message = self._bell.get_message(timeout=seconds)
        while message is not None:
            rung.add(message["data"].split()[0].decode())
            message = self._bell.get_message(timeout=0)
        for game_id in rung & self._of.keys():
            self._of[game_id].look_at(self._games.read(game_id))


@contextmanager
def hall():
    """Run the API and the workers, on two cores, and seat everybody."""
    with processes(HEARTS_BOT_DELAY="0") as running:
        api = running.serve("service.server", "FD")
        for _ in range(WORKERS):
            _on_two_cores(running.start("service", "worker"))
        yield Hall(api.address, running.url)
        said = running.said()
        failed, fallbacks = said.count("a job failed"), said.count("a fallback move")
        say(f"    {failed} jobs failed, {fallbacks} fallback moves")


def _on_two_cores(pid):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(pid, sorted(os.sched_getaffinity(0))[:2])


def bots():
    """people who wait for bots that search, and for others beside them"""
    with hall() as full:
        full.settle()
        full.slow.go(FULL_LOAD)
        full.run(LEAD_IN)
        full.settle()
        usual, made = _at_rate(full, USUAL_RATE)
        rate, waits = _most(full)
        full.settle()
        alone, beside = _quick(full, 0), _quick(full, FULL_LOAD)
    note = f"{SLOW_TABLES} tables, {made:.0f} moves of people a second; {_setting()}"
    most = f"{SLOW_TABLES} tables of three {SLOW}; p95 {_ms(waits, 95):.0f} ms there; no passes"
    quick = f"{QUICK_TABLES} tables of {QUICK}, {QUICK_RATE} moves a second"
    loaded = f"{_ms(beside, 95):.0f} ms beside {SLOW_TABLES} {SLOW} tables at full load"
    return [
        Row(f"ms until tables of three {SLOW} come round, p95", _ms(usual, 95), 2_000, True, note),
        Row("moves of people a second with p95 below 2 s", rate, None, True, most),
        Row("ms until a quick table comes round, p95", _ms(alone, 95), None, True, quick),
        Row("    beside slow ones / without", _ms(beside, 95) / _ms(alone, 95), None, True, loaded),
    ]


def _setting():
    return f"{WORKERS} workers, two cores, kernel {kernel_kind()}, no think time, no passes"


def _at_rate(full, rate):
    """Return the waits at *rate* moves a second, and how many a second there were."""
    full.slow.go(rate)
    full.run(SETTLES)
    full.slow.waits()
    full.run(LASTS)
    waits = full.slow.waits()
    return waits, len(waits) / LASTS


def _most(full):
    """Return at how many moves a second people wait for `LONGEST_WAIT` at most, and how long."""
    rate = FULL_LOAD
    for _ in range(MOST_STEPS):
        waits, made = _at_rate(full, rate)
        say(f"    {made:.1f} moves a second, p95 {_ms(waits, 95):.0f} ms")
        full.settle()
        if _ms(waits, 95) < 1e3 * LONGEST_WAIT:
            break
        rate = made * STEP
    return made, waits


def _quick(full, slow_rate):
    full.slow.go(slow_rate)
    full.quick.go(QUICK_RATE)
    full.run(SETTLES)
    full.quick.waits()
    full.run(LASTS)
    waits = full.quick.waits()
    full.settle()
    return waits


def _ms(waits, percent):
    return 1e3 * statistics.quantiles(waits, n=100)[percent - 1]


if __name__ == "__main__":
    for row in shown(bots):
        print(f"{row.name}  {row.ratio:.2f}  {row.verdict()}  {row.note}")
