"""A server that says one thing to every script, to see what the store makes of it."""

import socket
import threading
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import hiredis

SILENCE = None


@contextmanager
def answering(answer):
    """Run a server on a loopback port that sends *answer* when an ``EVALSHA`` arrives.

    `SILENCE` keeps the connection open without a word; empty bytes close it. Yields its
    *url* and *scripts*, a list with one item for every script that came.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = SimpleNamespace(url=f"redis://127.0.0.1:{port}", scripts=[], open=[])
        accepting = threading.Thread(target=_accept, args=[listener, server, answer], daemon=True)
        accepting.start()
        try:
            yield server
        finally:
            for end in (listener, *server.open):
                _shut(end)
            accepting.join()


def _shut(end):
    with suppress(OSError):  # it may be shut already
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def _accept(listener, server, answer):
    talks = []
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            break
        server.open.append(connection)
        talks.append(threading.Thread(target=_talk, args=[connection, server, answer], daemon=True))
        talks[-1].start()
    for talk in talks:
        talk.join()


def _talk(connection, server, answer):
    reader = hiredis.Reader()
    while heard := _receive(connection):
        reader.feed(heard)
        while command := reader.gets():
            if command[0] != b"EVALSHA":
                connection.sendall(b"+PONG\r\n" if command[0] == b"PING" else b"+OK\r\n")
                continue
            server.scripts.append(command)
            if answer is not SILENCE:
                connection.sendall(answer)
            if answer is not SILENCE and not answer.endswith(b"\r\n"):
                _shut(connection)
                return


def _receive(connection):
    try:
        return connection.recv(65_536)
    except OSError:
        return b""  # it was shut
