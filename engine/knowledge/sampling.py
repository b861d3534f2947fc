"""Hidden cards laid where they may lie, all ways being equally likely: worlds for a search.

The cards that are out are dealt anew: each is a card of its own, twins too, and every way to
deal them that agrees with the evidence is as likely as any other. So a world with twins in two
places is twice as likely as the same with both in one, as it is after a real shuffle. Nothing
is read into how others play and pass; only what is certain counts.

No draw is thrown away: `engine.knowledge.counting` says in how many ways each choice leads on.
Chance is Lehmer's generator with the multiplier 48271, as in the playouts, and the state after
a draw is where the next one begins. Of all its states, 2^31 - 2, as many draw one card of a
pool as another but for one part in 2^24, and a number of cards is right within 2^-30.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

from engine.cards import PACK_SIZE, Card, CardSet
from engine.knowledge import counting
from engine.knowledge.cases import Case, cases_of
from engine.knowledge.counting import BITS, State
from engine.knowledge.evidence import Evidence, Place
from engine.playouts.kernel import LEHMER_PRIME
from engine.playouts.laying import Choice, Layout, Step, Stop, laid, number

Chance: TypeAlias = int
"""A state of the generator, from 1 to 2^31 - 2."""

_TWO_STEPS: Final = (LEHMER_PRIME - 1) ** 2


class World(NamedTuple):
    """Where the hidden cards lie, and the state of *chance* afterwards.

    *once* has for each seat, and then for the kitty, the cards that lie there, *twice* those
    of them that lie there twice; all of the first pack. Those of the reader are empty.
    """

    chance: Chance
    once: list[CardSet]
    twice: list[CardSet]


def chance_from(some: int) -> Chance:
    """Return the state of the generator that *some* number stands for."""
    return some % (LEHMER_PRIME - 1) + 1


class Sampler:
    """Draws worlds that agree with some evidence, each as often as any other.

    *worlds* is how many there are, with every card a card of its own; *cases* are what they
    are counted by.
    """

    def __init__(self, evidence: Evidence) -> None:
        """Prepare draws.

        Raises:
            AssertionError: No world agrees with *evidence*.
        """
        self._rooms = evidence.rooms
        self.cases = list(cases_of(evidence))
        self.worlds = sum(case.worlds for case in self.cases)
        assert self.worlds, "no world agrees with the evidence"
        self._dealers = [_Dealer(case, evidence.rooms) for case in self.cases]
        self._thresholds = _thresholds([case.worlds for case in self.cases])

    def draw(self, chance: Chance) -> World:
        """Return the world that *chance* stands for."""
        if not self._thresholds:
            return self._dealers[0].draw(chance)
        found, chance = number(chance)
        return self._dealers[bisect_right(self._thresholds, found)].draw(chance)

    def copies(self, card: Card) -> Mapping[Place, Fraction]:
        """Return how many of an unseen *card* lie at each place, on average over all worlds.

        Of a card that is unseen once, that is how likely it lies there.
        """
        found = sum((case.copies(card) for case in self.cases), Counter[Place]())
        return {place: Fraction(found[place], self.worlds) for place in self._rooms}


class _Dealer:
    """Draws the worlds of one case. The second of two unseen twins is one of the second pack."""

    def __init__(self, case: Case, rooms: Mapping[Place, int]) -> None:
        self._ways = case.ways
        self._used: Counter[Card] = Counter()
        places = {place: len(rooms) if place is None else place for place in rooms}
        known = [0] * (len(rooms) + 1)
        for place, held in case.known.items():
            known[places[place]] = sum(map(self._apart, Counter(held).elements()))
        self._layout = Layout(known, BITS, PACK_SIZE)
        self._layout.choices = [{} for stop in case.ways.stops for _ in stop.steps]
        self._layout.stops = [_stop(stop, places) for stop in case.ways.stops]
        cards, _, kinds = case.loose
        if case.ways.stops:
            self._layout.pools = [
                [self._apart(card) for card in cards.elements() if kinds[card] in pool]
                for pool in case.ways.stops[0].pools
            ]

    def draw(self, chance: Chance) -> World:
        return World(*laid(self._layout, chance, self._choice))

    def _apart(self, card: Card) -> Card:
        self._used[card] += 1
        return card << PACK_SIZE * (self._used[card] - 1)

    def _choice(self, level: int, state: State) -> Choice:
        least, options = self._ways.options(level, state)
        return Choice(least, _thresholds(options))


def _stop(stop: counting.Stop, places: Mapping[Place, int]) -> Stop:
    to = Stop(
        stop.level,
        [places[place] for place, _ in stop.places],
        [room for _, room in stop.places],
    )
    to.steps = [Step(step.pool, step.delta) for step in stop.steps]
    to.joins = list(map(list, stop.joins))
    return to


def _thresholds(ways: Sequence[int]) -> list[int]:
    """Return what a number of two steps is held against to choose among *ways*."""
    *sums, total = accumulate(ways)
    return [some * _TWO_STEPS // total for some in sums]
