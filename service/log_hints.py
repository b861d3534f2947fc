"""The advice of a hint in a log from a file, whoever wrote it.

Whatever is not what it should be is a ValueError, LookupError or TypeError. Whether its moves
are allowed is for whoever knows the game; that the advice is any good is not looked at.
"""

from typing import Any, Final

from engine import commands as c
from engine import reasons
from engine.scoring import MoonChoice
from engine.seats import Seat
from service.log_values import Plain, card_of, number_of, one_of, points_of
from service.store.forms import MOST_COUNT

_MOST_MOVES: Final = 128
"""More than any hand has cards, and any hint has moves."""

_PERCENT: Final = 100


def advice_of(data: Plain, seat: Seat) -> c.Advice:
    """Return the advice to *seat* that *data* spells out.

    Raises:
        LookupError: A value is missing.
        TypeError: A value is of another kind.
        ValueError: A value is none that it could be.
    """
    advice = c.Advice(
        worlds=_count(data["worlds"]),
        ranking=tuple(_advised(one, seat) for one in _few(data["ranking"])),
        reason=one_of(reasons.HINT_REASONS, data["reason"]),
        best=_count(data["best"], _PERCENT),
        other=_count(data["other"], _PERCENT),
        against=_count(data["against"]),
    )
    if not _makes_sense(advice):
        msg = "this is the reason of other advice"
        raise ValueError(msg)
    return advice


def _makes_sense(advice: c.Advice) -> bool:
    """Return whether there is advice at all, no move comes twice, and the reason is one for it."""
    moves = [one.move for one in advice.ranking]
    if not advice.worlds or not moves or len(set(moves)) < len(moves):
        return False
    if advice.against >= len(moves):
        return False
    is_about_a_moon = isinstance(moves[0], c.ChooseMoon)
    return (
        (advice.reason == reasons.BEST_PLACE) == is_about_a_moon
        and (advice.reason != reasons.ONLY_MOVE or len(moves) == 1)
        and (advice.reason in reasons.MOVE_REASONS) == (advice.against > 0)
    )


def hidden_advice(seat: Seat) -> c.Advice:
    """Return what stands for advice to *seat* that a view hides: nobody sees it."""
    unknown = c.Advised(c.ChooseMoon(seat, MoonChoice.OTHERS_ADD), 0, 0)
    return c.Advice(0, (unknown,), reasons.NO_CLEAR_DIFFERENCE)


def _advised(data: Plain, seat: Seat) -> c.Advised:
    points = points_of(data["expected_hundredths"])
    if abs(points) > MOST_COUNT:
        msg = "nothing costs so much"
        raise ValueError(msg)
    return c.Advised(_move(data["move"], seat), points, _count(data["error_hundredths"]))


def _move(data: Plain, seat: Seat) -> c.Move:
    match one_of(("pass", "play", "moon"), data["type"]):
        case "pass":
            return c.PassCards(seat, tuple(map(card_of, _few(data["cards"]))))
        case "play":
            return c.PlayCard(seat, card_of(data["card"]))
        case _:
            return c.ChooseMoon(seat, MoonChoice(data["choice"]))


def _few(values: Any) -> list[Any]:  # noqa: ANN401 - as the file has it
    if not isinstance(values, list) or len(values) > _MOST_MOVES:
        msg = "these are no moves or cards"
        raise TypeError(msg)
    return values


def _count(value: Any, most: int = MOST_COUNT) -> int:  # noqa: ANN401 - as the file has it
    if number_of(value) > most:
        msg = f"{value} is too much"
        raise ValueError(msg)
    count: int = value
    return count
