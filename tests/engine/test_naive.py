"""The engine against a second reading of the rules that shares no code with it."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import GameFinished
from engine.presets import PRESETS, preset_rules
from engine.readable import rules_data
from tests.engine.rule_mixes import OPTIONS, TABLES, any_mix
from tests.engine.second_reading import compare, compare_mix
from tests.strategies import rules_of_many_moons, valid_rules


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_presets_are_played_as_the_rules_read(name, seats):
    """Fault cases 1, 3, 5, 7, 14, 24 and 27."""
    compare(preset_rules(name, seats), random.Random(seats), deals=2)


CHUNKS, GAMES_IN_A_CHUNK = 12, 100


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_thousand_games_of_mixed_rules_are_played_as_the_rules_read(chunk):
    """Fault cases 1, 3, 5, 7, 14, 18, 24, 26 and 27."""
    seeds = range(chunk * GAMES_IN_A_CHUNK, (chunk + 1) * GAMES_IN_A_CHUNK)

    occurred = sum((compare_mix(seed) for seed in seeds), Counter())

    assert occurred["trick that nobody won"]
    assert occurred["moon.shot"] >= 3
    assert min(occurred[kind] for kind in ("kitty.taken", "pass.completed")) >= 50
    assert occurred["game.finished"] >= 80


def test_the_mixes_are_of_every_preset_table_and_option():
    rng = random.Random("mixes")
    mixes = [rules_data(any_mix(rng)) for _ in range(1_500)]

    assert {(one["preset"], one["seats"]) for one in mixes} == set(TABLES)
    for path in OPTIONS:
        group, option = path.split(".")
        assert len({str(one[group][option]) for one in mixes}) > 1, path
    both = {(one["deck"]["packs"], one["play"]["cancel_pairs"]) for one in mixes}
    assert both == {(1, False), (2, False), (2, True)}


@settings(max_examples=60)
@given(valid_rules(), st.integers(0, 2**32))
def test_any_rules_are_played_as_the_rules_read(rules, seed):
    """Fault cases 3, 7, 18, 24 and 27."""
    compare(rules, random.Random(seed), deals=3)


@settings(max_examples=60)
@given(rules_of_many_moons(), st.integers(0, 2**32))
def test_moons_and_suns_are_scored_as_the_rules_read(rules, seed):
    """Fault cases 24 and 26."""
    compare(rules, random.Random(seed), deals=3)


@pytest.mark.whole_game
@pytest.mark.parametrize("name", PRESETS)
def test_whole_games_are_played_as_the_rules_read(name):
    log = compare(preset_rules(name, PRESETS[name].usual_seats), random.Random(name), deals=256)

    assert isinstance(log[-1], GameFinished)
