"""The processes that a benchmark runs, over a private store of their own."""

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

from service.embedded import private_server
from service.listener import listen
from tests.bench.load import Server

SECRET = "bench-" * 8


class Processes:
    """Processes over the store at *url*, until *stack* is closed."""

    def __init__(self, stack, folder, url, settings):
        self.url = url
        self._stack = stack
        self._environ = os.environ | {
            "HEARTS_EVENTS_URL": url,
            "HEARTS_DATA_DIR": str(folder),
            "HEARTS_SECRET_KEYS": SECRET,
            "HEARTS_RATE_LIMITS": "off",
            **settings,
        }
        self._path = folder / "log"
        self._log = stack.enter_context(self._path.open("wb"))

    def start(self, *words, fds=()):
        """Start a module with *words*, and return its process id."""
        command = [sys.executable, "-m", *words]
        process = subprocess.Popen(
            command, env=self._environ, pass_fds=fds, stdout=self._log, stderr=self._log
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.terminate)
        return process.pid

    def serve(self, *words, **more):
        """Start a server that takes a listener where *words* say FD; *more* is of the listener."""
        listener = self._stack.enter_context(listen("127.0.0.1", 0, **more))
        number = listener.fileno()
        place = [str(number) if word == "FD" else word for word in words]
        return Server(listener.getsockname(), self.start(*place, fds=[number]))

    def said(self):
        """Return all that they have written."""
        return self._path.read_text(errors="replace")


@contextmanager
def processes(**settings):
    """Open a private store, with no process yet; *settings* are those beside the usual ones."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield Processes(stack, folder, stack.enter_context(private_server(folder)), settings)
