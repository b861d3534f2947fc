"""Why the best move of an analysis is the best, in plain words taken from the differences."""

from collections.abc import Iterator
from typing import Final, NamedTuple, assert_never

from engine.analysis.judged import Analysis, Judged
from engine.cards import HEARTS, RANKS, SUIT_NAMES, CardSet, code_of, codes_of
from engine.commands import ChooseMoon, Move, PassCards, PlayCard
from engine.rules import Rules
from engine.scoring import MoonChoice

_RANK_NAMES: Final = {
    **{rank: rank for rank in RANKS},
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}

_CHOICES: Final = {
    MoonChoice.OTHERS_ADD: "adding the points to the others",
    MoonChoice.SELF_SUBTRACT: "subtracting the points",
}

_MAIN: Final = 0.5
"""What makes up so much of a difference is named as its reason."""


def reason_for(analysis: Analysis, rules: Rules) -> str:
    """Return one sentence or two on why the best move of *analysis* is named.

    It is compared with the best of those that are clearly worse, by what makes up most of the
    difference. Where no move is, that is said.
    """
    best = analysis.best
    name = words_of(best.move)
    if isinstance(best.move, ChooseMoon):
        return f"After the deal, {name} leaves this seat in place {best.place:.0f}."
    if len(analysis.judged) == 1:
        return f"Nothing but {name} is allowed."
    for other in analysis.judged[1:]:
        if analysis.is_better(best.move, other.move):
            return _compared(best, other, analysis.dearest, rules)
    costs = f"{name} costs {best.points.mean:.1f} points on average"
    return f"No move is clearly better than others in {analysis.worlds} worlds tried; {costs}."


def words_of(move: Move) -> str:
    """Return *move* as a sentence names it."""
    match move:
        case PassCards(cards=cards):
            return "passing " + " ".join(map(code_of, cards))
        case PlayCard(card=one):
            return code_of(one)
        case ChooseMoon(choice=choice):
            return _CHOICES[choice]
        case other:
            assert_never(other)


def dearest_words(dearest: CardSet) -> str:
    """Return what to call the cards of the *dearest* penalty, one of them or more."""
    codes = sorted(set(codes_of(dearest)))
    if len(codes) == 1:
        rank, suit = codes[0][0], codes[0][1]
        article = "a" if len(codes_of(dearest)) > 1 else "the"
        return f"{article} {_RANK_NAMES[rank]} of {SUIT_NAMES[suit]}"
    return "a heart" if not dearest & ~HEARTS else "a dearest card"


class _Point(NamedTuple):
    """One thing in which two moves differ: what it is *worth* in points, and how it is said."""

    worth: float
    words: str


def _compared(best: Judged, other: Judged, dearest: CardSet, rules: Rules) -> str:
    """Return what speaks for *best* rather than *other*."""
    cost = best.gain.mean - other.gain.mean
    name = words_of(other.move)
    main = max(_points(best, other, dearest, rules), key=lambda point: point.worth)
    if main.worth >= _MAIN * cost:
        return main.words
    own, others = best.points.mean, other.points.mean
    return f"Costs {own:.1f} points on average, {name} {others:.1f}."


def _points(best: Judged, other: Judged, dearest: CardSet, rules: Rules) -> Iterator[_Point]:
    name, moon = words_of(other.move), rules.moon_points
    if dearest:
        yield _Point(
            (other.dear - best.dear) * rules.value_sets[-1][0],
            f"Keeps {dearest_words(dearest)} away in {_share(1 - best.dear)} of the worlds tried, "
            f"{name} in {_share(1 - other.dear)}.",
        )
    yield _Point(
        (best.own_moon - other.own_moon) * moon,
        f"Shoots the moon in {_share(best.own_moon)} of the worlds tried, "
        f"{name} in {_share(other.own_moon)}.",
    )
    yield _Point(
        (other.other_moon - best.other_moon) * moon,
        f"Lets another seat shoot the moon in {_share(best.other_moon)} of the worlds tried, "
        f"{name} in {_share(other.other_moon)}.",
    )


def _share(chance: float) -> str:
    return f"{100 * chance:.0f} %"
