"""Checking a file that somebody sends: which forms there are, and what reads each."""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.verify.report import Check, Finding, Report, unreadable
from engine.verify.text import verify_text
from service.log_check import verify_log


class Form(NamedTuple):
    """A form of a game's file, with the one who checks it."""

    name: str
    media_type: str
    verify: Callable[[bytes], Report]


def _verify_notation(raw: bytes) -> Report:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        return unreadable(Finding(Check.SYNTAX, "not_utf8", line))
    return verify_text(text)


FORMS: Final = (
    Form("jsonl", "application/x-ndjson", verify_log),
    Form("hgn", "text/x-hgn", _verify_notation),
)
