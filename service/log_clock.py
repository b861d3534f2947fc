"""The clock of a table and its moments, as a log from a file says them."""

import re
from datetime import datetime
from typing import Any, Final

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
from service.log_values import Plain, level_of, matching, number_of

_TIME: Final = re.compile(r"2[01][0-9]{2}-[0-9T:.-]{18}Z", re.ASCII)


def clock_of(data: Plain | None) -> Clock | None:
    """Return the clock that *data* spells out, None if there is none."""
    if data is None:
        return None
    clock = Clock(
        play_seconds=within(data["play_seconds"], MOST_SECONDS),
        pass_seconds=within(data["pass_seconds"], MOST_SECONDS),
        moon_seconds=within(data["moon_seconds"], MOST_SECONDS),
        bot_level=level_of(data["bot_level"]),
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


def within(value: Any, most: int) -> int:  # noqa: ANN401 - as the file has it
    """Return *value*, a number from 1 to *most*."""
    if not 1 <= number_of(value) <= most:
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


def moment_of(value: Any) -> int:  # noqa: ANN401 - as the file has it
    """Return the moment that *value* is, in ms since the epoch."""
    moment = milliseconds(matching(_TIME, value))
    if timestamp(moment) != value:
        msg = f"{value!r} is written otherwise"
        raise ValueError(msg)
    return moment
