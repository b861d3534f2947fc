"""A server that says what it is told to one command, to see what the store makes of it."""

import socket
import threading
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import hiredis

SILENCE = None
_GOOD = {b"PING": b"+PONG\r\n", b"HGET": b"$-1\r\n", b"GET": b"$-1\r\n"}


@contextmanager
def answering(*answers, to=b"EVALSHA"):
    """Run a server on a loopback port that sends the next of *answers*, then the last for ever.

    They answer the command *to*, all others it finds good. `SILENCE` keeps the connection
    open without a word; bytes that end no line close it after them. Yields its *url* and
    *asked*, a list with one item for each time the command came.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = SimpleNamespace(url=f"redis://127.0.0.1:{port}", to=to, asked=[], open=[])
        accepting = threading.Thread(target=_accept, args=[listener, server, answers], daemon=True)
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


def _accept(listener, server, answers):
    talks = []
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            break
        server.open.append(connection)
        talks.append(
            threading.Thread(target=_talk, args=[connection, server, answers], daemon=True)
        )
        talks[-1].start()
    for talk in talks:
        talk.join()


def _talk(connection, server, answers):
    reader = hiredis.Reader()
    while heard := _receive(connection):
        reader.feed(heard)
        while command := reader.gets():
            if command[0] != server.to:
                connection.sendall(_GOOD.get(command[0], b"+OK\r\n"))
                continue
            server.asked.append(command)
            answer = answers[min(len(server.asked), len(answers)) - 1]
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
