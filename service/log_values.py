"""Single values of a log from a file, each read as what it should be.

They come from strangers: whatever is something else is a LookupError, TypeError or
ValueError.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from engine.bots import LEVELS
from engine.cards import Card, card, code_of
from engine.clocks import (
    MILLISECONDS,
    MOST_SECONDS,
    MOST_TIMEOUTS,
    Clock,
    OnAllIdle,
    OnTimeout,
    clock_data,
    timestamp,
)
from engine.seats import Seat
from service.names import is_name

Plain: TypeAlias = Mapping[str, Any]

_TIME: Final = re.compile(r"2[0-9]{3}-[0-9T:.-]{18}Z", re.ASCII)
_WORD: Final = re.compile("[a-z_]{1,32}", re.ASCII)


def clock_in(data: Plain | None) -> Clock | None:
    """Return the clock that *data* spells out, None if there is none."""
    if data is None:
        return None
    clock = Clock(
        play_seconds=within(data["play_seconds"], MOST_SECONDS),
        pass_seconds=within(data["pass_seconds"], MOST_SECONDS),
        moon_seconds=within(data["moon_seconds"], MOST_SECONDS),
        bot_level=level_in(data["bot_level"]),
        on_timeout=OnTimeout(data["on_timeout"]),
        takeover_after=within(data["takeover_after"], MOST_TIMEOUTS),
        idle_seconds=None
        if data["idle_seconds"] is None
        else within(data["idle_seconds"], MOST_SECONDS),
        on_all_idle=OnAllIdle(data["on_all_idle"]),
    )
    if data != clock_data(clock):
        msg = "this is a clock that is written otherwise"
        raise ValueError(msg)
    return clock


def matching(pattern: re.Pattern[str], value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, a text that *pattern* describes."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        msg = f"{value!r} is not what is written here"
        raise ValueError(msg)
    return value


def name_in(value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, a name."""
    if not isinstance(value, str) or not is_name(value):
        msg = f"{value!r} is no name"
        raise ValueError(msg)
    return value


def level_in(value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, a level of bots."""
    level = matching(_WORD, value)
    if level not in LEVELS:
        msg = f"there are no bots of level {level}"
        raise ValueError(msg)
    return level


def number_in(value: Any) -> int:  # noqa: ANN401 - as the file has it
    """Return *value*, a number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        msg = f"{value!r} is no number"
        raise ValueError(msg)
    return value


def within(value: Any, most: int) -> int:  # noqa: ANN401 - as the file has it
    """Return *value*, a number from 1 to *most*."""
    if not 1 <= number_in(value) <= most:
        msg = f"{value!r} is out of bounds"
        raise ValueError(msg)
    number: int = value
    return number


def milliseconds(text: str) -> int:
    """Return the moment that *text*, RFC 3339 in UTC, names, in ms since the epoch.

    Raises:
        ValueError: It names none.
    """
    moment = datetime.fromisoformat(text)
    return int(moment.timestamp()) * MILLISECONDS + moment.microsecond // MILLISECONDS


def moment_in(value: Any) -> int:  # noqa: ANN401 - as the file has it
    """Return the moment that *value* is, in ms since the epoch."""
    moment = milliseconds(matching(_TIME, value))
    if timestamp(moment) != value:
        msg = f"{value!r} is written otherwise"
        raise ValueError(msg)
    return moment


def seat_in(value: Any, seats: int) -> Seat:  # noqa: ANN401 - as the file has it
    """Return *value*, one of so many *seats*."""
    if number_in(value) >= seats:
        msg = f"there is no seat {value}"
        raise ValueError(msg)
    seat: Seat = value
    return seat


def points_in(value: Any) -> int:  # noqa: ANN401 - as the file has it
    """Return *value*, a number of points."""
    if not isinstance(value, int) or isinstance(value, bool):
        msg = f"{value!r} is no number of points"
        raise TypeError(msg)
    return value


def one_of(words: Sequence[str], value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, one of *words*."""
    return words[words.index(value)]


def code_in(value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return the code of the card that *value* is."""
    return code_of(card_in(value))


def card_in(value: Any) -> Card:  # noqa: ANN401 - as the file has it
    """Return the card that *value* is."""
    return card(value if isinstance(value, str) else "")
