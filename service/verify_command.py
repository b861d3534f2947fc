"""`hearts verify`: what is right and wrong with the file of a game, for people to read."""

from typing import Final

from engine.verify.report import Finding, Report
from service.sources import UnfitFileError
from service.verification import FORMS, Form

_DOCUMENT: Final = b'{"header":'


def form_of(raw: bytes) -> Form:
    """Return the form of the file *raw*: lines of JSON, or else notation."""
    jsonl, hgn = FORMS
    return jsonl if raw.lstrip()[:1] == b"{" else hgn


def refuse_document(source: str, raw: bytes) -> None:
    """Refuse the file *raw* of *source* if it is a document, which leaves out half of a log.

    Raises:
        UnfitFileError: It is.
    """
    if raw.lstrip().startswith(_DOCUMENT):
        text = f"{source}: a document does not say who did what, and when; take the game as jsonl"
        raise UnfitFileError(text)


def told(source: str, report: Report) -> str:
    """Return *report* on what was found at *source* as text, which ends without a line feed."""
    lines = [f"{source}: {'right' if report.is_valid else 'wrong'}"]
    if report.seats is not None:
        counts = {"seat": report.seats, "deal": report.deals, "event": report.events}
        lines.append("  " + ", ".join(_counted(count, name) for name, count in counts.items()))
    lines += [f"  {check.value:<14}{verdict.value}" for check, verdict in report.checks.items()]
    if report.first_error is not None:
        lines.append(f"  {place_of(report.first_error)}: {report.first_error.code}")
    return "\n".join(lines)


def _counted(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def place_of(finding: Finding) -> str:
    """Return where in the file, and in the game, *finding* is."""
    named = {
        "line": finding.line,
        "column": finding.column,
        "deal": finding.deal,
        "trick": finding.trick,
        "seat": finding.seat,
    }
    return ", ".join(f"{name} {value}" for name, value in named.items() if value is not None)
