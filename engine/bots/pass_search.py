"""The search for a pass: each is played out, from the first lead on, in the same worlds.

Beside the passes that make a hand light, those are tried that a moon needs.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Final

from engine.bots.base import deal_in, you_in
from engine.bots.giving import heaviest, scales_of
from engine.bots.halving import best_of
from engine.bots.moon_pass import bold_pass
from engine.bots.pass_worlds import Pass, PassWorlds, codes
from engine.bots.standing import Aim, by_points
from engine.cards import CardSet, in_deck_order, suit_of, union
from engine.passing import picked
from engine.rules import Direction, Rules
from engine.view import View

_ROUNDS: Final = 5
_FEWEST: Final = 40
_EACH: Final = 50
"""So many passes are tried at least, and one more for each so many simulations."""

_MOST_BOLD: Final = 2_000
"""So many simulations go at most into what a moon needs."""

_HEAVY: Final = 8
"""So many of the heaviest cards, and as many as are passed, are tried in any company."""

_TRUST: Final = 120
"""How many worlds it counts for by how much a pass lightens the hand."""

_RELIEF: Final = 0.6
"""What the hand is lighter by, in points that it then saves over the others."""


def best_pass(
    view: View, seed: bytes, budget: int, aim_of: Callable[[View], Aim] = by_points
) -> Pass:
    """Return the pass that gains most in *budget* simulations, drawn from *seed*.

    Up to as many again go into what a moon needs.
    """
    you, deal = you_in(view), deal_in(view)
    # With scatter the order says who gets what: too many passes, so rules of thumb choose.
    if deal.direction is Direction.SCATTER or not deal.pass_count:
        return picked(heaviest(codes(you.hand), deal.pass_count, view.rules), you.hand)
    aim = aim_of(view)
    worlds = PassWorlds(view, seed, aim)
    count = max(_FEWEST, budget // _EACH)
    choices = passes_to_try(worlds.hand, deal.pass_count, view.rules, count)
    if len(choices) == 1:
        return picked(choices[0], you.hand)
    thumb = _gains_by_thumb(choices, worlds.hand, view.rules)
    ahead = [round(aim.point * gain) for gain in thumb]
    best = best_of(choices, worlds.gains, budget, _ROUNDS, ahead)
    bold = bold_pass(view, worlds, best, min(budget, _MOST_BOLD), aim)
    return picked(bold or best, you.hand)


def _gains_by_thumb(choices: list[Pass], hand: CardSet, rules: Rules) -> list[float]:
    """Return what each of *choices* gains in worlds that rules of thumb stand for."""
    weight, scales = _TRUST * _RELIEF * (rules.seats - 1), scales_of(rules)
    return [weight * scales.relief(union(cards), hand) for cards in choices]


def passes_to_try(hand: CardSet, count: int, rules: Rules, most: int = _FEWEST) -> list[Pass]:
    """Return passes of *count* cards of *hand*, *most* at most.

    First comes the one that rules of thumb choose, then those that leave a suit out, then those
    that lighten the hand most.
    """
    scales = scales_of(rules)
    heavy = scales.heaviest(hand, min(count + _HEAVY, hand.bit_count()))
    some = sorted(combinations(heavy, count), key=lambda cards: -scales.relief(union(cards), hand))
    found = {union(cards): None for cards in (heavy[:count], *_voiding(hand, heavy, count), *some)}
    return [tuple(in_deck_order(cards)) for cards in islice(found, most)]


def _voiding(hand: CardSet, heavy: Pass, count: int) -> Iterator[Pass]:
    """Yield for each short suit the pass of all of it, and of what else is heaviest."""
    for suit in {suit_of(one): None for one in in_deck_order(hand)}:
        short = tuple(in_deck_order(hand & suit))
        if len(short) <= count:
            others = [one for one in heavy if not one & suit]
            yield (*short, *others[: count - len(short)])
