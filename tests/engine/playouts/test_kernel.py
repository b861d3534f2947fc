import random

import pytest

from engine.cards import NO_CARDS, PACK_SIZE, cards, each
from engine.playing import legal_plays
from engine.playouts.kernel import gains, outcomes
from engine.playouts.shapes import Playout
from engine.playouts.tables import once, table_of
from engine.presets import PRESETS
from engine.scoring import shot
from engine.state import situation
from tests.engine.bots.bot_games import TABLES, short
from tests.engine.playouts.positions import (
    a_draw,
    after_play,
    gains_of,
    played,
    positions,
    replayed,
    seat_of,
    some_positions,
    start_in,
    traced,
    world_in,
)
from tests.engine.rule_mixes import any_mix
from tests.table import a_deal, a_new_deal, rules, trick

MIXES = 300
ANY_CARD = 256
DEALS = 8
ENOUGH = 700
"""Draws after which the rarest card by whim, one in 52, has been seen."""

KITTIES = ("first_trick", "first_penalty_trick", "last_trick")
# Few cards, so that moons and suns are shot by chance.
FEW = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD 2S 3S 4S 5S 6S 2H 3H 4H 5H"
FEWER = f"{FEW} 6H 7H 8H 9H TH KC KD 7S 8S 9S TS"
FEW_CARDS, FEWER_CARDS = FEW.split(), FEWER.split()
COUNTED = {"extra": {"KD": -9, "AC": 4}, "no_trick": -5}
RARE = [
    *[("kitty", seats, {"deck": {"kitty_to": to}}) for to in KITTIES for seats in (3, 5, 7)],
    *[("cancellation", seats, {"deck": {"kitty_to": to}}) for to in KITTIES for seats in (5, 7)],
    *[
        (preset, 5, {"deck": {"remove": few, "packs": 2}, "scoring": COUNTED | {"moon": moon}})
        for preset in ("cancellation", "new_moon")
        for few in (FEW_CARDS, FEWER_CARDS)
        for moon in ("others_add", "self_subtract")
        if preset == "cancellation" or few == FEWER_CARDS
    ],
    ("standard", 4, {"play": {"queen": "no_play_until_broken"}}),
    ("standard", 4, {"play": {"queen": "no_lead_until_broken"}}),
    ("standard", 4, {"play": {"hearts_and_queen": "free_choice"}}),
    ("standard", 4, {"play": {"opening_lead": "any_club"}}),
    ("cancellation", 6, {"play": {"queen": "no_play_until_broken"}}),
]


@pytest.fixture(scope="module")
def kernel():
    return traced()


def agrees(kernel, state, whim, rng):
    """Play *state* out and hold plays and points against the engine; return the plays.

    In every other playout a seat goes for a moon.
    """
    module, plays = kernel
    known = state.table.rules
    plays.clear()
    playout = Playout(table_of(known, whim))
    bold = rng.choice([module.NOBODY, rng.randrange(known.seats)])
    module.play_out(playout, start_in(state), world_in(state), 0, a_draw(rng), bold)
    points = replayed(state, plays)
    mine = played(playout)
    assert gains_of(mine) == gains_of(points), (known, state, plays)
    return list(plays)


@pytest.mark.parametrize(("preset", "seats"), TABLES)
@pytest.mark.parametrize("whim", [0, 64, ANY_CARD])
def test_a_playout_is_legal_and_counts_as_the_table_does(kernel, preset, seats, whim):
    rng = random.Random(f"{preset} {seats} {whim}")
    for state in some_positions(short(preset, seats), rng, 8):
        agrees(kernel, state, whim, rng)


@pytest.mark.parametrize("options", RARE, ids=str)
def test_so_it_is_where_rare_options_meet(kernel, options):
    rng = random.Random(str(options))
    known = of_rare_options(options)
    for _ in range(DEALS):
        for state in some_positions(known, rng, 6):
            agrees(kernel, state, rng.choice([0, 64, ANY_CARD]), rng)


def test_so_it_is_under_any_mix_of_options(kernel):
    rng, met = random.Random(1), set()
    for _ in range(MIXES):
        known = any_mix(rng)
        met.add(known.seats)
        for state in some_positions(known, rng, 4):
            agrees(kernel, state, rng.choice([0, 64, ANY_CARD]), rng)

    assert met == set(range(3, 12))


def of_rare_options(options):
    """Return rules of *options*, a row of RARE, for one deal."""
    preset, seats, changed = options
    return rules(preset, seats, **changed, ending={"target": None, "deals": 1, "tie": "share"})


def all_kinds(rng):
    """Return the rules of rare options, and as many mixes."""
    return [*map(of_rare_options, RARE), *(any_mix(rng) for _ in RARE)]


def test_by_whim_every_legal_card_is_played(kernel):
    module, plays = kernel
    rng = random.Random(2)
    for known in all_kinds(rng):
        playout = Playout(table_of(known, ANY_CARD))
        for state in some_positions(known, rng, 2):
            start, world, met = start_in(state), world_in(state), 0
            for _ in range(ENOUGH):
                plays.clear()
                module.play_out(playout, start, world, 0, a_draw(rng))
                met |= plays[0]

            assert met == once(legal_plays(situation(state, seat_of(state))))


def played_next(kernel, state, card):
    """Return the cards that follow *card* in many playouts by whim; none if nothing counts."""
    module, plays = kernel
    rng, met = random.Random(6), 0
    playout = Playout(table_of(state.table.rules, ANY_CARD))
    start, world = start_in(state), world_in(state)
    for _ in range(ENOUGH):
        plays.clear()
        module.play_out(playout, start, world, once(card), a_draw(rng))
        met |= sum(plays[1:2])
    return met


