"""Moons that are as good as made: the seat takes every trick that is left, whoever plays what.

Rules of thumb, by which playouts go on, do not see them through. So a card after which the
seat holds nothing but winners, in the world as it lies, counts as the moon that it makes. Where
nobody else holds a card that counts, only what counts has to win: the rest may be lost.
"""

from collections.abc import Iterable

from engine.bots.base import deal_in, you_in
from engine.cards import NO_CARDS, Card, CardSet, above, each, in_deck_order, suit_of, union
from engine.playing import winning_card
from engine.playouts.shapes import World
from engine.rules import Moon
from engine.scoring import MoonChoice, deal_points, shot
from engine.seats import PerSeat, left_of, put
from engine.view import View


class Sweep:
    """What the seat of *view* makes of taking every trick that is left.

    *points* are those of all seats then, none where it is no moon. With two packs they are
    never told: there twins take tricks from each other, and moons are rare.
    """

    def __init__(self, view: View) -> None:
        you, trick, seats = you_in(view), deal_in(view).trick, view.rules.seats
        self._seat, self._hand, self._trick = you.seat, you.hand, trick
        self._counting = view.rules.penalties | view.rules.bonuses
        self._later = {left_of(you.seat, seats, place) for place in range(1, seats - len(trick))}
        self.points = _points(view)

    def takes_all(self, world: World, card: Card) -> bool:
        """Return whether the seat, once it plays *card* in *world*, can take all that is left."""
        trick = (*self._trick, card)
        if winning_card(trick, cancel_pairs=False) != card:
            return False
        others = {seat: hand for seat, hand in enumerate(world.hands) if seat != self._seat}
        mine = self._hand ^ card
        elsewhere = union(others.values()) | world.kitty
        needed = mine if elsewhere & self._counting else mine & self._counting
        suits = {suit_of(one) for one in each(needed)}
        return all(
            _beats(mine, suits, hand, card, suit_of(card) if seat in self._later else NO_CARDS)
            for seat, hand in others.items()
        )


def _beats(
    mine: CardSet, suits: Iterable[CardSet], hand: CardSet, card: Card, asked: CardSet
) -> bool:
    """Return whether *hand*, which has yet to follow *asked*, beats neither *card* nor *suits*.

    Of those *mine* are led, from the top.
    """
    if hand & asked & above(card):
        return False
    return all(_runs(mine & suit, hand & suit, bool(hand & suit & asked)) for suit in suits)


def _runs(mine: CardSet, held: CardSet, spent: int) -> bool:
    """Return whether *mine*, led from the top, beat whatever is kept of *held*, a suit's cards.

    *spent* of those are gone before.
    """
    top_down = reversed(tuple(in_deck_order(mine)))
    return not any(
        held & above(one) and held.bit_count() - spent > led for led, one in enumerate(top_down)
    )


def _points(view: View) -> PerSeat[int]:
    rules, seat, taker = view.rules, you_in(view).seat, deal_in(view).kitty_taker
    taken = tuple(other.taken for other in view.seats)
    # What is in a kitty that another seat took, the seat cannot take.
    if rules.deck.packs > 1 or taker not in {None, seat}:
        return ()
    after = put(taken, seat, taken[seat] | rules.cards & ~union(taken))
    found = shot(after, rules)
    if found is None or found.seat != seat or found.points <= 0:
        return ()
    subtracts = rules.scoring.moon is Moon.SELF_SUBTRACT
    choice = MoonChoice.SELF_SUBTRACT if subtracts else MoonChoice.OTHERS_ADD
    return deal_points(after, rules, found, choice)
