"""`hearts replay`: a game in the terminal, a page for each deal, forward and back."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from engine.cards import SUITS
from engine.notation.errors import NotationError
from engine.notation.reader import read_game
from engine.notation.record import (
    NOTHING,
    POSITION,
    AbortLine,
    Codes,
    ControlLine,
    DealLine,
    Hand,
    KittyLine,
    Line,
    MoonLine,
    PassLine,
    Record,
    ScoreLine,
    TrickLine,
    VoidLine,
)
from engine.notation.writer import HIDDEN, kind_text
from engine.rules import Direction
from engine.seats import left_of
from service.log_check import record_of_log
from service.log_file import LogFileError
from service.sources import UnfitFileError, plain
from service.verification import FORMS
from service.verify_command import form_of, refuse_document

PROMPT: Final = "Enter: next   b: back   a number: that deal   q: end > "
_WIDEST: Final = 12
_NARROWEST: Final = 5
_SUIT_WIDTH: Final = 10
_MOON: Final = {"others_add": "adds to the others", "self_subtract": "subtracts from the own total"}


def record_in(source: str, raw: bytes) -> Record:
    """Return the record of the game in *raw*, the file found at *source*.

    Raises:
        UnfitFileError: It is not the file of a game, or a wrong one.
    """
    refuse_document(source, raw)
    try:
        if form_of(raw) is FORMS[0]:
            return record_of_log(raw)
        return read_game(raw.decode("utf-8")).record
    except (LogFileError, NotationError, UnicodeDecodeError) as exc:
        raise UnfitFileError(f"{source}: {exc}") from exc


def pages_of(record: Record) -> list[str]:
    """Return a page of text for each deal of *record*; one page where nothing was dealt."""
    deals = list(_deals(record.lines))
    names = _names(record)
    first = first_deal(record)
    last = first + len(deals) - 1
    pages = [
        "\n".join(_page(deal, names, f"{_title(record)}, deal {number} of {last}"))
        for number, deal in enumerate(deals, first)
    ]
    ending = _ending(record, names)
    if not pages:
        return ["\n".join([_title(record), *ending])]
    return [*pages[:-1], "\n".join([pages[-1], *ending])]


def first_deal(record: Record) -> int:
    """Return the number of the first deal: that of a fork says what it goes on with."""
    if POSITION not in record.tags:
        return 1
    return next((line.number for line in record.lines if isinstance(line, DealLine)), 1)


def step_through(
    pages: Sequence[str], first: int, ask: Callable[[str], str], show: Callable[[str], object]
) -> None:
    """Show *pages* one at a time, as the answers of *ask* want them, until one ends it.

    The deal on the first page is the one numbered *first*.
    """
    place = 0
    while True:
        show(pages[place])
        try:
            answer = ask(PROMPT).strip().lower()
        except EOFError:
            return
        if answer == "q" or (answer == "" and place == len(pages) - 1):
            return
        place = _next(answer, place, first, len(pages))


def _next(answer: str, place: int, first: int, count: int) -> int:
    if answer.isdecimal():
        wanted = int(answer) - first if len(answer) < _WIDEST else place
    else:
        wanted = place + {"": 1, "n": 1, "b": -1}.get(answer, 0)
    return min(max(wanted, 0), count - 1)


def _deals(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each deal; what stands before the first belongs to none."""
    starts = [place for place, line in enumerate(lines) if isinstance(line, DealLine)]
    for start, end in zip_longest(starts, starts[1:]):
        yield list(lines[start:end])


def _names(record: Record) -> list[str]:
    """Return how each seat is called; its number tells seats of one name apart."""
    seats = range(int(record.tags["Seats"]))
    return [f"{seat} {plain(record.tags[f'Seat{seat}'])}" for seat in seats]


def _title(record: Record) -> str:
    tags = record.tags
    title = f"{tags['Game']}, {tags['Date']}, {tags['Preset']}"
    return f"{title}, {tags['Origin']}" if POSITION in tags else title


