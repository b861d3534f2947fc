"""Checking a file that somebody sends: which forms there are, and what reads each."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine import events as e
from engine.notation.record import NOTHING
from engine.verify.report import Check, Finding, Report, unreadable
from engine.verify.text import verified_text
from service.log_check import verified_log
from service.log_clock import milliseconds
from service.store.envelope import Actor


class Stamp(NamedTuple):
    """When an event happened, in milliseconds since the epoch, and who caused it."""

    time: int
    actor: Actor


class Examined(NamedTuple):
    """What is known of a file: the *report*, and the game that was played again for it.

    *stamps* has one for each of *events*, or none where the file does not say; then *day* is
    all there is: ``2026-11-29``, or ``-``, and the *versions* of the levels of bots.
    """

    report: Report
    game_id: str = ""
    events: Sequence[e.Event] = ()
    stamps: Sequence[Stamp] = ()
    day: str = NOTHING
    versions: Mapping[str, int] = MappingProxyType({})


class Form(NamedTuple):
    """A form of a game's file, with what examines it."""

    name: str
    media_type: str
    examine: Callable[[bytes], Examined]

    def verify(self, raw: bytes) -> Report:
        """Return what is right and wrong with the file *raw*."""
        return self.examine(raw).report


def _examine_notation(raw: bytes) -> Examined:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        return Examined(unreadable(Finding(Check.SYNTAX, "not_utf8", line)))
    report, events, reading, _ = verified_text(text)
    if reading is None:
        return Examined(report)
    day = reading.record.tags["Date"]
    game_id, versions = reading.facts.game_id, reading.versions
    return Examined(report, game_id, events, day=day, versions=versions)


def _examine_log(raw: bytes) -> Examined:
    report, events, file, _ = verified_log(raw)
    if file is None or not report.is_valid or len(events) != len(file.events):
        return Examined(report)
    stamps = [Stamp(milliseconds(one["time"]), _actor(one["actor"])) for one in file.events]
    return Examined(report, file.header["game_id"], events, stamps)


def _actor(data: dict[str, Any]) -> Actor:
    return Actor(data["kind"], data.get("seat"), data.get("level"), data.get("version"))


FORMS: Final = (
    Form("jsonl", "application/x-ndjson", _examine_log),
    Form("hgn", "text/x-hgn", _examine_notation),
)
