"""`hearts audit`: whether bots moved, and hints were given, by what their seats saw."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple, TextIO

from engine.commands import IMPORT
from engine.events import Event, GameCreated
from engine.seats import Seat
from engine.verify.bot_moves import (
    COMPARED,
    UNTOLD,
    BotMove,
    Comparison,
    Mover,
    bot_moves,
    movers_in,
)
from engine.verify.hints import GivenHint, given_hints
from engine.verify.report import Check, Report, Verdict
from engine.verify.text import verified_text
from service.log_check import verified_log
from service.sources import plain
from service.verification import FORMS
from service.verify_command import form_of, place_of, refuse_document

_REASONS: Final = {
    Comparison.FALLBACK: "made by the fallback",
    Comparison.PERHAPS_FALLBACK: "as the fallback plays: notation marks none",
    Comparison.TIMEOUT: "made by the clock, for which no version is named",
    Comparison.UNKNOWN_LEVEL: "there is no such level here",
    Comparison.OTHER_VERSION: "the level has another version here",
    Comparison.NO_VERSION: "the file names no version",
    Comparison.NOT_OPENED: "the link of the deal is not open",
}
_HINT_REASONS: Final = {
    Comparison.NO_VERSION: "another one is given here, and hints name no version",
    Comparison.UNKNOWN_LEVEL: _REASONS[Comparison.UNKNOWN_LEVEL],
    Comparison.NOT_OPENED: _REASONS[Comparison.NOT_OPENED],
    Comparison.HIDDEN: "this view of the game hides them",
}
NOT_ALL: Final = 3
"""The exit code where nothing differs, but not everything can be told."""

_COPY: Final = "a copy: where it was taken in from notation without versions, these are guessed"
_HIDDEN: Final = "the file hides what follows: take it again when the game is over"


class Audit(NamedTuple):
    """The *report* on a file, each bot's move and each hint in it made again, and what to say."""

    report: Report
    moves: Sequence[BotMove]
    notes: Sequence[str] = ()
    hints: Sequence[GivenHint] = ()

    @property
    def exit_code(self) -> int:
        """0 if all is as it should be, 1 if something is not, 3 if nobody can tell of all."""
        if not self.report.is_valid or self.differing:
            return 1
        return NOT_ALL if self.untold or _HIDDEN in self.notes else 0

    @property
    def untold(self) -> int:
        """How many moves and hints nobody can tell anything of."""
        moves = sum(move.comparison in UNTOLD for move in self.moves)
        return moves + sum(hint.comparison in UNTOLD for hint in self.hints)

    @property
    def differing(self) -> list[BotMove]:
        """The moves that their levels do not make."""
        return [move for move in self.moves if move.comparison is Comparison.DIFFERS]


def audit(source: str, raw: bytes, tell: Callable[[int], object]) -> Audit:
    """Make every move of a bot in *raw*, the file of *source*, again.

    *tell* is told after each how many there were. Of notation, what stands behind the
    first line that is wrong is not looked at.

    Raises:
        UnfitFileError: It is a form that does not say who made a move.
    """
    refuse_document(source, raw)
    if form_of(raw) is FORMS[0]:
        return _audit_log(raw, tell)
    return _audit_notation(raw, tell)


def _audit_log(raw: bytes, tell: Callable[[int], object]) -> Audit:
    report, events, file, links = verified_log(raw)
    if file is None:
        return Audit(report, ())
    movers = [_mover(one["actor"]) for one in file.events]
    moves = _told(bot_moves(events, movers, links), tell)
    return Audit(report, moves, list(_notes(report, events)), list(given_hints(events, links)))


def _notes(report: Report, events: Sequence[Event]) -> Iterator[str]:
    # Not the header's origin, which nobody has looked at if the rest is wrong.
    first = events[0] if events else None
    origin = first.origin if isinstance(first, GameCreated) else None
    if origin is not None and origin.kind == IMPORT:
        yield _COPY
    if report.is_valid and report.checks[Check.LEGALITY] is Verdict.SKIPPED:
        yield _HIDDEN


