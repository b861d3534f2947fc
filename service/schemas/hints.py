"""What the answer with a hint looks like."""

from typing import Final

from engine.advice_data import move_data
from engine.analysis import reason_text
from engine.commands import Advised
from engine.events import HintUsed
from service.game import Game
from service.schemas.responses import Answer

_HUNDREDTHS: Final = 100


def hint_data(event: HintUsed, game: Game) -> Answer:
    """Return the advice of *event* in words and in points; *game* is as it was right after it."""
    advice = event.advice
    return {
        "version": game.version,
        "turn_id": event.turn_id,
        "level": event.level,
        "move": move_data(advice.ranking[0].move),
        "ranking": [_advised(one) for one in advice.ranking],
        "reason": reason_text(advice, game.table.rules),
        "why": {
            "code": advice.reason,
            "best": advice.best,
            "other": advice.other,
            "against": advice.against,
        },
        "worlds": advice.worlds,
        "basis": "seat_information",
    }


def _advised(one: Advised) -> Answer:
    return {
        "move": move_data(one.move),
        "expected_points": one.points / _HUNDREDTHS,
        "error": one.error / _HUNDREDTHS,
    }
