"""The public name of each type of event, and the version of its values.

Names and versions stand in the API and beside the stored bytes; they are facts of the
log, whatever the classes are called.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from engine import events as e


class EventType(NamedTuple):
    """A type of event as clients and logs name it; *v* counts its versions from 1."""

    name: str
    v: int


EVENT_TYPES: Final[Mapping[type[e.Event], EventType]] = MappingProxyType(
    {
        e.GameCreated: EventType("game.created", 1),
        e.SeatClaimed: EventType("seat.claimed", 1),
        e.SeatUpdated: EventType("seat.updated", 1),
        e.GameStarted: EventType("game.started", 1),
        e.DealDealt: EventType("deal.dealt", 1),
        e.PositionSet: EventType("position.set", 1),
        e.CardsPassed: EventType("cards.passed", 1),
        e.PassCompleted: EventType("pass.completed", 1),
        e.CardPlayed: EventType("card.played", 1),
        e.TrickCompleted: EventType("trick.completed", 1),
        e.KittyTaken: EventType("kitty.taken", 1),
        e.MoonShot: EventType("moon.shot", 1),
        e.MoonChosen: EventType("moon.chosen", 1),
        e.TurnTimedOut: EventType("turn.timed_out", 1),
        e.TurnExtended: EventType("turn.extended", 1),
        e.HintUsed: EventType("hint.used", 1),
        e.DealScored: EventType("deal.scored", 1),
        e.DealVoided: EventType("deal.voided", 1),
        e.GameFinished: EventType("game.finished", 1),
        e.GameAborted: EventType("game.aborted", 1),
        e.OptionsChanged: EventType("game.options_changed", 1),
        e.LobbyChanged: EventType("lobby.changed", 1),
        e.SeatBotAssigned: EventType("seat.bot_assigned", 1),
        e.SeatReleased: EventType("seat.released", 1),
        e.SeatKicked: EventType("seat.kicked", 1),
        e.SeatTokenRotated: EventType("seat.token_rotated", 1),
        e.HostTokenRotated: EventType("host.token_rotated", 1),
        e.ControlChanged: EventType("seat.control_changed", 1),
    }
)

TYPE_NAMES: Final[frozenset[str]] = frozenset(kind.name for kind in EVENT_TYPES.values())


def type_of(event: e.Event) -> str:
    """Return the name of the type of *event*: ``card.played``."""
    return EVENT_TYPES[type(event)].name


def version_of(event: e.Event) -> int:
    """Return the version of the type of *event*."""
    return EVENT_TYPES[type(event)].v
