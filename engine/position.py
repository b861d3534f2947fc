"""A deal in the middle, as another game came to it: what a fork begins with."""

from dataclasses import dataclass
from typing import NamedTuple

from engine.cards import Card, CardSet
from engine.passing import Transfers
from engine.playing import Trick
from engine.rules import Direction
from engine.scoring import Shot
from engine.seats import PerSeat, Seat


class PastTrick(NamedTuple):
    """A trick that is over; *winner* is None where nobody took it, and *points* then 0."""

    trick: Trick
    winner: Seat | None
    points: int


@dataclass(frozen=True, slots=True)
class Position:
    """A running deal that waits for somebody: the one numbered *deal*, after *scored* others.

    *dealt* has the hands as they were dealt, *totals* the points before this deal. *passed*
    has what each seat passed, None for a seat that still has to, and is empty where nobody
    passes; *received* is empty until all have passed. *kitty_trick* is the number of the trick
    with which *kitty_taker* took the kitty. *leader* and *trick* are those of the open trick;
    *leader* is None while cards are passed, and where *shot* waits for its shooter's choice.
    """

    deal: int
    scored: int
    totals: PerSeat[int]
    dealer: Seat
    direction: Direction | None
    pass_count: int
    opening_card: Card | None
    dealt: PerSeat[CardSet]
    kitty: CardSet
    passed: PerSeat[tuple[Card, ...] | None] = ()
    received: PerSeat[Transfers] = ()
    tricks: tuple[PastTrick, ...] = ()
    kitty_taker: Seat | None = None
    kitty_trick: int | None = None
    leader: Seat | None = None
    trick: tuple[Card, ...] = ()
    hearts_broken: bool = False
    shot: Shot | None = None

    @property
    def moves(self) -> int:
        """How many decisions led here from the deal."""
        passed = sum(cards is not None for cards in self.passed)
        return passed + sum(len(past.trick.cards) for past in self.tricks) + len(self.trick)
