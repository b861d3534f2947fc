"""Where things are in tests of the deployment."""

import random
import socket
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parents[2]


def free_port():
    """Return a port that was free a moment ago."""
    return free_row(1)


def free_row(count):
    """Return the first of *count* ports side by side that were free a moment ago.

    They lie below those that systems give to whoever asks for any: between the look and the
    use, those go to the connections of other tests.
    """
    while True:
        first = random.randrange(20_000, 32_000 - count)
        with ExitStack() as taken:
            try:
                for port in range(first, first + count):
                    taken.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError:
                continue
            return first
