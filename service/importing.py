"""Taking in a game that was played elsewhere: from a file to the events of a log.

Only what is over, right and proved is taken in. It gets an id of its own and keeps all the
rest: its commitment, its links, and the times and actors that the file knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, NamedTuple

from engine import events as e
from engine import reasons
from engine.bots import LEVELS
from engine.commands import IMPORT, PRIVATE, UNLISTED, BotSeat, Origin
from engine.errors import CorruptLogError
from engine.evolve import evolve
from engine.seats import Seat
from engine.state import Over, State, table_of
from engine.verify.report import Check, Finding, Report, Verdict
from service.names import is_name
from service.store.codec import decode_all, encode
from service.store.envelope import Actor, Cause, Stored
from service.store.event_types import version_of
from service.verification import Examined, Stamp

_HOST: Final = Actor("host")
_SYSTEM: Final = Actor("system")
_TIMER: Final = Actor("timer")
_MILLISECONDS: Final = 1000


class ImportRejectedError(Exception):
    """A file that is not taken in; *report* says why, on a file in the *form* of that name."""

    def __init__(self, report: Report, form: str) -> None:
        super().__init__("The file is not that of a game that is over, right and proved.")
        self.report = report
        self.form = form


class Own(NamedTuple):
    """What an import has of its own: the commitment its id comes from, and the key behind it."""

    commitment: str
    key_id: str


def check_import(examined: Examined, form: str) -> None:
    """Refuse a file that is not that of a game which is over, right and proved.

    Raises:
        ImportRejectedError: It is not.
    """
    report = examined.report
    if not report.is_valid:
        raise ImportRejectedError(report, form)
    if not isinstance(examined.events[-1] if examined.events else None, _ENDS):
        raise ImportRejectedError(_refused(report, Check.LEGALITY, "not_over"), form)
    if not all(map(is_name, _names(examined.events))):
        raise ImportRejectedError(_refused(report, Check.SYNTAX, "bad_name"), form)
    if set(report.checks.values()) != {Verdict.PASS}:
        raise ImportRejectedError(_refused(report, Check.COMMITMENT, "not_proved"), form)


def _names(events: Sequence[e.Event]) -> Iterator[str]:
    for event in events:
        match event:
            case e.GameCreated(seats=seats):
                yield from (plan.name for plan in seats if isinstance(plan, BotSeat))
            case e.SeatClaimed() | e.SeatUpdated() | e.SeatBotAssigned():
                yield event.name
            case _:
                pass


_ENDS: Final = (e.GameFinished, e.GameAborted)


def _refused(report: Report, check: Check, code: str) -> Report:
    checks = {**report.checks, check: Verdict.FAIL}
    return replace(report, checks=checks, first_error=Finding(check, code, 1))


def log_of(examined: Examined, own: Own, cause: Cause, form: str, now: int) -> tuple[Stored, ...]:
    """Return the log of the game that was *examined*, as its copy has it.

    *now* is the time, in ms since the epoch, of a game whose day is not known.

    Raises:
        ImportRejectedError: The file says things that no log holds.
    """
    created, *others = examined.events
    assert isinstance(created, e.GameCreated), "a game begins with its creation"
    origin = Origin(IMPORT, examined.game_id)
    first = replace(
        created,
        origin=origin,
        nonce=own.commitment,
        key_id=own.key_id,
        # Nobody has a token of a copy: whoever knows its id may read it.
        visibility=UNLISTED if created.visibility == PRIVATE else created.visibility,
        options=replace(created.options, spectators=True),
    )
    events = [first, *others]
    stamps = examined.stamps or list(_stamps(examined, _time_of(examined.day, now)))
    stored = tuple(
        Stored(seq, time, actor, cause if seq == 1 else None, event, version_of(event))
        for seq, (event, (time, actor)) in enumerate(zip(events, stamps, strict=True), 1)
    )
    return _as_read(stored, examined, form)


def _as_read(stored: tuple[Stored, ...], examined: Examined, form: str) -> tuple[Stored, ...]:
    # What cannot be read back would be a game that nobody can see.
    try:
        return tuple(decode_all([encode(one, stored[0].time) for one in stored], 1, None))
    except (CorruptLogError, OverflowError, ValueError):
        report = _refused(examined.report, Check.SYNTAX, "bad_event")
        raise ImportRejectedError(report, form) from None


def _time_of(day: str, now: int) -> int:
    """Return the beginning of *day*, as in 2026-11-29, in ms since the epoch."""
    try:
        midnight = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return now
    return max(0, int(midnight.timestamp()) * _MILLISECONDS)


def _stamps(examined: Examined, time: int) -> Iterator[Stamp]:
    """Yield a time and an actor for each event of a game that says neither."""
    # What is not said has to be something, and is known to be a guess: see docs/bots.md.
    versions = {level: bot.version for level, bot in LEVELS.items()} | dict(examined.versions)
    state: State | None = None
    actor = _HOST
    for event in examined.events:
        actor = _actor(state, event, versions) or actor
        yield Stamp(time, actor)
        state = evolve(state, event)
    assert isinstance(state, Over), "only what is over is imported"


def _actor(state: State | None, event: e.Event, versions: Mapping[str, int]) -> Actor | None:
    """Return who caused *event*, None where it follows on the one before."""
    match event:
        case e.SeatClaimed() | e.SeatReleased():
            return Actor("seat", event.seat)
        case e.CardsPassed() | e.CardPlayed() | e.MoonChosen():
            assert state is not None
            return _player(state, event.seat, versions)
        case e.GameCreated() | e.GameStarted() | e.SeatKicked() | e.SeatTokenRotated():
            return _HOST
        case e.GameAborted() | e.ControlChanged():
            return _changer(event)
        case e.DealVoided():
            return _SYSTEM
        case _:
            return None


def _changer(event: e.GameAborted | e.ControlChanged) -> Actor | None:
    match event.reason:
        case reasons.TIMEOUT | reasons.ALL_IDLE | reasons.LOBBY_EXPIRED:
            return _TIMER
        case reasons.ABORTED_BY_HOST:
            return _HOST
        case reasons.HANDED_OVER | reasons.RETURNED if isinstance(event, e.ControlChanged):
            return Actor("seat", event.seat)
        case _:
            return None


def _player(state: State, seat: Seat, versions: Mapping[str, int]) -> Actor:
    level = table_of(state).players[seat].playing_level
    return Actor("seat", seat) if level is None else Actor("bot", seat, level, versions[level])
