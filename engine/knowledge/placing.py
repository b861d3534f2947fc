"""Where hidden cards may lie, exactly: flows from kinds of cards to places.

All distributions of the cards are the flows of whole numbers from kinds of cards to places
that fill every place.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from engine.cards import Card
from engine.knowledge.evidence import Evidence, Place
from engine.knowledge.kinds import Kind, loose

_Step: TypeAlias = tuple[Kind, Place]
_Sent: TypeAlias = Mapping[Kind, Counter[Place]]


class Placing(NamedTuple):
    """What all distributions of the hidden cards share.

    *may* has for each card the places where one of it lies in some of them, *must* for each
    place how often a card lies there at least in all of them.
    """

    may: Mapping[Card, frozenset[Place]]
    must: Mapping[Place, Mapping[Card, int]]


def possible(evidence: Evidence) -> Placing:
    """Return where the cards of *evidence* may lie, and where they have to.

    Raises:
        AssertionError: No distribution agrees with it.
    """
    known = evidence.known
    free, rooms, kinds = loose(evidence)
    flows = _Flows(Counter(kinds[card] for card in free.elements()), rooms)
    may = {
        card: frozenset(
            place
            for place in rooms
            if known.get(place, {}).get(card) or (card in kinds and flows.may(kinds[card], place))
        )
        for card in evidence.unseen
    }
    must = {
        place: {
            card: times
            for card in evidence.unseen
            if (
                times := known.get(place, {}).get(card, 0)
                + _forced(card, place, free, kinds, flows)
            )
        }
        for place in rooms
    }
    return Placing(may, must)


def _forced(
    card: Card,
    place: Place,
    free: Mapping[Card, int],
    kinds: Mapping[Card, Kind],
    flows: "_Flows",
) -> int:
    """Return how many of the free copies of *card* lie at *place* in every distribution."""
    if card not in kinds:
        return 0
    kind = kinds[card]
    return max(0, free[card] - (flows.sizes[kind] - flows.least(kind, place)))


class _Flows:
    """One flow, and what can be changed in it.

    A path of changes goes from a kind to a place by sending one card more there, and from a
    place to a kind by taking one card of that kind away.
    """

    def __init__(self, sizes: Mapping[Kind, int], rooms: Mapping[Place, int]) -> None:
        self.sizes = sizes
        self._sent: dict[Kind, Counter[Place]] = {kind: Counter() for kind in sizes}
        self._least: dict[tuple[Kind, Place], int] = {}
        left = dict(rooms)
        for kind, size in sizes.items():
            for _ in range(size):
                self._send(kind, left)
        assert not any(left.values()), "as many cards as there is room for"

    def _send(self, kind: Kind, left: dict[Place, int]) -> None:
        steps = _path(kind, lambda place: left[place] > 0, self._sent)
        assert steps is not None, "a place for every card"
        _change(steps, self._sent)
        left[steps[-1][1]] -= 1

    def may(self, kind: Kind, place: Place) -> bool:
        """Return whether a card of *kind* lies at *place* in some flow."""
        if place not in kind:
            return False
        if self._sent[kind][place]:
            return True
        # Somebody else has to leave the place, and something of this kind comes back for it.
        ours = self._sent[kind]
        return any(
            sent[place] and _path(other, lambda end: ours[end] > 0, self._sent) is not None
            for other, sent in self._sent.items()
        )

    def least(self, kind: Kind, place: Place) -> int:
        """Return how many cards of *kind* lie at *place* in every flow, at least."""
        if (kind, place) not in self._least:
            self._least[kind, place] = self._count_least(kind, place)
        return self._least[kind, place]

    def _count_least(self, kind: Kind, place: Place) -> int:
        sent = {one: Counter(places) for one, places in self._sent.items()}
        while sent[kind][place]:
            steps = _path(kind, lambda end: end == place, sent, (kind, place))
            if steps is None:
                break
            _change(steps, sent)
            sent[kind][place] -= 1
        return sent[kind][place]


def _path(
    start: Kind, is_end: Callable[[Place], bool], sent: _Sent, closed: _Step | None = None
) -> list[_Step] | None:
    """Return how one more card of *start* can go somewhere so that one more card *is_end*.

    Each step sends a card of its kind to its place, where the next step's card makes room
    for it. The step *closed* is not taken.
    """
    before: dict[Kind, tuple[Kind, Place] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        kind = waiting.popleft()
        for place in kind:
            if (kind, place) == closed:
                continue
            if is_end(place):
                return _steps(before, kind, place)
            for other, places in sent.items():
                if other not in before and places[place]:
                    before[other] = (kind, place)
                    waiting.append(other)
    return None


def _steps(before: Mapping[Kind, _Step | None], kind: Kind, place: Place) -> list[_Step]:
    steps = [(kind, place)]
    while (step := before[steps[-1][0]]) is not None:
        steps.append(step)
    return steps[::-1]


def _change(steps: Sequence[_Step], sent: Mapping[Kind, Counter[Place]]) -> None:
    for number, (kind, place) in enumerate(steps):
        sent[kind][place] += 1
        if number + 1 < len(steps):
            sent[steps[number + 1][0]][place] -= 1
