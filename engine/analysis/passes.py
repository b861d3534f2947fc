"""Passes a seat may make, judged: from the hands as dealt, through all passes, to the end."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.analysis.judged import Analysis, MoveKey, key_of
from engine.analysis.plays import FEWEST_WORLDS
from engine.analysis.prospects import Prospect, Shooting, analysis_of
from engine.analysis.tables import WorldTable
from engine.bots.base import deal_in, you_in
from engine.bots.giving import Scales
from engine.bots.pass_search import passes_to_try
from engine.cards import PACK_SIZE, Card, CardSet, union
from engine.commands import Move, PassCards
from engine.passing import picked, sent_by
from engine.playouts import kernel
from engine.playouts.shapes import Playout, World
from engine.playouts.starts import first_start, world_of
from engine.playouts.tables import once, table_of, twice
from engine.rules import Direction
from engine.seats import Seat
from engine.view import View

_CHOICES: Final = 40
"""So many passes are tried at most, beside those that are asked for."""

_ROUNDS: Final = 4
_FEWEST: Final = 5
"""So many passes are left in the end, all of them tried in the same worlds."""


def judged_passes(view: View, table: WorldTable, sims: int, also: Sequence[Move] = ()) -> Analysis:
    """Return what the best passes are likely to bring, in *sims* playouts of all.

    Tried are those that a search would try; round by round the worse half goes. Those of
    *also* stay to the end.

    Raises:
        AssertionError: A move of *also* is no pass of cards that the seat holds.
    """
    passing = _Passing(view, table)
    asked = [passing.own(move) for move in also]
    left = [Prospect(move, view) for move in passing.moves(asked)]
    shooting = Shooting(view)
    for number in range(_ROUNDS):
        passing.try_out(left, shooting, max(FEWEST_WORLDS, sims // _ROUNDS // len(left)))
        shooting.look_at(left)
        if number < _ROUNDS - 1:
            left = _better_half(left, asked)
    return analysis_of(view, left, in_order=passing.in_order)


def compared_passes(view: View, table: WorldTable, sims: int, only: Sequence[Move]) -> Analysis:
    """Return what the passes of *only* are likely to bring, in *sims* playouts of all.

    Raises:
        AssertionError: A move of *only* is no pass of cards that the seat holds.
    """
    passing = _Passing(view, table)
    both = [Prospect(passing.own(move), view) for move in only]
    passing.try_out(both, Shooting(view), max(FEWEST_WORLDS, sims // len(both)))
    return analysis_of(view, both, in_order=passing.in_order)


def _better_half(
    tried: list[Prospect[PassCards]], asked: list[PassCards]
) -> list[Prospect[PassCards]]:
    ranked = sorted(tried, key=lambda one: -sum(one.better.gains))
    half = max(_FEWEST, (len(ranked) + 1) // 2)
    # A pass that was made for a moon is held against moons in full.
    boldest = max(ranked, key=lambda one: sum(one.in_full.gains))
    return ranked[:half] + [one for one in ranked[half:] if one is boldest or one.move in asked]


class _Passing:
    """A table at which the seat of *view* is to pass, in one world after the other.

    The others pass before it, what *table* says or what rules of thumb choose, and it
    receives from them.
    """

    def __init__(self, view: View, table: WorldTable) -> None:
        deal, you = deal_in(view), you_in(view)
        assert deal.direction is not None, "cards go somewhere"
        self.in_order = deal.direction is Direction.SCATTER
        self._rules, self._deal, self._direction = view.rules, deal, deal.direction
        self._you, self._table, self._scales = you, table, Scales(view.rules)
        self._playout = Playout(table_of(view.rules))
        self._own, self._hands, self._kitty, self._luck = 0, [0], 0, 1

    def own(self, move: Move) -> PassCards:
        """Return *move* in the cards that the seat holds."""
        assert isinstance(move, PassCards), "a pass is due"
        return PassCards(self._you.seat, picked(move.cards, self._you.hand))

    def moves(self, asked: Sequence[PassCards]) -> list[PassCards]:
        """Return the passes to be tried, those *asked* for among them."""
        # Which of two twins it holds must not matter.
        hand = once(self._you.hand) | twice(self._you.hand) << PACK_SIZE
        tried = passes_to_try(hand, self._deal.pass_count, self._rules)[:_CHOICES]
        if self.in_order:
            tried.insert(0, self._scales.heaviest(hand, self._deal.pass_count))
        usual = [PassCards(self._you.seat, picked(some, self._you.hand)) for some in tried]
        found: dict[MoveKey, PassCards] = {}
        for one in (*asked, *usual):
            found.setdefault(key_of(one, in_order=self.in_order), one)
        return list(found.values())

    def try_out(
        self, prospects: list[Prospect[PassCards]], shooting: Shooting, worlds: int
    ) -> None:
        """Play the passes of *prospects* out in so many further *worlds*."""
        for world in self._table.draw(worlds):
            self._lay(world)
            for one in prospects:
                for bold in shooting.ways:
                    tally = one.meek if bold == kernel.NOBODY else one.bold
                    tally.add(self._played_out(one.move, bold))

    def _lay(self, world: World) -> None:
        """Lay the cards as in *world*, and let the others pass."""
        *hands, self._kitty = _apart(world)
        gifts = {seat: self._gift(seat, hand) for seat, hand in enumerate(hands)}
        del gifts[self._you.seat]
        for seat, cards in gifts.items():
            hands[seat] ^= union(cards)
        self._own, self._hands, self._luck = hands[self._you.seat], hands, self._table.luck()
        for seat, cards in gifts.items():
            self._give(seat, cards, hands)

    def _played_out(self, move: PassCards, bold: int) -> Playout:
        """Return the table after a deal in which the seat makes *move*, and *bold* shoots."""
        hands = self._hands.copy()
        cards = picked(move.cards, self._own)
        hands[move.seat] ^= union(cards)
        self._give(move.seat, cards, hands)
        start = first_start(self._rules, hands, self._deal.number)
        world = world_of(hands, self._kitty)
        kernel.play_out(self._playout, start, world, 0, self._luck, bold)
        return self._playout

    def _gift(self, seat: Seat, hand: CardSet) -> tuple[Card, ...]:
        if self._table.passes:
            return picked(self._table.passes[seat], hand)
        return self._scales.heaviest(hand, self._deal.pass_count)

    def _give(self, seat: Seat, cards: tuple[Card, ...], hands: list[CardSet]) -> None:
        for target, some in sent_by(seat, cards, self._direction, self._rules.seats):
            hands[target] |= some


def _apart(world: World) -> Iterator[CardSet]:
    """Yield the hands of *world*, and then its kitty, with twins told apart."""
    laid = 0
    places = zip((*world.hands, world.kitty), (*world.twice, world.kitty_twice), strict=True)
    for ones, pairs in places:
        yield ones & ~laid | (ones & laid | pairs) << PACK_SIZE
        laid |= ones
