"""Advice as plain values: whole numbers only, as everything in a log."""

from typing import assert_never

from engine.cards import code_of
from engine.commands import Advice, Advised, ChooseMoon, Move, PassCards, PlayCard
from engine.position_data import cards_data
from engine.readable import Plain


def advice_data(advice: Advice) -> Plain:
    """Return *advice* as its seat reads it in the log; points are in hundredths."""
    return {
        "worlds": advice.worlds,
        "ranking": [_advised(one) for one in advice.ranking],
        "reason": advice.reason,
        "best": advice.best,
        "other": advice.other,
        "against": advice.against,
    }


def move_data(move: Move) -> Plain:
    """Return *move* as a client sends it."""
    match move:
        case PassCards(cards=cards):
            return {"type": "pass", "cards": cards_data(cards)}
        case PlayCard(card=one):
            return {"type": "play", "card": code_of(one)}
        case ChooseMoon(choice=choice):
            return {"type": "moon", "choice": choice.value}
        case other:
            assert_never(other)


def _advised(one: Advised) -> Plain:
    return {
        "move": move_data(one.move),
        "expected_hundredths": one.points,
        "error_hundredths": one.error,
    }
