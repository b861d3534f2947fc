"""Worlds for a search: the hidden cards of a view, laid anew in the cards of one pack."""

from typing import Final

from engine.bots.base import deal_in, you_in
from engine.knowledge import Sampler, chance_from, evidence_of
from engine.playouts.shapes import World
from engine.playouts.tables import once, twice
from engine.view import View

_BYTES: Final = 8
_STRIDE: Final = 1_664_525
"""From the chance of one call for playouts to that of the next, far from it."""


class Worlds:
    """Draws worlds that agree with all that the seat of *view* knows, by chance from *seed*."""

    def __init__(self, view: View, seed: bytes) -> None:
        you, deal = you_in(view), deal_in(view)
        self._seat = you.seat
        self._hand = once(you.hand), twice(you.hand)
        self._kitty = once(you.kitty), twice(you.kitty)
        self._took_kitty = deal.kitty_taker == you.seat
        self._sampler = Sampler(evidence_of(view))
        self._chance = chance_from(int.from_bytes(seed[:_BYTES], "big"))
        self._luck = chance_from(int.from_bytes(seed[_BYTES : 2 * _BYTES], "big"))

    def draw(self, count: int) -> list[World]:
        """Return *count* further worlds."""
        return [self._one() for _ in range(count)]

    def luck(self) -> int:
        """Return a state of chance for playouts, another one each time."""
        self._luck = chance_from(self._luck * _STRIDE)
        return self._luck

    def _one(self) -> World:
        world = self._sampler.draw(self._chance)
        self._chance = world.chance
        (*hands, kitty), (*pairs, kitty_pairs) = world.once, world.twice
        hands[self._seat], pairs[self._seat] = self._hand
        if self._took_kitty:
            kitty, kitty_pairs = self._kitty
        return World(hands, pairs, kitty, kitty_pairs)
