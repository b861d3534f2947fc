"""Giving the hints of a game again, each from what its seat saw and the link of its deal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from engine import events as e
from engine.analysis import HINT_BUDGETS, advise
from engine.evolve import evolve
from engine.seats import Seat
from engine.state import State
from engine.verify.bot_moves import Comparison
from engine.view import view_for


class GivenHint(NamedTuple):
    """A hint that *seat* was given by *level*, and how it compares with the one given again.

    *level* is None where the view hides the advice. Hints name no version: one that is another
    now may be of another version.
    """

    seat: Seat
    level: str | None
    comparison: Comparison


def given_hints(events: Sequence[e.Event], links: Mapping[int, str]) -> Iterator[GivenHint]:
    """Yield each hint in *events*, given again if it is known; *links* as in `bot_moves`.

    Raises:
        CorruptLogError: The events do not follow on each other.
    """
    state: State | None = None
    for event in events:
        if isinstance(event, e.HintUsed):
            assert state is not None, "hints need a game"
            yield _given(state, event, links.get(event.deal))
        state = evolve(state, event)


def _given(state: State, event: e.HintUsed, link: str | None) -> GivenHint:
    if not event.advice.worlds:
        # What stands for advice that nobody sees, and for its level.
        return GivenHint(event.seat, None, Comparison.HIDDEN)
    return GivenHint(event.seat, event.level, _compared(state, event, link))


def _compared(state: State, event: e.HintUsed, link: str | None) -> Comparison:
    if event.level not in HINT_BUDGETS:
        return Comparison.UNKNOWN_LEVEL
    if link is None:
        return Comparison.NOT_OPENED
    again = advise(view_for(event.seat, state), event.level, link)
    return Comparison.AGREES if again == event.advice else Comparison.NO_VERSION
