"""The likelihood of a world, held against the net worked out play by play in plain numbers."""

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from math import exp
from statistics import fmean

import numpy as np
import pytest

from engine.bots.likely_worlds import LikelyWorlds
from engine.bots.worlds import Worlds
from engine.policy import is_known, likelihoods, plays_of, seen_plays
from engine.policy.net import SCALE, load_net
from engine.presets import PRESETS, preset_rules
from engine.state import TurnType
from engine.view import all_hands
from tests.engine.bots.bot_games import TABLES, decisions, short
from tests.table import rules
from tests.teaching.lessons import lessons_of

DEAL = short("standard", 4, 1)
PLAYERS = ["medium"] * 4
SEED = bytes(range(32))


@cache
def plays(game):
    """The plays of a deal, as they were decided."""
    found = decisions(DEAL, *PLAYERS, game=game)
    return [one for one in found if one.view.turn.type is TurnType.PLAY]


def hands_of(*found):
    return np.array([world.hands for world in found], np.int64)


@pytest.mark.parametrize("game", range(4))
def test_it_is_that_of_the_net_play_by_play(game):
    last = plays(game)[-1]

    found = likelihoods(plays_of(last.view.deal), np.array([all_hands(last.state)], np.int64))

    assert found.tolist() == pytest.approx([_by_hand(game)], rel=1e-12)


def _by_hand(game):
    product = 1.0
    for inputs, choices, played in zip(*lessons_of(DEAL, PLAYERS, game), strict=True):
        wanted = _wanted(inputs.tolist())
        odds = {at: _odds(wanted, at, choices) for at in range(52) if choices >> at & 1}
        share = Fraction(odds[int(played).bit_length() - 1], sum(odds.values()))
        product *= float(share * Fraction(19, 20) + Fraction(1, 20 * len(odds)))
    return product


def _wanted(inputs):
    net = load_net()
    sums = [int(net.first_bias[at] + sum(net.first[one, at] for one in inputs)) for at in range(64)]
    one = [max(0, some) for some in sums]
    two = [max(0, some) // SCALE for some in _layer(one, net.second, net.second_bias)]
    return _layer(two, net.third, net.third_bias)


def _layer(given, weights, bias):
    return [
        int(bias[to]) + sum(some * int(weights[at, to]) for at, some in enumerate(given))
        for to in range(len(bias))
    ]


def _odds(wanted, at, choices):
    top = max(wanted[one] for one in range(52) if choices >> one & 1)
    steps = (top - wanted[at]) * 64 // SCALE**2
    return int(2**20 * exp(-steps / 64)) if steps < 16 * 64 else 0


def test_the_hands_as_they_are_are_likelier_than_most():
    ranks = []
    for one in plays(0)[8:]:
        seen = seen_plays(one.view)
        others = likelihoods(seen, hands_of(*Worlds(one.view, SEED).draw(100)))
        own = likelihoods(seen, np.array([all_hands(one.state)], np.int64))
        ranks.append(fmean((others < own) + (others == own) / 2))

    assert fmean(ranks) > 0.7


def test_a_world_is_as_likely_beside_any_others():
    view = plays(1)[30].view
    seen, hands = seen_plays(view), hands_of(*Worlds(view, SEED).draw(50))

    together = likelihoods(seen, hands)

    assert [likelihoods(seen, hands[at : at + 1])[0] for at in range(50)] == together.tolist()


def test_without_plays_all_are_as_likely():
    view = plays(0)[0].view

    assert likelihoods([], hands_of(*Worlds(view, SEED).draw(3))).tolist() == [1.0, 1.0, 1.0]


def test_what_tells_nothing_is_left_out():
    first, *_ = plays(0)
    second, third = plays(0)[1].view, plays(0)[2].view

    assert [len(seen_plays(one)) for one in (first.view, second)] == [0, 0]
    assert [one.card for one in seen_plays(third)] == [third.deal.trick[1]]


def test_worlds_are_drawn_as_often_as_they_are_likely():
    view = plays(1)[24].view
    pool = Worlds(view, SEED).draw(500)
    weights = likelihoods(seen_plays(view), hands_of(*pool)) ** 0.75

    drawn = LikelyWorlds(view, SEED).draw(10_000)

    found, expected = Counter(), Counter()
    for world, weight in zip(pool, weights, strict=True):
        expected[tuple(world.hands)] += weight / sum(weights) * 10_000
    for world in drawn:
        found[tuple(world.hands)] += 1
    assert found.keys() <= expected.keys()
    # One more or less of each of the pool, which may have the same world several times.
    assert all(abs(found[one] - expected[one]) < 12 for one in expected)
    assert max(found.values()) > 50


def test_equal_rules_under_any_name_are_known():
    known = {name for name in PRESETS if is_known(preset_rules(name, PRESETS[name].usual_seats))}

    assert "standard" in known
    assert is_known(rules(ending={"target": 50}, passing={"count": 2}))
    assert not is_known(rules(seats=5))
    assert not is_known(rules(scoring={"moon": "off"}))
    assert not is_known(rules(play={"first_trick_points": "allowed"}))


@pytest.mark.parametrize(
    ("preset", "seats"), [table for table in TABLES if not is_known(preset_rules(*table))]
)
def test_elsewhere_worlds_are_those_of_the_other_levels(preset, seats):
    *_, one = [
        one
        for one in decisions(short(preset, seats, 1), "medium")
        if one.view.turn.type is TurnType.PLAY and len(one.view.deal.tricks) < 2
    ]

    drawn = [source(one.view, SEED).draw(5) for source in (Worlds, LikelyWorlds)]

    assert [w.hands for w in drawn[0]] == [w.hands for w in drawn[1]]


def test_who_only_knows_the_levels_does_without_the_net():
    code = "import sys, engine.bots, service.wsgi; print(sorted({'numpy'} & set(sys.modules)))"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "[]"
