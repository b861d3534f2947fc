"""The plays of others in the running deal, each with what lay open before it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    NO_CARDS,
    SPADES,
    Card,
    CardSet,
    suit_of,
    union,
)
from engine.playing import Trick
from engine.policy.layout import AT, CARDS, SEATS
from engine.rules import Rules
from engine.seats import Seat
from engine.view import DealView, View

_TAUGHT: Final = Rules(seats=SEATS)
_SUITS: Final = tuple(suit & _TAUGHT.cards for suit in (CLUBS, DIAMONDS, SPADES, HEARTS))
_DEAREST: Final = _TAUGHT.value_sets[-1][1]
_MANY: Final = 5
"""So many points on the table count as alike, the dearest penalty apart."""

_FEWEST: Final = (0, 1, 4, 9, 13, 14, 18, 22)
"""The points that a seat has taken are told apart by these."""


class Seen(NamedTuple):
    """A play of *seat*: its *card*, and what lay open before it.

    *live* are the cards in all hands, *pile* those on the table, *led* the suit to follow;
    *later* are those that the seat played from here on, *card* among them. *inputs* are those
    of the net that are set whatever the hand.
    """

    seat: Seat
    card: Card
    live: CardSet
    pile: CardSet
    led: CardSet
    later: CardSet
    is_broken: bool
    is_first: bool
    inputs: tuple[int, ...]


def is_known(rules: Rules) -> bool:
    """Return whether the net was taught at tables with such *rules*."""
    return (rules.seats, rules.deck, rules.play, rules.scoring) == (
        _TAUGHT.seats,
        _TAUGHT.deck,
        _TAUGHT.play,
        _TAUGHT.scoring,
    )


def seen_plays(view: View) -> list[Seen]:
    """Return what others have played in the running deal, as far as it tells something.

    Raises:
        AssertionError: Nothing is dealt, or it is the public's view.
    """
    assert view.you is not None, "the public has no seat"
    assert view.deal is not None, "nothing is dealt"
    return [one for one in plays_of(view.deal) if one.seat != view.you.seat]


def plays_of(deal: DealView) -> list[Seen]:
    """Return the plays of *deal*, oldest first, as far as they tell something.

    The card that opens the deal tells nothing, and no card does once all points are taken.
    """
    plays = list(_plays(deal))
    table, found = _Table(), []
    for at, ((seat, one), later) in enumerate(zip(plays, _laters(plays), strict=True)):
        if at and (table.live | table.pile) & _TAUGHT.penalties:
            found.append(table.seen(seat, one, later))
        table.play(seat, one)
    return found


def _plays(deal: DealView) -> Iterator[tuple[Seat, Card]]:
    for trick, _ in deal.tricks:
        yield from trick.plays(SEATS)
    if deal.leader is not None:
        yield from Trick(deal.leader, deal.trick).plays(SEATS)


def _laters(plays: list[tuple[Seat, Card]]) -> list[CardSet]:
    """Return for each of *plays* the cards that its seat played from there on."""
    after, laters = [NO_CARDS] * SEATS, []
    for seat, one in reversed(plays):
        after[seat] |= one
        laters.append(after[seat])
    return laters[::-1]


@dataclass(slots=True)
class _Table:
    """What lies open between two plays of a deal; *number* is that of the trick, from 0."""

    live: CardSet = _TAUGHT.cards
    trick: list[Card] = field(default_factory=list)
    winner: Seat = 0
    best: Card = NO_CARDS
    number: int = 0
    is_broken: bool = False
    voids: list[CardSet] = field(default_factory=lambda: [NO_CARDS] * SEATS)
    taken: list[CardSet] = field(default_factory=lambda: [NO_CARDS] * SEATS)

    @property
    def pile(self) -> CardSet:
        """The cards of the trick."""
        return union(self.trick)

    @property
    def led(self) -> CardSet:
        """The suit to follow, no cards before a lead."""
        return suit_of(self.trick[0]) & _TAUGHT.cards if self.trick else NO_CARDS

    def play(self, seat: Seat, one: Card) -> None:
        """Put *one* of *seat* on the table, and clear it after the last."""
        if not self.trick or one & self.led:
            if one > self.best:
                self.best, self.winner = one, seat
        else:
            self.voids[seat] |= self.led
        self.trick.append(one)
        self.live &= ~one
        self.is_broken = self.is_broken or bool(one & _TAUGHT.penalties)
        if len(self.trick) == SEATS:
            self.taken[self.winner] |= self.pile
            self.trick, self.best = [], NO_CARDS
            self.number += 1

    def seen(self, seat: Seat, one: Card, later: CardSet) -> Seen:
        """Return the play of *one* by *seat*, which is next."""
        return Seen(
            seat=seat,
            card=one,
            live=self.live,
            pile=self.pile,
            led=self.led,
            later=later,
            is_broken=self.is_broken,
            is_first=self.number == 0,
            inputs=tuple(self._inputs(seat)),
        )

    def _inputs(self, seat: Seat) -> Iterator[int]:
        yield AT["place"] + len(self.trick)
        yield from self._of_the_trick(seat)
        yield from self._of_voids(seat)
        yield from self._of_points(seat)
        if self.is_broken:
            yield AT["broken"]
        if not self.number:
            yield AT["first"]
        yield AT["number"] + self.number

    def _of_the_trick(self, seat: Seat) -> Iterator[int]:
        if not self.trick:
            yield AT["led"] + len(_SUITS)
            return
        led, points = _SUITS.index(self.led), _TAUGHT.points_in(self.pile)
        behind = [(seat + one) % SEATS for one in range(1, SEATS - len(self.trick))]
        for place, one in enumerate(self.trick):
            before = len(self.trick) - place
            yield AT["trick"] + CARDS * (SEATS - before - 1) + _number(one)
        yield AT["best"] + _number(self.best)
        yield AT["led"] + led
        yield AT["pile"] + (_MANY if self.pile & _DEAREST else min(points, _MANY - 1))
        yield AT["voids_after"] + sum(bool(self.voids[one] & self.led) for one in behind)
        yield AT["winner"] + (self.winner - seat) % SEATS

    def _of_voids(self, seat: Seat) -> Iterator[int]:
        others = [self.voids[(seat + one) % SEATS] for one in range(1, SEATS)]
        for at, suit in enumerate(_SUITS):
            without = [place for place, voids in enumerate(others) if voids & suit]
            yield from (AT["void"] + len(_SUITS) * place + at for place in without)
            yield AT["voids"] + SEATS * at + len(without)

    def _of_points(self, seat: Seat) -> Iterator[int]:
        taken = [self.taken[(seat + one) % SEATS] for one in range(SEATS)]
        for place, some in enumerate(taken):
            points = _TAUGHT.points_in(some)
            yield AT["points"] + len(_FEWEST) * place + sum(points >= one for one in _FEWEST) - 1
        takers = [place for place, some in enumerate(taken) if some & _TAUGHT.penalties]
        alone = 1 + takers[0] if takers else 0
        yield AT["takers"] + (alone if len(takers) <= 1 else 1 + SEATS)
        queen = [place for place, some in enumerate(taken) if some & _DEAREST]
        yield AT["queen"] + (queen[0] if queen else SEATS)


def _number(one: Card) -> int:
    return one.bit_length() - 1
