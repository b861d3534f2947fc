"""The kernel's playouts, thousands of them in step: each play is made for all worlds at once.

What comes out is what `engine.playouts.kernel` gives, to the last point: the same plays by
the same chance. It pays from about a hundred playouts on, where the kernel is not compiled.
Two packs are left to the kernel.

It needs NumPy, and nothing else imports it: only who asks for it has to have that.
"""

from functools import reduce
from operator import or_
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.playouts import kernel
from engine.playouts.kernel import LEHMER, LEHMER_PRIME
from engine.playouts.shapes import Playout, Start, Table, World
from engine.playouts.suits import (
    DIAMOND_BITS,
    HEART_BITS,
    LOWEST_HEART,
    LOWEST_SPADE,
    ONE_OF_EACH_SUIT,
    SPADE_BITS,
    SUIT_BITS,
    TOP,
    suit_shift,
)

Lanes: TypeAlias = NDArray[np.int64]
"""One number, mostly a set of cards, for each playout."""

AT_ONCE: Final = 4_096
"""So many playouts go in step: their numbers then stay near the processor."""

_TOP: Final = np.array(TOP, np.int64)
_UNDER: Final = np.maximum(_TOP - 1, 0)
"""What is lower than the highest card of each set of cards of one suit."""

_SUITS: Final = np.array([SUIT_BITS, DIAMOND_BITS, SPADE_BITS, HEART_BITS], np.int64)
_SHIFTS: Final = np.array([0, 13, 26, 39], np.int64)


