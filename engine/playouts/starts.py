"""From what a seat sees to where playouts begin, in the cards of one pack."""

from collections.abc import Sequence

from engine.cards import CLUBS, NO_CARDS, CardSet, named, suit_of, union
from engine.playing import opening, winning_card
from engine.playouts.shapes import Start, World
from engine.playouts.tables import once, twice
from engine.rules import OpeningLead, Rules
from engine.seats import left_of
from engine.state import TurnType
from engine.view import DealView, View


def start_of(view: View) -> Start:
    """Return the moment of *view*, in which a seat is to play a card.

    Raises:
        AssertionError: Nobody is to play a card.
    """
    assert view.turn is not None, "nobody is to act"
    assert view.turn.type is TurnType.PLAY, f"the table waits for a {view.turn.type}"
    assert view.deal is not None, "cards are played in a deal"
    rules, deal = view.rules, view.deal
    start = Start(rules.seats)
    (start.seat,) = view.turn.seats
    start.broken, start.first = int(deal.hearts_broken), int(deal.trick_number == 1)
    start.taken = [once(seat.taken) for seat in view.seats]
    start.taken_twice = [twice(seat.taken) for seat in view.seats]
    if deal.kitty_taker is not None:
        start.kitty_seat = deal.kitty_taker
    lying = (*deal.carried, *deal.trick)
    start.pile, start.pile_twice = once(union(lying)), twice(union(lying))
    if deal.trick:
        _put_trick(start, deal, rules)
    elif start.first and deal.opening_card is not None:
        start.opens = _opens(rules, deal.opening_card)
    return start


def first_start(rules: Rules, hands: Sequence[CardSet], deal: int) -> Start:
    """Return the moment before the first lead of *deal*, with these *hands* after the pass."""
    start = Start(rules.seats)
    start.seat, opens = opening(rules, tuple(hands), deal)
    start.first = 1
    if opens is not None:
        start.opens = _opens(rules, opens)
    return start


def world_of(hands: Sequence[CardSet], kitty: CardSet = NO_CARDS) -> World:
    """Return a world in which the seats hold *hands*; *kitty* is all of it, taken or not."""
    ones, pairs = [once(hand) for hand in hands], [twice(hand) for hand in hands]
    return World(ones, pairs, once(kitty), twice(kitty))


def _opens(rules: Rules, opening_card: CardSet) -> CardSet:
    if rules.play.opening_lead is OpeningLead.ANY_CLUB:
        return once(CLUBS)
    return named(opening_card)


def _put_trick(start: Start, deal: DealView, rules: Rules) -> None:
    """Put the cards that lie on the table into *start*."""
    assert deal.leader is not None, "somebody led"
    trick = deal.trick
    start.place = len(trick)
    led = suit_of(trick[0])
    start.suit = once(led)
    followed = union(trick) & led
    start.once, start.gone = once(followed), twice(followed)
    best = winning_card(trick, cancel_pairs=rules.play.cancel_pairs)
    if best is not None:
        start.best = named(best)
        start.winner = left_of(deal.leader, rules.seats, trick.index(best))
    for place, one in enumerate(trick):
        start.played[left_of(deal.leader, rules.seats, place)] = named(one)
