"""Frames of server-sent events: what a stream is made of.

Events of the log have no name, so that a client that listens for messages gets types that
come later, too. Only they and a snapshot have an id: the version that the client then has.

Source: the HTML standard, section on server-sent events; openapi.yaml, `followGame`.
"""

import secrets
from functools import cache
from typing import Final, Literal

import msgspec

from engine.seats import Seat
from service.game import Game
from service.schemas.responses import Answer, Viewer, event_data, state_data, timestamp
from service.store.envelope import Stored

End = Literal["game_over", "rotate", "unauthorized"]
"""Why a stream ends: nothing can follow, it is to be opened anew, or its credential is dead."""

# Between them, so that the clients of a process that ended do not come back as one.
_RETRY_MILLISECONDS: Final = (1_000, 4_000)


def retry() -> bytes:
    """Return the field that says how long to wait before coming back, drawn at random."""
    least, most = _RETRY_MILLISECONDS
    return b"retry: %d\n" % (least + secrets.randbelow(most - least))


def event(stored: Stored, viewer: Viewer) -> bytes:
    """Return the frame of an event of the log."""
    return b"id: %d\ndata: %b\n\n" % (stored.seq, msgspec.json.encode(event_data(stored, viewer)))


def snapshot(game: Game, viewer: Viewer) -> bytes:
    """Return the frame of the state of *game*."""
    return b"id: %d\n" % game.version + _named(b"snapshot", state_data(game, viewer))


def reset(game: Game) -> bytes:
    """Return the frame that says to forget everything; a snapshot is to follow."""
    return _named(b"reset", {"version": game.version})


def heartbeat(game: Game, now: int) -> bytes:
    """Return the frame that says that all is well, at *now* in ms since the epoch."""
    return _named(b"heartbeat", {"now": timestamp(now), "version": game.version})


@cache
def presence(seat: Seat, *, connected: bool) -> bytes:
    """Return the frame that says whether *seat* is connected."""
    return _named(b"presence", {"seat": seat, "connected": connected})


def thinking(seat: Seat, turn_id: int) -> bytes:
    """Return the frame that says that the bot on *seat* is to play the turn *turn_id*."""
    return _named(b"bot.thinking", {"seat": seat, "turn_id": turn_id})


def end(reason: End) -> bytes:
    """Return the last frame."""
    return retry() + _named(b"stream.end", {"reason": reason})


def _named(name: bytes, data: Answer) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name, msgspec.json.encode(data))
