import random

import pytest

from engine.cards import each
from engine.playing import legal_plays
from engine.playouts import kernel
from engine.playouts.shapes import Playout
from engine.playouts.starts import world_of
from engine.playouts.tables import once, table_of
from engine.state import situation
from tests.engine.bots.bot_games import TABLES, short
from tests.engine.playouts.positions import a_draw, seat_of, some_positions, start_in
from tests.engine.rule_mixes import any_mix

lockstep = pytest.importorskip("engine.playouts.lockstep", reason="there is no NumPy")


def both(state, whim, rng, worlds=20):
    """Return the gains of every legal card by lockstep and by the kernel."""
    playout = Playout(table_of(state.table.rules, whim))
    cards = list(each(once(legal_plays(situation(state, seat_of(state))))))
    several = [shuffled(state, rng) for _ in range(worlds)]
    start, draw, seat = start_in(state), a_draw(rng), seat_of(state)
    return [
        backend.gains(playout, start, several, cards, seat, draw) for backend in (lockstep, kernel)
    ]


def shuffled(state, rng):
    """Return a world in which the others' cards and the kitty are dealt anew."""
    seat, sizes = seat_of(state), [hand.bit_count() for hand in state.hands]
    kitty = state.table.kitties[-1]
    some = [one for other, hand in enumerate(state.hands) if other != seat for one in each(hand)]
    some += each(kitty)
    rng.shuffle(some)
    hands = [
        hand if other == seat else sum(some.pop() for _ in range(sizes[other]))
        for other, hand in enumerate(state.hands)
    ]
    return world_of(hands, sum(some))


@pytest.mark.parametrize(("preset", "seats"), TABLES)
@pytest.mark.parametrize("whim", [0, 64, 256])
def test_in_step_the_same_comes_out(preset, seats, whim):
    rng = random.Random(f"{preset} {seats} {whim}")
    for state in some_positions(short(preset, seats), rng, 3):
        mine, expected = both(state, whim, rng)
        assert mine == expected


def test_so_it_does_under_any_mix_of_options():
    rng = random.Random(1)
    for _ in range(150):
        for state in some_positions(any_mix(rng), rng, 3):
            mine, expected = both(state, rng.choice([0, 64, 256]), rng)
            assert mine == expected, state.table.rules
