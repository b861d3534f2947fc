"""By when a person has to act. It follows from the log alone, so every process says the same."""

from typing import Final, NamedTuple

from engine.clocks import MILLISECONDS, Clock
from engine.seats import Seat
from engine.state import Lobby, TurnType
from service.game import Game

GRACE_MS: Final = 15_000
"""What people get beside the time that an outage of the service has cost them."""


class Waits(NamedTuple):
    """How long the service itself waits.

    *lobby_ms* is how long a game may wait for its start, None for as long as it likes;
    *bot_delay_ms* is after how long a bot moves that takes long to think.
    """

    lobby_ms: int | None = None
    bot_delay_ms: int = 0


NO_WAITS: Final = Waits()


def late_seats(game: Game) -> list[Seat]:
    """Return the seats, in order, that are to act and are played by people."""
    turn = game.turn
    if turn is None:
        return []
    return [seat for seat in turn.seats if not game.table.players[seat].playing_level]


def deadline_of(game: Game) -> int | None:
    """Return by when people have to act, in ms since the epoch; None if nobody has to."""
    clock, turn, times = game.table.clock, game.turn, game.times
    if clock is None or turn is None or not late_seats(game):
        return None
    until = times.turn_opened_at + MILLISECONDS * _seconds(clock, turn.type)
    return until if times.extension is None else max(until, times.extension.deadline_at)


def idle_until(game: Game) -> int | None:
    """Return until when all people may be idle, in ms since the epoch; None if for ever."""
    clock = game.table.clock
    if clock is None or clock.idle_seconds is None or not late_seats(game):
        return None
    return game.times.people_at + MILLISECONDS * clock.idle_seconds


def lobby_until(game: Game, lobby_ms: int | None) -> int | None:
    """Return until when *game* waits for its start, in ms since the epoch; None if for ever."""
    if lobby_ms is None or not isinstance(game.state, Lobby):
        return None
    return game.times.created_at + lobby_ms


def next_deadline(game: Game, lobby_ms: int | None = None) -> int | None:
    """Return when the clock does something by itself, in ms since the epoch, or None.

    *lobby_ms* is how long a game may wait for its start, None for as long as it likes.
    """
    if isinstance(game.state, Lobby):
        return lobby_until(game, lobby_ms)
    moments = [moment for moment in (deadline_of(game), idle_until(game)) if moment is not None]
    return min(moments, default=None)


def _seconds(clock: Clock, kind: TurnType) -> int:
    match kind:
        case TurnType.PLAY:
            return clock.play_seconds
        case TurnType.PASS:
            return clock.pass_seconds
        case TurnType.MOON:
            return clock.moon_seconds
