"""Mistakes in plain words."""

from collections.abc import Sequence
from typing import Final

from engine.analysis.review import Verdict
from engine.cards import SUIT_NAMES
from engine.state import TurnType

_RANK_NAMES: Final = {
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}
_CHOICES: Final = {
    "others_add": "adding to the others",
    "self_subtract": "subtracting from the own total",
}


def sentence(verdict: Verdict, *, is_lead: bool) -> str:
    """Return what *verdict* says of a mistake, with its place and one standard error.

    *is_lead* says whether its card was the first of the trick. So it may be: ``deal 3, trick 5:
    led the ace of hearts; the four of spades costs 2.1 ± 0.4 points less``.
    """
    costs = f"costs {verdict.loss:.1f} ± {verdict.error:.1f} points less"
    return f"{_place(verdict)}: {_made(verdict, is_lead=is_lead)}; {_better(verdict)} {costs}"


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
            return f"settled the moon by {_CHOICES[verdict.move[0]]}"


def _better(verdict: Verdict) -> str:
    match verdict.phase:
        case TurnType.PLAY:
            return _cards(verdict.best)
        case TurnType.PASS:
            return f"passing {_cards(verdict.best)}"
        case _:
            return _CHOICES[verdict.best[0]]


def _cards(codes: Sequence[str]) -> str:
    names = [f"the {_RANK_NAMES[code[0]]} of {SUIT_NAMES[code[1]]}" for code in codes]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
