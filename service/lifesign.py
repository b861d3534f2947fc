"""An API process says that it is there, as long as it serves.

Where nobody can move, nobody's time is up: `service/watch.py` has what workers make of it. A
stream process says nothing, since nobody moves through it.
"""

import threading
from typing import Final

from redis.exceptions import RedisError

from service import stopping
from service.outage import Outage
from service.watch import Watch

EVERY_SECONDS: Final = 0.5


class LifeSign:
    """Says twice a second on a thread of its own, until the process is to end, that we serve."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._outage = Outage("the sign that the API is there")

    def start(self) -> None:
        """Start the thread; it ends by itself, and keeps no process alive."""
        threading.Thread(target=self._run, name="lifesign", daemon=True).start()

    def _run(self) -> None:
        self.round()
        while not stopping.wait(EVERY_SECONDS):
            self.round()

    def round(self) -> None:
        """Say it once; where the queue's server is away, the next round says it."""
        try:
            self._watch.serve()
        except RedisError as exc:
            self._outage.begins(exc)
        else:
            self._outage.ends()
