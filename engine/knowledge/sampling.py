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
from engine.knowledge.cases import Case, cases_of
from engine.knowledge.counting import State, Stop, entered
from engine.knowledge.evidence import Evidence, Place

Chance: TypeAlias = int
"""A state of the generator, from 1 to 2^31 - 2."""

_FACTOR: Final = 48271
_PRIME: Final = 2**31 - 1
_TWO_STEPS: Final = (_PRIME - 1) ** 2
_FIRST_PACK: Final = (1 << PACK_SIZE) - 1


class World(NamedTuple):
    """Where the hidden cards lie, and the state of *chance* afterwards.

    *once* has for each seat, and then for the kitty, the cards that lie there, *twice* those
    of them that lie there twice; all of the first pack. Those of the reader are empty.
    """

    chance: Chance
    once: list[CardSet]
    twice: list[CardSet]


def chance_from(number: int) -> Chance:
    """Return the state of the generator that any *number* stands for."""
    return number % (_PRIME - 1) + 1


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
        number, chance = _number(chance)
        return self._dealers[bisect_right(self._thresholds, number)].draw(chance)

    def copies(self, card: Card) -> Mapping[Place, Fraction]:
        """Return how many of an unseen *card* lie at each place, on average over all worlds.

        Of a card that is unseen once, that is how likely it lies there.
        """
        found = sum((case.copies(card) for case in self.cases), Counter[Place]())
        return {place: Fraction(found[place], self.worlds) for place in self._rooms}


_Choice: TypeAlias = tuple[int, list[int]]
"""The fewest cards to take, and the thresholds between so many, one more, and so on."""


class _Dealer:
    """Draws the worlds of one case. The second of two unseen twins is one of the second pack."""

    def __init__(self, case: Case, rooms: Mapping[Place, int]) -> None:
        self._ways = case.ways
        self._places = {place: len(rooms) if place is None else place for place in rooms}
        self._stops = [
            (stop, [(self._places[place], room) for place, room in stop.places])
            for stop in case.ways.stops
        ]
        self._known = [0] * (len(rooms) + 1)
        self._pools: list[list[Card]] = []
        self._choices: dict[tuple[int, State], _Choice] = {}
        self._lay_out(case)

    def _lay_out(self, case: Case) -> None:
        used: Counter[Card] = Counter()

        def apart(card: Card) -> Card:
            used[card] += 1
            return card << PACK_SIZE * (used[card] - 1)

        for place, held in case.known.items():
            self._known[self._places[place]] = sum(map(apart, Counter(held).elements()))
        cards, _, kinds = case.loose
        if self._ways.stops:
            self._pools = [
                [apart(card) for card in cards.elements() if kinds[card] in pool]
                for pool in self._ways.stops[0].pools
            ]

    def draw(self, chance: Chance) -> World:
        hands, pools = self._known.copy(), [pool.copy() for pool in self._pools]
        for stop, places in self._stops:
            drawn, chance = self._taken(stop, pools, chance)
            for place, room in places[:-1]:
                some, drawn, chance = _parted(drawn, room, chance)
                hands[place] += sum(some)
            hands[places[-1][0]] += sum(drawn)
            pools = [_joined(pools, joined) for joined in stop.joins]
        return World(
            chance,
            [hand & _FIRST_PACK | hand >> PACK_SIZE for hand in hands],
            [hand & hand >> PACK_SIZE for hand in hands],
        )

    def _taken(
        self, stop: Stop, pools: list[list[Card]], chance: Chance
    ) -> tuple[list[Card], Chance]:
        """Return the cards that *stop* gets, and take them from *pools*."""
        drawn: list[Card] = []
        state = entered(stop, list(map(len, pools)))
        for level, step in enumerate(stop.steps, stop.level):
            taken, thresholds = self._choice(level, state)
            if thresholds:
                number, chance = _number(chance)
                taken += bisect_right(thresholds, number)
            state -= taken * step.delta
            some, pools[step.pool], chance = _parted(pools[step.pool], taken, chance)
            drawn += some
        return drawn, chance

    def _choice(self, level: int, state: State) -> _Choice:
        choice = self._choices.get((level, state))
        if choice is None:
            least, options = self._ways.options(level, state)
            choice = self._choices[level, state] = least, _thresholds(options)
        return choice


def _joined(pools: Sequence[list[Card]], joined: Sequence[int]) -> list[Card]:
    if len(joined) == 1:
        return pools[joined[0]]
    return [card for at in joined for card in pools[at]]


def _parted(cards: list[Card], taken: int, chance: Chance) -> tuple[list[Card], list[Card], Chance]:
    """Return so many of *cards* by chance, and the others; *cards* are put in disorder."""
    size, left = len(cards), len(cards) - taken
    for last in range(size - 1, max(taken, left) - 1, -1):
        chance = chance * _FACTOR % _PRIME
        at = chance % (last + 1)
        cards[at], cards[last] = cards[last], cards[at]
    if taken <= left:
        return cards[left:], cards[:left], chance
    return cards[:taken], cards[taken:], chance


def _number(chance: Chance) -> tuple[int, Chance]:
    """Return a number below the square of the prime less one, from two steps."""
    first = chance * _FACTOR % _PRIME
    chance = first * _FACTOR % _PRIME
    return (first - 1) * (_PRIME - 1) + chance - 1, chance


def _thresholds(ways: Sequence[int]) -> list[int]:
    """Return what a number of two steps is held against to choose among *ways*."""
    *sums, total = accumulate(ways)
    return [some * _TWO_STEPS // total for some in sums]
