"""What is stored around an event: its number, its time, who caused it, and by which command."""

from typing import Literal, NamedTuple, TypeAlias

from engine.events import Event
from engine.seats import Seat

ActorKind: TypeAlias = Literal["host", "seat", "bot", "timer", "system", "key"]


class Actor(NamedTuple):
    """Who caused an event; a bot with its level and the version of its play.

    The timer acts where somebody's time is up. The system is the service itself, or who runs
    it; a key is that of the app whose table it is.
    """

    kind: ActorKind
    seat: Seat | None = None
    level: str | None = None
    version: int | None = None


class Cause(NamedTuple):
    """The command behind an event: 8 bytes that identify it, 8 that stand for its body.

    Stored only, until the game is archived. A hash over a pass would tell the cards passed, so no
    view contains it.
    """

    command: bytes
    fingerprint: bytes


def nameless(seq: int) -> Cause:
    """Return what stands for the command that began with event *seq* once its name is gone."""
    return Cause(seq.to_bytes(8, "big"), bytes(8))


class Stored(NamedTuple):
    """An event as the log has it; *seq* from 1, *time* in milliseconds since the epoch.

    *cause* is None where the event belongs to the same command as the one before it.
    *v* is the version of the event's type.
    """

    seq: int
    time: int
    actor: Actor
    cause: Cause | None
    event: Event
    v: int = 1
