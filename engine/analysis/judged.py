"""The moves of one decision, judged: what each is likely to bring, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, NamedTuple, TypeAlias, assert_never

from engine.cards import Card, named
from engine.commands import ChooseMoon, Move, PassCards, PlayCard
from engine.scoring import MoonChoice
from engine.seats import Seat
from engine.state import TurnType

_CLEAR: Final = 2
"""By how many standard errors a difference has to stand out."""

MoveKey: TypeAlias = tuple[Card, ...] | MoonChoice

OWN_MOON: Final = 1
OTHER_MOON: Final = 2
DEAR: Final = 4
OUTCOMES: Final = (OWN_MOON, OTHER_MOON, DEAR)
"""What may come of a move in a world, as bits of an int.

The seat shoots a moon or sun, another one does, the seat takes a card of the dearest penalty that
was left.
"""


class Estimate(NamedTuple):
    """A mean over many worlds, and its standard error, 0 where nothing is left to chance."""

    mean: float
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether the mean differs from nothing by more than two standard errors."""
        return abs(self.mean) > _CLEAR * self.error


def estimate(found: Sequence[int], share: int = 1) -> Estimate:
    """Return the mean of *found*, each divided by *share*; a single number is certain."""
    # Whole numbers up to the last step, so that no order of adding rounds otherwise.
    count, total = len(found), sum(found)
    if count == 1:
        return Estimate(total / share, 0.0)
    spread = count * sum(one * one for one in found) - total * total
    return Estimate(total / (count * share), sqrt(spread / (count * count * (count - 1))) / share)


@dataclass(frozen=True, slots=True)
class Judged:
    """A move, and what it is likely to bring.

    *points* are the seat's own of the deal, negative where bonus cards or a moon make them so;
    *gain* is by how much they are fewer than the mean of the table, which is what a search
    goes by; in a reading that asks something of plans for moons, less that. *dear* is the
    chance to take a card of the dearest penalty left, *own_moon* and *other_moon* are those of
    a moon or sun by the seat and by another. *place* is its mean place in the game after the
    deal, from 1. *is_bold* says whether the seat goes for a moon after it, and *bold_moon* is the
    chance of one if it does, as far as that was tried.
    """

    move: Move
    points: Estimate
    gain: Estimate
    dear: float
    own_moon: float
    other_moon: float
    place: float
    is_bold: bool = False
    bold_moon: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of the moves of a decision, a moon being counted in one way.

    *gains* are those of the moves, in the order of *judged*, world by world and times the number
    of seats; *outcomes* are what came of them there, each some of `OUTCOMES`.
    """

    judged: tuple[Judged, ...]
    gains: tuple[tuple[int, ...], ...] = field(repr=False)
    outcomes: tuple[tuple[int, ...], ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two moves in the same worlds, and the same reading: what each is likely to bring.

    *gains* and *outcomes* are those of *one* and of *other*, as a `Reading` of *seats* has them.
    """

    one: Judged
    other: Judged
    gains: tuple[Sequence[int], Sequence[int]]
    outcomes: tuple[Sequence[int], Sequence[int]]
    seats: int

    @property
    def difference(self) -> Estimate:
        """By how much *one* gains more than *other*, compared world by world."""
        return estimate([some - more for some, more in zip(*self.gains, strict=True)], self.seats)

    def more(self, outcome: int) -> Estimate:
        """Return in what share of the worlds *outcome* came of *one* more than of *other*."""
        pairs = zip(*self.outcomes, strict=True)
        return estimate([bool(came & outcome) - bool(there & outcome) for came, there in pairs])

    @property
    def parts(self) -> Mapping[int, int]:
        """What *one* gains more than *other* over all worlds, times the number of seats.

        It is told apart by what they differ in: a world counts for the first of `OUTCOMES` to
        which one of them comes there and the other does not, or for 0.
        """
        parts = dict.fromkeys((*OUTCOMES, 0), 0)
        for gain, more, came, there in zip(*self.gains, *self.outcomes, strict=True):
            parts[_first(came ^ there)] += gain - more
        return parts