def turns(known, rng):
    """Yield states of a deal and plays with which the first trick ends, or hearts are broken."""
    ends_first = breaks = False
    for state in positions(known, rng):
        legal = legal_plays(situation(state, seat_of(state)))
        if not ends_first and len(state.trick) == known.seats - 1:
            ends_first = True
            yield state, rng.choice(list(each(legal)))
        breaking = NO_CARDS if state.hearts_broken else legal & known.limits.breaks_hearts
        if not breaks and breaking:
            breaks = True
            yield state, rng.choice(list(each(breaking)))


def test_by_whim_every_legal_card_is_played_next(kernel):
    rng = random.Random(5)
    for known in all_kinds(rng):
        for state, card in turns(known, rng):
            following = after_play(state, card)
            met = played_next(kernel, state, card) if following else NO_CARDS

            assert not met or met == once(legal_plays(situation(following, seat_of(following))))


@pytest.mark.parametrize(
    ("relief", "may"), [("free_choice", "5H 7H QS"), ("queen_must_lead", "QS")]
)
def test_a_leader_of_hearts_and_the_queen_has_what_the_rules_leave(kernel, relief, may):
    known = rules(play={"queen": "free", "hearts_and_queen": relief})
    hands = {"seat0": "5H 7H QS KD", "seat1": "2C 3C 4C", "seat2": "5C 6C 7C", "seat3": "8C 9C TC"}
    state = a_deal(rules=known, trick=trick(1, "2D 3D 4D"), **hands)

    assert played_next(kernel, state, cards("KD")) == cards(may)


def test_a_heart_frees_the_queen_within_its_trick(kernel):
    known = rules(play={"queen": "no_play_until_broken"})
    hands = {"seat1": "2H 9C", "seat2": "QS 3C", "seat3": "4C 5C", "seat0": "6C"}
    state = a_deal(rules=known, trick=trick(0, "5D"), **hands)

    assert played_next(kernel, state, cards("2H")) == cards("QS 3C")
    assert played_next(kernel, state, cards("9C")) == cards("3C")


def test_only_the_first_lead_has_to_open(kernel):
    known = rules(play={"opening_lead": "any_club"}, passing={"cycle": ["hold"]})
    hands = {"seat0": "AC KC KD", "seat1": "3C 4D 5D", "seat2": "6C 7D 8D", "seat3": "9C 2H 3H"}
    state = a_new_deal(rules=known, **hands)
    module, plays = kernel
    rng, met = random.Random(7), 0
    playout = Playout(table_of(known, ANY_CARD))

    for _ in range(ENOUGH):
        plays.clear()
        module.play_out(playout, start_in(state), world_in(state), 0, a_draw(rng))
        met |= plays[known.seats]

    assert met == cards("AC KC KD")


def test_a_card_that_is_given_is_played_first(kernel):
    module, plays = kernel
    rng = random.Random(3)
    for known in [any_mix(rng) for _ in range(30)]:
        playout = Playout(table_of(known))
        for state in some_positions(known, rng, 3):
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


def test_gains_of_worlds_with_a_start_of_their_own_meet_one_chance(kernel):
    module, _ = kernel
    rng = random.Random(8)
    playout, draw = Playout(table_of(short("omnibus", 4))), a_draw(rng)
    states = list(some_positions(short("omnibus", 4), rng, 20))
    starts, worlds = list(map(start_in, states)), list(map(world_in, states))

    for bold in (module.NOBODY, 2):
        found = module.gains_apart(playout, starts, worlds, 1, draw, bold)

        for start, world, gain in zip(starts, worlds, found, strict=True):
            module.play_out(playout, start, world, 0, draw, bold)
            assert gains_of(played(playout))[1] == gain


@pytest.mark.parametrize(("preset", "seats", "options"), [*RARE, ("standard", 4, {})])
def test_outcomes_are_points_and_what_was_shot(preset, seats, options):
    rng = random.Random(f"outcomes {preset} {seats} {options}")
    known = rules(preset, seats, **options)
    for state in some_positions(known, rng, 12):
        playout, draw = Playout(table_of(known)), a_draw(rng)
        at = start_in(state), [world_in(state)], [0]

        *points, shooter, worth = outcomes(playout, *at, draw)

        taken = [one.taken | one.taken_twice << PACK_SIZE for one in playout.players]
        seen = shot(tuple(taken), known)
        assert points == played(playout)
        assert (shooter, worth) == ((-1, 0) if seen is None else (seen.seat, seen.points))
        assert gains(playout, *at, seat_of(state), draw) == [gains_of(points)[seat_of(state)]]


def test_outcomes_follow_each_other_by_worlds_and_within_one_by_cards():
    rng = random.Random(5)
    for state in some_positions(short("omnibus", 4), rng, 5):
        playout, seat, draw = Playout(table_of(state.table.rules)), seat_of(state), a_draw(rng)
        worlds, cards = [world_in(state)] * 3, list(each(legal_plays(situation(state, seat))))

        found = outcomes(playout, start_in(state), worlds, cards, draw)

        ends = [found[at : at + 4] for at in range(0, len(found), 6)]
        assert [gains_of(points)[seat] for points in ends] == gains(
            playout, start_in(state), worlds, cards, seat, draw
        )


def test_every_preset_is_played_out():
    assert {preset for preset, _ in TABLES} == set(PRESETS)
