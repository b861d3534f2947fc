"""What an append writes beside the events: when the game is due, and its line in the directory.

A line changes only with who sits at the table and how far the game has come, not with
every card; version and time of the last event are read from the log itself.
"""

from collections.abc import Sequence

import msgspec

from engine import events as e
from engine.commands import IMPORT, PUBLIC
from engine.disclosure import COMMITTED, dealing_mode
from engine.seats import Seat
from engine.state import status_of
from service.deadlines import next_deadline
from service.game import Game
from service.store.base import Marks, Row
from service.store.envelope import Stored

_CHANGE_THE_LINE = (
    e.GameCreated
    | e.OptionsChanged
    | e.SeatClaimed
    | e.SeatUpdated
    | e.SeatBotAssigned
    | e.SeatReleased
    | e.SeatKicked
    | e.GameStarted
    | e.GameFinished
    | e.GameAborted
)


class Line(msgspec.Struct, array_like=True, frozen=True):
    """What the directory knows of a game; a later field gets a default."""

    status: str
    preset: str
    seats: list[tuple[str | None, bool]]
    """For each seat the name, None until somebody sits there, and whether it is a bot's."""
    practice: bool = False
    origin: tuple[str, str, int | None] | None = None
    dealing: str = COMMITTED
    clock: bool = False


def marks_for(game: Game, stored: Sequence[Stored], now: int, lobby_ms: int | None = None) -> Marks:
    """Return the marks of an append of *stored* at *now* (ms), after which the game is *game*.

    *lobby_ms* is how long it may wait for its start, None for as long as it likes.
    """
    changed = _is_listed(game) and any(isinstance(one.event, _CHANGE_THE_LINE) for one in stored)
    return Marks(due_at=due_at(game, now, lobby_ms), row=_row(game) if changed else None)


def _is_listed(game: Game) -> bool:
    # What was played elsewhere is no table of ours, and in no list.
    origin = game.table.origin
    is_ours = origin is None or origin.kind != IMPORT
    return is_ours and game.table.visibility == PUBLIC


def due_at(game: Game, now: int, lobby_ms: int | None = None) -> int | None:
    """Return when something must happen without a request, in ms since the epoch, or None.

    A bot may be put in charge of a turn long after it opened, so the last event counts.
    Not after *now*: times in the log never go back, but clocks do. Where people alone are to
    act, it is when their time is up.
    """
    if waiting_bots(game):
        return min(game.times.last_event_at, now)
    return next_deadline(game, lobby_ms)


def waiting_bots(game: Game) -> list[Seat]:
    """Return the seats, in order, that are to act and are played by bots."""
    turn = game.turn
    if turn is None:
        return []
    return [seat for seat in turn.seats if game.table.players[seat].playing_level]


def line_in(summary: bytes) -> Line:
    """Return the line that *summary* holds."""
    return msgspec.msgpack.decode(summary, type=Line)


def _row(game: Game) -> Row:
    origin = game.table.origin
    line = Line(
        status=status_of(game.state).value,
        preset=game.table.rules.preset,
        seats=[(player.name, player.is_bot) for player in game.table.players],
        practice=game.table.practice,
        origin=None if origin is None else (origin.kind, origin.game_id, origin.version),
        dealing=dealing_mode(game.table.deals_commitment),
        clock=game.table.clock is not None,
    )
    return Row(game.game_id, game.times.created_at, msgspec.msgpack.encode(line))
