"""The level ``easy``: rules of thumb, one move in five at random, no memory.

It looks at its hand, the trick on the table and the public totals, and forgets what was
played before. Which cards are bad, and how bad, it reads from the rules, so it plays every
variant; no card is named here.
"""

from typing import Final

from engine.bots.base import Draws, Tempo, deal_in, phase_of, you_in
from engine.bots.moon_choice import best_choice
from engine.cards import (
    Card,
    CardSet,
    each,
    in_deck_order,
    rank_of,
    suit_of,
    union,
)
from engine.playing import Situation
from engine.rules import Rules
from engine.scoring import MoonChoice
from engine.stakes import beaten, burden, points_of, relief, threat
from engine.view import View

_ONE_IN: Final = 5
"""One pass or play in as many is random."""


class EasyBot:
    """Ducks, throws its dearest cards when it cannot follow, and never remembers."""

    level = "easy"
    version = 1
    tempo = Tempo.QUICK
    name = "Easy Bot"
    summary = "Follows rules of thumb without counting cards, and makes one move in five at random."

    def choose_pass(self, view: View, seed: bytes) -> tuple[Card, ...]:
        """Return the cards that are the heaviest to keep, or any."""
        hand, count, draws = you_in(view).hand, deal_in(view).pass_count, Draws(seed)
        if not draws.below(_ONE_IN):
            return draws.cards(hand, count)
        heaviest = sorted(in_deck_order(hand), key=lambda one: burden(one, hand, view.rules))
        return tuple(reversed(heaviest[-count:]))

    def choose_play(self, view: View, seed: bytes) -> Card:
        """Return the card that a rule of thumb names, or any legal one."""
        at, legal, draws = you_in(view).situation, you_in(view).legal, Draws(seed)
        assert at is not None, f"the table waits for a {phase_of(view)}"
        if not draws.below(_ONE_IN):
            return draws.card(legal)
        if not at.trick:
            return _lead(legal, at, view.rules)
        if not legal & suit_of(at.trick[0]):
            return max(in_deck_order(legal), key=lambda one: relief(one, at.hand, view.rules))
        return _follow(legal, at, deal_in(view).carried, view.rules)

    def choose_moon(self, view: View, seed: bytes) -> MoonChoice:  # noqa: ARG002 - never random
        """Return the choice that is best for the place in the game."""
        return best_choice(view)


def _lead(legal: CardSet, at: Situation, rules: Rules) -> Card:
    choice = legal & ~rules.bonuses or legal
    return min(in_deck_order(choice), key=lambda one: threat(one, at.hand, rules))


def _follow(legal: CardSet, at: Situation, carried: tuple[Card, ...], rules: Rules) -> Card:
    """Return a card of the suit led: the best if it settles the trick, else duck."""
    over = legal & ~beaten(at.trick, rules)
    pot = rules.points_in(union((*at.trick, *carried)))
    if _is_settled(at, rules):
        return min(each(legal), key=lambda one: (_price(one, over, pot, rules), -rank_of(one)))
    if over and pot < 0:
        return max(each(over), key=rank_of)
    spare = legal & ~rules.bonuses or legal
    if under := spare & ~over:
        return max(each(under), key=lambda one: (points_of(one, rules), rank_of(one)))
    return min(each(spare), key=lambda one: (abs(points_of(one, rules)), rank_of(one)))


def _is_settled(at: Situation, rules: Rules) -> bool:
    """Return whether nothing that is still to be played can make the trick dearer."""
    harmless = at.first_trick and bool(at.limits.barred_on_first_trick)
    return harmless or len(at.trick) == rules.seats - 1


def _price(one: Card, over: CardSet, pot: int, rules: Rules) -> int:
    """Return what the trick costs the seat against the mean of the others, times their number."""
    points = pot + points_of(one, rules)
    return points * (rules.seats - 1) if one & over else -points
