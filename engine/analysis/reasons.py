"""Why one move is better than another, taken from the differences, and in plain words."""

from typing import Final, NamedTuple, assert_never

from engine import reasons
from engine.analysis.judged import (
    DEAR,
    OTHER_MOON,
    OUTCOMES,
    OWN_MOON,
    Analysis,
    Comparison,
    Judged,
)
from engine.analysis.tallies import dearest_of
from engine.analysis.words import CHOICES, dearest_words
from engine.cards import code_of
from engine.commands import Advice, ChooseMoon, Move, PassCards, PlayCard
from engine.rules import Rules

_PERCENT: Final = 100
_HUNDREDTHS: Final = 100


class Why(NamedTuple):
    """A *reason* for the best move, with what it says of that and of the *other*, as `Advice`."""

    reason: str
    best: int = 0
    other: int = 0


def why_best(analysis: Analysis) -> tuple[Why, int]:
    """Return why the best move of *analysis* is named, and the place of the one it is held against.

    That is the best of those that are clearly worse; 0 if there is none.
    """
    best = analysis.best
    if isinstance(best.move, ChooseMoon):
        return Why(reasons.BEST_PLACE, round(best.place)), 0
    if len(analysis.judged) == 1:
        return Why(reasons.ONLY_MOVE), 0
    for place, other in enumerate(analysis.judged):
        if analysis.is_better(best.move, other.move):
            found = analysis.shown(best.move, other.move)
            return why_better(found, dearest_is_left=analysis.dearest_is_left), place
    return Why(reasons.NO_CLEAR_DIFFERENCE), 0


def why_better(found: Comparison, *, dearest_is_left: bool = True) -> Why:
    """Return what speaks for the first move of *found*, by what makes up most of the difference.

    That is the reason beside which all else that speaks for it makes up no more than half of
    the difference, and of which it clearly has more, or less. *dearest_is_left* is that of the
    analysis.
    """
    parts = found.parts
    main = max(OUTCOMES, key=lambda outcome: parts[outcome])
    more = sum(max(0, part) for outcome, part in parts.items() if outcome != main)
    here, there = _percent(found.one, main), _percent(found.other, main)
    if main == OWN_MOON and found.one.is_bold != found.other.is_bold:
        # Who does not go for a moon makes none; what it gave up is one that could be made.
        here, there = (round(_PERCENT * one.bold_moon) for one in (found.one, found.other))
    is_more = here < there if main == OTHER_MOON else here > there
    if is_more and found.more(main).is_clear and 2 * more <= sum(parts.values()):
        dearest = reasons.DEAREST_CARD if dearest_is_left else reasons.DEAREST_LEFT
        names = {OWN_MOON: reasons.OWN_MOON, OTHER_MOON: reasons.OTHER_MOON, DEAR: dearest}
        return Why(names[main], here, there)
    fewer = found.other.points.mean - found.one.points.mean
    is_own = 2 * fewer >= found.difference.mean
    return Why(reasons.FEWER_POINTS if is_own else reasons.MORE_FOR_OTHERS)


def _percent(judged: Judged, outcome: int) -> int:
    """Return in how many percent of the worlds *outcome* came, or the dearest card stayed away."""
    share = {OWN_MOON: judged.own_moon, OTHER_MOON: judged.other_moon, DEAR: 1 - judged.dear}
    return round(_PERCENT * share[outcome])


def reason_text(advice: Advice, rules: Rules) -> str:
    """Return the reason of *advice* as a sentence or two."""
    first, against = advice.ranking[0], advice.ranking[advice.against]
    move, other = words_of(first.move), words_of(against.move)
    if shares := shares_words(Why(advice.reason, advice.best, advice.other), other, rules):
        return f"{shares[0].upper()}{shares[1:]}."
    ends = f"ends the deal with {_text(first.points)} points on average"
    both = f"{ends[0].upper()}{ends[1:]}, {other} with {_text(against.points)}"
    return {
        reasons.ONLY_MOVE: f"Nothing but {move} is allowed.",
        reasons.BEST_PLACE: f"After the deal, {move} leaves this seat in place {advice.best}.",
        reasons.NO_CLEAR_DIFFERENCE: "No move is clearly better than others in "
        f"{advice.worlds} worlds tried; {move} {ends}.",
        reasons.FEWER_POINTS: f"{both}.",
        reasons.MORE_FOR_OTHERS: f"{both}; the others then get more.",
    }[advice.reason]


def shares_words(why: Why, other: str, rules: Rules) -> str:
    """Return what the best move does more or less often than the *other*, and how often both do.

    Without a subject; empty if the reason is none of that kind.
    """
    does = {
        reasons.DEAREST_CARD: f"keeps {dearest_words(dearest_of(rules))} away",
        reasons.DEAREST_LEFT: "avoids the dearest card left",
        reasons.OWN_MOON: "shoots the moon",
        reasons.OTHER_MOON: "lets another seat shoot the moon",
    }.get(why.reason)
    if does is None:
        return ""
    return f"{does} in {why.best} % of the worlds tried, {other} in {why.other} %"


def words_of(move: Move) -> str:
    """Return *move* as a sentence names it."""
    match move:
        case PassCards(cards=cards):
            return "passing " + " ".join(map(code_of, cards))
        case PlayCard(card=one):
            return code_of(one)
        case ChooseMoon(choice=choice):
            return CHOICES[choice]
        case other:
            assert_never(other)


def _text(hundredths: int) -> str:
    return f"{hundredths / _HUNDREDTHS:.1f}"
