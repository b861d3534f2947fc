"""Mistakes in plain words."""

from collections.abc import Sequence

from engine import reasons
from engine.analysis.reasons import shares_words
from engine.analysis.review import Verdict
from engine.analysis.words import CHOICES, card_words
from engine.rules import Rules
from engine.scoring import MoonChoice
from engine.state import TurnType


def sentence(verdict: Verdict, rules: Rules, *, is_lead: bool) -> str:
    """Return what *verdict*, under *rules*, says of a mistake, with one standard error and why.

    *is_lead* says whether its card was the first of the trick. So it may be: ``deal 3, trick 5:
    led the ace of hearts; the four of spades is 2.1 ± 0.4 points better: it keeps the queen of
    spades away in 91 % of the worlds tried, the ace of hearts in 77 %``.
    """
    better = f"is {verdict.loss:.1f} ± {verdict.error:.1f} points better"
    what = f"{_made(verdict, is_lead=is_lead)}; {_better(verdict)} {better}"
    return f"{_place(verdict)}: {what}{_because(verdict, rules)}"


def _place(verdict: Verdict) -> str:
    where = f"trick {verdict.trick}" if verdict.phase == TurnType.PLAY else verdict.phase
    return f"deal {verdict.deal}, {where}"


def _made(verdict: Verdict, *, is_lead: bool) -> str:
    match verdict.phase:
        case TurnType.PLAY:
            return f"{'led' if is_lead else 'played'} {_cards(verdict.move)}"
        case TurnType.PASS:
            return f"passed {_cards(verdict.move)}"
        case _:
            return f"settled the moon by {_choice(verdict.move)}"


def _better(verdict: Verdict) -> str:
    match verdict.phase:
        case TurnType.PLAY:
            return _cards(verdict.best)
        case TurnType.PASS:
            return f"passing {_cards(verdict.best)}"
        case _:
            return _choice(verdict.best)


def _because(verdict: Verdict, rules: Rules) -> str:
    if verdict.why is None:
        return ""
    if verdict.why.reason == reasons.MORE_FOR_OTHERS:
        return ": the others then get more"
    made = _cards(verdict.move) if verdict.phase == TurnType.PLAY else "the pass made"
    shares = shares_words(verdict.why, made, rules)
    return f": it {shares}" if shares else ""


def _choice(words: Sequence[str]) -> str:
    return CHOICES[MoonChoice(words[0])]


def _cards(codes: Sequence[str]) -> str:
    names = [f"the {card_words(code)}" for code in codes]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
