"""A connection to a process, spoken over byte by byte."""

import json
import socket
import time
from typing import NamedTuple

from requests.structures import CaseInsensitiveDict

SECONDS = 10


class Raw(NamedTuple):
    """An answer as it came; *status* is 0 if the connection was closed without one."""

    status: int
    headers: CaseInsensitiveDict
    body: bytes

    @property
    def code(self):
        return self.json["code"]

    @property
    def json(self):
        return json.loads(self.body)


class Wire:
    """One connection to *address*."""

    def __init__(self, address):
        self._socket = socket.create_connection(address, SECONDS)
        self._file = self._socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
        self._socket.close()

    def send(self, *parts, pause=0.0):
        for number, part in enumerate(parts):
            if number:
                time.sleep(pause)
            self._socket.sendall(part)

    def finish(self):
        """Say that nothing more will come."""
        self._socket.shutdown(socket.SHUT_WR)

    def answer(self, method="GET"):
        """Return the next answer that is no mere "go on"."""
        while (found := self._next(method)).status == 100:
            pass
        return found

    def _next(self, method):
        try:
            line = self._file.readline()
        except ConnectionError:
            line = b""
        if not line:
            return Raw(0, {}, b"")
        status, headers = int(line.split()[1]), CaseInsensitiveDict()
        while (line := self._file.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers[name] = value.strip()
        length = 0 if method == "HEAD" else int(headers.get("Content-Length", 0))
        return Raw(status, headers, self._file.read(length))
