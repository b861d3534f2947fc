"""Why one move is better than another, taken from the differences, and in plain words."""

from typing import Final, NamedTuple, assert_never

from engine import reasons
from engine.analysis.judged import DEAR, OTHER_MOON, OUTCOMES, OWN_MOON, Analysis, Judged
from engine.analysis.tallies import dearest_of
from engine.analysis.words import CHOICES, dearest_words
from engine.cards import code_of
from engine.commands import Advice, ChooseMoon, Move, PassCards, PlayCard
from engine.rules import Rules

_BY_POINTS: Final = (reasons.FEWER_POINTS, reasons.MORE_FOR_OTHERS)
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
            why = why_better(analysis, best.move, other.move)
            # The points that are shown, which are not always those of the comparison.
            return (_by_points(best, other) if why.reason in _BY_POINTS else why), place
    return Why(reasons.NO_CLEAR_DIFFERENCE), 0


def why_better(analysis: Analysis, best: Move, other: Move) -> Why:
    """Return what speaks for *best*, which gains more than *other*, by what makes up most of that.

    That is the reason beside which all else that speaks for *best* makes up no more than half of
    the difference; one that does not show in whole percent is none.
    """
    parts = analysis.parts(best, other)
    main = max(OUTCOMES, key=lambda outcome: parts[outcome])
    more = sum(max(0, part) for outcome, part in parts.items() if outcome != main)
    both = analysis.both(best, other)
    here, there = (_percent(one, main) for one in both)
    is_rarer = main == OTHER_MOON
    if 2 * more > sum(parts.values()) or (here >= there if is_rarer else here <= there):
        return _by_points(*both)
    return Why(_reason(main, analysis), here, there)


def _by_points(best: Judged, other: Judged) -> Why:
    """Return that *best* costs its seat fewer points, or that the others then get more."""
    is_dearer = best.points.mean >= other.points.mean
    return Why(reasons.MORE_FOR_OTHERS if is_dearer else reasons.FEWER_POINTS)


def _reason(outcome: int, analysis: Analysis) -> str:
    dearest = reasons.DEAREST_CARD if analysis.is_dearest else reasons.DEAREST_LEFT
    return {OWN_MOON: reasons.OWN_MOON, OTHER_MOON: reasons.OTHER_MOON, DEAR: dearest}[outcome]


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
    average = f"{_text(first.points)} points on average"
    return {
        reasons.ONLY_MOVE: f"Nothing but {move} is allowed.",
        reasons.BEST_PLACE: f"After the deal, {move} leaves this seat in place {advice.best}.",
        reasons.NO_CLEAR_DIFFERENCE: "No move is clearly better than others in "
        f"{advice.worlds} worlds tried; {move} costs {average}.",
        reasons.FEWER_POINTS: f"Costs {average}, {other} {_text(against.points)}.",
        reasons.MORE_FOR_OTHERS: f"Costs {average}, {other} {_text(against.points)}, "
        "but the others then get more.",
    }[advice.reason]


def shares_words(why: Why, other: str, rules: Rules) -> str:
    """Return what the best move does more or less often than the *other*, and how often both do.

    Without a subject; empty if the reason is none of that kind.
    """
    does = {
        reasons.DEAREST_CARD: f"keeps {dearest_words(dearest_of(rules))} away",
        reasons.DEAREST_LEFT: "keeps the dearest card left away",
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
