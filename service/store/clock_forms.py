"""The clock of a table, as it is stored inside of the creation of a game."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from engine.clocks import MOST_SECONDS, MOST_TIMEOUTS, Clock, OnAllIdle, OnTimeout
from service.store.forms import Form

Seconds: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_SECONDS)]
Times: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_TIMEOUTS)]


class ClockForm(Form):
    """How long a decision may take, and what follows after that."""

    play_seconds: Seconds
    pass_seconds: Seconds
    moon_seconds: Seconds
    bot_level: str
    on_timeout: OnTimeout
    takeover_after: Times
    idle_seconds: Seconds | None
    on_all_idle: OnAllIdle

    def clock(self) -> Clock:
        """Return it as the engine has it."""
        return Clock(
            self.play_seconds,
            self.pass_seconds,
            self.moon_seconds,
            self.bot_level,
            self.on_timeout,
            self.takeover_after,
            self.idle_seconds,
            self.on_all_idle,
        )


def clock_form(clock: Clock | None) -> ClockForm | None:
    """Return *clock* as it is stored."""
    if clock is None:
        return None
    return ClockForm(
        clock.play_seconds,
        clock.pass_seconds,
        clock.moon_seconds,
        clock.bot_level,
        clock.on_timeout,
        clock.takeover_after,
        clock.idle_seconds,
        clock.on_all_idle,
    )
