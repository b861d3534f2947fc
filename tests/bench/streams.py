"""A thousand open streams in one stream process: what they weigh, and whom they keep waiting.

Every seat of 250 tables is followed, and one table by spectators besides. At that table
and at three others cards are played at the same time. Two clocks run until the last listener
of its table has the event: one from the time that the event itself names, one from sending
the move. What opening so many at once costs is not in it: it is over before.
"""

import json
import selectors
import socket
import statistics
import time
from contextlib import closing
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.bench.load import Connection, request_bytes
from tests.bench.tables import SEATS, Table

TABLES = 250
SPECTATORS = 16
ROUNDS = 5
MOVES = 200
ELSEWHERE = 3


class Wait(NamedTuple):
    """Seconds until the last listener had an event, from its making and from its move's sending."""

    event: float
    move: float


class Listener:
    """One open stream, whose frames are counted by their ids."""

    def __init__(self, address, path, token):
        self.socket = socket.create_connection(address, timeout=20)
        self.socket.sendall(request_bytes("GET", f"{path}/stream", token))
        self.version = 0
        self._line = self._data = self._rest = b""
        while not self.version:
            self.read()
        self.socket.setblocking(False)

    def fileno(self):
        return self.socket.fileno()

    def read(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise AssertionError("the server hung up")
        *lines, self._rest = (self._rest + got).split(b"\n")
        for before, line in pairwise([self._line, *lines]):
            if line.startswith(b"id: "):
                self.version = int(line[4:])
            elif before.startswith(b"id: "):
                self._data = line.removeprefix(b"data: ")
            self._line = line

    def made_at(self):
        """Return when the last event was made, in seconds since the epoch."""
        return datetime.fromisoformat(json.loads(self._data)["time"]).timestamp()

    def close(self):
        self.socket.close()


class Audience:
    """All listeners, of whom those of some tables are looked at."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self.listeners = []

    def open(self, address, tables, spectators):
        for table in tables:
            self.add(Listener(address, table.path, token) for token in table.tokens)
        self.add(Listener(address, tables[0].path, None) for _ in range(spectators))
        return self

    def add(self, listeners):
        for one in listeners:
            self.listeners.append(one)
            self._selector.register(one, selectors.EVENT_READ)

    def read(self, seconds):
        ready = self._selector.select(seconds)
        for key, _ in ready:
            key.fileobj.read()
        return len(ready)

    def rest(self):
        """Read until nothing more comes."""
        while self.read(0.02):
            pass

    def read_until(self, condition):
        deadline = time.perf_counter() + 20
        while not condition():
            self.read(1)
            if time.perf_counter() > deadline:
                raise AssertionError("an event did not come")

    def close(self):
        for one in self.listeners:
            one.close()
        self._selector.close()


class Played:
    """Tables at which one move after the other is sent over a connection of each."""

    def __init__(self, server, tables):
        self.columns = [(Connection(server.address), one.moves()) for one in tables]

    def send(self):
        for connection, moves in self.columns:
            connection.send(next(moves)[1])

    def receive(self):
        """Yield when each answer has come."""
        for connection, _ in self.columns:
            status, body = connection.receive()
            if status != 201:
                raise AssertionError(body)
            yield time.perf_counter()

    def answers(self, audience=None):
        """Return the seconds from sending a move at each table to each of the answers."""
        found = []
        for _ in range(MOVES):
            began = time.perf_counter()
            self.send()
            found += [answered - began for answered in self.receive()]
            if audience is not None:
                audience.read(0)
        return found

    def waits(self, audience, listeners):
        """Return how long each event of the first table took to all *listeners* of it."""
        found = []
        for _ in range(MOVES):
            audience.rest()
            known = max(one.version for one in listeners)
            began = time.perf_counter()
            self.send()
            audience.read_until(lambda: all(one.version > known for one in listeners))  # noqa: B023 - called at once
            now, took = time.time(), time.perf_counter() - began
            found.append(Wait(now - listeners[0].made_at(), took))
            list(self.receive())
        return found


def measured(ours, lines, keyring):
    """Return kB for each stream, the ratio of the API's p99, and the `Wait` for each event."""
    weights, ratios, waits = [], [], []
    tables = [Table(ours, keyring, 8) for _ in range(TABLES)]
    with closing(Audience().open(lines.address, tables[:2], 0)):
        pass  # what the first of them load is not theirs alone
    for _ in range(ROUNDS):
        busy = [Table(ours, keyring, 8) for _ in range(ELSEWHERE + 1)]
        alone = Played(ours, [Table(ours, keyring, 8) for _ in busy]).answers()
        before = memory(lines.pid)
        with closing(Audience().open(lines.address, tables, 0)) as audience:
            weights.append((memory(lines.pid) - before) / len(audience.listeners))
            audience.open(lines.address, busy, SPECTATORS)
            new = audience.listeners[TABLES * SEATS :]
            played = Played(ours, busy)
            audience.rest()  # the last to come are told who is there
            ratios.append(p99(played.answers(audience)) / p99(alone))
            waits += played.waits(audience, [*new[:SEATS], *new[-SPECTATORS:]])
    return weights[0], statistics.median(ratios), waits


def p99(values):
    """Return the value that one of a hundred is above."""
    return statistics.quantiles(values, n=100)[98]


def memory(pid):
    """Return the kB that the processes below *pid* have for themselves alone."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(_private(int(child)) for child in children)


def _private(pid):
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
