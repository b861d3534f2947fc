"""Who stands in a log from a file: who can have sent a command, and why, and who sits where."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine import commands as c
from engine.seats import Seat
from engine.state import Player, State, table_of

Plain: TypeAlias = Mapping[str, Any]

_HOST: Final[Plain] = {"kind": "host"}
_KEY: Final[Plain] = {"kind": "key"}
_SYSTEM: Final[Plain] = {"kind": "system"}
_TIMER: Final[Plain] = {"kind": "timer"}
_BY_ITSELF: Final[Mapping[type, Plain]] = {
    c.VoidDeal: _SYSTEM,
    c.TimeOut: _TIMER,
    c.ExtendTurn: _TIMER,
    c.EndIdling: _TIMER,
}


def senders_of(command: c.Command, state: State | None) -> Sequence[Plain]:
    """Return all who can have sent *command*, without the version of a bot."""
    match command:
        case c.PassCards() | c.PlayCard() | c.ChooseMoon():
            assert state is not None, "moves need a game"
            return [_mover(command, table_of(state).players[command.seat])]
        case (
            c.ClaimSeat(seat=int() as seat)
            | c.UpdateSeat(seat=seat)
            | c.ReleaseSeat(seat=seat)
            | c.HandOver(seat=seat)
            | c.TakeBack(seat=seat)
            | c.TakeHint(seat=seat)
        ):
            return [person(seat)]
        case c.RotateSeatToken():
            # A new token for whoever plays is told in the same way, whoever asked for it.
            return [person(command.seat), _HOST, _KEY]
        case c.ReissueSeatToken():
            return [_HOST, _KEY]
        case c.AbortGame(reason=str()):
            return [_TIMER]
        case _:
            return [_BY_ITSELF.get(type(command), _HOST)]


def _mover(command: c.Move, player: Player) -> Plain:
    level = player.playing_level
    if level is None or (player.may_return and command.auto is None):
        return person(command.seat)
    return {"kind": "bot", "seat": command.seat, "level": level}


def is_marked_rightly(command: c.Move, player: Player) -> bool:
    """Return whether *player* can have a move made for the reason that *command* names.

    Not the clock's: it says first that the time was up, and this is no part of that.
    """
    match command.auto:
        case None:
            return True
        case c.TAKEOVER:
            return player.stand_in is not None
        case c.FALLBACK:
            return player.playing_level is not None
        case _:
            return False


def person(seat: Seat) -> Plain:
    """Return the actor who holds *seat*."""
    return {"kind": "seat", "seat": seat}


def seat_data(seat: Seat, player: Player) -> Plain:
    """Return what the header of a log says of a seat at the end."""
    return {
        "seat": seat,
        "name": player.name,
        "kind": "bot" if player.is_bot else "human",
        "controller": "human" if player.playing_level is None else "bot",
        "bot_level": player.playing_level,
    }
