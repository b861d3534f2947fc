"""Deals in which a seat tries to shoot the moon, and the others play by rules of thumb.

An attempt ends with the first card towards the moon that another seat takes, so it is short,
and plain Python is fast enough. Cards are those of one pack: with two nobody tries.
"""

from typing import Final

from engine.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    NO_CARDS,
    SPADES,
    Card,
    CardSet,
    above,
    below,
    lowest,
    suit_of,
    union,
)
from engine.playouts.kernel import LEHMER, LEHMER_PRIME
from engine.playouts.shapes import Start, Table, World

_WHIM: Final = 26
"""Of 256, how often another seat plays any card."""


class Attempt:
    """The seat that is to act tries to take all in *world*; *draw* fixes all chance.

    *card* is the one it begins with. *succeeded* says whether no other seat takes a card
    that the moon needs; what was taken before does not count.
    """

    def __init__(self, table: Table, start: Start, world: World, draw: int) -> None:
        self._table, self._draw = table, draw
        self._hands, self._live = list(world.hands), union(world.hands)
        self._kitty = world.kitty if start.kitty_seat < 0 else NO_CARDS
        self._opens, self._broken = start.opens, bool(start.broken)
        self._barred = table.barred_first if start.first else NO_CARDS
        self._shooter = self._seat = start.seat
        self._place, self._pile = start.place, start.pile
        self._suit, self._best, self._winner = start.suit, start.best, start.winner
        self.card = self._choice()
        self.succeeded = self._played_out()

    def _played_out(self) -> bool:
        """Play from the card on, and return whether the moon is shot."""
        card = self.card
        while True:
            self._put(card)
            if self._place == self._table.seats:
                if not self._trick_is_right():
                    return False
                if not (self._live | self._kitty) & self._table.moon:
                    return True
            card = self._choice()

    def _put(self, card: Card) -> None:
        """Play *card* for the seat whose turn it is."""
        if not self._place:
            self._suit, self._best, self._winner = suit_of(card), card, self._seat
        elif card & self._suit and card > self._best:
            self._best, self._winner = card, self._seat
        self._hands[self._seat] ^= card
        self._live ^= card
        self._pile |= card
        self._broken = self._broken or bool(card & self._table.breaks)
        self._opens = NO_CARDS
        self._place += 1
        self._seat = (self._seat + 1) % self._table.seats

    def _trick_is_right(self) -> bool:
        """End the trick, and return whether the moon can still be shot."""
        table = self._table
        last = table.kitty_to == 1 and self._pile & table.penalties
        if table.kitty_to == 0 or last or not self._live:
            self._pile |= self._kitty
            self._kitty = NO_CARDS
        right = self._winner == self._shooter or not self._pile & table.moon
        self._place, self._pile, self._barred = 0, NO_CARDS, NO_CARDS
        self._seat = self._winner
        return right

    def _choice(self) -> Card:
        """Return the card of the seat whose turn it is."""
        self._draw = self._draw * LEHMER % LEHMER_PRIME
        choice = self._legal()
        if not choice & choice - 1:
            return choice
        if self._seat == self._shooter:
            return self._taking(choice)
        if self._draw & 255 < _WHIM or not self._place:
            return self._any(choice)
        return self._ducking(choice)

    def _legal(self) -> CardSet:
        table, hand = self._table, self._hands[self._seat]
        if self._opens:
            return hand & self._opens
        choice = hand & self._suit or hand if self._place else hand
        choice = choice & ~self._barred or choice
        if self._broken:
            return choice
        if self._place:
            return choice & ~table.unbroken_follow or choice
        return choice & ~table.unbroken_lead or choice if choice & ~table.free_among else choice

    def _any(self, choice: CardSet) -> Card:
        first = (self._draw >> 8) % choice.bit_length()
        return lowest(choice >> first << first)

    def _ducking(self, choice: CardSet) -> Card:
        """Return the highest card that loses, else the cheapest; of another suit what is dear."""
        if choice & self._suit:
            under = choice & below(self._best)
            return _highest(under) if under else lowest(choice & ~self._table.penalties or choice)
        return lowest(next(choice & some for some in self._table.throws if choice & some))

    def _taking(self, choice: CardSet) -> Card:
        """Return what takes this trick, or, if nothing does, what would lose a later one."""
        if not self._place:
            return max(map(_highest, _by_suit(choice)), key=lambda one: self._leads(one, choice))
        if not choice & self._suit:
            return max(map(lowest, _by_suit(choice)), key=self._loses)
        over = choice & above(self._best)
        if not over:
            return lowest(choice)
        return lowest(over) if self._place == self._table.seats - 1 else _highest(over)

    def _leads(self, one: Card, choice: CardSet) -> tuple[int, int]:
        """Return how good it is to lead *one*: few are above it, and many are behind it."""
        return -self._over(one), (choice & suit_of(one)).bit_count()

    def _loses(self, one: Card) -> tuple[bool, int]:
        """Return how good it is to be rid of *one*: it is not needed, and many are above it."""
        return not one & self._table.moon, self._over(one)

    def _over(self, one: Card) -> int:
        others: CardSet = self._live & ~self._hands[self._shooter]
        return (others & above(one)).bit_count()


def _by_suit(some: CardSet) -> list[CardSet]:
    return [some & suit for suit in (CLUBS, DIAMONDS, SPADES, HEARTS) if some & suit]


def _highest(some: CardSet) -> Card:
    """Return the card of *some*, which are of one suit and one pack, that beats the others."""
    return 1 << some.bit_length() - 1
