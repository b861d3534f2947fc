"""What a play is likely to cost its seat, in points: now, and by the cards it then holds.

Every estimate is a rule of thumb over what the seat remembers: the cards out are spread
evenly over those who may hold them. All is reckoned in points of the rules, so no card is
named here and a variant needs nothing of its own. Floats are added and multiplied one by
one in a fixed order, never by `sum` or `**`, so they come out the same everywhere.
"""

from itertools import accumulate, repeat
from operator import mul
from typing import Final

from engine.bots.memory import Memory, likely_dearest
from engine.cards import (
    MOST_PACKS,
    NO_CARDS,
    PACK_SIZE,
    Card,
    CardSet,
    above,
    below,
    in_deck_order,
    lowest,
    suit_of,
    union,
)
from engine.playing import Situation
from engine.rules import Rules
from engine.seats import MOST_SEATS, Seat, left_of
from engine.stakes import beaten, points_of

# The weights below were found by duplicate matches of the level against itself. They are
# rough: a fifth more or less of any one of them makes no difference beyond the error.

_EXPOSED: Final = 0.55
"""What is left of the cost of a card for each lower card of its suit in the hand."""

_OWN: Final = 0.8
"""The share of its own points a card that is kept may cost: some can be thrown in time."""

_FALLS: Final = 0.25
"""How likely one dear card out falls to a later trick of its suit that the seat takes."""

_THROWN: Final = 0.2
"""How likely somebody throws a dear card to a later trick that the seat takes."""

_LEAST: Final = 0.05
"""How likely even the lowest card of a suit takes a later trick."""

_GRABBED: Final = 0.3
"""How likely who plays last takes a harmless trick that it need not take."""

_GIVEN: Final = 0.7
"""The share of a bonus that is lost by giving it away: it was not yet won."""


def _powers(base: float) -> tuple[float, ...]:
    return tuple(accumulate(repeat(base, PACK_SIZE * MOST_PACKS), mul, initial=1.0))


_EXPOSURE: Final = _powers(_EXPOSED)
_NOT_FALLING: Final = _powers(1 - _FALLS)

_NONE_OF: Final = (_powers(0.0), *(_powers(1 - 1 / holders) for holders in range(1, MOST_SEATS)))
"""Holders of a suit, cards → how likely one of the holders has none of the cards."""


class Outlook:
    """A position as one seat sees it, to price each card it may play."""

    def __init__(self, at: Situation, memory: Memory, rules: Rules) -> None:
        self._at, self._memory, self._rules = at, memory, rules
        self._led = suit_of(at.trick[0]) if at.trick else NO_CARDS
        self._beaten = beaten(at.trick, rules)
        self._pot = rules.points_in(union(at.trick) | memory.carried)
        places = range(1, rules.seats - len(at.trick))
        self._later = [left_of(memory.seat, rules.seats, place) for place in places]
        evenly = 1 / (rules.seats - 1)
        self._throw = likely_dearest(memory.out, rules, lambda _: evenly)
        self._burdens: dict[CardSet, float] = {}
        self._throws: dict[Seat, float] = {}

    def price(self, one: Card) -> float:
        """Return how many points playing *one* is likely to cost, against holding still.

        The trick counts if *one* may win it, a bonus that it gives away if it does not; what
        is left of the suit always does.
        """
        suit, points = suit_of(one), points_of(one, self._rules)
        mine = self._at.hand & suit
        rest = self._burden(mine ^ one) - self._burden(mine)
        given = _GIVEN * max(0, -points)
        if self.loses(one):
            return given + rest
        under, pot = self._memory.out & below(one), self._pot + points
        wins = self._wins(one, under, pot)
        return wins * (pot + self._added(suit, under)) + (1 - wins) * given + rest

    def loses(self, one: Card) -> bool:
        """Return whether *one* cannot take the trick any more."""
        return bool(self._at.trick) and (not one & self._led or bool(one & self._beaten))

    def _wins(self, one: Card, lower: CardSet, pot: int) -> float:
        """Return how likely nobody goes over *one*: only who must does, or for a bonus who can."""
        suit = suit_of(one)
        under, over = lower.bit_count(), (self._memory.out & above(one)).bit_count()
        none_of = _NONE_OF[self._memory.holders(suit)]
        likely = 1.0
        for seat in self._later:
            if self._memory.voids[seat] & suit:
                continue
            goes_over = 1 - none_of[over]
            if pot == 0 and seat == self._later[-1]:
                goes_over *= max(none_of[under], _GRABBED)
            elif pot >= 0:
                goes_over *= none_of[under]
            likely *= 1 - goes_over
        return likely

    def _added(self, suit: CardSet, lower: CardSet) -> float:
        """Return the points likely to come to the trick after a card with *lower* ones out."""
        if self._at.first_trick and self._at.limits.barred_on_first_trick:
            return 0.0
        holders = self._memory.holders(suit)
        void = _NONE_OF[holders][(self._memory.out & suit).bit_count()]
        points, following = 0.0, 0
        for seat in self._later:
            if self._memory.voids[seat] & suit:
                points += self._thrown_by(seat)
                continue
            following += 1
            if not self._memory.known[seat] & suit:
                points += void * self._thrown_by(seat)
        if following:
            points += self._caught(lower, following, following / holders)
        return points

    def _burden(self, mine: CardSet) -> float:
        """Return the points that *mine*, all that is held of a suit, may cost in later tricks."""
        if mine not in self._burdens:
            self._burdens[mine] = self._reckoned(mine) if mine else 0.0
        return self._burdens[mine]

    def _reckoned(self, mine: CardSet) -> float:
        suit = suit_of(lowest(mine))
        out = self._memory.out & suit
        counters = self._rules.penalties | self._rules.bonuses
        most = min(self._rules.seats - 1, out.bit_count())
        points = 0.0
        for guards, one in enumerate(in_deck_order(mine) if out else ()):
            lower = out & below(one)
            takes = max(lower.bit_count() / out.bit_count(), _LEAST)
            falls = 1 - _NOT_FALLING[(lower & counters).bit_count()]
            own = _OWN * max(0, points_of(one, self._rules))
            pot = own + self._caught(lower, most, falls) + _THROWN * self._throw
            points += takes * _EXPOSURE[guards] * pot
        return points

    def _caught(self, lower: CardSet, following: int, falls: float) -> float:
        """Return the points of the dearest *lower* card, if it *falls*, and of average others."""
        dearest, points = 0, 0
        for value, some in self._rules.value_sets:
            if count := (some & lower).bit_count():
                dearest, points = value, points + value * count
        others = lower.bit_count() - 1
        if others < 1:
            return dearest * falls
        return dearest * falls + (points - dearest) / others * min(following - 1, others)

    def _thrown_by(self, seat: Seat) -> float:
        """Return the points that *seat*, if it cannot follow, is likely to throw."""
        if seat not in self._throws:
            memory = self._memory
            self._throws[seat] = likely_dearest(
                memory.out, self._rules, lambda one: memory.chance(seat, one)
            )
        return self._throws[seat]
