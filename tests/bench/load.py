"""Sends prepared requests over a few connections, and reads what they cost the server.

The client does as little as it can: requests are bytes made beforehand, answers are read
up to their length and looked at only for their status.
"""

import os
import re
import socket
import time
from pathlib import Path
from typing import NamedTuple

LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
TICKS = os.sysconf("SC_CLK_TCK")


class Run(NamedTuple):
    """What one run took: seconds of wall clock, and of the server's processors, per request."""

    wall: float
    cpu: float


class Connection:
    def __init__(self, address):
        self._socket = socket.create_connection(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request):
        self._socket.sendall(request)

    def receive(self):
        """Return status and body of the next answer."""
        got = b""
        while (end := got.find(b"\r\n\r\n")) < 0:
            got += self._more()
        status, found = int(got[9:12]), LENGTH.search(got[: end + 2])
        wanted = end + 4 + (int(found[1]) if found else 0)
        while len(got) < wanted:
            got += self._more()
        return status, got[end + 4 :]

    def _more(self):
        more = self._socket.recv(1 << 16)
        if not more:
            raise AssertionError("the server hung up")
        return more


def request_bytes(method, path, token=None, body=b"", headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", *headers]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def measure(server, columns, expected):
    """Send each column of requests over a connection of its own, all columns side by side."""
    connections = [Connection(server.address) for _ in columns]
    cpu, began = server.cpu_seconds(), time.perf_counter()
    for row in zip(*columns, strict=True):
        for connection, request in zip(connections, row, strict=True):
            connection.send(request)
        for connection in connections:
            status, body = connection.receive()
            if status != expected:
                raise AssertionError(f"{status} instead of {expected}: {body[:300]!r}")
    count = len(columns) * len(columns[0])
    wall = time.perf_counter() - began
    return Run(wall / count, (server.cpu_seconds() - cpu) / count)


class Server(NamedTuple):
    """A server to measure, by the process whose children answer."""

    address: tuple[str, int]
    pid: int

    def cpu_seconds(self):
        return sum(map(_cpu_seconds, [self.pid, *_children(self.pid)]))


def _children(pid):
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*found, *(below for child in found for below in _children(child))]


def _cpu_seconds(pid):
    values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / TICKS
