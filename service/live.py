"""The bell: one listener in each process wakes every request that waits for its game.

A wait first takes an ear, then reads the log, then waits: nothing falls between. The bell
only shortens waits. It may be lost with its connection, so whoever waits reads the log
again every few seconds, and what counts is the log.
"""

import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from redis import Redis
from redis.client import PubSub
from redis.exceptions import ConnectionError as LostConnectionError

from service import stopping
from service.outage import Outage
from service.store.keys import BELL

WAITS_PER_KEY: Final = 2
_LOOK_EVERY_SECONDS: Final = 0.25
_SUBSCRIBES_WITHIN_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.5
_ASK_AFTER_SECONDS: Final = 5.0
_GIVE_UP_AFTER_SECONDS: Final = 8.0


class StreamCapacityError(Exception):
    """This process holds as many waits as it may."""


class TooManyStreamsError(Exception):
    """One caller holds as many waits as it may."""


class Ear:
    """Hears that one game has moved on, or may have."""

    def __init__(self) -> None:
        self._rung = threading.Event()

    def ring(self) -> None:
        """Wake whoever waits, or the next who will."""
        self._rung.set()

    def wait(self, seconds: float) -> bool:
        """Wait up to *seconds*, and return True at once when it is time to look at the log.

        That is after a ring since the last wait, and when the process is to end.
        """
        if stopping.is_stopping():
            return True
        rung = self._rung.wait(seconds)
        self._rung.clear()
        return rung


class Bell:
    """Lets up to *capacity* requests of this process wait, each for one game.

    *connect* gives a client of the store for the listener alone. The listener starts with
    the first wait.
    """

    def __init__(self, connect: Callable[[], Redis], capacity: int) -> None:
        self._connect = connect
        self._capacity = capacity
        self._rooms: dict[int, _Room] = {}

    @contextmanager
    def listening(self, game_id: str, key: str | None = None) -> Iterator[Ear]:
        """Listen for *game_id* while inside; *key* names the caller, None is not counted.

        Raises:
            TooManyStreamsError: The caller waits `WAITS_PER_KEY` times already.
            StreamCapacityError: This process has no room for one more.
        """
        # Threads and locks do not survive a fork, so each process has its own.
        pid = os.getpid()
        room = self._rooms.get(pid) or self._rooms.setdefault(
            pid, _Room(self._connect, self._capacity)
        )
        ear = room.enter(game_id, key)
        try:
            yield ear
        finally:
            room.leave(ear, game_id, key)


class _Room:
    """Who waits in one process, and its listener."""

    def __init__(self, connect: Callable[[], Redis], capacity: int) -> None:
        self._connect = connect
        self._capacity = capacity
        self._lock = threading.Lock()
        self._ears: defaultdict[str, set[Ear]] = defaultdict(set)
        self._waits: Counter[str] = Counter()
        self._count = 0
        self._listener: _Listener | None = None

    def enter(self, game_id: str, key: str | None) -> Ear:
        with self._lock:
            self._check(key)
            if self._listener is None:
                self._listener = _Listener(self._connect, self)
            ear = Ear()
            self._ears[game_id].add(ear)
            self._count += 1
            if key is not None:
                self._waits[key] += 1
        self._listener.subscribed.wait(_SUBSCRIBES_WITHIN_SECONDS)
        return ear

    def leave(self, ear: Ear, game_id: str, key: str | None) -> None:
        with self._lock:
            self._count -= 1
            self._ears[game_id].discard(ear)
            if not self._ears[game_id]:
                del self._ears[game_id]
            if key is not None:
                self._waits[key] -= 1
                self._waits += Counter()  # drops who waits no longer

    def _check(self, key: str | None) -> None:
        if key is not None and self._waits[key] >= WAITS_PER_KEY:
            raise TooManyStreamsError
        if self._count >= self._capacity:
            raise StreamCapacityError

    def ring(self, game_id: str) -> None:
        """Wake those who wait for *game_id*."""
        with self._lock:
            ears = list(self._ears.get(game_id, ()))
        for ear in ears:
            ear.ring()

    def ring_all(self) -> None:
        """Wake everybody: something may have been missed."""
        with self._lock:
            ears = [ear for some in self._ears.values() for ear in some]
        for ear in ears:
            ear.ring()


class _Listener:
    """Hears the bell for a room, on a thread and a connection of its own."""

    def __init__(self, connect: Callable[[], Redis], room: _Room) -> None:
        self.subscribed = threading.Event()
        self._room = room
        self._outage = Outage("the bell")
        self._heard_at = 0.0
        threading.Thread(target=self._run, args=(connect,), name="bell", daemon=True).start()

    def _run(self, connect: Callable[[], Redis]) -> None:
        with connect() as client:
            while not stopping.is_stopping():
                try:
                    with client.pubsub() as pubsub:
                        self._listen(pubsub)
                except Exception as exc:  # noqa: BLE001 - said once; the bell must be heard again
                    self.subscribed.clear()
                    self._outage.begins(exc)
                    stopping.wait(_PAUSE_SECONDS)
        self._room.ring_all()

    def _listen(self, pubsub: PubSub) -> None:
        pubsub.subscribe(BELL)
        self._heard_at = time.monotonic()
        has_asked = False
        while not stopping.is_stopping():
            message = pubsub.get_message(timeout=_LOOK_EVERY_SECONDS)
            silent = time.monotonic() - self._heard_at
            if message is not None:
                self._hear(message)
                has_asked = False
            elif silent > _GIVE_UP_AFTER_SECONDS:
                raise LostConnectionError("the store is silent")
            elif silent > _ASK_AFTER_SECONDS and not has_asked:
                pubsub.ping()
                has_asked = True

    def _hear(self, message: dict[str, Any]) -> None:
        self._heard_at = time.monotonic()
        if message["type"] == "message":
            game_id, _, _ = message["data"].partition(b" ")
            self._room.ring(game_id.decode("ascii", "replace"))
        elif message["type"] == "subscribe":
            # Whatever rang before was not heard.
            self.subscribed.set()
            self._outage.ends()
            self._room.ring_all()