@dataclass(frozen=True, slots=True)
class Analysis:
    """The moves of one decision of *seat*, the best first.

    *worlds* is in how many each was played out. By the first of *readings* the moves are
    ordered: it counts a moon that the seat goes for as bots do, for what it gains beyond what
    they ask of one. Where the seat can still make one, the second counts it in full. Nobody
    knows which is right, how well the others defend: so a move is better than another as far as
    both readings say it is. *dearest_is_left* says whether the dearest penalty left is the
    dearest that the rules know. With *in_order* passes of the same cards in another order differ.
    """

    seat: Seat
    seats: int
    phase: TurnType
    worlds: int
    readings: tuple[Reading, ...]
    dearest_is_left: bool = True
    in_order: bool = False

    @property
    def judged(self) -> tuple[Judged, ...]:
        """The moves, the best first, and what each is likely to bring."""
        return self.readings[0].judged

    @property
    def best(self) -> Judged:
        """The move that is best as far as can be told."""
        return self.judged[0]

    def of(self, move: Move) -> Judged:
        """Return what *move* is likely to bring; a card stands for its twin.

        Raises:
            KeyError: It was not judged.
        """
        return self.judged[self._place(move)]

    def compared(self, one: Move, other: Move) -> Comparison:
        """Return *one* and *other* in the reading that says less for *one*.

        Raises:
            KeyError: One of them was not judged.
        """
        here, there = self._place(one), self._place(other)
        reading = min(
            self.readings, key=lambda found: sum(found.gains[here]) - sum(found.gains[there])
        )
        return self._comparison(reading, here, there)

    def shown(self, one: Move, other: Move) -> Comparison:
        """Return *one* and *other* in the reading that orders the moves.

        Raises:
            KeyError: One of them was not judged.
        """
        return self._comparison(self.readings[0], self._place(one), self._place(other))

    def difference(self, one: Move, other: Move) -> Estimate:
        """Return by how much *one* gains more than *other*, as far as all readings say so.

        Raises:
            KeyError: One of them was not judged.
        """
        return self.compared(one, other).difference

    def is_better(self, one: Move, other: Move) -> bool:
        """Return whether *one* gains more than *other* beyond two standard errors.

        Raises:
            KeyError: One of them was not judged.
        """
        return _is_better(self.difference(one, other))

    def rival(self, move: Move) -> Judged:
        """Return the move that is better than *move* by most.

        Where none is, it is one that is as good, or may be.

        Raises:
            KeyError: It was not judged.
        """

        def by_how_much(one: Judged) -> tuple[bool, float]:
            found = self.difference(one.move, move)
            # What is better beyond doubt is more than what may be much better.
            return _is_better(found), found.mean

        return max(self.judged, key=by_how_much)

    def cost(self, move: Move) -> Estimate:
        """Return by how much *move* gains less than its rival.

        Raises:
            KeyError: It was not judged.
        """
        return self.difference(self.rival(move).move, move)

    def _comparison(self, reading: Reading, here: int, there: int) -> Comparison:
        return Comparison(
            one=reading.judged[here],
            other=reading.judged[there],
            gains=(reading.gains[here], reading.gains[there]),
            outcomes=(reading.outcomes[here], reading.outcomes[there]),
            seats=self.seats,
        )

    def _place(self, move: Move) -> int:
        keys = [key_of(one.move, in_order=self.in_order) for one in self.judged]
        wanted = key_of(move, in_order=self.in_order)
        if wanted not in keys:
            raise KeyError(move)
        return keys.index(wanted)


def _is_better(found: Estimate) -> bool:
    return found.is_clear and found.mean > 0


def _first(outcomes: int) -> int:
    return outcomes & -outcomes


def key_of(move: Move, *, in_order: bool) -> MoveKey:
    """Return what tells *move* from other moves of its decision: twins are one card."""
    match move:
        case PassCards(cards=cards):
            codes = tuple(map(named, cards))
            return codes if in_order else tuple(sorted(codes))
        case PlayCard(card=one):
            return (named(one),)
        case ChooseMoon(choice=choice):
            return choice
        case other:
            assert_never(other)
