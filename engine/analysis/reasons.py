"""Why the best move of an analysis is the best, taken from the differences, and in plain words."""

from collections.abc import Iterator
from typing import Final, NamedTuple, assert_never

from engine import reasons
from engine.analysis.judged import Analysis, Judged
from engine.analysis.tallies import dearest_of
from engine.cards import HEARTS, RANKS, SUIT_NAMES, CardSet, code_of, codes_of
from engine.commands import Advice, ChooseMoon, Move, PassCards, PlayCard
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

_PERCENT: Final = 100
_HUNDREDTHS: Final = 100


class Why(NamedTuple):
    """A *reason* for the best move, as `Advice` has it."""

    reason: str
    best: int = 0
    other: int = 0
    against: int = 0


def why_best(analysis: Analysis, rules: Rules) -> Why:
    """Return why the best move of *analysis* is named.

    It is compared with the best of those that are clearly worse, by what makes up most of the
    difference.
    """
    best = analysis.best
    if isinstance(best.move, ChooseMoon):
        return Why(reasons.BEST_PLACE, round(best.place))
    if len(analysis.judged) == 1:
        return Why(reasons.ONLY_MOVE)
    for place, other in enumerate(analysis.judged):
        if analysis.is_better(best.move, other.move):
            return _compared(best, other, rules)._replace(against=place)
    return Why(reasons.NO_CLEAR_DIFFERENCE)


def _compared(best: Judged, other: Judged, rules: Rules) -> Why:
    """Return what speaks for *best* rather than *other*."""
    main = max(_points(best, other, rules), key=lambda point: point.worth)
    if main.worth < _MAIN * (best.gain.mean - other.gain.mean):
        return Why(reasons.FEWER_POINTS)
    return Why(main.reason, round(_PERCENT * main.best), round(_PERCENT * main.other))


class _Point(NamedTuple):
    """One thing in which two moves differ: what it is *worth* in points, and both chances."""

    worth: float
    reason: str
    best: float
    other: float


def _points(best: Judged, other: Judged, rules: Rules) -> Iterator[_Point]:
    moon = rules.moon_points
    worth = rules.value_sets[-1][0] if rules.value_sets else 0
    yield _Point(
        (other.dear - best.dear) * worth, reasons.DEAREST_CARD, 1 - best.dear, 1 - other.dear
    )
    yield _Point(
        (best.own_moon - other.own_moon) * moon, reasons.OWN_MOON, best.own_moon, other.own_moon
    )
    yield _Point(
        (other.other_moon - best.other_moon) * moon,
        reasons.OTHER_MOON,
        best.other_moon,
        other.other_moon,
    )


def reason_text(advice: Advice, rules: Rules) -> str:
    """Return the reason of *advice* as a sentence or two."""
    first, against = advice.ranking[0], advice.ranking[advice.against]
    move, other = words_of(first.move), words_of(against.move)
    shares = f"{advice.best} % of the worlds tried, {other} in {advice.other} %."
    average = f"{_text(first.points)} points on average"
    return {
        reasons.ONLY_MOVE: f"Nothing but {move} is allowed.",
        reasons.BEST_PLACE: f"After the deal, {move} leaves this seat in place {advice.best}.",
        reasons.NO_CLEAR_DIFFERENCE: "No move is clearly better than others in "
        f"{advice.worlds} worlds tried; {move} costs {average}.",
        reasons.DEAREST_CARD: f"Keeps {dearest_words(dearest_of(rules))} away in {shares}",
        reasons.OWN_MOON: f"Shoots the moon in {shares}",
        reasons.OTHER_MOON: f"Lets another seat shoot the moon in {shares}",
        reasons.FEWER_POINTS: f"Costs {average}, {other} {_text(against.points)}.",
    }[advice.reason]


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


def _text(hundredths: int) -> str:
    return f"{hundredths / _HUNDREDTHS:.1f}"
