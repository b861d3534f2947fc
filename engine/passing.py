"""Passing: how many cards, to whom, and which passes are refused.

Source: docs/rules.md, sections 1 and 3.
"""

from collections.abc import Sequence
from typing import TypeAlias

from engine.cards import NO_CARDS, Card, CardSet, code_of, held, in_deck_order, twins, union
from engine.errors import CardNotInHand, DuplicateCards, IllegalMove, WrongPassCount
from engine.rules import Direction, Rules
from engine.seats import PerSeat, Seat, for_each_seat, left_of

Transfers: TypeAlias = tuple[tuple[Seat, CardSet], ...]
"""Pairs of the other seat and the cards that go there or come from there."""


def direction_of(rules: Rules, deal: int) -> Direction | None:
    """Return where cards go in the deal numbered *deal*, None where *rules* know no pass."""
    cycle = rules.passing.cycle
    direction = cycle[(deal - 1) % len(cycle)]
    if direction in {Direction.HOLD, Direction.SCATTER}:
        return direction
    return direction if rules.passing.count else None


def pass_size(rules: Rules, direction: Direction | None) -> int:
    """Return how many cards each seat passes in *direction*; 0 when it holds."""
    if direction is None or direction is Direction.HOLD:
        return 0
    return rules.seats - 1 if direction is Direction.SCATTER else rules.passing.count


def pass_targets(direction: Direction, seat: Seat, seats: int) -> tuple[Seat, ...]:
    """Return who gets the cards of *seat*: one seat, or with scatter one seat per card."""
    match direction:
        case Direction.HOLD:
            return ()
        case Direction.SCATTER:
            return tuple(left_of(seat, seats, places) for places in range(1, seats))
        case _:
            return (left_of(seat, seats, _places(direction, seats)),)


def _places(direction: Direction, seats: int) -> int:
    places = {Direction.LEFT: 1, Direction.RIGHT: -1, Direction.LEFT2: 2, Direction.RIGHT2: -2}
    return places.get(direction, seats // 2)


def why_not_pass(chosen: Sequence[Card], hand: CardSet, size: int) -> IllegalMove | None:
    """Return why *chosen* may not leave *hand* as a pass of *size* cards, or None if it may."""
    if len(chosen) != size:
        return WrongPassCount(f"This pass takes {size} cards, not {len(chosen)}.")
    left = hand
    for one in chosen:
        if not held(one, hand):
            return CardNotInHand(f"You do not hold {code_of(one)}.")
        if not held(one, left):
            times = "once" if (twins(one) & hand).bit_count() == 1 else "twice"
            return DuplicateCards(f"You hold {code_of(one)} {times}.")
        left ^= held(one, left)
    return None


def picked(chosen: Sequence[Card], hand: CardSet) -> tuple[Card, ...]:
    """Return the cards of *hand* that *chosen* names, in the same order.

    Of twins either may be named for both; each is picked once.

    Raises:
        AssertionError: One of *chosen* is not there.
    """
    left, cards = hand, []
    for one in chosen:
        cards.append(held(one, left))
        left ^= cards[-1]
    assert NO_CARDS not in cards, "a card that is not in hand"
    return tuple(cards)


def told(chosen: tuple[Card, ...], direction: Direction) -> tuple[Card, ...]:
    """Return *chosen* in the order a pass is told in: deck order, where none says who gets what."""
    return chosen if direction is Direction.SCATTER else tuple(in_deck_order(union(chosen)))


def sent_by(seat: Seat, chosen: Sequence[Card], direction: Direction, seats: int) -> Transfers:
    """Return who gets which of the *chosen* cards of *seat*."""
    targets = pass_targets(direction, seat, seats)
    if direction is Direction.SCATTER:
        return tuple(zip(targets, chosen, strict=True))
    return tuple((target, union(chosen)) for target in targets)


def received(
    passes: PerSeat[tuple[Card, ...]], direction: Direction, seats: int
) -> PerSeat[Transfers]:
    """Return what each seat receives, and from whom, when all *passes* are in."""
    sent = [
        (giver, target, some)
        for giver, chosen in enumerate(passes)
        for target, some in sent_by(giver, chosen, direction, seats)
    ]
    return for_each_seat(
        seats,
        lambda seat: tuple((giver, some) for giver, target, some in sent if target == seat),
    )
