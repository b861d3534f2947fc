"""What a seat can know, in the form in which people ask for it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from engine.cards import SUITS, Card, card, suit_of, union
from engine.knowledge.evidence import KITTY, Cards, Evidence, Place, counted, evidence_of, tricks_of
from engine.knowledge.placing import Placing, possible
from engine.seats import Seat
from engine.view import View


@dataclass(frozen=True, slots=True)
class Possible:
    """Where a card may lie: with some *seats*, or in the *kitty*."""

    seats: tuple[Seat, ...]
    kitty: bool


@dataclass(frozen=True, slots=True)
class SeatKnowledge:
    """What is certain of another seat: the suits it does not hold, and cards that it does."""

    seat: Seat
    hand_size: int
    void: tuple[str, ...]
    holds: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class QueenKnowledge:
    """How many queens of spades are in the hand, played, and unseen, and where these may lie."""

    in_hand: int
    played: int
    unseen: int
    places: Possible


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What *seat* can know of the running deal; cards in deck order, twins side by side.

    *can_hold* has each unseen card once. *kitty_size* is 0 where there is none, or where the
    seat has it.
    """

    seat: Seat
    deal: int
    played: tuple[Card, ...]
    unseen: tuple[Card, ...]
    seats: tuple[SeatKnowledge, ...]
    kitty_size: int
    kitty_holds: tuple[Card, ...]
    queen: QueenKnowledge
    can_hold: Mapping[Card, Possible]


def knowledge_of(view: View) -> Knowledge:
    """Return what the seat of *view* can know of the running deal.

    A card is said to be possible somewhere if, and only if, it lies there in some way to
    distribute the hidden cards that agrees with all the seat has seen.

    Raises:
        AssertionError: It is the public's view, or nothing is dealt.
    """
    you, deal = view.you, view.deal
    assert you is not None, "the public knows what lies on the table"
    assert deal is not None, "there are no cards"
    evidence = evidence_of(view)
    placing = possible(evidence)
    played = sum((counted(union(trick.cards)) for trick in tricks_of(deal)), Counter())
    kitty = you.kitty or None
    return Knowledge(
        seat=you.seat,
        deal=deal.number,
        played=_listed(played),
        unseen=_listed(evidence.unseen),
        seats=tuple(
            _seat(seat, view.seats[seat].hand_size, evidence, placing)
            for seat in range(view.rules.seats)
            if seat != you.seat
        ),
        kitty_size=deal.kitty_size,
        kitty_holds=_listed(placing.must[KITTY] if kitty is None else counted(kitty)),
        queen=_queen(counted(you.hand), played, evidence.unseen, placing),
        can_hold={one: _places(placing.may[one]) for one in _in_order(evidence.unseen)},
    )


def _in_order(some: Cards) -> list[Card]:
    return sorted(some)


def _listed(some: Cards) -> tuple[Card, ...]:
    return tuple(one for one in _in_order(some) for _ in range(some[one]))


def _seat(seat: Seat, size: int, evidence: Evidence, placing: Placing) -> SeatKnowledge:
    possibly = union(one for one in evidence.unseen if seat in placing.may[one])
    return SeatKnowledge(
        seat=seat,
        hand_size=size,
        void=tuple(suit for suit in SUITS if not possibly & suit_of(card(f"2{suit}"))),
        holds=_listed(placing.must[seat]),
    )


def _queen(hand: Cards, played: Cards, unseen: Cards, placing: Placing) -> QueenKnowledge:
    queen = card("QS")
    return QueenKnowledge(
        in_hand=hand.get(queen, 0),
        played=played.get(queen, 0),
        unseen=unseen.get(queen, 0),
        places=_places(placing.may.get(queen, frozenset())),
    )


def _places(places: frozenset[Place]) -> Possible:
    seats = tuple(sorted(place for place in places if place is not None))
    return Possible(seats, KITTY in places)
