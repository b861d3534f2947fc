"""Every hint comes out again, and every other one is told from it."""

import random
from dataclasses import replace

import pytest

from engine import events as e
from engine.analysis import advise
from engine.commands import ClaimSeat, StartGame, TableOptions, TakeHint
from engine.decide import decide
from engine.evolve import fold
from engine.state import turn_of
from engine.verify.bot_moves import UNTOLD, Comparison
from engine.verify.hints import GivenHint, given_hints
from engine.view import view_for
from tests.engine.bots.bot_games import links_of, short
from tests.games import random_move
from tests.table import create

LINKS = dict(enumerate(links_of(0)))


@pytest.fixture(scope="module")
def events():
    """The beginning of a game of people, in which seat 2 is advised to pass and to play."""
    events, rng = [], random.Random(1)

    def do(command):
        events.extend(decide(fold(None, events), command, LINKS.__getitem__))

    opened = create(short("standard", 4, 1))
    do(replace(opened, commitment=LINKS[0], options=TableOptions(hints=True)))
    for seat in range(4):
        do(ClaimSeat(seat, "Ana"))
    do(StartGame())
    for level in ("expert", "hard"):
        while 2 not in turn_of(fold(None, events)).seats:
            do(random_move(fold(None, events), rng))
        state = fold(None, events)
        advice = advise(view_for(2, state), level, LINKS[1])
        do(TakeHint(2, turn_of(state).id, level, advice))
        do(advice.ranking[0].move)
    return events


def changed(events, **more):
    """Return *events* with other advice in each hint."""
    return [
        replace(one, advice=replace(one.advice, **more)) if isinstance(one, e.HintUsed) else one
        for one in events
    ]


def compared(events, links=LINKS):
    return [one.comparison for one in given_hints(events, links)]


def test_every_hint_comes_out_again(events):
    assert list(given_hints(events, LINKS)) == [
        GivenHint(2, "expert", Comparison.AGREES),
        GivenHint(2, "hard", Comparison.AGREES),
    ]


def test_other_advice_may_be_that_of_another_version(events):
    assert compared(changed(events, worlds=7)) == [Comparison.NO_VERSION] * 2


def test_a_level_that_gives_no_hints_here_is_named(events):
    of_others = [
        replace(one, level="master") if isinstance(one, e.HintUsed) else one for one in events
    ]

    assert compared(of_others) == [Comparison.UNKNOWN_LEVEL] * 2


def test_without_the_link_nobody_can_tell(events):
    assert compared(events, {}) == [Comparison.NOT_OPENED] * 2


def test_of_advice_that_a_view_hides_nobody_can_tell(events):
    hidden = GivenHint(2, None, Comparison.HIDDEN)

    assert list(given_hints(changed(events, worlds=0), LINKS)) == [hidden] * 2
    assert Comparison.HIDDEN in UNTOLD
