"""The clock of a table: how long a decision may take, and what becomes of one that takes longer.

The engine has no time of its own. Whoever has one says when it is up, and the decider what
follows from that.

Source: docs/clocks.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

MILLISECONDS: Final = 1_000
MOST_SECONDS: Final = 2_592_000
"""No clock gives more than thirty days."""

MOST_TIMEOUTS: Final = 100

_A_DAY: Final = 86_400
_DAYS_OF_400_YEARS: Final = 146_097
_DAYS_TO_1970: Final = 719_468
"""From the first of March of the year 0."""

_FEBRUARY: Final = 2


class OnTimeout(StrEnum):
    """What follows where somebody's time is up: a move each time, a bot's play, or the end."""

    BOT_MOVE = "bot_move"
    BOT_TAKEOVER = "bot_takeover"
    ABORT = "abort"


class OnAllIdle(StrEnum):
    """What follows where no person has done anything for long."""

    FINISH_WITH_BOTS = "finish_with_bots"
    ABORT = "abort"


@dataclass(frozen=True, slots=True)
class Clock:
    """How many seconds each kind of decision may take, and what is done after that.

    A bot of *bot_level* makes the moves; with `OnTimeout.BOT_TAKEOVER` it plays on after
    *takeover_after* time-outs in a row. *idle_seconds* is None where people may be away for
    as long as they like.
    """

    play_seconds: int
    pass_seconds: int
    moon_seconds: int
    bot_level: str
    on_timeout: OnTimeout = OnTimeout.BOT_TAKEOVER
    takeover_after: int = 2
    idle_seconds: int | None = None
    on_all_idle: OnAllIdle = OnAllIdle.FINISH_WITH_BOTS


def clock_data(clock: Clock | None) -> dict[str, Any] | None:
    """Return *clock* as clients read and write it."""
    if clock is None:
        return None
    return {
        "play_seconds": clock.play_seconds,
        "pass_seconds": clock.pass_seconds,
        "moon_seconds": clock.moon_seconds,
        "on_timeout": clock.on_timeout.value,
        "takeover_after": clock.takeover_after,
        "bot_level": clock.bot_level,
        "idle_seconds": clock.idle_seconds,
        "on_all_idle": clock.on_all_idle.value,
    }


def clock_from(data: Mapping[str, Any] | None, bot_level: str) -> Clock | None:
    """Return the clock that *data* describes, where *bot_level* plays if it names none.

    Whoever says nothing of passes and moons gives them the time of a card.

    Raises:
        LookupError: It does not say how long a card may take.
        ValueError: A word is none of those that there are.
    """
    if data is None:
        return None
    seconds = data["play_seconds"]
    return Clock(
        play_seconds=seconds,
        pass_seconds=data.get("pass_seconds", seconds),
        moon_seconds=data.get("moon_seconds", seconds),
        bot_level=data.get("bot_level", bot_level),
        on_timeout=OnTimeout(data.get("on_timeout", OnTimeout.BOT_TAKEOVER)),
        takeover_after=data.get("takeover_after", 2),
        idle_seconds=data.get("idle_seconds"),
        on_all_idle=OnAllIdle(data.get("on_all_idle", OnAllIdle.FINISH_WITH_BOTS)),
    )


def timestamp(ms: int) -> str:
    """Return *ms* since the epoch as RFC 3339 in UTC with milliseconds."""
    return f"{to_the_second(ms // MILLISECONDS)}.{ms % MILLISECONDS:03d}Z"


@lru_cache(1024)
def to_the_second(seconds: int) -> str:
    """Return *seconds* since the epoch in UTC: ``2026-11-29T18:00:00``."""
    days, rest = divmod(seconds, _A_DAY)
    year, month, day = _date(days)
    hours, rest = divmod(rest, 3600)
    return f"{year:04d}-{month:02d}-{day:02d}T{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"


def _date(days: int) -> tuple[int, int, int]:
    """Return year, month and day of the day so many days after 1970-01-01.

    Years are counted from March on, so that a leap day is the last of its year.
    """
    eras, day_of_era = divmod(days + _DAYS_TO_1970, _DAYS_OF_400_YEARS)
    leaps = day_of_era // 1460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leaps) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = (month_from_march + 2) % 12 + 1
    return 400 * eras + year_of_era + (month <= _FEBRUARY), month, day
