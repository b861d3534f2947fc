"""`make bench`: where the time goes, as ratios within one run.

Two servers side by side, ours and the floor, over one private store. Each row is measured
in rounds, ours and the floor in turn, so that what else the machine does hits both; the
median of the rounds' ratios is printed. Times are for orientation, ratios are the result.
"""

import json
import os
import random
import statistics
import time
from contextlib import contextmanager
from dataclasses import replace

from engine import commands as c
from engine.decide import decide
from engine.evolve import fold
from engine.presets import preset_rules
from engine.rules import Ending
from engine.shuffle import chain
from engine.state import table_of, turn_of
from service.keyring import Keyring
from service.schemas.responses import Viewer, event_data
from service.store.archive import pack, unpack
from service.store.codec import decode_all
from service.store.redis_store import RedisStore
from tests.archives import finished_games
from tests.bench import streams
from tests.bench.bots import bots
from tests.bench.listing import measure_pages
from tests.bench.load import Connection, measure, request_bytes
from tests.bench.processes import SECRET, processes
from tests.bench.rows import Row, say, shown
from tests.bench.tables import SEATS, Table, random_move
from tests.streams import entries_of, stored_game

ROUNDS = 7
COLUMNS = 4
MOVES = 150
READS = 250
THREADS = 64
EVERYBODY = Viewer(everything=True)


def main():
    rows = []
    with services() as (ours, floor, lines, url):
        for part in (moves, conditional_reads, states, pages, with_bots, long_games):
            rows += shown(part, ours, floor)
        rows += shown(followed, ours, lines)
        for part in (listed, reading, archiving, dealing):
            rows += shown(part)
        rows += [memory(url)]
    rows += shown(bots)
    width = max(len(row.name) for row in rows)
    print()
    for row in rows:
        print(f"{row.name:{width}}  {row.ratio:8.2f}  {row.verdict():16}  {row.note}")


@contextmanager
def services():
    """Run both servers and a stream process over one private store, with one worker."""
    settings = {
        "HEARTS_API_THREADS": str(THREADS),
        "HEARTS_STREAMS": "2000",
        "HEARTS_STREAMS_PER_ADDRESS": "2000",
    }
    with processes(**settings) as running:
        ours = running.serve("service.server", "FD")
        floor = running.serve("tests.bench.floor", "FD", str(THREADS), running.url)
        lines = running.serve("service.stream_server", "FD", for_streams=True)
        running.start("service", "worker")
        yield ours, floor, lines, running.url


def keyring():
    return Keyring([SECRET.encode()])


def compared(name, bar, rounds, note=""):
    """Return the rows of throughput and processor time for pairs of (ours, floor)."""
    walls = [floor.wall / ours.wall for ours, floor in rounds]
    cpus = [floor.cpu / ours.cpu for ours, floor in rounds]
    wall = statistics.median(ours.wall for ours, _ in rounds) * 1e6
    cpu = statistics.median(ours.cpu for ours, _ in rounds) * 1e6
    note = f"{wall:.0f} µs wall, {cpu:.0f} µs cpu {note}"
    return [
        Row(name, statistics.median(walls), bar, False, note),
        Row("    the same, in processor time", statistics.median(cpus), None, False, ""),
    ]


def floor_columns(count, verb="append"):
    method = "POST" if verb == "append" else "GET"
    body = b'{"type":"play","card":"QS","turn_id":43}' if verb == "append" else b""
    streams = [os.urandom(16).hex() for _ in range(COLUMNS)]
    return [[request_bytes(method, f"/{verb}/{one}", "x" * 79, body)] * count for one in streams]


def read_columns(floor, count):
    columns = floor_columns(1)
    measure(floor, columns, 201)
    return [[one[0].replace(b"POST /append", b"GET /read")] * count for one in columns]


def table_columns(ours, count):
    tables = [Table(ours, keyring(), 8) for _ in range(COLUMNS)]
    return [[request for _, request in table.moves()][:count] for table in tables]


def moves(ours, floor):
    """POST move, a person next, against one bare append"""
    rounds = []
    for _ in range(ROUNDS):
        columns = table_columns(ours, MOVES)
        rounds.append((measure(ours, columns, 201), measure(floor, floor_columns(MOVES), 201)))
    return compared("POST move, a person next / bare append", 0.6, rounds[1:])


