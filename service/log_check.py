"""Checking the log of a game from a file: its commands are decided again, event by event."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import msgspec

from engine import commands as c
from engine import events as e
from engine.disclosure import (
    hidden_seats,
    own_part,
    private_part,
    public_part,
)
from engine.errors import CorruptLogError, RulesConflict, RuleViolation
from engine.hints import check_advice
from engine.notation.record import Record, sole_versions
from engine.notation.recorder import Eyes, Header, record_of
from engine.position import Position
from engine.shuffle import game_id_of
from engine.state import table_of
from engine.table_data import (
    fairness_data,
    origin_data,
)
from engine.verify.report import Check, Finding, Report, report_of, unreadable
from engine.verify.rerun import Rerun
from service.log_actors import is_marked_rightly, person, seat_data, senders_of
from service.log_commands import At, HiddenError, command_of
from service.log_facts import Facts, facts_of
from service.log_file import FIRST_EVENT, LogFile, LogFileError, read_log
from service.log_header import alone, course_of
from service.store.event_types import type_of, version_of

Plain: TypeAlias = Mapping[str, Any]

_NO_SENSE: Final = (AttributeError, LookupError, TypeError, ValueError)
_WRONG_HEADER: Final = Finding(Check.SYNTAX, "wrong_header", 1)
_DEALS: Final = frozenset({"deal.dealt", "position.set"})
_AFTER_A_STOP: Final = (Check.LEGALITY, Check.TRICK_WINNERS, Check.SCORES)


class VerifiedLog(NamedTuple):
    """A *report*, and the *events* of the log as they were decided again for it.

    *file* is what was read, None where it cannot be read. *links* are those of it that belong
    to the commitment, by deal.
    """

    report: Report
    events: Sequence[e.Event]
    file: LogFile | None
    links: Mapping[int, str] = MappingProxyType({})


def verify_log(raw: bytes) -> Report:
    """Return what is right and wrong with *raw*, which should be the file of one log."""
    return verified_log(raw).report


def verified_log(raw: bytes) -> VerifiedLog:
    """Return the same with what it was found by."""
    try:
        file = read_log(raw)
    except LogFileError as exc:
        return VerifiedLog(unreadable(exc.finding), (), None)
    if not file.events:
        return VerifiedLog(_report_of_nothing(file.header), (), file)
    try:
        facts = facts_of(file.events)
    except (*_NO_SENSE, RulesConflict):
        finding = Finding(Check.SYNTAX, "bad_event", FIRST_EVENT)
        return VerifiedLog(unreadable(finding), (), file)
    check = _LogCheck(file, facts)
    return VerifiedLog(check.report(), check.events, file, facts.links)


def record_of_log(raw: bytes) -> Record:
    """Return the record of the log in *raw*, as far as it can be decided again.

    Raises:
        LogFileError: It is not the file of a log, or tells no game.
    """
    file = read_log(raw)
    try:
        facts = facts_of(file.events)
    except (*_NO_SENSE, RulesConflict):
        raise LogFileError("bad_event", FIRST_EVENT) from None
    return _LogCheck(file, facts).record()


def _report_of_nothing(header: Plain) -> Report:
    """Return the report on a log of which nothing is revealed yet."""
    skipped = [check for check in Check if check is not Check.SYNTAX]
    try:
        findings = [] if _says(header, alone(header)) else [_WRONG_HEADER]
    except _NO_SENSE:
        findings = [_WRONG_HEADER]
    return report_of(findings, skipped, seats=len(header["seats"]), deals=0, events=0)


def _says(header: Plain, wanted: Plain) -> bool:
    return all(_exact(header[name]) == _exact(value) for name, value in wanted.items())


class _Stop(Exception):  # noqa: N818 - the end of the road, and not always an error
    """Nothing behind this event can be decided again."""


class _LogCheck:
    """Decides a log again, and holds each event against the one that comes of it."""

    def __init__(self, file: LogFile, facts: Facts) -> None:
        self._file = file
        self._facts = facts
        self._findings: list[Finding] = []
        self._rerun = Rerun(facts.links, facts.given)
        self._next = 0

    @property
    def events(self) -> Sequence[e.Event]:
        return self._rerun.events

    def report(self) -> Report:
        self._check_commitment()
        stopped = self._is_stopped()
        if not stopped or not self._findings:
            self._check_header(is_whole=not stopped)
        unproved = () if self._facts.opened else (Check.COMMITMENT, Check.DEALS)
        return report_of(
            self._findings,
            (*unproved, *(_AFTER_A_STOP if stopped else ())),
            seats=self._facts.rules.seats,
            deals=sum(event["type"] in _DEALS for event in self._file.events),
            events=len(self._file.events),
        )

    def record(self) -> Record:
        self._is_stopped()
        state = self._rerun.state
        if state is None:
            raise LogFileError("bad_event", FIRST_EVENT)
        actors = (one["actor"] for one in self._file.events)
        versions = sole_versions((one.get("level"), one.get("version")) for one in actors)
        told = Header(self._file.events[0]["time"][:10], versions=versions)
        events = takewhile(self._is_no_fiction, self._rerun.events)
        return record_of(table_of(state), events, Eyes(everything=True), told)

    def _is_no_fiction(self, event: e.Event) -> bool:
        # A deal that nobody has opened is made up while playing again.
        return not isinstance(event, e.DealDealt) or self._is_known(event.deal)

    def _check_commitment(self) -> None:
        facts, header = self._facts, self._file.header
        is_import = facts.origin is not None and facts.origin.kind == c.IMPORT
        is_fork = facts.origin is not None and facts.origin.kind != c.REMATCH
        if facts.copied is not None and not is_fork:
            self._find(Check.DEALS, "wrong_origin", FIRST_EVENT)
        if not is_import and header["game_id"] != game_id_of(facts.commitment):
            self._find(Check.COMMITMENT, "wrong_game_id", 1)
        if len(facts.links) < len(facts.opened):
            self._find(Check.COMMITMENT, "wrong_link", FIRST_EVENT)

    def _is_stopped(self) -> bool:
        """Play as far as possible, and return whether that is not to the end."""
        events = self._file.events
        try:
            while self._next < len(events):
                self._take(events[self._next])
        except _Stop:
            return True
        return False

    def _take(self, event: Plain) -> None:
        try:
            facts = self._facts
            following, later = self._after(1), self._after(2)
            seeds, position = facts.client_seeds, self._position()
            invited = facts.origin is not None and facts.origin.kind == c.REMATCH
            at = At(event, following, facts.rules.seats, seeds, position, later, invited)
            command = command_of(at)
            if command is None:
                self._stop("unexpected_event")
            self._check_unseen(command, event)
            senders = senders_of(command, self._rerun.state)
            caused = self._rerun.do(command) or self._rerun.say_again(command)
        except HiddenError as exc:
            if self._file.everything or exc.seat == self._file.reader:
                self._stop("bad_event", Check.SYNTAX)
            raise _Stop from None
        except RuleViolation as no:
            self._stop(no.code)
        except CorruptLogError:
            self._stop("cannot_follow")
        except _NO_SENSE:
            self._stop("bad_event", Check.SYNTAX)
        if not caused:
            self._stop("unexpected_event")
        for one in caused:
            self._hold(one, senders)

    def _position(self) -> Position | None:
        copied = self._facts.copied
        return None if copied is None else copied.position

    def _after(self, steps: int) -> Plain | None:
        events, place = self._file.events, self._next + steps
        return events[place] if place < len(events) else None

    def _check_unseen(self, command: c.Command, event: Plain) -> None:
        """Refuse what the decider takes from whoever acts: who it is, why, and what was advised.

        Raises:
            RuleViolation: The advice could not be followed.
        """
        state = self._rerun.state
        if state is None:
            return
        players = table_of(state).players
        match command:
            case c.UpdateSeat(seat=seat) if not players[seat].claimed:
                self._stop("cannot_follow")
            case c.PassCards() | c.PlayCard() | c.ChooseMoon():
                if not is_marked_rightly(command, players[command.seat]):
                    self._stop("wrong_event")
            case c.TakeHint(seat=seat) if str(seat) in event["private"]:
                check_advice(state, command)
            case _:
                pass

    def _hold(self, event: e.Event, who: Sequence[Plain]) -> None:
        """Hold *event*, which one of *who* has caused, against the next one of the file."""
        events, file = self._file.events, self._file
        if self._next == len(events):
            if file.header["complete"]:
                self._stop("missing_event")
            raise _Stop  # what is revealed ends inside of a command
        said, wanted = events[self._next], _written(event, file)
        if said["type"] != wanted["type"]:
            if said["type"] == "position.set":
                self._miss_position()
            self._stop("unexpected_event")
        if isinstance(event, e.DealDealt) and not self._is_known(event.deal):
            self._check_deck(said)
            if file.header["complete"]:
                self._stop("unopened_deal", Check.DEALS)
            raise _Stop
        for name, value in wanted.items():
            if _exact(said[name]) != _exact(value):
                check, code = _blame(event, name)
                self._find(check, code, self._line, said)
                break
        self._check_around(said, event, who)
        self._next += 1

    def _miss_position(self) -> NoReturn:
        """Stop where a fork goes on from nowhere, or from what the view hides."""
        copied = self._facts.copied
        if copied is None and not self._file.header["complete"]:
            raise _Stop
        self._stop("unopened_deal" if copied is None else copied.code, Check.LEGALITY)

    def _is_known(self, deal: int) -> bool:
        return deal in self._facts.links or deal in self._facts.given

    def _check_deck(self, said: Plain) -> None:
        if len(said["private"]) >= self._facts.rules.seats:
            self._find(Check.DEALS, "not_the_deck", self._line, said)

    def _check_around(self, said: Plain, event: e.Event, who: Sequence[Plain]) -> None:
        """Check what stands around the event: the time, and who it was."""
        before = self._file.events[self._next - 1]["time"] if self._next else said["time"]
        if said["time"] < before:
            self._find(Check.SYNTAX, "wrong_time", self._line, said)
        # Whoever claims a seat acts for it from that event on.
        wanted = [person(event.seat)] if isinstance(event, e.SeatClaimed) else who
        actor = dict(said["actor"])
        if actor.pop("version", 1) < 1 or actor not in wanted:
            self._find(Check.LEGALITY, "wrong_actor", self._line, said)

    @property
    def _line(self) -> int:
        return self._next + FIRST_EVENT

    def _stop(self, code: str, check: Check = Check.LEGALITY) -> NoReturn:
        events = self._file.events
        said = events[self._next] if self._next < len(events) else None
        self._find(check, code, self._line, said)
        raise _Stop

    def _find(self, check: Check, code: str, line: int, said: Plain | None = None) -> None:
        data = {} if said is None else said["data"]
        places = {name: _number(data.get(name)) for name in ("deal", "trick", "seat")}
        self._findings.append(Finding(check, code, line, **places))

    def _check_header(self, *, is_whole: bool) -> None:
        """Check what the header says of the game against what became of it.

        Who sits where at the end is known only where the game was played to the end.
        """
        header, state = self._file.header, self._rerun.state
        assert state is not None, "a file without events has no header to hold against them"
        table = table_of(state)
        seats = [seat_data(seat, player) for seat, player in enumerate(table.players)]
        is_hidden = not is_whole and len(header["seats"]) == len(seats)
        wanted = {
            **course_of(self._file.events),
            "seats": header["seats"] if is_hidden else seats,
            "fairness": {
                **fairness_data(table.commitment, table.deals_commitment),
                "client_seeds": list(self._facts.client_seeds) or None,
            },
            "origin": origin_data(table.origin),
        }
        if not _says(header, wanted):
            self._find(Check.SCORES, "wrong_header", 1)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _written(event: e.Event, file: LogFile) -> Plain:
    parts = private_part(event)
    shown = own_part(parts, file.reader, everything=file.everything)
    return {
        "type": type_of(event),
        "v": version_of(event),
        "data": public_part(event),
        "private": shown,
        "hidden": hidden_seats(parts, shown),
    }


def _exact(value: object) -> bytes:
    # Not by ==, to which 1, 1.0 and true are equal.
    return msgspec.json.encode(value, order="sorted")


def _blame(event: e.Event, name: str) -> tuple[Check, str]:
    """Return which check fails where *event* has another member of that *name*."""
    match event:
        case e.DealDealt() | e.PositionSet() if name == "private":
            return Check.DEALS, "wrong_hands"
        case e.TrickCompleted() | e.KittyTaken():
            return Check.TRICK_WINNERS, "wrong_trick"
        case e.MoonShot() | e.DealScored() | e.GameFinished() | e.GameAborted():
            return Check.SCORES, "wrong_score"
        case _:
            return Check.LEGALITY, "wrong_event"