def _mover(actor: dict[str, Any]) -> Mover | None:
    return Mover(actor["level"], actor["version"]) if actor["kind"] == "bot" else None


def _audit_notation(raw: bytes, tell: Callable[[int], object]) -> Audit:
    report, events, reading, links = verified_text(raw.decode("utf-8", "replace"))
    if reading is None:
        return Audit(report, ())
    movers = movers_in(events, reading.versions)
    moves = _told(bot_moves(events, movers, links, is_marked=False), tell)
    made = [move for move in moves if move.comparison is Comparison.NO_VERSION]
    same = sum(move.again == move.said for move in made)
    note = f"without a version, {same} of {len(made)} moves are those of the levels here"
    return Audit(report, moves, [note] if made else [])


def _told(moves: Iterator[BotMove], tell: Callable[[int], object]) -> list[BotMove]:
    found = []
    for move in moves:
        found.append(move)
        tell(len(found))
    return found


def progress(screen: TextIO) -> Callable[[int], object]:
    """Return what tells on *screen*, if that is a terminal, how many moves were made again."""
    if not screen.isatty():
        return lambda _: None
    # A search takes a tenth of a second, a game has hundreds of them.
    return lambda count: screen.write(f"{count} moves made again\r") and screen.flush()


def told(source: str, found: Audit) -> str:
    """Return what an audit of the file of *source* has *found*, without a line feed at the end."""
    lines = [f"{source}: {_summary(found)}"]
    if found.report.first_error is not None:
        error = found.report.first_error
        lines.append(f"  wrong at {place_of(error)}: {error.code}")
    lines += [f"  {row}" for row in _rows(found)]
    lines += [f"  {_difference(move)}" for move in found.differing]
    return "\n".join([*lines, *(f"  {note}" for note in found.notes)])


def _summary(found: Audit) -> str:
    compared = sum(move.comparison in COMPARED for move in found.moves)
    untold = sum(move.comparison in UNTOLD for move in found.moves)
    rest = f", {untold} cannot be made again" if untold else ""
    if not found.moves:
        return "no move of a bot to make again"
    if not compared:
        return f"none of {len(found.moves)} moves can be made again"
    if found.differing:
        return f"{len(found.differing)} of {compared} moves made again differ{rest}"
    return f"{compared} of {compared} moves made again agree{rest}"


def _rows(found: Audit) -> Iterator[str]:
    """Yield lines for each seat and level: what agrees, and what nobody can tell."""
    by_mover = sorted(found.moves, key=_whose)
    for (seat, level), moves in groupby(by_mover, _whose):
        count = Counter(move.comparison for move in moves)
        yield from _row(f"seat {seat}, {level}", count, _REASONS)
    by_adviser = sorted(found.hints, key=_whose_hint)
    for (seat, hint_name), hints in groupby(by_adviser, _whose_hint):
        count = Counter(hint.comparison for hint in hints)
        yield from _row(f"seat {seat}, {hint_name}", count, _HINT_REASONS)


def _row(name: str, count: Counter[Comparison], reasons: Mapping[Comparison, str]) -> Iterator[str]:
    if compared := sum(count[one] for one in COMPARED):
        yield f"{name}: {count[Comparison.AGREES]} of {compared} agree"
    for reason, text in reasons.items():
        if count[reason]:
            yield f"{name}: {count[reason]} not made again, {text}"


def _whose_hint(hint: GivenHint) -> tuple[Seat, str]:
    return hint.seat, "hints" if hint.level is None else f"hints by {hint.level}"


def _whose(move: BotMove) -> tuple[Seat, str]:
    return move.seat, _called(move.mover)


def _called(mover: Mover) -> str:
    level = plain(mover.level)
    return level if mover.version is None else f"{level} {mover.version}"


def _difference(move: BotMove) -> str:
    place = f"trick {move.trick}" if move.trick else move.phase.value
    return (
        f"deal {move.deal}, {place}, seat {move.seat}: "
        f"{move.said} in the log, {move.again} made again"
    )
