"""How heavy a card is to keep when cards are to be passed, in points, read from the rules.

A weight compares cards under the same rules only. No card is named here.
"""

from operator import itemgetter
from typing import Final

from engine.bots.memory import likely_dearest
from engine.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    NO_CARDS,
    SPADES,
    Card,
    CardSet,
    below,
    in_deck_order,
    lowest,
    one_of_each,
    suit_of,
)
from engine.rules import Rules
from engine.stakes import points_of

# The weights below were found by duplicate matches over several variants and tables. They
# are rough: a fifth more or less of any one of them makes no difference beyond the error.

_ANY: Final = 0.36
"""What any card weighs, in the points that a seat throws if it cannot follow."""

_HIGH: Final = 0.95
"""What the top card of a suit weighs besides, in the points of an average trick."""

_COMMON: Final = 1.5
"""What it weighs where most of its suit counts, in its own points and the suit's mean."""

_DEAR: Final = 0.7
"""What a dear card without guards weighs, in its own points."""

_GUARDED: Final = 0.5
"""By which part of its points lower cards guard it, if they are an average suit."""

_CATCHES: Final = 0.6
"""What a card weighs that may catch dear cards, or a bonus, in their points."""

_GUARDS: Final = 0.6
"""What a card below all dear ones of its suit weighs, in others: it guards them."""

_BONUS: Final = 0.3
"""What a bonus card weighs, in its own points, which are negative."""

_VOID: Final = 0.125
"""What it is worth to lack a suit without penalties, in the points thrown instead, for each
trick of the deal: the more there are, the more often the suit is led.
"""


_SUITS: Final = (HEARTS, SPADES, DIAMONDS, CLUBS)
_NONE_HELD: Final = (float("-inf"), NO_CARDS)
_relief: Final = itemgetter(0)

_scales: Final[dict[object, "Scales"]] = {}
_MOST_SCALES: Final = 4
_MOST_WEIGHED: Final = 32_768
"""So many holdings of a suit are remembered: all that can be held of one pack."""


def heaviest(hand: CardSet, count: int, rules: Rules) -> tuple[Card, ...]:
    """Return the *count* cards of *hand* that lighten it most, one after the other."""
    return scales_of(rules).heaviest(hand, count)


def scales_of(rules: Rules) -> "Scales":
    """Return the scales for *rules*, the same again for rules whose cards weigh the same."""
    # Rules hold mappings, so they cannot be a key themselves.
    key = (rules.seats, rules.hand_size, rules.cards, tuple(rules.points.items()))
    if key not in _scales:
        if len(_scales) == _MOST_SCALES:
            del _scales[next(iter(_scales))]
        _scales[key] = Scales(rules)
    return _scales[key]


