"""What the report on a file looks like."""

from engine.verify.report import Finding, Report
from service.schemas.responses import Answer


def report_data(report: Report, form: str) -> Answer:
    """Return *report* on a file in the *form* of that name."""
    return {
        "valid": report.is_valid,
        "format": form,
        "seats": report.seats,
        "deals": report.deals,
        "events": report.events,
        "checks": {check.value: verdict.value for check, verdict in report.checks.items()},
        "first_error": None if report.first_error is None else _finding(report.first_error),
    }


def _finding(finding: Finding) -> Answer:
    return {
        "line": finding.line,
        "column": finding.column,
        "deal": finding.deal,
        "trick": finding.trick,
        "seat": finding.seat,
        "code": finding.code,
    }