def _page(lines: Sequence[Line], names: Sequence[str], title: str) -> Iterator[str]:
    width = max(_NARROWEST, min(_WIDEST, max(map(len, names))))
    columns = [name[:width].rjust(width) for name in names]
    has_head = False
    yield title
    for line in lines:
        if isinstance(line, TrickLine) and not has_head:
            has_head = True
            yield f"\n  trick  {'  '.join(columns)}"
        yield from _told(line, names, width)


def _told(line: Line, names: Sequence[str], width: int) -> Iterator[str]:
    match line:
        case DealLine():
            yield from _dealt(line, names)
        case PassLine():
            yield from _passed(line, names)
        case TrickLine():
            yield _trick(line, names, width)
        case KittyLine(seat=seat):
            yield f"         {names[seat]} takes the kitty"
        case MoonLine(seat=seat, choice=choice):
            yield f"\n  {names[seat]} shoots: that {_MOON[choice]}"
        case ScoreLine():
            yield f"\n  {'points':<5} {_row(line.points, width)}"
            yield f"  {'total':<6} {_row(line.totals, width)}"
        case VoidLine(reason=reason):
            yield f"  the deal is void: {reason}"
        case ControlLine():
            who = "its player" if line.level is None else kind_text(line.level, line.version)
            yield f"         {names[line.seat]}: now {who} plays ({line.reason})"
        case AbortLine(reason=reason):
            yield f"  the game was stopped: {reason}"


def _row(values: Sequence[int], width: int) -> str:
    return "  ".join(str(value).rjust(width) for value in values)


def _dealt(line: DealLine, names: Sequence[str]) -> Iterator[str]:
    yield ""
    kitty = [] if line.kitty == () else [line.kitty]
    holders = [*names, *["kitty"] * len(kitty)]
    widest = max(map(len, names))
    for holder, hand in zip(holders, _hands([*line.hands, *kitty]), strict=True):
        yield f"  {holder.ljust(widest)}  {hand}"


def _hands(hands: Sequence[Hand]) -> Iterator[str]:
    """Yield *hands* as they stand under each other, suit by suit."""
    by_suits = [None if hand is None else _suits(hand) for hand in hands]
    known = [suits for suits in by_suits if suits is not None]
    widths = [max(_SUIT_WIDTH, *map(len, column)) for column in zip(*known, strict=True)]
    for suits in by_suits:
        cells = [HIDDEN] if suits is None else map(str.ljust, suits, widths)
        yield "  ".join(cells).rstrip()


def _suits(hand: Sequence[str]) -> list[str]:
    suits = ((suit, [code[0] for code in hand if code[1] == suit]) for suit in SUITS)
    return [f"{suit} {' '.join(ranks) or NOTHING}" for suit, ranks in suits]


def _passed(line: PassLine, names: Sequence[str]) -> Iterator[str]:
    if line.direction is Direction.HOLD:
        yield "\n  nobody passes"
        return
    yield f"\n  pass {line.direction.value}"
    for seat, cards in line.passes:
        yield f"  {names[seat]}: {HIDDEN if cards is None else ' '.join(cards)}"


def _trick(line: TrickLine, names: Sequence[str], width: int) -> str:
    seats = len(names)
    fallen = {left_of(line.leader, seats, place): one for place, one in enumerate(line.cards)}
    cells = [_cell(fallen.get(seat), seat, line).rjust(width) for seat in range(seats)]
    return f"  {line.number:>5}  {'  '.join(cells)}{_outcome(line, names)}".rstrip()


def _cell(card: str | None, seat: int, line: TrickLine) -> str:
    if card is None:
        return ""
    winner = None if line.outcome is None else line.outcome.winner
    return f"{'>' if seat == line.leader else ''}{card}{'*' if seat == winner else ' '}"


def _outcome(line: TrickLine, names: Sequence[str]) -> str:
    if line.outcome is None:
        return ""
    if line.outcome.winner is None:
        return "   nobody takes it"
    points = f" {line.outcome.points:+d}" if line.outcome.points else ""
    return f"   {names[line.outcome.winner]}{points}"


def _ending(record: Record, names: Sequence[str]) -> Codes:
    tags = record.tags
    if tags["Winner"] == NOTHING:
        return ()
    winners = " and ".join(names[int(seat)] for seat in tags["Winner"].split())
    return ("", f"  {winners} won: {tags['Termination'].replace('_', ' ')}")
