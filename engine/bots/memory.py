"""What a seat can tell of the hidden cards from all it has seen of the deal."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.bots.base import deal_in, you_in
from engine.cards import NO_CARDS, Card, CardSet, in_deck_order, suit_of, union
from engine.playing import Trick
from engine.rules import Rules
from engine.seats import PerSeat, Seat, for_each_seat
from engine.view import DealView, View


@dataclass(frozen=True, slots=True)
class Memory:
    """The cards that are *out*, in other hands or a kitty, and where they cannot be.

    *voids* has for each seat the suits it has shown not to hold, *known* the cards that
    were passed to it by the one who remembers and that it has not played. For the
    *seat* itself both mean nothing. *carried* ride to the winner of the trick.
    """

    seat: Seat
    out: CardSet
    voids: PerSeat[CardSet]
    known: PerSeat[CardSet]
    carried: CardSet = NO_CARDS

    def holders(self, suit: CardSet) -> int:
        """Return how many of the others may hold cards of *suit*."""
        return sum(not some & suit for seat, some in enumerate(self.voids) if seat != self.seat)

    def chance(self, seat: Seat, one: Card) -> float:
        """Return how likely the other *seat* holds *one* of the cards out, from 0 to 1."""
        if one & union(self.known):
            return float(bool(one & self.known[seat]))
        if one & self.voids[seat]:
            return 0.0
        return 1 / self.holders(suit_of(one))


def recall(view: View) -> Memory:
    """Return what the seat of *view* can tell of the running deal.

    Raises:
        AssertionError: It is the public's view, or nothing is dealt.
    """
    you, deal, rules = you_in(view), deal_in(view), view.rules
    tricks = list(_tricks(deal))
    fallen = union(union(trick.cards) for trick in tricks)
    out = rules.cards & ~you.hand & ~you.kitty & ~fallen
    passed = dict(you.passed)
    return Memory(
        seat=you.seat,
        out=out,
        voids=_voids(tricks, rules),
        known=for_each_seat(rules.seats, lambda seat: passed.get(seat, NO_CARDS) & out),
        carried=union(deal.carried),
    )


def likely_dearest(some: CardSet, rules: Rules, chance: Callable[[Card], float]) -> float:
    """Return the points of the dearest card of *some* that a seat holds, on average.

    *chance* is how likely it holds a card; where it holds no dear card, that is 0 points.
    """
    points, none_yet = 0.0, 1.0
    for value, worth in reversed(rules.value_sets):
        if value <= 0:
            break
        for one in in_deck_order(some & worth):
            likely = chance(one)
            points += value * none_yet * likely
            none_yet *= 1 - likely
    return points


def _tricks(deal: DealView) -> Iterator[Trick]:
    yield from (trick for trick, _ in deal.tricks)
    if deal.leader is not None and deal.trick:
        yield Trick(deal.leader, deal.trick)


def _voids(tricks: list[Trick], rules: Rules) -> PerSeat[CardSet]:
    voids = [NO_CARDS] * rules.seats
    for trick in tricks:
        suit = suit_of(trick.cards[0])
        for seat, one in trick.plays(rules.seats):
            if not one & suit:
                voids[seat] |= suit
    return tuple(voids)
