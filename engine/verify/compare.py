"""What a text says of a game, held against what was played again."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.notation.reader import Reading
from engine.notation.record import (
    NOTHING,
    DealLine,
    KittyLine,
    Line,
    MoonLine,
    Outcome,
    PassLine,
    Record,
    ScoreLine,
    TrickLine,
    deal_numbers,
)
from engine.rules import Direction
from engine.seats import Seat
from engine.verify.report import Check, Finding

_MAY_BE_MISSING: Final = (KittyLine, ScoreLine)
_TAGS: Final = {
    "Removed": (Check.DEALS, "wrong_removed"),
    "Seeds": (Check.COMMITMENT, "wrong_seeds"),
    "Result": (Check.SCORES, "wrong_result"),
    "Winner": (Check.SCORES, "wrong_winner"),
    "Termination": (Check.SCORES, "wrong_termination"),
}
"""The tags that follow from the game, and what is wrong where they do not."""


class Difference(NamedTuple):
    """What is wrong with a line."""

    check: Check
    code: str
    seat: Seat | None = None


def tag_findings(reading: Reading, derived: Record) -> Iterator[Finding]:
    """Yield what is wrong with the tags of *reading*."""
    for name, (check, code) in _TAGS.items():
        said = reading.record.tags[name]
        # Without links the deals are not proved, which is not wrong.
        unproved = name == "Seeds" and said == NOTHING
        if not unproved and said != derived.tags[name]:
            yield Finding(check, code, reading.tag_places[name])


def line_findings(reading: Reading, derived: Sequence[Line], until: int | None) -> list[Finding]:
    """Return what is wrong with the lines of *reading* before its line *until*, or with all."""
    comparison = _Comparison(reading, derived)
    comparison.run(until)
    return comparison.findings


class _Comparison:
    """Walks through both, line by line; a line that was left out may be one of few kinds."""

    def __init__(self, reading: Reading, derived: Sequence[Line]) -> None:
        self.findings: list[Finding] = []
        self._reading = reading
        self._derived = derived
        self._next = 0
        first = next((line.number for line in derived if isinstance(line, DealLine)), 1)
        self._numbers = deal_numbers(reading.record.lines, first)
        self._deal: int | None = None
        self._trick: int | None = None

    def run(self, until: int | None) -> None:
        lines = self._reading.record.lines[:until]
        for line, place in zip(lines, self._reading.places, strict=False):
            self._note_place(line)
            wanted = self._wanted(line)
            if wanted is None:
                self._find(Difference(Check.LEGALITY, "unexpected_line"), place)
                return
            for difference in differences(line, wanted):
                self._find(difference, place)
        if until is None and self._is_cut():
            self._find(Difference(Check.LEGALITY, "missing_line"), self._reading.end)

    def _note_place(self, line: Line) -> None:
        if isinstance(line, DealLine):
            self._deal, self._trick = next(self._numbers), None
        if isinstance(line, TrickLine):
            self._trick = (self._trick or 0) + 1

    def _wanted(self, line: Line) -> Line | None:
        """Return the line that should stand where *line* does."""
        kind = type(line)
        for wanted in self._derived[self._next :]:
            self._next += 1
            if isinstance(wanted, kind):
                return wanted
            if not isinstance(wanted, _MAY_BE_MISSING):
                return None
        return None

    def _is_cut(self) -> bool:
        rest = self._derived[self._next :]
        if self._reading.facts.termination == NOTHING:
            # A file of what is revealed ends before the deal that runs.
            rest = [line for line in rest if not _begins_a_deal(line)]
        return any(not isinstance(line, _MAY_BE_MISSING) for line in rest)

    def _find(self, difference: Difference, place: int) -> None:
        check, code, seat = difference
        self.findings.append(
            Finding(check, code, place, deal=self._deal, trick=self._trick, seat=seat)
        )


def _begins_a_deal(line: Line) -> bool:
    return isinstance(line, DealLine) or line == PassLine(Direction.HOLD)


def differences(said: Line, wanted: Line) -> Iterator[Difference]:
    """Yield in what *said* differs from *wanted*, a line of the same kind."""
    match said, wanted:
        case TrickLine(), TrickLine():
            yield from _trick(said, wanted)
        case DealLine(), DealLine():
            yield from _deal(said, wanted)
        case PassLine(), PassLine() if said != wanted:
            yield Difference(Check.LEGALITY, "wrong_pass")
        case KittyLine(), KittyLine() if said != wanted:
            yield Difference(Check.TRICK_WINNERS, "wrong_kitty", wanted.seat)
        case MoonLine(), MoonLine() if said != wanted:
            yield Difference(Check.SCORES, "wrong_moon", wanted.seat)
        case ScoreLine(), ScoreLine():
            if said.points != wanted.points:
                yield Difference(Check.SCORES, "wrong_points", _first(said.points, wanted.points))
            elif said.totals != wanted.totals:
                yield Difference(Check.SCORES, "wrong_totals", _first(said.totals, wanted.totals))
        case _ if said != wanted:
            yield Difference(Check.LEGALITY, "wrong_line")
        case _:
            return


def _trick(said: TrickLine, wanted: TrickLine) -> Iterator[Difference]:
    if said.number != wanted.number:
        yield Difference(Check.LEGALITY, "wrong_trick_number")
    if said.leader != wanted.leader:
        yield Difference(Check.LEGALITY, "wrong_leader", wanted.leader)
    if said.cards != wanted.cards:
        yield Difference(Check.LEGALITY, "wrong_cards")
    if said.outcome is not None and said.outcome != wanted.outcome:
        yield _outcome(said.outcome, wanted.outcome)


def _outcome(said: Outcome, wanted: Outcome | None) -> Difference:
    if wanted is None or said.winner != wanted.winner:
        return Difference(Check.TRICK_WINNERS, "wrong_winner", wanted and wanted.winner)
    return Difference(Check.TRICK_WINNERS, "wrong_trick_points", wanted.winner)


def _deal(said: DealLine, wanted: DealLine) -> Iterator[Difference]:
    if said.number != wanted.number:
        yield Difference(Check.LEGALITY, "wrong_deal_number")
    if said.hands != wanted.hands:
        yield Difference(Check.DEALS, "wrong_hands", _first(said.hands, wanted.hands))
    if said.kitty != wanted.kitty:
        yield Difference(Check.DEALS, "wrong_kitty_cards")


def _first(said: Sequence[object], wanted: Sequence[object]) -> Seat:
    pairs = zip(said, wanted, strict=True)
    return next(seat for seat, (one, other) in enumerate(pairs) if one != other)
