"""The search for a pass: each is played out, from the first lead on, in the same worlds.

A world is dealt, passed in, and only then played: the others pass by the rules of thumb of
`engine.bots.giving`, and so one of them may give the seat what it has just been rid of.
Cards are those of one pack and its twins, whichever the seat holds.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Final, TypeAlias

from engine.bots.base import deal_in, you_in
from engine.bots.giving import heaviest, scales_of
from engine.bots.halving import best_of
from engine.bots.worlds import Worlds
from engine.cards import (
    CLUBS,
    NO_CARDS,
    PACK_SIZE,
    Card,
    CardSet,
    in_deck_order,
    lowest,
    suit_of,
    twins,
    union,
)
from engine.passing import pass_targets, picked
from engine.playouts import kernel
from engine.playouts.shapes import Playout, Start, World
from engine.playouts.starts import first_start
from engine.playouts.tables import once, table_of, twice
from engine.rules import Direction, Rules
from engine.view import View

Pass: TypeAlias = tuple[Card, ...]

_ROUNDS: Final = 5
_CHOICES: Final = 40
_HEAVY: Final = 8
"""So many of the heaviest cards, and as many as are passed, are tried in any company."""

_TRUST: Final = 120
"""How many worlds it counts for by how much a pass lightens the hand."""

_RELIEF: Final = 0.6
"""What the hand is lighter by, in points that it then saves over the others."""


def best_pass(view: View, seed: bytes, budget: int) -> Pass:
    """Return the pass that gains most in *budget* simulations, drawn from *seed*."""
    you, deal = you_in(view), deal_in(view)
    hand = _codes(you.hand)
    # With scatter the order says who gets what: too many passes, so rules of thumb choose.
    if deal.direction is Direction.SCATTER or not deal.pass_count:
        return picked(heaviest(hand, deal.pass_count, view.rules), you.hand)
    choices = passes_to_try(hand, deal.pass_count, view.rules)
    if len(choices) == 1:
        return picked(choices[0], you.hand)
    ahead = _gains_by_thumb(choices, hand, view.rules)
    best = best_of(choices, _Passing(view, seed).gains, budget, _ROUNDS, ahead)
    return picked(best, you.hand)


def _gains_by_thumb(choices: list[Pass], hand: CardSet, rules: Rules) -> list[int]:
    """Return what each of *choices* gains in worlds that rules of thumb stand for."""
    weight, scales = _TRUST * _RELIEF * (rules.seats - 1), scales_of(rules)
    return [round(weight * scales.relief(union(cards), hand)) for cards in choices]


def _codes(some: CardSet) -> CardSet:
    """Return *some*, of whose cards those of the second pack are there twice."""
    return once(some) | twice(some) << PACK_SIZE


def passes_to_try(hand: CardSet, count: int, rules: Rules) -> list[Pass]:
    """Return passes of *count* cards of *hand*, first the one that rules of thumb choose.

    Then come those that leave a suit out, then those that lighten the hand most.
    """
    scales = scales_of(rules)
    heavy = scales.heaviest(hand, min(count + _HEAVY, hand.bit_count()))
    some = sorted(combinations(heavy, count), key=lambda cards: -scales.relief(union(cards), hand))
    found = {union(cards): None for cards in (heavy[:count], *_voiding(hand, heavy, count), *some)}
    return [tuple(in_deck_order(cards)) for cards in islice(found, _CHOICES)]


def _voiding(hand: CardSet, heavy: Pass, count: int) -> Iterator[Pass]:
    """Yield for each short suit the pass of all of it, and of what else is heaviest."""
    for suit in {suit_of(one): None for one in in_deck_order(hand)}:
        short = tuple(in_deck_order(hand & suit))
        if len(short) <= count:
            others = [one for one in heavy if not one & suit]
            yield (*short, *others[: count - len(short)])


class _Passing:
    """A table at which the seat of *view* is to pass."""

    def __init__(self, view: View, seed: bytes) -> None:
        deal, rules = deal_in(view), view.rules
        assert deal.direction is not None, "cards go somewhere"
        self._rules, self._deal, self._count = rules, deal.number, deal.pass_count
        self._seat, self._hand = you_in(view).seat, _codes(you_in(view).hand)
        # Whether this card stays decides who opens; which other cards go does not.
        self._first = twins(lowest(self._hand & CLUBS))
        self._to = [
            pass_targets(deal.direction, seat, rules.seats)[0] for seat in range(rules.seats)
        ]
        self._worlds, self._scales = Worlds(view, seed), scales_of(rules)
        self._playout = Playout(table_of(rules))

    def gains(self, passes: list[Pass], count: int) -> Sequence[int]:
        """Return what each of *passes* gains in all of *count* further worlds."""
        gained, choices = [0] * len(passes), [union(own) for own in passes]
        for world in self._worlds.draw(count):
            hands, luck = self._passed(world), self._worlds.luck()
            starts: dict[CardSet, Start] = {}
            for at, own in enumerate(choices):
                after = self._after(hands, own)
                start = starts.get(own & self._first)
                if start is None:
                    start = first_start(self._rules, after, self._deal)
                    starts[own & self._first] = start
                gained[at] += self._gain(after, start, world, luck)
        return gained

    def _passed(self, world: World) -> list[CardSet]:
        """Return the hands in *world* after the others have passed, and the seat has not."""
        hands = [
            some | more << PACK_SIZE for some, more in zip(world.hands, world.twice, strict=True)
        ]
        gifts: dict[int, CardSet] = {}
        for seat, hand in enumerate(hands):
            if seat != self._seat:
                gifts[seat] = union(self._scales.heaviest(hand, self._count))
        for seat, gift in gifts.items():
            hands[seat] ^= gift
        for seat, gift in gifts.items():
            hands[self._to[seat]] = _joined(hands[self._to[seat]], gift)
        return hands

    def _after(self, hands: list[CardSet], own: CardSet) -> list[CardSet]:
        """Return *hands* after the seat, too, has passed: *own*."""
        hands, target = hands.copy(), self._to[self._seat]
        hands[self._seat] ^= own
        hands[target] = _joined(hands[target], own)
        return hands

    def _gain(self, hands: list[CardSet], start: Start, world: World, luck: int) -> int:
        """Return what the seat gains in one playout of *hands*."""
        dealt = World(*_parted(hands), world.kitty, world.kitty_twice)
        (gain,) = kernel.gains(self._playout, start, [dealt], [0], self._seat, luck)
        return gain


def _parted(hands: list[CardSet]) -> tuple[list[CardSet], list[CardSet]]:
    """Return *hands* as cards of one pack, and those of them that are there twice."""
    if not any(hand >> PACK_SIZE for hand in hands):
        return hands, [NO_CARDS] * len(hands)
    return [once(hand) for hand in hands], [twice(hand) for hand in hands]


def _joined(hand: CardSet, gift: CardSet) -> CardSet:
    """Return *hand* and *gift* together; what both have is there twice."""
    if not hand & gift and not (hand | gift) >> PACK_SIZE:
        return hand | gift
    ones = once(hand) | once(gift)
    return ones | (twice(hand) | twice(gift) | once(hand) & once(gift)) << PACK_SIZE
