"""Hidden cards of which nobody knows where they lie, by kinds.

Cards that may lie in the same places are of one kind, and any of them can stand for any
other. So there are few kinds.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from engine.cards import Card
from engine.knowledge.evidence import Evidence, Place

Kind: TypeAlias = frozenset[Place]
"""The places where the cards of a kind may lie."""


class Loose(NamedTuple):
    """The cards that are not known to lie somewhere: how often each, the *rooms* left for them.

    *kinds* has the kind of each.
    """

    cards: Counter[Card]
    rooms: Mapping[Place, int]
    kinds: Mapping[Card, Kind]


def loose(evidence: Evidence) -> Loose:
    """Return the cards of *evidence* that are not known to lie somewhere."""
    known = evidence.known
    free = Counter(evidence.unseen)
    for held in known.values():
        free -= Counter(held)
    rooms = {
        place: room - sum(known.get(place, {}).values()) for place, room in evidence.rooms.items()
    }
    return Loose(free, rooms, {card: _kind(card, rooms, evidence) for card in free})


def _kind(card: Card, rooms: Mapping[Place, int], evidence: Evidence) -> Kind:
    return frozenset(
        place for place, room in rooms.items() if room and not card & evidence.barred[place]
    )
