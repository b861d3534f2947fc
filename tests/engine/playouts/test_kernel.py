import random

import pytest

from engine.cards import each
from engine.playing import legal_plays
from engine.playouts.kernel import gains
from engine.playouts.shapes import Playout
from engine.playouts.tables import once, table_of
from engine.presets import PRESETS
from engine.state import situation
from tests.engine.bots.bot_games import TABLES, short
from tests.engine.playouts.positions import (
    a_draw,
    gains_of,
    played,
    replayed,
    seat_of,
    some_positions,
    start_in,
    traced,
    world_in,
)
from tests.engine.rule_mixes import any_mix

MIXES = 300
ANY_CARD = 256


@pytest.fixture(scope="module")
def kernel():
    return traced()


def agrees(kernel, state, whim, rng):
    """Play *state* out and hold plays and points against the engine; return the plays."""
    module, plays = kernel
    rules = state.table.rules
    plays.clear()
    playout = Playout(table_of(rules, whim))
    module.play_out(playout, start_in(state), world_in(state), 0, a_draw(rng))
    points = replayed(state, plays)
    mine = played(playout)
    assert gains_of(mine) == gains_of(points), (rules, state, plays)
    return list(plays)


@pytest.mark.parametrize(("preset", "seats"), TABLES)
@pytest.mark.parametrize("whim", [0, 64, ANY_CARD])
def test_a_playout_is_legal_and_counts_as_the_table_does(kernel, preset, seats, whim):
    rng = random.Random(f"{preset} {seats} {whim}")
    for state in some_positions(short(preset, seats), rng, 8):
        agrees(kernel, state, whim, rng)


def test_so_it_is_under_any_mix_of_options(kernel):
    rng, met = random.Random(1), set()
    for _ in range(MIXES):
        rules = any_mix(rng)
        met.add(rules.seats)
        for state in some_positions(rules, rng, 4):
            agrees(kernel, state, rng.choice([0, 64, ANY_CARD]), rng)

    assert met == set(range(3, 12))


def test_by_whim_every_legal_card_is_played(kernel):
    module, plays = kernel
    rng = random.Random(2)
    for rules in [any_mix(rng) for _ in range(30)]:
        playout = Playout(table_of(rules, ANY_CARD))
        for state in some_positions(rules, rng, 1):
            start, world, met = start_in(state), world_in(state), 0
            for _ in range(1_000):
                plays.clear()
                module.play_out(playout, start, world, 0, a_draw(rng))
                met |= plays[0]

            assert met == once(legal_plays(situation(state, seat_of(state))))


def test_a_card_that_is_given_is_played_first(kernel):
    module, plays = kernel
    rng = random.Random(3)
    for rules in [any_mix(rng) for _ in range(30)]:
        playout = Playout(table_of(rules))
        for state in some_positions(rules, rng, 3):
            for card in each(once(legal_plays(situation(state, seat_of(state))))):
                plays.clear()
                module.play_out(playout, start_in(state), world_in(state), card, a_draw(rng))

                assert plays[0] == card
                assert gains_of(played(playout)) == gains_of(replayed(state, plays))


def test_gains_are_of_each_card_in_each_world_with_one_chance_for_all_cards(kernel):
    module, _ = kernel
    rng = random.Random(4)
    for state in some_positions(short("omnibus", 4), rng, 20):
        playout, seat, draw = Playout(table_of(state.table.rules)), seat_of(state), a_draw(rng)
        start, world = start_in(state), world_in(state)
        cards = list(each(legal_plays(situation(state, seat))))

        found = gains(playout, start, [world] * 3, cards, seat, draw)

        expected = []
        for _ in range(3):
            draw = draw * 48271 % 2147483647
            for card in cards:
                module.play_out(playout, start, world, card, draw)
                expected.append(gains_of(played(playout))[seat])
        assert found == expected


def test_every_preset_is_played_out():
    assert {preset for preset, _ in TABLES} == set(PRESETS)
