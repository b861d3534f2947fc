"""What is legal and what it counts is what another engine says, wherever it is installed."""

import random

import pytest

from tests.engine.oracle import (
    DEALS,
    DIRECTIONS,
    FLAGS,
    Asked,
    DisagreementError,
    asked_at_random,
    compare,
)

# A leader with nothing but hearts and the queen of spades is a rare sight.
MANY_DEALS = 20_000


@pytest.fixture(scope="module")
def pyspiel():
    return pytest.importorskip("pyspiel", reason="`make oracle` installs open_spiel")


def test_another_engine_agrees_whatever_is_asked(pyspiel):
    rng, met = random.Random(1), set()
    for _ in range(DEALS):
        asked = asked_at_random(rng)
        compare(pyspiel, asked, rng)
        met |= {asked.direction, *asked.flags}

    assert met == {*DIRECTIONS, *FLAGS}


@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_that_only_one_side_has_is_found(pyspiel, flag):
    class Odd(Asked):
        @property
        def rules(self):
            return Asked(self.flags ^ {flag}, self.direction).rules

    def search():
        rng = random.Random(2)
        for _ in range(MANY_DEALS):
            compare(pyspiel, Odd(*asked_at_random(rng)), rng)

    with pytest.raises(DisagreementError):
        search()
