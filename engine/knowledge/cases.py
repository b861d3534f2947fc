"""Evidence as cases that exclude each other, in each of which cards are counted one by one."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.cards import Card
from engine.knowledge.counting import Ways
from engine.knowledge.evidence import Cards, Evidence, Place
from engine.knowledge.kinds import Kind, Loose, loose


class Case:
    """Some evidence, the *ways* to lay what is *loose*, and the *weight* of each of them."""

    def __init__(self, evidence: Evidence, weight: int) -> None:
        self.known: Mapping[Place, Cards] = evidence.known
        self.loose: Loose = loose(evidence)
        self.weight = weight
        cards, rooms, kinds = self.loose
        self.ways = Ways(Counter(kinds[card] for card in cards.elements()), rooms)
        self._lying: dict[Kind, Mapping[Place, int]] = {}

    @property
    def worlds(self) -> int:
        """How many worlds there are, each as often as it counts."""
        return self.weight * self.ways.total

    def copies(self, card: Card) -> Counter[Place]:
        """Return how many of *card* lie at each place in all worlds together."""
        found: Counter[Place] = Counter()
        for place, held in self.known.items():
            found[place] += held.get(card, 0) * self.worlds
        times = self.loose.cards.get(card, 0) * self.weight
        if times:
            for place, ways in self._ways_there(self.loose.kinds[card]).items():
                found[place] += times * ways
        return found

    def _ways_there(self, kind: Kind) -> Mapping[Place, int]:
        if kind not in self._lying:
            self._lying[kind] = self.ways.lying(kind)
        return self._lying[kind]


def cases_of(evidence: Evidence) -> Iterator[Case]:
    """Yield the cases of *evidence* in which there is any world.

    Where a place had one of two twins, the other one is there too, which is one world, or it
    is not, and then either may have been there, which makes two.
    """
    kinds = loose(evidence).kinds
    cases = [(evidence, 1)]
    for card, place in evidence.either.items():
        if card in kinds:
            cases = [(_barred(card, place, evidence), 2)]
            if place in kinds[card]:
                cases.append((_there(card, place, evidence), 1))
    for some, weight in cases:
        case = Case(some, weight)
        if case.worlds:
            yield case


def _barred(card: Card, place: Place, evidence: Evidence) -> Evidence:
    barred = evidence.barred[place] | card
    return replace(evidence, barred={**evidence.barred, place: barred})


def _there(card: Card, place: Place, evidence: Evidence) -> Evidence:
    held = Counter(evidence.known.get(place, {})) + Counter([card])
    return replace(evidence, known={**evidence.known, place: held})
