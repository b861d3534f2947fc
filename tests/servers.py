"""Servers for one test each: a store that may be mistreated, and the API as it is shipped."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from service import embedded, tether
from service.listener import listen
from tests.processes import environment


class OwnServer:
    """A server with its data in *folder*, to be frozen, killed and started again."""

    def __init__(self, folder):
        binary = os.environ.get("HEARTS_TEST_REDIS_BINARY")
        self._lock = embedded.lock_folder(folder)
        self.server = embedded.prepare(folder, "fsync", Path(binary) if binary else None)
        self.url = self.server.url
        self.process = None

    def start(self):
        self.process = self.server.start(self._lock)
        self.server.wait_until_ready(self.process)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    @contextmanager
    def frozen(self):
        self.freeze()
        try:
            yield
        finally:
            self.thaw()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        self._lock.close()


class OwnApi:
    """The API's process on a socket of its own, over the store at *url*; its log is in *log*.

    Or the process of another *module*, such as the one for streams.
    """

    def __init__(self, folder, url, *, module="service.server", **more):
        folder.mkdir(exist_ok=True)
        self.log = folder / "api.log"
        self._listener = listen("127.0.0.1", 0, for_streams="stream" in module)
        self.address = self._listener.getsockname()
        settings = {"HEARTS_EVENTS_URL": url, "HEARTS_API_THREADS": "8", **more}
        number = self._listener.fileno()
        # Tied to this process: a run that is killed leaves nothing behind.
        tied = [sys.executable, "-I", tether.__file__, str(os.getpid())]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*tied, sys.executable, "-m", module, str(number)],
                env=environment(folder, **settings),
                pass_fds=[number],
                stderr=log,
            )

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        self._listener.close()
