"""Presence: which seats are connected, as the streams of this process tell it.

A seat is connected while a stream with its token or ticket is open, in whatever process.
One thread writes down who is here and reads who is anywhere: whoever opens or serves a
stream waits for none of it, and nothing but presence suffers when the list cannot be had.

Who comes is shown at once. Who goes is shown after a while, and not at all if it is back
by then: clients that are cut off, or sent to another process, come back within seconds.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, Protocol

from redis import Redis
from redis.exceptions import RedisError

from engine.seats import Seat
from service import stopping
from service.attendance import CHANNEL, Attendance, Lines
from service.live import Listener
from service.outage import Outage

GRACE_SECONDS: Final = 6.0
"""How long a seat may be away unnoticed; a client comes back after four seconds at most."""

BEATS: Final = 3
"""For how many heartbeats a line of the list is good."""

NOBODY: Final[frozenset[Seat]] = frozenset()

_LOOK_EVERY_SECONDS: Final = 0.5
_PAUSE_SECONDS: Final = 0.5
# Games that are due about now go in one round, but not so many that it takes long.
_TOGETHER_SECONDS: Final = 0.5
_MOST_TOGETHER: Final = 50


class Shows(Protocol):
    """Who is shown which seats of a game are connected."""

    def show(self, present: frozenset[Seat]) -> None:
        """Hear that the seats in *present* are connected, and no others."""


class _Table:
    """One game: its streams *here* by seat, what was *signed* of it, what its *audience* knows."""

    __slots__ = ("audience", "due_at", "here", "missed", "shown", "signed")

    def __init__(self) -> None:
        self.here: dict[Seat, int] = {}
        self.signed = self.shown = NOBODY
        self.audience: Shows | None = None
        self.missed: dict[Seat, float] = {}
        self.due_at = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say and nobody to tell."""
        return not self.here and not self.signed and self.audience is None

    def lines(self, game_id: str) -> Lines:
        """Return what to write of the game."""
        here = frozenset(self.here)
        return Lines(game_id, here, self.signed - here, is_news=here != self.signed)

    def admit(self, audience: Shows | None) -> None:
        """Show *audience*, who knows nothing yet, who is connected."""
        self.audience, self.shown, self.missed = audience, NOBODY, {}

    def find(self, present: frozenset[Seat], now: float) -> None:
        """Take note that *present* were found at *now*, and show what is new in that."""
        missed = {seat: self.missed.get(seat, now) for seat in self.shown - present}
        gone = {seat for seat, since in missed.items() if now - since >= GRACE_SECONDS}
        self.missed = {seat: since for seat, since in missed.items() if seat not in gone}
        self.due_at = min([self.due_at, *(at + GRACE_SECONDS for at in self.missed.values())])
        shown = (self.shown | present) - gone
        if self.audience is not None and shown != self.shown:
            self.shown = shown
            self.audience.show(shown)


class Presence:
    """Who is connected to the games that are followed in this process.

    *connect* gives clients of the server that has the list, in which lines are renewed every
    *beat* seconds. The thread starts with the first audience.
    """

    def __init__(
        self,
        connect: Callable[[], Redis],
        beat: float,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect = connect
        self._beat = beat
        self._timer = timer
        self._tables: dict[str, _Table] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._is_running = False
        self._outage = Outage("presence")

    def add(self, game_id: str, audience: Shows) -> None:
        """Show *audience*, the only one of the game here, who is connected from now on."""
        with self._lock:
            self._table(game_id).admit(audience)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="presence", daemon=True).start()

    def remove(self, game_id: str) -> None:
        """Show nobody any longer who is connected to the game."""
        with self._lock:
            self._table(game_id).admit(None)

    def enter(self, game_id: str, seat: Seat) -> None:
        """Take note that a stream of *seat* was opened here."""
        with self._lock:
            here = self._table(game_id).here
            here[seat] = here.get(seat, 0) + 1

    def leave(self, game_id: str, seat: Seat) -> None:
        """Take note that a stream of *seat* was closed, which had entered."""
        with self._lock:
            here = self._table(game_id).here
            here[seat] -= 1
            if not here[seat]:
                del here[seat]

    def ring(self, game_id: str) -> None:
        """Hear that lines of the game have come or gone."""
        with self._lock:
            if game_id in self._tables:
                self._table(game_id)

    def ring_all(self) -> None:
        """Hear that this may be so for every game, or that the list may be lost."""
        with self._lock:
            for table in self._tables.values():
                table.due_at = 0.0
        self._wake.set()

    def round(self, attendance: Attendance) -> float:
        """Write and read what is due; return after how many seconds there is more to do.

        Raises:
            RedisError: The list's server does not answer; the next round does it again.
        """
        now = self._timer()
        with self._lock:
            is_due = (
                (table, table.lines(game_id))
                for game_id, table in self._tables.items()
                if table.due_at <= now + _TOGETHER_SECONDS
            )
            due = list(islice(is_due, _MOST_TOGETHER))
            for table, _ in due:
                # Before writing: what changes from here on is due again.
                table.due_at = now + self._beat
        if due:
            self._exchange(attendance, due)
        with self._lock:
            next_at = min((one.due_at for one in self._tables.values()), default=now + self._beat)
        return max(0.0, next_at - self._timer())

    def _exchange(self, attendance: Attendance, due: Sequence[tuple[_Table, Lines]]) -> None:
        try:
            found = attendance.exchange([lines for _, lines in due])
        except BaseException:
            self.ring_all()
            raise
        now = self._timer()
        with self._lock:
            for (table, lines), present in zip(due, found, strict=True):
                table.signed = lines.here
                table.find(present, now)
                if table.is_empty:
                    self._tables.pop(lines.game_id, None)

    def _table(self, game_id: str) -> _Table:
        """Return the table of the game, about which something is new."""
        table = self._tables.get(game_id) or self._tables.setdefault(game_id, _Table())
        table.due_at = 0.0
        self._wake.set()
        return table

    def _run(self) -> None:
        with self._connect() as client:
            attendance = Attendance(client, round(1_000 * BEATS * self._beat))
            Listener(self._connect, CHANNEL, "the news of presence", self)
            while not stopping.is_stopping():
                self._wake.clear()
                try:
                    seconds = self.round(attendance)
                except Exception as exc:  # noqa: BLE001 - said once; presence must go on
                    self._outage.begins(exc)
                    stopping.wait(_PAUSE_SECONDS)
                else:
                    self._outage.ends()
                    self._wake.wait(min(seconds, _LOOK_EVERY_SECONDS))
            self._sign_off(attendance)

    def _sign_off(self, attendance: Attendance) -> None:
        """Take back what was written: the streams of a process end with it."""
        with self._lock:
            left = [
                Lines(game_id, NOBODY, table.signed, is_news=True)
                for game_id, table in self._tables.items()
                if table.signed
            ]
        with suppress(RedisError):  # then the lines go by themselves
            attendance.exchange(left)
