"""What a check of a file found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.seats import Seat


class Check(StrEnum):
    """What of a game is checked, in this order."""

    SYNTAX = "syntax"
    COMMITMENT = "commitment"
    DEALS = "deals"
    LEGALITY = "legality"
    TRICK_WINNERS = "trick_winners"
    SCORES = "scores"


class Verdict(StrEnum):
    """How a check came out; it is skipped where there is nothing to check by."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with a public *code*; *line* and *column* count from 1."""

    check: Check
    code: str
    line: int
    column: int | None = None
    deal: int | None = None
    trick: int | None = None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked; *seats* is None where the file cannot be read that far.

    *events* counts those of the game that was played again.
    """

    seats: int | None
    deals: int
    events: int
    checks: Mapping[Check, Verdict]
    first_error: Finding | None

    @property
    def is_valid(self) -> bool:
        """Whether nothing is wrong."""
        return self.first_error is None


def unreadable(finding: Finding, seats: int | None = None) -> Report:
    """Return the report on a file that cannot be read."""
    checks = dict.fromkeys(Check, Verdict.SKIPPED) | {Check.SYNTAX: Verdict.FAIL}
    return Report(seats, 0, 0, checks, finding)


def report_of(
    findings: Sequence[Finding], skipped: Iterable[Check], *, seats: int, deals: int, events: int
) -> Report:
    """Return the report on a file that could be read; what was *skipped* did not pass.

    *findings* come in the order in which they matter.
    """
    checks = dict.fromkeys(Check, Verdict.PASS)
    checks |= dict.fromkeys(skipped, Verdict.SKIPPED)
    checks |= {finding.check: Verdict.FAIL for finding in findings}
    return Report(seats, deals, events, checks, findings[0] if findings else None)
