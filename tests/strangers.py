"""A server that is none of ours, and answers whatever a test wants it to."""

import json
import socket
from contextlib import contextmanager
from threading import Thread

SECONDS = 10


@contextmanager
def stranger(answer):
    """Send *answer*, byte for byte, to each request, and hang up; give the address."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = Thread(target=_answer_all, args=(door, answer))
        thread.start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join()


def _answer_all(door, answer):
    while True:
        try:
            wire, _ = door.accept()
        except OSError:
            return  # the test is over
        with wire, wire.makefile("rb") as file:
            wire.settimeout(SECONDS)
            length = 0
            while (line := file.readline()).strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            file.read(length)
            wire.sendall(answer)


def answer(body, status="200 OK", length=None):
    """Return an answer with *body*, bytes or what becomes JSON, that says it has *length*."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    length = len(raw) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n".encode() + raw
