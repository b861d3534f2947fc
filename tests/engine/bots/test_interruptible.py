"""A search can be stopped between two calls of the kernel, and none of them is long.

A signal does not reach compiled code before it returns, so the time limit of a job strikes as
late as the longest call allows. Ten thousand playouts take some 40 ms compiled.
"""

import signal

import pytest

from engine.bots import choose
from engine.playouts import kernel
from tests.engine.bots.bot_games import SEARCHING, decisions, short

MOST = 10_000


CALLS = ("gains", "outcomes")
"""What a search calls: by points, and where it goes by the place in the game."""


def watch(monkeypatch, note):
    """Have *note* called with the arguments of each call of the kernel, just before it."""
    for name in CALLS:
        monkeypatch.setattr(kernel, name, noted(getattr(kernel, name), note))


def noted(call, note):
    def instead(*args):
        note(*args)
        return call(*args)

    return instead


@pytest.mark.parametrize("level", SEARCHING)
def test_no_call_of_the_kernel_is_long(level, monkeypatch):
    playouts = []

    def counted(_playout, _start, worlds, cards, *_more):
        playouts.append(len(worlds) * len(cards))

    watch(monkeypatch, counted)
    for table in (short("standard", 4, 1), short("spot", 3, 1), short("cancellation", 11, 1)):
        for one in list(decisions(table, "easy"))[::19]:
            choose(one.view, level, one.seed)

    assert 0 < max(playouts) <= MOST


class TooLateError(Exception):
    """Time is up."""


def raise_too_late(*_):
    raise TooLateError


@pytest.mark.parametrize("level", SEARCHING)
def test_a_signal_ends_a_search(level, monkeypatch):
    """It comes in the first call of the kernel, and no second one is begun."""
    calls = []

    def overtaken(*args):
        calls.append(len(args))
        signal.raise_signal(signal.SIGUSR1)

    watch(monkeypatch, overtaken)
    before = signal.signal(signal.SIGUSR1, raise_too_late)
    try:
        one = next(
            one
            for one in decisions(short("standard", 4, 1), "easy")
            if one.view.deal.trick_number == 2 and one.view.you.legal.bit_count() > 4
        )
        with pytest.raises(TooLateError):
            choose(one.view, level, one.seed)
    finally:
        signal.signal(signal.SIGUSR1, before)

    assert len(calls) == 1