def gains(  # noqa: PLR0913, PLR0917 - as the kernel's own
    state: Playout, start: Start, worlds: list[World], cards: list[int], seat: int, draw: int
) -> list[int]:
    """Return what `engine.playouts.kernel.gains` does: what each card gains, world by world."""
    if state.table.two_packs or not worlds or not all(cards):
        return kernel.gains(state, start, worlds, cards, seat, draw)
    found: list[int] = []
    size = max(1, AT_ONCE // len(cards))
    for first in range(0, len(worlds), size):
        some = worlds[first : first + size]
        draws = []
        for _ in some:
            draw = draw * LEHMER % LEHMER_PRIME
            draws.append(draw)
        lanes = _Lockstep(state.table, start, some, cards, draws)
        lanes.play_out()
        by_card = lanes.gains(seat).reshape(len(cards), len(some))
        found += by_card.T.ravel().tolist()
    return found


def _or(some: Lanes, other: Lanes) -> Lanes:
    """Return *some* where there is a card, *other* elsewhere."""
    return np.where(some != 0, some, other)


def _low(some: Lanes) -> Lanes:
    return some & -some


class _Lockstep:
    """Playouts of *cards* in *worlds*: all worlds for the first card, then for the next.

    Hands stand seat by seat, twice around the table: whoever comes next stands one row on.
    """

    def __init__(
        self, table: Table, start: Start, worlds: list[World], cards: list[int], draws: list[int]
    ) -> None:
        self.table, self.start = table, start
        times = len(cards)
        self.count = len(worlds) * times
        hands = np.array([world.hands for world in worlds], np.int64).T
        self.live = np.tile(reduce(or_, hands), times)
        hands = np.tile(hands, (2, times))
        self.hands = np.ascontiguousarray(hands).ravel()
        self.ring = table.seats * self.count
        self.lane = np.arange(self.count)
        self.taken = np.repeat(np.array(start.taken, np.int64), self.count)
        self.kitty = np.tile(np.array([world.kitty for world in worlds], np.int64), times)
        if start.kitty_seat >= 0:
            self.taken[start.kitty_seat * self.count :][: self.count] |= self.kitty
            self.kitty = np.zeros(self.count, np.int64)
        self.has_kitty = bool(self.kitty.any())
        self.draws = np.array(draws, np.int64)
        self.times = times
        self.cards = np.repeat(np.array(cards, np.int64), len(worlds))
        self.chance = self.draws
        self.any_card = np.zeros(0, np.bool_)
        self._put_trick()
        self._put_limits()
        self._put_throws()

    def _put_trick(self) -> None:
        start, count = self.start, self.count
        self.at = self.lane + start.seat * count
        self.winner = self.lane + start.winner * count
        self.pile = np.full(count, start.pile, np.int64)
        self.beaten = np.full(count, 2 * start.best - 1 if start.best else 0, np.int64)
        self.suit = np.full(count, start.suit, np.int64)
        self.shift = np.full(count, suit_shift(start.suit & -start.suit), np.int64)

    def _put_limits(self) -> None:
        table, start = self.table, self.start
        self.barred = table.barred_first if start.first else 0
        self.calm = table.seats - 1
        if self.barred and (not self.has_kitty or table.kitty_to):
            self.calm = 1
        closed = 0 if start.broken else -1
        # What is held back until hearts are broken, lane by lane.
        self.late_leads = np.full(self.count, table.unbroken_lead & closed, np.int64)
        self.late = np.full(self.count, table.unbroken_follow & closed, np.int64)
        self.has_late = bool(table.unbroken_follow & closed)

    def _put_throws(self) -> None:
        """Number the cards in the order in which they are thrown, and look up the first of sets."""
        order = [one for group in self.table.throws for one in _each(group)]
        self.thrown = np.array([*order, 0], np.int64)
        self.first_thrown = [_firsts(order, shift) for shift in (0, 13, 26, 39)]

    def play_out(self) -> None:
        """Play every lane to its end."""
        place, card, last = self.start.place, self.cards, self.table.seats - 1
        opens, given = self.start.opens, True
        while True:
            hand = self.hands.take(self.at) & self.live
            if place == 0:
                if not given:
                    card = self._lead(hand, opens)
                self._begin(card)
                opens = 0
            else:
                if not given:
                    card = self._follow(hand, place)
                self._join(card)
            given = False
            self.live ^= card
            self.pile |= card
            if self.has_late:
                self._break(card)
            place += 1
            self.at += self.count
            if place > last:
                place = 0
                if self._is_over():
                    return

    def _draw(self) -> None:
        """Draw for the next play: one number for each world, the same for all cards."""
        product = self.draws * LEHMER
        product = (product & LEHMER_PRIME) + (product >> 31)
        self.draws = (product & LEHMER_PRIME) + (product >> 31)
        self.any_card = np.tile((self.draws & 255) < self.table.whim, self.times)
        self.chance = np.tile(self.draws >> 8 & 1023, self.times)

    def _any_of(self, choice: Lanes, number: Lanes) -> Lanes:
        return _low(_or(choice >> number << number, choice))

    def _lead(self, hand: Lanes, opens: int) -> Lanes:
        self._draw()
        table = self.table
        choice = hand
        if self.barred:
            choice = _or(choice & ~self.barred, choice)
        if table.unbroken_lead:
            some = choice & ~self.late_leads
            held_back = (some != 0) & (choice & ~table.free_among != 0)
            choice = np.where(held_back, some, choice)
        if opens:
            choice = _or(hand & opens, choice)
        by_whim = self._any_of(choice, self.chance * 52 >> 10)
        if table.shy:
            choice = _or(choice & ~table.shy, choice)
        others = self.live & ~hand
        under = _UNDER.take(others & SUIT_BITS)
        under |= _UNDER.take(others >> 13 & SUIT_BITS) << 13
        under |= _UNDER.take(others >> 26 & SUIT_BITS) << 26
        under |= _UNDER.take(others >> 39) << 39
        choice = _or(choice & under, choice)
        ranks = (choice | choice >> 13 | choice >> 26 | choice >> 39) & SUIT_BITS
        return np.where(self.any_card, by_whim, _low(_low(ranks) * ONE_OF_EACH_SUIT & choice))

    def _begin(self, card: Lanes) -> None:
        number = (card > SUIT_BITS).astype(np.intp)
        number += card >= LOWEST_SPADE
        number += card >= LOWEST_HEART
        self.suit, self.shift = _SUITS.take(number), _SHIFTS.take(number)
        self.beaten = card + card - 1
        self.winner = self.at.copy()

    def _join(self, card: Lanes) -> None:
        wins = (card & self.suit) > self.beaten
        self.beaten = np.where(wins, card + card - 1, self.beaten)
        self.winner = np.where(wins, self.at, self.winner)

    def _follow(self, hand: Lanes, place: int) -> Lanes:
        """Return what is played to a trick: of the suit led, or thrown."""
        self._draw()
        choice = hand & self.suit
        follows = choice != 0
        choice = np.where(follows, choice, hand)
        if self.barred:
            choice = _or(choice & ~self.barred, choice)
        if self.has_late:
            choice = _or(choice & ~self.late, choice)
        number = np.where(follows, (self.chance * 13 >> 10) + self.shift, self.chance * 52 >> 10)
        by_whim = self._any_of(choice, number)
        card = self._by_rule(choice & self.suit, place)
        voids = np.flatnonzero(~follows)
        card[voids] = self._throw(choice.take(voids))
        return np.where(self.any_card, by_whim, card)

    def _by_rule(self, choice: Lanes, place: int) -> Lanes:
        """Return what is played of *choice*, cards of the suit led; any number where none is."""
        table = self.table
        if table.bonuses:
            some = choice & ~table.bonuses
            if place >= self.calm:
                some |= choice & ~self.beaten
            choice = _or(some, choice)
        under, cheap = choice & self.beaten, _or(choice & ~table.penalties, choice)
        if place < self.calm:
            return np.where(under != 0, self._top(under), _low(cheap))
        ducks = (under != 0) & (self.pile & table.penalties != 0)
        ducks &= self.pile & table.bonuses == 0
        return self._top(np.where(ducks, under, cheap))

    def _top(self, some: Lanes) -> Lanes:
        return _TOP.take(some >> self.shift) << self.shift

    def _throw(self, choice: Lanes) -> Lanes:
        clubs, diamonds, spades, hearts = self.first_thrown
        first = clubs.take(choice & SUIT_BITS)
        np.minimum(first, diamonds.take(choice >> 13 & SUIT_BITS), out=first)
        np.minimum(first, spades.take(choice >> 26 & SUIT_BITS), out=first)
        np.minimum(first, hearts.take(choice >> 39), out=first)
        return self.thrown.take(first)

    def _break(self, cards: Lanes) -> None:
        closed = cards & self.table.breaks == 0
        self.late_leads *= closed
        self.late *= closed

    def _is_over(self) -> bool:
        """End the trick, and return whether nothing more can count in any lane."""
        table = self.table
        self.barred, self.calm = 0, table.seats - 1
        self._break(self.pile)
        is_last = not self.live[0]
        if self.has_kitty:
            self._give_kitty(is_last=is_last)
        self.at = np.where(self.winner >= self.ring, self.winner - self.ring, self.winner)
        self.taken[self.at] |= self.pile
        self.pile = np.zeros(self.count, np.int64)
        left = (self.live | self.kitty) & (table.penalties | table.bonuses)
        return is_last or not (table.lasts or left.any())

    def _give_kitty(self, *, is_last: bool) -> None:
        if self.table.kitty_to == 0 or is_last:
            given = self.kitty
        elif self.table.kitty_to == 1:
            given = np.where(self.pile & self.table.penalties != 0, self.kitty, 0)
        else:
            return
        self.pile |= given
        self.kitty = self.kitty ^ given

    def gains(self, seat: int) -> Lanes:
        """Return what *seat* gains in each lane."""
        points = self._points()
        gained: Lanes = points.sum(axis=0) - self.table.seats * points[seat]
        return gained

    def _points(self) -> Lanes:
        """Return the points of each seat, in rows, in each lane."""
        table = self.table
        taken = self.taken.reshape(table.seats, self.count)
        points = _sums(table.suits, table.worths, taken)
        extra = _sums(table.boon_suits, table.boons, taken)
        none = np.zeros_like(taken, np.bool_)
        moon = taken & table.moon == table.moon if table.moon else none
        sun = taken & table.sun == table.sun if table.has_sun else none
        shot = moon | sun
        if shot.any():
            worth = sun * int(table.sun_points) + (moon & ~sun) * int(table.moon_points)
            worth = worth.sum(axis=0)
            by_shot = np.where(shot, -worth, 0) if table.subtracts else np.where(shot, 0, worth)
            points = np.where(shot.any(axis=0), by_shot, points)
            if table.absorbs:
                extra[shot] = 0
        extra[taken == 0] = table.no_trick
        return points + extra


def _sums(suits: list[int], worths: list[list[int]], taken: Lanes) -> Lanes:
    points = np.zeros_like(taken)
    for shift, worth in zip(suits, worths, strict=True):
        points += np.array(worth, np.int64).take(taken >> shift & SUIT_BITS)
    return points


def _each(some: int) -> list[int]:
    return [1 << place for place in range(52) if some >> place & 1]


def _firsts(order: list[int], shift: int) -> NDArray[np.intp]:
    """Return, for every set of cards of one suit, the place of the first of them in *order*."""
    firsts = np.array([len(order)])
    for rank in range(13):
        one = 1 << rank + shift
        place = order.index(one) if one in order else len(order)
        firsts = np.concatenate([firsts, np.minimum(firsts, place)])
    return firsts
