"""The moves of one decision, judged: what each is likely to bring, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, NamedTuple, TypeAlias, assert_never

from engine.cards import Card, CardSet, named
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
    goes by; where the seat goes for a moon, less what a plan for one is asked for. *dear* is the
    chance to take a card of the dearest penalty left, *other_moon* that of a moon or sun by another
    seat, and *own_moon* that of one by the seat, if it goes for one or as it goes on else,
    whichever is more. *place* is its mean place in the game after the deal, from 1.
    """

    move: Move
    points: Estimate
    gain: Estimate
    dear: float
    own_moon: float
    other_moon: float
    place: float


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
class Analysis:
    """The moves of one decision of *seat*, the best first.

    *worlds* is in how many each was played out, *dearest* the cards of the dearest penalty
    that nobody has taken yet, none where nothing dear is left; *is_dearest* says whether the rules
    know none that is dearer. By the first of *readings* the moves are ordered: it counts a
    moon that the seat goes for as bots do, for what it gains beyond what they ask of one. Where
    the seat can still make one, the second counts it in full. Nobody knows which is right, how
    well the others defend: so a move is better than another as far as both readings say it is.
    With *in_order* passes of the same cards in another order differ.
    """

    seat: Seat
    seats: int
    phase: TurnType
    worlds: int
    dearest: CardSet
    readings: tuple[Reading, ...]
    is_dearest: bool = True
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

    def rival(self, move: Move) -> Judged:
        """Return the move that *move* is worse than by most; one as good as it if there is none.

        Raises:
            KeyError: It was not judged.
        """
        return max(self.judged, key=lambda one: self.difference(one.move, move).mean)

    def difference(self, one: Move, other: Move) -> Estimate:
        """Return by how much *one* gains more than *other*, compared world by world.

        Of two readings it is the one that says less for *one*.

        Raises:
            KeyError: One of them was not judged.
        """
        here, there = self._place(one), self._place(other)
        reading = self._reading(here, there)
        both = zip(reading.gains[here], reading.gains[there], strict=True)
        return estimate([some - more for some, more in both], self.seats)

    def both(self, one: Move, other: Move) -> tuple[Judged, Judged]:
        """Return what both are likely to bring, as `difference` reads it.

        Raises:
            KeyError: One of them was not judged.
        """
        here, there = self._place(one), self._place(other)
        reading = self._reading(here, there)
        return reading.judged[here], reading.judged[there]

    def parts(self, one: Move, other: Move) -> Mapping[int, int]:
        """Return what *one* gains more than *other* over all worlds, times the number of seats.

        It is told apart by what they differ in, as `difference` reads it: a world counts for the
        first of `OUTCOMES` to which one of them comes there and the other does not, or for 0.

        Raises:
            KeyError: One of them was not judged.
        """
        parts = dict.fromkeys((*OUTCOMES, 0), 0)
        here, there = self._place(one), self._place(other)
        reading = self._reading(here, there)
        some = zip(reading.gains[here], reading.outcomes[here], strict=True)
        more = zip(reading.gains[there], reading.outcomes[there], strict=True)
        for (gain, came), (other_gain, other_came) in zip(some, more, strict=True):
            parts[_first(came ^ other_came)] += gain - other_gain
        return parts

    def cost(self, move: Move) -> Estimate:
        """Return by how much *move* gains less than the best one.

        Raises:
            KeyError: It was not judged.
        """
        return self.difference(self.best.move, move)

    def is_better(self, one: Move, other: Move) -> bool:
        """Return whether *one* gains more than *other* beyond two standard errors.

        Raises:
            KeyError: One of them was not judged.
        """
        found = self.difference(one, other)
        return found.is_clear and found.mean > 0

    def _reading(self, here: int, there: int) -> Reading:
        """Return the reading that says less for the move in place *here*."""
        return min(
            self.readings, key=lambda reading: sum(reading.gains[here]) - sum(reading.gains[there])
        )

    def _place(self, move: Move) -> int:
        keys = [key_of(one.move, in_order=self.in_order) for one in self.judged]
        wanted = key_of(move, in_order=self.in_order)
        if wanted not in keys:
            raise KeyError(move)
        return keys.index(wanted)


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
