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

The seat shoots a moon or sun, another one does, the seat takes a card of the dearest penalty.
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
    goes by; where the seat goes for a moon, less what such a plan has to gain. *dear* is the
    chance to take a card of the dearest penalty, *own_moon* and *other_moon* are those of a
    moon or sun by the seat and by another. *place* is its mean place in the game after the
    deal, from 1.
    """

    move: Move
    points: Estimate
    gain: Estimate
    dear: float
    own_moon: float
    other_moon: float
    place: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """The moves of one decision of *seat*, the best first.

    *worlds* is in how many each was played out, *dearest* the cards of the dearest penalty,
    none where there is no penalty. *gains* are those of the moves, in their order, world by
    world and times the number of *seats*; *outcomes* are what came of them there, each some of
    `OUTCOMES`. With *in_order* passes of the same cards in another order differ.
    """

    seat: Seat
    seats: int
    phase: TurnType
    worlds: int
    dearest: CardSet
    judged: tuple[Judged, ...]
    gains: tuple[tuple[int, ...], ...] = field(repr=False)
    outcomes: tuple[tuple[int, ...], ...] = field(repr=False)
    in_order: bool = False

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

    def difference(self, one: Move, other: Move) -> Estimate:
        """Return by how much *one* gains more than *other*, compared world by world.

        Raises:
            KeyError: One of them was not judged.
        """
        some, more = self.gains[self._place(one)], self.gains[self._place(other)]
        return estimate([a - b for a, b in zip(some, more, strict=True)], self.seats)

    def parts(self, one: Move, other: Move) -> Mapping[int, int]:
        """Return what *one* gains more than *other* over all worlds, times the number of seats.

        It is told apart by what they differ in: a world counts for the first of `OUTCOMES` to
        which one of them comes there and the other does not, or for 0.

        Raises:
            KeyError: One of them was not judged.
        """
        parts = dict.fromkeys((*OUTCOMES, 0), 0)
        here, there = self._place(one), self._place(other)
        some = zip(self.gains[here], self.outcomes[here], strict=True)
        more = zip(self.gains[there], self.outcomes[there], strict=True)
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
