"""The bell: one listener in each process wakes everything in it that waits for a game.

A wait first takes an ear, then reads the log, then waits: nothing falls between. The bell
only shortens waits. It may be lost with its connection, so whoever waits reads the log
again every few seconds, and what counts is the log.
"""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from redis import Redis
from redis.client import PubSub
from redis.exceptions import ConnectionError as LostConnectionError

from service import stopping
from service.outage import Outage
from service.store.keys import BELL

_LOOK_EVERY_SECONDS: Final = 0.25
_SUBSCRIBES_WITHIN_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.5
_ASK_AFTER_SECONDS: Final = 5.0
_GIVE_UP_AFTER_SECONDS: Final = 8.0


class Rings(Protocol):
    """What a bell can ring, from whatever thread; the others whom it rings wait meanwhile."""

    def ring(self) -> None:
        """Hear that the game has moved on, or may have."""


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
    """Lets those in this process who wait for a game hear when it moves on.

    *connect* gives a client of the store for the listener alone. The listener starts with
    the first who wants to hear.
    """

    def __init__(self, connect: Callable[[], Redis]) -> None:
        self._connect = connect
        self._rooms: dict[int, _Room] = {}

    @contextmanager
    def listening(self, game_id: str) -> Iterator[Ear]:
        """Listen for *game_id* while inside."""
        ear = Ear()
        self.add(game_id, ear)
        try:
            yield ear
        finally:
            self.remove(game_id, ear)

    def add(self, game_id: str, ear: Rings) -> None:
        """Ring *ear* for *game_id* from now on; what happens after this call is heard."""
        self._room().enter(game_id, ear)

    def remove(self, game_id: str, ear: Rings) -> None:
        """Ring *ear* for *game_id* no longer."""
        self._room().leave(game_id, ear)

    def _room(self) -> "_Room":
        # Threads and locks do not survive a fork, so each process has its own.
        pid = os.getpid()
        return self._rooms.get(pid) or self._rooms.setdefault(pid, _Room(self._connect))


class _Room:
    """Who listens in one process, and what hears for them."""

    def __init__(self, connect: Callable[[], Redis]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._ears: defaultdict[str, set[Rings]] = defaultdict(set)
        self._listener: Listener | None = None

    def enter(self, game_id: str, ear: Rings) -> None:
        with self._lock:
            if self._listener is None:
                self._listener = Listener(self._connect, BELL, "the bell", self)
            self._ears[game_id].add(ear)
        self._listener.subscribed.wait(_SUBSCRIBES_WITHIN_SECONDS)

    def leave(self, game_id: str, ear: Rings) -> None:
        with self._lock:
            self._ears[game_id].discard(ear)
            if not self._ears[game_id]:
                del self._ears[game_id]

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


class Hears(Protocol):
    """Who is told what a `Listener` hears."""

    def ring(self, game_id: str) -> None:
        """Hear that something is new about *game_id*."""

    def ring_all(self) -> None:
        """Hear that something may have been missed about every game."""


class Listener:
    """Hears a *channel* for a *room*, on a thread and a connection of its own.

    Its messages begin with the id of a game. *what* names it in the log.
    """

    def __init__(self, connect: Callable[[], Redis], channel: str, what: str, room: Hears) -> None:
        self.subscribed = threading.Event()
        self._channel = channel
        self._room = room
        self._outage = Outage(what)
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
        pubsub.subscribe(self._channel)
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
