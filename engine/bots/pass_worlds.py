"""Worlds before the pass: the others pass by rules of thumb, and one seat as is to be tried.

Another seat may give it what it has just been rid of. Cards are those of one pack and its
twins, whichever the seat holds.
"""

from collections.abc import Iterable
from typing import TypeAlias

from engine.bots.base import deal_in, you_in
from engine.bots.giving import scales_of
from engine.bots.standing import Aim
from engine.bots.worlds import Worlds
from engine.cards import CLUBS, NO_CARDS, PACK_SIZE, Card, CardSet, lowest, twins, union
from engine.passing import pass_targets
from engine.playouts import kernel
from engine.playouts.shapes import Playout, Start, World
from engine.playouts.starts import first_start
from engine.playouts.tables import once, table_of, twice
from engine.view import View

Pass: TypeAlias = tuple[Card, ...]


class PassWorlds:
    """A table at which the seat of *view*, which has an *aim*, is to pass all to one seat.

    *hand* are its cards, with twins told apart by no more than their number.
    """

    def __init__(self, view: View, seed: bytes, aim: Aim) -> None:
        deal, you, rules = deal_in(view), you_in(view), view.rules
        assert deal.direction is not None, "cards go somewhere"
        self.hand = codes(you.hand)
        self._rules, self._seat = rules, you.seat
        self._deal, self._count = deal.number, deal.pass_count
        # Whether this card stays decides who opens; which other cards go does not.
        self._first = twins(lowest(self.hand & CLUBS))
        self._to = [
            pass_targets(deal.direction, seat, rules.seats)[0] for seat in range(rules.seats)
        ]
        self._worlds, self._scales = Worlds(view, seed), scales_of(rules)
        self._playout, self._aim = Playout(table_of(rules)), aim

    def gains(self, passes: list[Pass], count: int) -> list[int]:
        """Return what each of *passes* gains in all of *count* further worlds."""
        return self._tried(passes, count, kernel.NOBODY)

    def bold_gains(self, passes: list[Pass], count: int) -> list[int]:
        """Return what each of *passes* gains if the seat then goes for a moon."""
        return self._tried(passes, count, self._seat)

    def glance(self, passes: list[Pass], count: int) -> list[list[int]]:
        """Return, world by world, the points that each of *passes* gains with a moon gone for."""
        own = [union(some) for some in passes]
        return [
            kernel.gains_apart(
                self._playout, *self._dealt(world, own), self._seat, self._worlds.luck(), self._seat
            )
            for world in self._worlds.draw(count)
        ]

    def surplus(self, bold: Pass, meek: Pass, count: int) -> int:
        """Return what *bold* and a moon gain over *meek* in all of *count* further worlds."""
        found = 0
        for world in self._worlds.draw(count):
            starts, dealt = self._dealt(world, [union(bold), union(meek)])
            luck = self._worlds.luck()
            for at, seat in enumerate((self._seat, kernel.NOBODY)):
                (gain,) = self._gains(starts[at : at + 1], dealt[at : at + 1], luck, seat)
                found += -gain if at else gain
        return found

    def _tried(self, passes: list[Pass], count: int, bold: int) -> list[int]:
        own = [union(some) for some in passes]
        return sums(
            self._gains(*self._dealt(world, own), self._worlds.luck(), bold)
            for world in self._worlds.draw(count)
        )

    def _gains(self, starts: list[Start], dealt: list[World], luck: int, bold: int) -> list[int]:
        return self._aim.gains_apart(self._playout, starts, dealt, self._seat, luck, bold)

    def _dealt(self, world: World, own: list[CardSet]) -> tuple[list[Start], list[World]]:
        """Return how *world* lies and begins after all have passed, the seat each of *own*."""
        hands, known = self._passed(world), dict[CardSet, Start]()
        starts, dealt = [], []
        for cards in own:
            after, opens = self._after(hands, cards), cards & self._first
            if opens not in known:
                known[opens] = first_start(self._rules, after, self._deal)
            starts.append(known[opens])
            dealt.append(World(*_parted(after), world.kitty, world.kitty_twice))
        return starts, dealt

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


def codes(some: CardSet) -> CardSet:
    """Return *some*, of whose cards those of the second pack are there twice."""
    return once(some) | twice(some) << PACK_SIZE


def sums(rows: Iterable[list[int]]) -> list[int]:
    """Return the sum of each column of *rows*."""
    return [sum(column) for column in zip(*rows, strict=True)]


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
