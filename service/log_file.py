"""Reading the log of a game from a file of lines, whoever wrote it.

What is read has the shape of an export and nothing else; whether it makes sense is the
business of `service.log_check`.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NoReturn, TypeAlias

from engine.seats import FEWEST_SEATS, MOST_SEATS
from engine.verify.report import Check, Finding
from service import strict_json
from service.store.event_types import TYPE_NAMES
from service.store.forms import MOST_COUNT

Plain: TypeAlias = Mapping[str, Any]

MOST_LINES: Final = 40_000
"""As many as the longest of games has, with some to spare."""

FIRST_EVENT: Final = 2
"""The number of the line on which the first event stands, below the header."""

_DIGITS: Final = 13  # numbers of tokens are milliseconds since the game began
_GAME_ID: Final = re.compile("[0-9a-f]{32}", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_FIRST_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_TIME: Final = datetime(2200, 1, 1, tzinfo=UTC)
_HEADER: Final = {
    "format": str,
    "v": int,
    "game_id": str,
    "view": dict,
    "status": str,
    "version": int,
    "complete": bool,
    "created_at": str,
    "started_at": str | None,
    "finished_at": str | None,
    "seats": list,
    "fairness": dict,
    "origin": dict | None,
}
_EVENT: Final = {
    "seq": int,
    "type": str,
    "v": int,
    "time": str,
    "actor": dict,
    "data": dict,
    "private": dict,
    "hidden": list,
}
_ACTOR: Final = {"kind": str, "seat": int, "level": str, "version": int}
_ACTORS: Final = {
    "host": {"kind"},
    "system": {"kind"},
    "key": {"kind"},
    "timer": {"kind"},
    "seat": {"kind", "seat"},
    "bot": {"kind", "seat", "level", "version"},
}


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log as a file has it: its header, and its events in order."""

    header: Plain
    events: tuple[Plain, ...]

    @property
    def reader(self) -> int | None:
        """The seat through whose eyes the log is told, None for no seat's."""
        seat: int | None = self.header["view"]["seat"]
        return seat

    @property
    def everything(self) -> bool:
        """Whether all cards are shown."""
        return bool(self.header["view"]["kind"] == "all")


class LogFileError(ValueError):
    """A file that cannot be read as a log; *finding* says where and why."""

    def __init__(self, code: str, line: int) -> None:
        super().__init__(f"line {line}: {code}")
        self.finding = Finding(Check.SYNTAX, code, line)


def read_log(raw: bytes) -> LogFile:
    """Return the log in *raw*.

    Raises:
        LogFileError: It is not the file of a log, or was changed since it was written.
    """
    lines = raw.split(b"\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        _refuse("text_too_long", MOST_LINES)
    if len(lines) < FIRST_EVENT + 1 or lines[-1]:
        _refuse("missing_end", len(lines))
    *before, last, _ = lines
    header, *events = (_line(line, number) for number, line in enumerate(before, 1))
    _check_header(header)
    for seq, event in enumerate(events, 1):
        _check_event(event, seq)
    _check_trailer(_line(last, len(lines) - 1), raw[: -len(last) - 1], len(lines) - 1)
    if header["version"] != len(events):
        _refuse("wrong_header", 1)
    return LogFile(header, tuple(events))


def _refuse(code: str, line: int) -> NoReturn:
    raise LogFileError(code, line)


def _line(line: bytes, number: int) -> Plain:
    try:
        value = strict_json.read(line, digits=_DIGITS)
    except strict_json.MalformedJsonError:
        _refuse("bad_json", number)
    if not isinstance(value, dict) or _has_fraction(value):
        _refuse("bad_json", number)
    return value


def _has_fraction(value: object) -> bool:
    match value:
        case float():
            return True
        case list():
            return any(map(_has_fraction, value))
        case dict():
            return any(map(_has_fraction, value.values()))
        case _:
            return False


def _has_shape(value: Plain, shape: Mapping[str, Any]) -> bool:
    return value.keys() == shape.keys() and all(
        _is_a(value[name], kind) for name, kind in shape.items()
    )


def _is_a(value: object, kind: Any) -> bool:  # noqa: ANN401 - a type, or a union of types
    # True is no number here, as in JSON.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _check_header(header: Plain) -> None:
    fits = (
        _has_shape(header, _HEADER)
        and (header["format"], header["v"]) == ("hearts-game", 1)
        and _has_shape(header["view"], {"kind": str, "seat": int | None})
        and (header["view"]["kind"] == "seat") == (header["view"]["seat"] is not None)
        and header["view"]["kind"] in {"all", "public", "seat"}
        and FEWEST_SEATS <= len(header["seats"]) <= MOST_SEATS
        and header["view"]["seat"] in {None, *range(len(header["seats"]))}
        and _GAME_ID.fullmatch(header["game_id"]) is not None
    )
    if not fits:
        _refuse("bad_header", 1)


def _check_event(event: Plain, seq: int) -> None:
    line = seq + FIRST_EVENT - 1
    if not _has_shape(event, _EVENT) or event["type"] not in TYPE_NAMES:
        _refuse("bad_event", line)
    if event["seq"] != seq:
        _refuse("wrong_seq", line)
    if not is_time(event["time"]):
        _refuse("bad_time", line)
    if not _is_actor(event["actor"]):
        _refuse("bad_actor", line)


def _is_actor(actor: Plain) -> bool:
    kind = actor.get("kind")
    if not isinstance(kind, str) or kind not in _ACTORS:
        return False
    is_shaped = _has_shape(actor, {name: _ACTOR[name] for name in _ACTORS[kind]})
    return is_shaped and actor.get("version", 0) <= MOST_COUNT


def is_time(text: str) -> bool:
    """Return whether *text* is a moment as a log writes it."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return _TIME.fullmatch(text) is not None and _FIRST_TIME <= moment < _LAST_TIME


def _check_trailer(trailer: Plain, before: bytes, line: int) -> None:
    if not _has_shape(trailer, {"sha256": str}):
        _refuse("missing_end", line)
    if trailer["sha256"] != hashlib.sha256(before).hexdigest():
        _refuse("wrong_sha256", line)
