"""Moons in the making: one's own that is as good as made, and that of another seat."""

from typing import Final, NamedTuple

from engine.bots.memory import Memory
from engine.cards import (
    NO_CARDS,
    Card,
    CardSet,
    above,
    each,
    in_deck_order,
    rank_of,
    suit_of,
    twins,
    union,
)
from engine.playing import Situation, Trick, trick_winner
from engine.rules import Moon, Rules
from engine.scoring import shot
from engine.seats import PerSeat, Seat, left_of
from engine.stakes import beaten

_ALARMING: Final = 0.6
"""The share of the penalty points that one seat alone has taken when others take alarm.

At a third already it cost as much as it brought: too many such seats never shoot.
"""

_ALARM: Final = 0.2
"""What it is worth to spoil a moon, in the points taken towards it."""


class Threat(NamedTuple):
    """A *seat* that alone has taken penalties, and what it is *worth* to take one from it."""

    seat: Seat
    worth: float


def threat_to(seat: Seat, taken: PerSeat[CardSet], rules: Rules) -> Threat | None:
    """Return who else may be about to shoot, or None; *taken* are the cards of the deal so far."""
    if rules.scoring.moon is Moon.OFF:
        return None
    takers = [other for other, some in enumerate(taken) if some & rules.penalties]
    if len(takers) != 1 or takers == [seat]:
        return None
    points = rules.points_in(taken[takers[0]] & rules.penalties)
    is_alarming = points >= _ALARMING * rules.penalty_points
    return Threat(takers[0], _ALARM * points) if is_alarming else None


def alarm(one: Card, threat: Threat, at: Situation, seat: Seat, rules: Rules) -> float:
    """Return the points to add to the price of *one*, which *seat* may play.

    Penalties in the trick make it dear to leave it to the seat that threatens to shoot,
    and cheap to leave it to any other.
    """
    cards = (*at.trick, one)
    if not union(cards) & rules.penalties:
        return 0.0
    leader = left_of(seat, rules.seats, -len(at.trick))
    taker = trick_winner(Trick(leader, cards), rules.seats, cancel_pairs=rules.play.cancel_pairs)
    if taker is None:
        return 0.0
    return threat.worth if taker == threat.seat else -threat.worth


def sure_trick(
    legal: CardSet, at: Situation, memory: Memory, taken: PerSeat[CardSet], rules: Rules
) -> Card | None:
    """Return the card of *legal* that goes on with the seat's own moon, or None.

    It does if the seat takes this trick for certain and all others if the cards out fall
    evenly.
    """
    if worth_of_moon(memory.seat, taken, rules) <= 0:
        return None
    if not at.trick:
        return _best_lead(legal, memory, rules) if _runs(at.hand, memory, rules) else None
    led = suit_of(at.trick[0])
    one = max(in_deck_order(legal & led), key=rank_of, default=NO_CARDS)
    if not one & ~beaten(at.trick, rules) or not _is_top(one, memory, rules):
        return None
    return one if _runs(at.hand ^ one, memory, rules) else None


def worth_of_moon(seat: Seat, taken: PerSeat[CardSet], rules: Rules) -> int:
    """Return the points of the moon that *seat* shoots if it takes all that is left, 0 if none.

    *taken* are the cards of the deal so far. Rules may make a moon worth less than nothing.
    """
    left = rules.cards & ~union(taken)
    after = tuple(some | left if other == seat else some for other, some in enumerate(taken))
    found = shot(after, rules)
    return found.points if found is not None and found.seat == seat else 0


def _best_lead(legal: CardSet, memory: Memory, rules: Rules) -> Card:
    """Return a top card, of the suit with the most cards out: the others fall first."""

    def key(one: Card) -> tuple[bool, int]:
        return _is_top(one, memory, rules), (memory.out & suit_of(one)).bit_count()

    # Of several the last in deck order.
    return max(reversed(tuple(in_deck_order(legal))), key=key)


def _is_top(one: Card, memory: Memory, rules: Rules) -> bool:
    """Return whether no card out beats *one* or, where pairs cancel, takes it out of play."""
    twin = twins(one) if rules.play.cancel_pairs else NO_CARDS
    return not memory.out & (above(one) | twin)


def _runs(hand: CardSet, memory: Memory, rules: Rules) -> bool:
    """Return whether every card of *hand* takes a trick, led from the top of its suit."""
    suits = {suit_of(one) for one in each(hand)}
    return all(_suit_runs(hand & suit, memory.out & suit, rules) for suit in suits)


def _suit_runs(mine: CardSet, out: CardSet, rules: Rules) -> bool:
    """Return whether no card out is left above any of *mine* when its turn to be led comes."""
    others = rules.seats - 1
    return not any(
        out & above(one) and out.bit_count() > led * others
        for led, one in enumerate(reversed(tuple(in_deck_order(mine))))
    )