def conditional_reads(ours, floor):
    """GET state answered 304 against one bare read"""
    table, rounds = Table(ours, keyring(), 1), []
    tag = f'If-None-Match: "{2 + SEATS + 1}-s0"'
    request = request_bytes("GET", table.path, table.tokens[0], headers=[tag])
    for _ in range(ROUNDS):
        known = measure(ours, [[request] * READS] * COLUMNS, 304)
        rounds.append((known, measure(floor, read_columns(floor, READS), 200)))
    return compared("GET state, 304 / bare read", 0.8, rounds[1:])


def states(ours, floor):
    """GET state against one bare read"""
    table, rounds = Table(ours, keyring(), 1), []
    request = request_bytes("GET", table.path, table.tokens[0])
    for _ in range(ROUNDS):
        full = measure(ours, [[request] * READS] * COLUMNS, 200)
        rounds.append((full, measure(floor, read_columns(floor, READS), 200)))
    return compared("GET state / bare read", None, rounds[1:])


def pages(ours, floor):
    """GET a page of 100 events against one bare read"""
    table, rounds = Table(ours, keyring(), 2), []
    measure(ours, [[request for _, request in table.moves()]], 201)
    request = request_bytes("GET", f"{table.path}/events?limit=100", table.tokens[0])
    for _ in range(ROUNDS):
        page = measure(ours, [[request] * 60] * COLUMNS, 200)
        rounds.append((page, measure(floor, read_columns(floor, READS), 200)))
    return compared("GET 100 events / bare read", None, rounds[1:])


def with_bots(ours, floor):
    """POST move, a bot next, against the same with a person next"""
    alone = [_one_by_one(ours, _people(ours)) for _ in range(3)]
    bots = [_bot_round(ours) for _ in range(3)]
    ratio = statistics.median(alone) / statistics.median(posts for posts, _ in bots)
    around = statistics.median(wait for _, wait in bots) * 1e3
    note = f"the queue's share; {around:.1f} ms until three bots have moved"
    return [Row("POST move, a person next / a bot next", ratio, None, False, note)]


def _people(ours):
    return [request for _, request in Table(ours, keyring(), 1).moves()]


def _one_by_one(server, requests):
    connection, times = Connection(server.address), []
    for request in requests:
        began = time.perf_counter()
        connection.send(request)
        status, body = connection.receive()
        times.append(time.perf_counter() - began)
        if status != 201:
            raise AssertionError(body)
    return statistics.median(times)


def _bot_round(server):
    """Return the median time of a move's answer, and of the bots' after it."""
    connection = Connection(server.address)

    def ask(method, path, token=None, body=None):
        raw = b"" if body is None else json.dumps(body).encode()
        connection.send(request_bytes(method, path, token, raw))
        return json.loads(connection.receive()[1])

    rules = {"ending": {"target": None, "deals": 2, "tie": "share"}}
    made = ask("POST", "/v1/games", None, {"rules": rules, "claim": {"seat": 0, "name": "Ana"}})
    path, token = f"/v1/games/{made['id']}", made["seat_token"]
    ask("POST", f"{path}/start", made["host_token"])
    posts, waits, moved_at = [], [], None
    while (state := ask("GET", path, token))["status"] == "active":
        if not state["you"]["to_act"]:
            ask("GET", f"{path}/events?after={state['version']}&wait=5", token)
            continue
        if moved_at is not None:
            waits.append(time.perf_counter() - moved_at)
        move = state["you"]["legal_moves"][0] | {"turn_id": state["turn"]["id"]}
        began = time.perf_counter()
        ask("POST", f"{path}/moves", token, move)
        moved_at = time.perf_counter()
        posts.append(moved_at - began)
    return statistics.median(posts), statistics.median(waits)


def long_games(ours, floor):
    """POST move at versions 100, 1,000 and 5,000"""
    table = Table(ours, keyring(), 75)
    connection, times = Connection(ours.address), {100: [], 1000: [], 5000: []}
    for version, request in table.moves():
        began = time.perf_counter()
        connection.send(request)
        connection.receive()
        for place, found in times.items():
            if place <= version < place + 300:
                found.append(time.perf_counter() - began)
    early, *later = (statistics.median(found) for found in times.values())
    names = list(times)[1:]
    return [
        Row(f"a move at version {name} / at 100", value / early, 1.2, True, "")
        for name, value in zip(names, later, strict=True)
    ]


def median(values):
    """Return the words for the median of *values*."""
    return f"{statistics.median(values):.1f} at the median"


