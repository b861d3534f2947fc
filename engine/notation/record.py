"""What a text in HGN/1 holds: tags, and one value for each kind of line.

Cards are codes, in the order written; an equal card of a second pack stands there twice.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from engine.rules import Direction
from engine.scoring import MoonChoice
from engine.seats import PerSeat, Seat

Codes: TypeAlias = tuple[str, ...]
Hand: TypeAlias = Codes | None
"""The codes of some cards in deck order, or None where they are hidden."""

NOTHING: Final = "-"
"""Stands for what is empty or unknown."""

HGN: Final = "HGN"
FORMAT_VERSION: Final = "1"
HUMAN: Final = "human"
BOT_PREFIX: Final = "bot:"
ABORTED: Final = "aborted"
"""How a game ended that was stopped, in place of a reason of the rules."""


POSITION: Final = "Position"
"""The tag of a game that goes on from where another one stood; no other game has it."""


class Start(NamedTuple):
    """What a fork's lines do not say of its beginning: how many of their moves were copied.

    *scored* counts the deals before, *totals* are the points from them.
    """

    moves: int
    scored: int
    totals: PerSeat[int]


class Outcome(NamedTuple):
    """Who took a trick, None if nobody did, and what it counts."""

    winner: Seat | None
    points: int


@dataclass(frozen=True, slots=True)
class DealLine:
    """The hands as dealt, seat 0 first; *kitty* is empty where there is none."""

    number: int
    hands: PerSeat[Hand]
    kitty: Hand = ()


@dataclass(frozen=True, slots=True)
class PassLine:
    """Who passed what, in the order in which they did."""

    direction: Direction
    passes: tuple[tuple[Seat, Hand], ...] = ()


@dataclass(frozen=True, slots=True)
class TrickLine:
    """The cards of a trick from its leader on; *outcome* is None where it is not said."""

    number: int
    leader: Seat
    cards: Codes
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class KittyLine:
    """The kitty goes to *seat*, with the trick before."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MoonLine:
    """Which way the points of a moon or sun went."""

    seat: Seat
    choice: MoonChoice


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The points of a deal and the totals after it."""

    points: PerSeat[int]
    totals: PerSeat[int]


@dataclass(frozen=True, slots=True)
class VoidLine:
    """The running deal does not count."""

    reason: str


@dataclass(frozen=True, slots=True)
class ControlLine:
    """Somebody else plays *seat*: a bot of *level*, or its player if None.

    *version* is that of the level, None where it is not said; it follows from nothing, so lines
    are compared without it.
    """

    seat: Seat
    level: str | None
    reason: str
    version: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class AbortLine:
    """The game was stopped."""

    reason: str


Line: TypeAlias = (
    DealLine
    | PassLine
    | TrickLine
    | KittyLine
    | MoonLine
    | ScoreLine
    | VoidLine
    | ControlLine
    | AbortLine
)


@dataclass(frozen=True, slots=True)
class Record:
    """A game as its text tells it; *tags* by name, in the order of `tag_names`.

    That of a fork has one tag more, `POSITION`.
    """

    tags: Mapping[str, str]
    lines: tuple[Line, ...]


def sole_versions(named: Iterable[tuple[str | None, int | None]]) -> dict[str, int]:
    """Return the version of each level of which *named* has one alone."""
    pairs = {(level, version) for level, version in named if level and version}
    often = Counter(level for level, _ in pairs)
    return {level: version for level, version in pairs if often[level] == 1}


def deal_numbers(lines: Iterable[Line], first: int) -> Iterator[int]:
    """Yield the number of each deal of *lines* from the *first*: one more than before.

    After a void it is the number said, unless that does not go up.
    """
    number, is_voided = first - 1, False
    for line in lines:
        if isinstance(line, DealLine):
            number = max(number + 1, line.number) if is_voided else number + 1
            yield number
        if isinstance(line, DealLine | VoidLine):
            is_voided = isinstance(line, VoidLine)


def tag_names(seats: int) -> tuple[str, ...]:
    """Return the tags of a game of *seats*, in the order in which they are written."""
    return (
        *(HGN, "Game", "Date", "Site", "Seats"),
        *(f"Seat{seat}" for seat in range(seats)),
        *(f"Kind{seat}" for seat in range(seats)),
        *("Preset", "Rules", "RulesVersion", "Removed", "Scheme", "Commitment"),
        *("DealsCommitment", "ClientSeeds", "Seeds", "Origin", "Result", "Winner", "Termination"),
    )
