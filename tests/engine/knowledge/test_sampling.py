"""Worlds are drawn uniformly: held against all there are, one by one."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations, islice

import pytest

from engine.cards import code_of, codes_of, each, named, union
from engine.evolve import fold
from engine.knowledge import Sampler, chance_from, evidence_of, possible
from engine.knowledge.evidence import KITTY
from engine.playing import opening
from engine.presets import preset_rules
from engine.rules import Ending
from engine.state import Passing, Playing
from engine.view import view_for
from tests.engine.knowledge.deals import LEFT, dealt
from tests.engine.knowledge.enumeration import could_be, distributions, rooms_of, unseen_of, weight
from tests.engine.rule_mixes import TABLES, any_mix
from tests.games import play_commands
from tests.table import after, pass_cards, play


def views_of_a_game(mix, rng):
    """Yield what somebody sees after each command of a game."""
    state = None
    for _, events in play_commands(mix, rng):
        state = fold(state, events)
        if isinstance(state, Playing | Passing):
            yield view_for(rng.randrange(mix.seats), state)


def endings(seed, most):
    """Yield views of a game by rules of that *seed* with all worlds there are, and their weight."""
    rng = random.Random(seed)
    for view in views_of_a_game(any_mix(rng), rng):
        ways = distributions(view, most=most)
        if ways is not None:
            yield view, [(way, weight(view, way)) for way in ways]


def held_in(world, view):
    """Return the hidden cards of a *world*: place → cards, counted."""
    assert len(world.once) == len(world.twice) == view.rules.seats + 1
    assert not world.once[view.you.seat]
    assert not any(twice & ~once for once, twice in zip(world.once, world.twice, strict=True))
    return {
        place: Counter(each(world.once[at])) + Counter(each(world.twice[at]))
        for place, at in ((place, -1 if place is KITTY else place) for place in rooms_of(view))
    }


def worlds(sampler, times, chance=20261130):
    """Yield so many worlds, one after the other."""
    for _ in range(times):
        world = sampler.draw(chance)
        chance = world.chance
        yield world


def misfit(view, weighed):
    """Return by how many standard deviations worlds drawn differ from what is expected."""
    sampler, total = Sampler(evidence_of(view)), sum(ways for _, ways in weighed)
    times = max(500, 15 * total)
    found = Counter(_key(held_in(world, view)) for world in worlds(sampler, times))
    expected = {_key(way): times * ways / total for way, ways in weighed}
    assert found.keys() <= expected.keys()
    if len(expected) == 1:
        return 0
    chi = sum((found.get(way, 0) - often) ** 2 / often for way, often in expected.items())
    freedom = len(expected) - 1
    return (chi - freedom) / (2 * freedom) ** 0.5


def _key(way):
    return frozenset(
        (place, one, times) for place, some in way.items() for one, times in some.items()
    )


# Against all there could be


@pytest.mark.parametrize("seed", range(40))
def test_there_are_as_many_worlds_as_ways_to_lay_the_cards(seed):
    looked = 0
    for view, weighed in endings(seed, most=150):
        looked += 1
        sampler, total = Sampler(evidence_of(view)), sum(ways for _, ways in weighed)
        assert sampler.worlds == total
        for one in unseen_of(view):
            for place, copies in sampler.copies(one).items():
                lying = sum(ways * way[place][one] for way, ways in weighed)
                assert copies == Fraction(lying, total)
    assert looked


@pytest.mark.parametrize("seed", range(40))
def test_each_world_is_drawn_as_often_as_any_other(seed):
    for view, weighed in islice(endings(seed, most=60), 10):
        assert misfit(view, weighed) < 5


PASSING = dealt("2C 3C", "2D 3D", "2S 3S", "2H 3H", passing=LEFT)
PASSES = [pass_cards(seat, code) for seat, code in enumerate(["3C", "3D", "3S", "3H"])]
PAIRS = ("QS 2C", "3C 4C", "QS 2C", "5C 3C", "4C 5C")
PAIR_PASSES = [pass_cards(seat, code) for seat, code in enumerate(["QS", "4C", "2C", "5C", "4C"])]
TWO_LOWEST = ("5D 4C", "3C 3D", "5D 6C", "3C 4C", "6C 3D")
MORE_CLUBS = ("5D 4C", "3C 7C", "5D 6C", "3C 4C", "6C 7C")
TWO_PACKS = {
    opens: {"preset": "cancellation", "play": {"opening_lead": opens}}
    for opens in ("eldest", "lowest_club", "any_club")
}
CASES = {
    "void": (
        3,
        after(dealt("5C 9D 2H", "AD KD 3H", "6C 7C 4H", "8C TC 5H"), play(0, "5C"), play(1, "AD")),
    ),
    "first trick": (
        3,
        after(dealt("2C 9D 3D", "QS KH 2H", "6C 7C 8D", "8C TC 9H"), play(0, "2C"), play(1, "KH")),
    ),
    "kitty": (0, dealt("5C 9D", "4C KD", "6C 7C", kitty="2C 3D")),
    "before any pass": (0, PASSING),
    "own pass": (0, after(PASSING, PASSES[0])),
    "a pass on its way": (0, after(PASSING, PASSES[1], PASSES[0])),
    "after the pass": (0, after(PASSING, *PASSES)),
    "twins": (0, dealt(*PAIRS, **TWO_PACKS["eldest"])),
    "a twin passed on": (
        0,
        after(dealt(*PAIRS, **TWO_PACKS["eldest"], passing=LEFT), *PAIR_PASSES),
    ),
    "one of two lowest clubs": (4, dealt(*TWO_LOWEST, **TWO_PACKS["lowest_club"])),
    "one of two led": (4, after(dealt(*TWO_LOWEST, **TWO_PACKS["lowest_club"]), play(1, "3C"))),
    "one of two kept": (4, after(dealt(*MORE_CLUBS, **TWO_PACKS["any_club"]), play(1, "7C"))),
    "one of two chosen": (4, after(dealt(*MORE_CLUBS, **TWO_PACKS["any_club"]), play(1, "3C"))),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_evidence_leaves_its_worlds_equally_likely(case):
    seat, game = CASES[case]
    view = view_for(seat, game)

    weighed = [(way, weight(view, way)) for way in distributions(view)]

    assert Sampler(evidence_of(view)).worlds == sum(ways for _, ways in weighed)
    assert len(weighed) > 3
    assert misfit(view, weighed) < 5


def shuffles(some, rooms):
    """Yield every way to deal *some* cards, told apart, to places with *rooms*."""
    if not rooms:
        yield {}
        return
    (place, room), *others = rooms
    for hand in combinations(some, room):
        for rest in shuffles([one for one in some if one not in hand], others):
            yield {place: hand, **rest}


@pytest.mark.parametrize("led", [False, True])
def test_a_shuffle_leaves_the_opener_with_both_lowest_clubs_as_often_as_said(led):
    game = dealt(*TWO_LOWEST, **TWO_PACKS["lowest_club"])
    hidden = [one for seat, hand in enumerate(game.hands) if seat != 4 for one in each(hand)]
    agreeing, both = 0, 0
    for deal in shuffles(hidden, [(seat, 2) for seat in range(4)]):
        hands = tuple(sum(deal[seat]) for seat in range(4))
        leader, opens = opening(game.table.rules, (*hands, game.hands[4]), 1)
        if leader == 1 and codes_of(opens) == ["3C"]:
            agreeing += 1
            both += codes_of(hands[1]) == ["3C", "3C"]

    view = view_for(4, after(game, play(1, "3C")) if led else game)
    copies = Sampler(evidence_of(view)).copies(named(opens))

    assert 0 < both < agreeing
    assert copies[1] == Fraction(both, agreeing) + (not led)


@pytest.mark.parametrize("where", [[1], [1, 2, 3]])
def test_evidence_that_contradicts_itself_has_no_world(where):
    _, game = CASES["void"]
    evidence = evidence_of(view_for(0, game))
    barred = {**evidence.barred, **dict.fromkeys(where, union(evidence.unseen))}

    with pytest.raises(AssertionError, match="no world"):
        Sampler(replace(evidence, barred=barred))


# Whole games


def a_deal_of(preset, seats, rng):
    ending = Ending(target=None, deals=1)
    return views_of_a_game(replace(preset_rules(preset, seats), ending=ending), rng)


@pytest.mark.parametrize(("preset", "seats"), TABLES, ids=str)
def test_no_world_contradicts_what_was_seen(preset, seats, rng):
    for view in islice(a_deal_of(preset, seats, rng), 0, None, 5):
        sampler, rooms = Sampler(evidence_of(view)), rooms_of(view)
        for world in worlds(sampler, 2):
            way = held_in(world, view)
            assert {place: some.total() for place, some in way.items()} == rooms
            assert sum(way.values(), Counter()) == unseen_of(view)
            assert could_be(view, way)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_possible_is_what_is_drawn_now_and_then(seed):
    rng = random.Random(seed)
    for view in islice(views_of_a_game(any_mix(rng), rng), 0, None, 7):
        evidence = evidence_of(view)
        placing, sampler = possible(evidence), Sampler(evidence)
        for one, times in evidence.unseen.items():
            copies = sampler.copies(one)
            assert sum(copies.values()) == times
            assert {place for place, some in copies.items() if some} == placing.may[one]
            for place, some in copies.items():
                certain = placing.must[place].get(one, 0)
                assert certain <= some
                assert times > 1 or certain == (some == 1)
                assert (certain == times) == (some == times)


@pytest.mark.parametrize("seats", [7, 11])
def test_there_are_never_many_states_to_count(seats, rng):
    for view in a_deal_of("cancellation", seats, rng):
        assert all(case.ways.size < 5_000 for case in Sampler(evidence_of(view)).cases)


# The same again


def test_the_same_chance_draws_the_same_world(rng):
    for view in islice(a_deal_of("cancellation", 6, rng), 0, None, 20):
        evidence = evidence_of(view)
        again = list(worlds(Sampler(evidence), 20, 99))

        assert list(worlds(Sampler(evidence), 20, 99)) == again
        assert [Sampler(evidence).draw(99), again[1]] == [
            again[0],
            Sampler(evidence).draw(again[0].chance),
        ]


def test_worlds_are_the_same_in_every_version_of_python():
    seat, game = CASES["twins"]

    world = Sampler(evidence_of(view_for(seat, game))).draw(chance_from(20261130))

    assert [" ".join(codes_of(some)) for some in world.once] == [
        "",
        "3C 4C",
        "4C 5C",
        "2C QS",
        "3C 5C",
        "",
    ]
    assert not any(world.twice)
    assert world.chance == 679316610


def all_dealt(preset, seats):
    """Return a deal of all cards, one by one around the table."""
    pack = [code_of(named(one)) for one in preset_rules(preset, seats).deck_order]
    return dealt(*(" ".join(pack[seat::seats]) for seat in range(seats)), preset=preset)


FULL_TABLES = {
    f"{preset} {seats}": (0, all_dealt(preset, seats))
    for preset, seats in (("standard", 4), ("standard", 7), ("cancellation", 8))
}


@pytest.mark.parametrize(
    ("cases", "digest"),
    [(CASES, "d3d3c00392d33197"), (FULL_TABLES, "4f887748c3b987b2")],
    ids=["small", "full"],
)
def test_many_worlds_are_the_same_in_every_version_of_python(cases, digest):
    found = sha256()
    for seat, game in cases.values():
        for world in worlds(Sampler(evidence_of(view_for(seat, game))), 20):
            found.update(repr([world.chance, world.once, world.twice]).encode())

    assert found.hexdigest()[:16] == digest


def test_any_number_stands_for_a_state_of_chance():
    assert [chance_from(number) for number in (0, 2**31 - 3, 2**31 - 2, -1)] == [
        1,
        2**31 - 2,
        1,
        2**31 - 2,
    ]
