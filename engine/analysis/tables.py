"""Where worlds come from: many that agree with a view, or the one that is true."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from engine.bots.worlds import Worlds
from engine.cards import NO_CARDS, Card, CardSet
from engine.knowledge import chance_from
from engine.playouts.shapes import World
from engine.playouts.starts import world_of
from engine.seats import PerSeat

_BYTES: Final = 8
_STRIDE: Final = 69_621
"""From the chance of one playout to that of the next, which is not a step inside of either."""


class Truth(NamedTuple):
    """Where all cards of a deal lie; for readers to whom the deal is open.

    *hands* are those at the moment of the decision, but as dealt while cards are passed.
    *kitty* is all of it, taken or not. *passes* are the cards that each seat passes, in its
    order, empty where that is not to be known: then the others pass by rules of thumb.
    """

    hands: PerSeat[CardSet]
    kitty: CardSet = NO_CARDS
    passes: PerSeat[tuple[Card, ...]] = ()


class WorldTable(Protocol):
    """Lays all cards, again and again; *passes* are what the others pass, if that is known."""

    passes: Sequence[tuple[Card, ...]]

    def draw(self, count: int) -> list[World]:
        """Return *count* further worlds, which may be the same."""
        ...

    def luck(self) -> int:
        """Return a state of chance for playouts, another one each time."""
        ...


class HiddenTable(Worlds):
    """The worlds that agree with a view, each as often as any other."""

    passes: Sequence[tuple[Card, ...]] = ()


class OpenTable:
    """The one world of *truth*; *seed* is what all further chance comes from."""

    def __init__(self, truth: Truth, seed: bytes) -> None:
        self.passes: Sequence[tuple[Card, ...]] = truth.passes
        self._world = world_of(truth.hands, truth.kitty)
        self._luck = chance_from(int.from_bytes(seed[:_BYTES], "big"))

    def draw(self, count: int) -> list[World]:
        """Return the same world *count* times."""
        return [self._world] * count

    def luck(self) -> int:
        """Return a state of chance for playouts, another one each time."""
        self._luck = chance_from(self._luck * _STRIDE)
        return self._luck