def followed(ours, lines):
    """a thousand open streams, and moves beside them"""
    weight, ratio, waits = streams.measured(ours, lines, keyring())
    event, move = ([seconds * 1e3 for seconds in clock] for clock in zip(*waits, strict=True))
    heard, sent = "ms from an event to the last of 20 listeners", "ms from its move being sent"
    return [
        Row("kB for each of 1,000 open streams", weight, 30, True, "with 250 games"),
        Row(f"{heard}, p99", streams.p99(event), 20, True, median(event)),
        Row(f"{sent}, p99", streams.p99(move), None, True, median(move)),
        Row("p99 of a move with 1,000 streams / without", ratio, 1.5, True, ""),
    ]


def listed():
    """pages of the list of games, of a hundred games and of ten thousand"""
    return [
        Row(f"a page of 10,000 games / of 100: {page.name}", page.ratio, 3, True, page.note)
        for page in measure_pages()
    ]


def reading():
    """decode and fold of a finished game against json.loads of its lines"""
    stored = stored_game(preset_rules("standard", 4), random.Random(3))
    entries = entries_of(stored)
    lines = [json.dumps(event_data(one, EVERYBODY)).encode() for one in stored]
    ratios = []
    for _ in range(15):
        began = time.perf_counter()
        fold(None, (one.event for one in decode_all(entries, 1, None)))
        middle = time.perf_counter()
        for line in lines:
            json.loads(line)
        ratios.append((middle - began) / (time.perf_counter() - middle))
    note = f"{len(stored)} events"
    return [Row("decode and fold a game / json.loads", statistics.median(ratios), 2, True, note)]


def archiving():
    """finished games as archives: what they take, and how long they are read"""
    games = finished_games(50)
    sizes, times, shares = [], [], []
    for entries in games:
        record = pack(entries)
        began = time.perf_counter()
        unpack(record)
        times.append(time.perf_counter() - began)
        sizes.append(len(record))
        shares.append(sum(map(len, entries)) / len(record))
    note = f"{len(games)} games of 6 to 8 deals; at most {max(sizes)}, without names of commands"
    read = statistics.median(times) * 1e3
    return [
        Row("bytes of an archived game", statistics.mean(sizes), 2_500, True, note),
        Row("    bytes of its entries / of its record", statistics.mean(shares), None, True, ""),
        Row("ms to read an archived game", read, 20, True, f"at most {max(times) * 1e3:.0f}"),
    ]


def dealing():
    """random deals through the engine against open_spiel"""
    try:
        import pyspiel
    except ImportError:
        say("open_spiel is not installed: `make bench` installs it where it has a wheel")
        return []
    ratios = []
    for number in range(7):
        began = time.perf_counter()
        _our_deals(60, random.Random(number))
        middle = time.perf_counter()
        _their_deals(pyspiel, 60, random.Random(number))
        ratios.append((time.perf_counter() - middle) / (middle - began))
    note = "decide and fold, events and all"
    return [Row("random deals / open_spiel from Python", statistics.median(ratios), 2, False, note)]


def _our_deals(count, rng):
    rules = replace(preset_rules("standard", 4), ending=Ending(target=None, deals=256))
    links = [link.hex() for link in chain(rng.randbytes(32))]
    seats = (c.BotSeat("random", "Bot"),) * SEATS
    state = None
    for command in (c.CreateGame(rules, seats, links[0], "", ""), c.StartGame()):
        state = fold(state, decide(state, command, links.__getitem__))
    while len(table_of(state).dealt) <= count:
        move = random_move(state, turn_of(state), rng)
        state = fold(state, decide(state, move, links.__getitem__))


def _their_deals(pyspiel, count, rng):
    game = pyspiel.load_game("hearts(pass_cards=true)")
    for _ in range(count):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                action, _ = rng.choice(state.chance_outcomes())
            else:
                action = rng.choice(state.legal_actions())
            state.apply_action(action)


def memory(url):
    """bytes of Redis memory per event"""
    store = RedisStore(url)
    client = store.client()
    stored = stored_game(preset_rules("standard", 4), random.Random(5))
    key = "bench:memory"
    for number, entry in enumerate(entries_of(stored), 1):
        client.xadd(key, {"e": entry}, id=f"{number}-0")
    ratio = client.memory_usage(key, samples=0) / len(stored)
    client.delete(key)
    return Row("bytes of Redis per event", ratio, 130, True, f"{len(stored)} events, standard")


if __name__ == "__main__":
    main()
