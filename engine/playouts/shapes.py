"""What the kernel of playouts works on: the table, its seats, a moment, and a world.

Compiled together with the kernel, in whose words all cards are written.
"""

from engine.playouts.native import i64


class Table:
    """What the rules say, as sets of cards.

    *shy* are cards that are not led if there are others, *throws* groups of cards in the order
    in which they are thrown. *worths* are, for each of *suits*, which are shifts, the points of
    every set of its cards; *boons* the same for bonus cards. A moon needs *moon*, of which
    *moon_twice* twice; a sun all. *lasts* says that a deal is not settled before its last
    trick. *kitty_to* is 0, 1 or 2: the kitty goes with the first trick, the first one with a
    penalty, or the last.
    """

    def __init__(self) -> None:
        self.seats: i64 = 4
        self.two_packs: i64 = 0
        self.cancels: i64 = 0
        self.lasts: i64 = 0
        self.penalties: i64 = 0
        self.bonuses: i64 = 0
        self.barred_first: i64 = 0
        self.unbroken_lead: i64 = 0
        self.unbroken_follow: i64 = 0
        self.free_among: i64 = 0
        self.breaks: i64 = 0
        self.opening: i64 = 0
        self.kitty_to: i64 = 0
        self.shy: i64 = 0
        self.throws: list[i64] = []
        self.suits: list[i64] = []
        self.worths: list[list[i64]] = []
        self.boon_suits: list[i64] = []
        self.boons: list[list[i64]] = []
        self.moon: i64 = 0
        self.moon_twice: i64 = 0
        self.moon_points: i64 = 0
        self.subtracts: i64 = 0
        self.absorbs: i64 = 0
        self.has_sun: i64 = 0
        self.sun: i64 = 0
        self.sun_twice: i64 = 0
        self.sun_points: i64 = 0
        self.no_trick: i64 = 0
        self.whim: i64 = 64
        """Of 256, how often a seat plays any card."""


class Player:
    """A seat in a deal that is played out; *left* is the seat to its left."""

    def __init__(self) -> None:
        self.hand: i64 = 0
        self.twice: i64 = 0
        self.taken: i64 = 0
        self.taken_twice: i64 = 0
        self.played: i64 = 0
        self.points: i64 = 0
        self.left: Player = self


class Start:
    """What everybody sees of a deal at the moment from which it is played out.

    *place* counts the cards on the table. *pile* has them and those that ride, *best* the one
    that takes the trick so far, 0 where none does. *once* and *gone* matter where equal cards
    cancel: the cards of the suit led, and those of them that are there twice. *opens* are the
    cards of which one has to open. *broken* and *first* are 0 or 1. *kitty_seat* took the
    kitty, -1 while it lies there; *taken* is without it.
    """

    def __init__(self, seats: i64) -> None:
        self.seat: i64 = 0
        self.place: i64 = 0
        self.suit: i64 = 0
        self.best: i64 = 0
        self.winner: i64 = 0
        self.pile: i64 = 0
        self.pile_twice: i64 = 0
        self.once: i64 = 0
        self.gone: i64 = 0
        self.opens: i64 = 0
        self.broken: i64 = 0
        self.first: i64 = 0
        self.kitty_seat: i64 = -1
        self.taken: list[i64] = [0] * seats
        self.taken_twice: list[i64] = [0] * seats
        self.played: list[i64] = [0] * seats


class World:
    """Where the hidden cards lie: one of the ways that agree with what is known.

    *hands* has for each seat the cards it holds, *twice* those of them it holds twice; *kitty*
    is the kitty, whether it was taken or not.
    """

    def __init__(self, hands: list[i64], twice: list[i64], kitty: i64, kitty_twice: i64) -> None:
        self.hands = hands
        self.twice = twice
        self.kitty: i64 = kitty
        self.kitty_twice: i64 = kitty_twice


class Playout:
    """A table at which deals are played out, again and again; *nobody* has no seat there."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.players: list[Player] = [Player() for _ in range(table.seats)]
        self.nobody: Player = Player()
        before: Player = self.players[-1]
        for player in self.players:
            before.left = player
            before = player
