"""Records as text, in the one canonical way."""

from collections.abc import Iterator
from typing import assert_never

from engine.cards import SUITS
from engine.notation.record import (
    BOT_PREFIX,
    HUMAN,
    NOTHING,
    AbortLine,
    Codes,
    ControlLine,
    DealLine,
    Hand,
    KittyLine,
    Line,
    MoonLine,
    Outcome,
    PassLine,
    Record,
    ScoreLine,
    TrickLine,
    VoidLine,
)

HIDDEN = "?"


def write_game(record: Record) -> str:
    """Return *record* as text, which ends with a line feed."""
    tags = [f'[{name} "{_escaped(value)}"]' for name, value in record.tags.items()]
    return "\n".join([*tags, "", *map(line_text, record.lines), "*", ""])


def line_text(line: Line) -> str:  # noqa: PLR0911 - one case per kind of line
    """Return *line* as text, without the end of a line."""
    match line:
        case TrickLine():
            return _trick(line)
        case DealLine():
            return " ".join(_deal(line))
        case PassLine():
            return " ".join(["P", line.direction.value, *map(_pass, line.passes)])
        case KittyLine():
            return f"K{line.seat}"
        case MoonLine():
            return f"M{line.seat} {line.choice.value}"
        case ScoreLine():
            return " ".join(["S", *map(str, line.points), "=", *map(str, line.totals)])
        case VoidLine():
            return f"V {line.reason}"
        case ControlLine():
            return f"C{line.seat} {kind_text(line.level, line.version)} {line.reason}"
        case AbortLine():
            return f"X {line.reason}"
        case other:
            assert_never(other)


def kind_text(level: str | None, version: int | None = None) -> str:
    """Return who plays: a bot of *level*, with its *version* if that is known; a person if None."""
    if level is None:
        return HUMAN
    return BOT_PREFIX + level + (f"/{version}" if version else "")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _deal(line: DealLine) -> Iterator[str]:
    yield f"D{line.number}"
    yield from map(_hand, line.hands)
    if line.kitty != ():
        yield "+"
        yield _hand(line.kitty)


def _hand(hand: Hand) -> str:
    if hand is None:
        return HIDDEN
    return ".".join(_ranks(hand, suit) or NOTHING for suit in SUITS)


def _ranks(hand: Codes, suit: str) -> str:
    return "".join(code[0] for code in hand if code[1] == suit)


def _pass(one: tuple[int, Hand]) -> str:
    seat, given = one
    return f"{seat}:{HIDDEN if given is None else '-'.join(given)}"


def _trick(line: TrickLine) -> str:
    played = f"{line.number}. {line.leader}:{' '.join(line.cards)}"
    return played if line.outcome is None else f"{played} ={_outcome(line.outcome)}"


def _outcome(outcome: Outcome) -> str:
    if outcome.winner is None:
        return NOTHING
    return f"{outcome.winner}{outcome.points:+d}" if outcome.points else str(outcome.winner)