class Scales:
    """Weighs hands under *rules*; what it has weighed it remembers."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        evenly = 1 / (rules.seats - 1)
        self._throw = likely_dearest(rules.cards, rules, lambda _: evenly)
        self._trick = rules.penalty_points / rules.hand_size
        away = likely_dearest(self._worth_a_void(), rules, lambda _: evenly)
        self._void = _VOID * rules.hand_size * away
        self._weights: dict[tuple[CardSet, CardSet], float] = {}
        self._best: dict[CardSet, tuple[float, Card]] = {}
        self._means: dict[CardSet, float] = {}

    def heaviest(self, hand: CardSet, count: int) -> tuple[Card, ...]:
        """Return the *count* cards of *hand* that lighten it most, one after the other."""
        # Of cards of one weight the last in deck order goes: so the later suit comes first.
        suits = [hand & suit for suit in _SUITS]
        held = [self._heaviest_of(mine) for mine in suits]
        chosen = []
        for _ in range(count):
            at = held.index(max(held, key=_relief))
            chosen.append(held[at][1])
            suits[at] ^= held[at][1]
            held[at] = self._heaviest_of(suits[at])
        return tuple(chosen)

    def relief(self, some: CardSet, hand: CardSet) -> float:
        """Return how much lighter *hand* is without *some* of its cards."""
        # Not by `sum`, which rounds otherwise from Python 3.12 on.
        relief = 0.0
        for suit in _SUITS:
            if some & suit:
                relief += self._held(suit, hand & suit) - self._held(suit, hand & suit & ~some)
        return relief

    def _heaviest_of(self, mine: CardSet) -> tuple[float, Card]:
        """Return which of *mine*, all that is held of a suit, is heaviest, and by how much."""
        if not mine:
            return _NONE_HELD
        if mine not in self._best:
            if len(self._best) == _MOST_WEIGHED:
                self._best.clear()
                self._weights.clear()
            suit = suit_of(lowest(mine))
            full = self._held(suit, mine)
            choice = reversed(tuple(in_deck_order(one_of_each(mine))))
            reliefs = [(full - self._held(suit, mine ^ one), one) for one in choice]
            self._best[mine] = max(reliefs, key=_relief)
        return self._best[mine]

    def _held(self, suit: CardSet, mine: CardSet) -> float:
        if (suit, mine) not in self._weights:
            self._weights[suit, mine] = self._suit(suit, mine)
        return self._weights[suit, mine]

    def _suit(self, suit: CardSet, mine: CardSet) -> float:
        """Return what *mine* weighs as all that is held of *suit*; little of it weighs less."""
        weight = 0.0
        for one in in_deck_order(mine):
            weight += self._card(one, suit, mine)
        if suit & self._rules.penalties:
            return weight
        lack = 1 - mine.bit_count() / self._average(suit)
        return weight - self._void * max(0.0, lack)

    def _worth_a_void(self) -> CardSet:
        """Return the cards that a void is made to throw.

        Of dear cards in a suit that has few of them it is the dearest: they are better passed
        than kept for a throw, and each may be caught by another.
        """
        some = NO_CARDS
        for suit in _SUITS:
            penalties = self._rules.cards & suit & self._rules.penalties
            if self._counts_throughout(suit):
                some |= penalties
            else:
                dearest_first = [penalties & worth for _, worth in reversed(self._rules.value_sets)]
                some |= next(filter(None, dearest_first), NO_CARDS)
        return some

    def _average(self, suit: CardSet) -> float:
        return (self._rules.cards & suit).bit_count() / self._rules.seats

    def _card(self, one: Card, suit: CardSet, mine: CardSet) -> float:
        out, points = self._rules.cards & suit & ~mine, points_of(one, self._rules)
        lower, dear = out & below(one), self._rules.cards & suit & self._rules.penalties
        top = lower.bit_count() / out.bit_count() if out else 0.0
        high = _HIGH * self._trick * top
        if points > 0 and self._counts_throughout(suit):
            return high + _COMMON * (points + self._mean(self._rules.cards & suit)) * top
        if points > 0:
            return high + _DEAR * points * self._exposed(one, mine) + self._catch(lower)
        plain = high + _ANY * self._throw
        if points < 0:
            return plain + _BONUS * points
        guards = dear and one & below(lowest(dear))
        return _GUARDS * plain if guards else plain + self._catch(lower)

    def _counts_throughout(self, suit: CardSet) -> bool:
        """Return whether most cards of *suit* are penalties."""
        full = self._rules.cards & suit
        return 2 * (full & self._rules.penalties).bit_count() > full.bit_count()

    def _exposed(self, one: Card, mine: CardSet) -> float:
        """Return the part of a dear card's points that no lower cards guard."""
        guards = mine & below(one) & ~self._rules.penalties
        return max(0.0, 1 - _GUARDED * guards.bit_count() / self._average(suit_of(one)))

    def _catch(self, lower: CardSet) -> float:
        """Return what it weighs that *lower* cards may fall, one from each other seat."""
        falling = min(self._rules.seats - 1, lower.bit_count())
        return _CATCHES * self._mean(lower) * falling if lower else 0.0

    def _mean(self, some: CardSet) -> float:
        if some not in self._means:
            self._means[some] = self._rules.points_in(some) / some.bit_count()
        return self._means[some]
