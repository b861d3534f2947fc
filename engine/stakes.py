"""What is at stake with a card, read from the rules: no card is named here.

Weights are whole numbers and compare cards under the same rules only. A rank weighs from 0
for a two to 12 for an ace, in units of the dearest card's points, so that a high card
counts as much as a dear one whether a heart costs one point or fourteen.
"""

from typing import Final

from engine.cards import NO_CARDS, RANKS, Card, CardSet, below, rank_of, twins, union
from engine.playing import winning_card
from engine.rules import Rules

_TOP: Final = len(RANKS) - 1


def points_of(one: Card, rules: Rules) -> int:
    """Return the points of *one*; negative for a bonus card."""
    return rules.points.get(one, 0)


def threat(one: Card, hand: CardSet, rules: Rules) -> int:
    """Return how dear it may be to win a trick with *one* out of *hand*.

    It rises with the rank, with the card's own points, and with the dearest lower card of
    the suit that others may hold; a bonus card that it may catch lowers it.
    """
    lower = rules.cards & below(one) & ~hand
    catches = [0, *(points for points, some in rules.value_sets if some & lower)]
    caught = max(catches) + min(catches)
    return (_unit(rules) + points_of(one, rules)) * rank_of(one) + _TOP * caught


def burden(one: Card, hand: CardSet, rules: Rules) -> int:
    """Return how heavy it is to keep *one* in *hand*.

    Each lower card of its suit in *hand* guards it, as much as one rank.
    """
    guards = (hand & below(one)).bit_count()
    return threat(one, hand, rules) - _unit(rules) * guards


def relief(one: Card, hand: CardSet, rules: Rules) -> int:
    """Return how good it is to throw *one* of *hand* to a trick that another seat takes."""
    return burden(one, hand, rules) + _TOP * points_of(one, rules)


def beaten(trick: tuple[Card, ...], rules: Rules) -> CardSet:
    """Return the cards that do not take *trick* as it lies, though they follow suit.

    None do if nothing lies there.
    """
    if not trick:
        return NO_CARDS
    best = winning_card(trick, cancel_pairs=rules.play.cancel_pairs)
    # Of two equal cards the one played first is the higher, or both count for nothing.
    pairs = twins(union(trick))
    return pairs if best is None else below(best) | pairs


def _unit(rules: Rules) -> int:
    return max([1, *rules.points.values()])
