"""Whole analyses: of every preset and table, and of positions that can be counted by hand."""

import random
from dataclasses import replace

import pytest

from engine.analysis import analyse, analyse_openly, reason_for
from engine.analysis.tallies import dearest_left, dearest_of
from engine.bots.giving import heaviest
from engine.bots.moon_choice import best_choice
from engine.cards import (
    HEARTS,
    card,
    code_of,
    codes_of,
    in_deck_order,
    one_of_each,
    union,
)
from engine.commands import ChooseMoon, PassCards, PlayCard
from engine.scoring import MoonChoice
from engine.state import Playing, Shooting
from engine.view import view_for
from tests.engine.analysis.positions import ALL_PENALTIES, SEED, a_moon_to_spoil, openly, truth_of
from tests.engine.bots.bot_games import TABLES, decisions, short
from tests.engine.bots.other_worlds import other_world
from tests.table import (
    a_deal,
    a_last_card,
    after,
    last_card,
    names,
    rules,
    trick,
    twins_exchanged,
)


def some_decisions(table, step=9):
    return list(decisions(table, "random"))[::step]


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_every_legal_card_is_judged_the_same_whatever_is_hidden(preset, seats):
    rng = random.Random(f"{preset} {seats}")
    for one in some_decisions(short(preset, seats, 1), 29):
        seat = one.view.you.seat
        found = analyse(one.view, 20, one.seed)
        other = view_for(seat, other_world(one.state, seat, rng))

        assert analyse(other, 20, one.seed) == found
        assert_sound(found, one)
        assert_sound(analyse_openly(one.view, truth_of(one.state), 20, one.seed), one)


def assert_sound(found, decision):
    you, seats = decision.view.you, decision.view.rules.seats
    if isinstance(decision.state, Playing):
        assert union(one.move.card for one in found.judged) == one_of_each(you.legal)
    gains = [one.gain.mean for one in found.judged]
    assert gains == sorted(gains, reverse=True)
    for one in found.judged:
        assert min(one.dear, one.own_moon, one.other_moon) >= 0
        assert max(one.dear, one.own_moon + one.other_moon) <= 1
        assert 1 <= one.place <= seats
    reason = reason_for(found, decision.view.rules)
    named = set(reason.translate(str.maketrans("", "", ",.;")).split())
    assert named & set(codes_of(decision.view.rules.cards)) <= set(codes_of(you.hand))


def test_which_of_two_twins_lies_where_makes_no_difference():
    table = rules(
        seats=6,
        deck={"packs": 2, "leftover": "kitty"},
        passing={"cycle": ["left", "scatter"]},
        ending={"target": None, "deals": 2, "tie": "share"},
    )
    rng = random.Random(7)
    for one in some_decisions(table, 13):
        some = union(rng.sample(table.deck_order[:52], 26))
        view = view_for(one.view.you.seat, twins_exchanged(one.state, some))
        found, other = analyse(one.view, 24, SEED), analyse(view, 24, SEED)

        assert [code_of_all(some.move) for some in other.judged] == [
            code_of_all(some.move) for some in found.judged
        ]
        assert gains_of(other) == gains_of(found)


def gains_of(found):
    return [reading.gains for reading in found.readings]


def code_of_all(move):
    return [code_of(one) for one in getattr(move, "cards", None) or (move.card,)]


def test_another_seed_means_other_worlds():
    view = some_decisions(short("standard", 4, 1))[1].view

    assert analyse(view, 24, SEED) != analyse(view, 24, bytes(32))


def test_more_playouts_mean_smaller_errors():
    view = some_decisions(short("standard", 4, 1))[2].view
    few, many = analyse(view, 60, SEED), analyse(view, 600, SEED)

    assert many.worlds > 9 * few.worlds
    assert many.best.points.error < few.best.points.error


def test_points_are_those_of_the_deal_with_what_was_taken_before():
    game = a_deal(
        leads=0,
        seat0="2C",
        seat1="3C",
        seat2="4C",
        seat3="5H",
        taken=("QS", "2H", "", ""),
        hearts_broken=True,
    )
    (only,) = openly(game, 0).judged

    assert only.points == (13.0, 0.0)
    # Fifteen points are on the table: the queen, and two hearts that others take.
    assert only.gain == (15 / 4 - 13, 0.0)
    # The queen is in a trick behind it: nothing dear is left to be taken.
    assert only.dear == 0.0
    assert (only.own_moon, only.other_moon) == (0.0, 0.0)
    assert only.place == 4.0


def test_a_place_counts_the_game_so_far():
    game = a_deal(leads=0, seat0="2C", seat1="3C", seat2="4C", seat3="5C", totals=(30, 20, 40, 9))

    assert openly(game, 0).best.place == 3.0


def test_a_moon_about_to_be_shot_is_seen_and_so_is_how_it_is_spoilt():
    game = a_moon_to_spoil()
    found = openly(game, 3)
    low, high = found.of(PlayCard(3, card("4S"))), found.of(PlayCard(3, card("AS")))

    assert low.other_moon == 1.0
    assert low.points == (26.0, 0.0)
    assert high.other_moon == 0.0
    assert high.points == (1.0, 0.0)
    assert found.is_better(high.move, low.move)


def test_all_cards_open_nothing_is_left_to_chance_but_how_others_play():
    game = a_deal(
        trick=trick(1, "QS 2S 3S"),
        seat0="KS 4S",
        seat1="2D",
        seat2="3D",
        seat3="4D",
        taken=("", "2H", "", ""),
    )
    found = openly(game, 0)

    assert found.best.move == PlayCard(0, card("4S"))
    assert found.best.points == (0.0, 0.0)
    assert found.cost(PlayCard(0, card("KS"))) == (13.0, 0.0)


def test_cards_that_are_alike_come_out_alike():
    game = a_deal(leads=0, seat0="2C 3C 9C", seat1="5C 6D 7D", seat2="8C TD JD", seat3="KC KD AC")
    found = openly(game, 0)
    two, three = (found.of(PlayCard(0, card(code))) for code in ("2C", "3C"))

    assert replace(two, move=three.move) == three
    assert found.difference(two.move, three.move) == (0.0, 0.0)


def test_a_pass_that_was_asked_for_is_judged_among_others():
    one = next(one for one in decisions(short("standard", 4, 1), "random"))
    chosen = tuple(card(code) for code in codes_of(one.view.you.hand)[:3])
    found = analyse(one.view, 40, SEED, also=[PassCards(one.view.you.seat, chosen)])

    assert found.of(PassCards(0, chosen))
    assert 5 <= len(found.judged) <= 7
    assert {len(gains) for some in gains_of(found) for gains in some} == {found.worlds}
    assert not any(union(some.move.cards) & ~one.view.you.hand for some in found.judged)


def test_a_pass_of_cards_that_are_not_held_cannot_be_judged():
    one = next(one for one in decisions(short("standard", 4, 1), "random"))
    others = one.view.rules.cards & ~one.view.you.hand
    foreign = tuple(card(code) for code in codes_of(others)[:3])

    with pytest.raises(AssertionError):
        analyse(one.view, 40, SEED, also=[PassCards(one.view.you.seat, foreign)])


def test_what_the_others_really_pass_is_taken_where_it_is_told():
    one = next(one for one in decisions(short("standard", 4, 1), "random"))
    truth = truth_of(one.state)
    low = tuple(tuple(in_deck_order(hand))[:3] for hand in truth.hands)
    high = tuple(tuple(in_deck_order(hand))[-3:] for hand in truth.hands)
    mine = PassCards(0, high[0])

    def gains(passes):
        told = truth._replace(passes=passes)
        return gains_of(analyse_openly(one.view, told, 80, SEED, also=[mine]))

    assert gains(low) == gains((high[0], *low[1:]))
    assert gains(low) != gains(high) != gains(())


def test_with_scatter_the_order_of_a_pass_is_kept():
    table = rules(seats=5, passing={"cycle": ["scatter"]}, ending={"target": None, "deals": 1})
    one = next(one for one in decisions(table, "random"))
    usual = heaviest(one.view.you.hand, 4, table)
    backwards = PassCards(one.view.you.seat, tuple(reversed(usual)))
    found = analyse(one.view, 90, SEED, also=[PassCards(one.view.you.seat, usual), backwards])

    assert found.difference(PassCards(0, usual), backwards) != (0.0, 0.0)


@pytest.mark.parametrize("totals", [(40, 55, 60, 71), (95, 20, 30, 80)])
def test_of_a_moon_both_choices_are_certain_and_the_one_for_the_place_comes_first(totals):
    game = a_last_card(ALL_PENALTIES, totals=totals)
    game = after(game, last_card(game))
    assert isinstance(game, Shooting)
    view = view_for(0, game)
    found = analyse(view, 1_000, SEED)

    assert found.best.move == ChooseMoon(0, best_choice(view))
    assert found.of(ChooseMoon(0, MoonChoice.OTHERS_ADD)).points == (0.0, 0.0)
    assert found.of(ChooseMoon(0, MoonChoice.SELF_SUBTRACT)).points == (-26.0, 0.0)
    assert found.difference(*(one.move for one in found.judged)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("preset", "dearest"),
    [
        ("standard", {"QS"}),
        ("spot", {"QS"}),
        ("reverse", {"AC", "AD", "AS", "AH"}),
        ("plain", names(HEARTS)),
    ],
)
def test_the_dearest_penalty_is_read_from_the_rules(preset, dearest):
    assert names(dearest_of(rules(preset))) == dearest


def test_both_queens_are_the_dearest_of_two_packs():
    assert codes_of(dearest_of(rules("cancellation", 6))) == ["QS", "QS"]


@pytest.mark.parametrize(
    ("preset", "taken", "left"),
    [
        pytest.param("standard", ("2H 3H", "AH", "", ""), {"QS"}, id="hearts are gone"),
        pytest.param("standard", ("QS", "AH", "", ""), set(), id="hearts alone are left"),
        pytest.param("black_maria", ("QS", "", "", ""), {"KS"}, id="the next one"),
        pytest.param("black_maria", ("QS", "KS", "", ""), {"AS"}, id="and the next"),
        pytest.param("spot", ("AH", "", "QS KH", ""), {"QH"}, id="hearts by their rank"),
        pytest.param("omnibus", ("QS", "JD", "", ""), set(), id="no bonus"),
        pytest.param("plain", ("2H", "3H", "", ""), names(HEARTS) - {"2H", "3H"}, id="all alike"),
    ],
)
def test_what_is_left_of_penalties_the_dearest_are_told(preset, taken, left):
    game = a_deal(
        leads=0, seat0="2C", seat1="3C", seat2="4C", seat3="5C", taken=taken, rules=rules(preset)
    )

    assert names(dearest_left(view_for(0, game))) == left


def test_of_two_queens_the_second_is_left_to_who_has_the_first():
    game = a_deal(
        leads=0, seat0="KS 2S", seat1="QS 4C", seat2="3S 5C", seat3="4S 6C", seat4="5S 7C",
        seat5="6S 8C", taken=("QS", "", "", "", "", ""), rules=rules("cancellation", 6),
    )  # fmt: skip
    found = openly(game, 0)

    assert codes_of(dearest_left(view_for(0, game))) == ["QS"]
    assert found.dearest_is_left
    assert found.of(PlayCard(0, card("KS"))).dear == 1.0
    assert found.of(PlayCard(0, card("2S"))).dear == 0.0


def test_what_lies_in_ones_own_kitty_is_taken():
    chosen = rules("black_maria", 3, deck={"leftover": "kitty"})
    game = a_deal(
        trick=trick(1, "KS 2S"), seat0="AS 4S", seat1="2D", seat2="3D", taken=("", "2H", ""),
        rules=chosen, kitty="QS",
    )  # fmt: skip
    owned = replace(game, deal=replace(game.deal, kitty_taker=0))

    assert names(dearest_left(view_for(0, game))) == {"QS"}
    assert names(dearest_left(view_for(0, owned))) == {"KS"}
    assert openly(owned, 0).of(PlayCard(0, card("4S"))).dear == 0.0


def test_rules_without_penalties_have_no_dearest():
    free = rules(scoring={"hearts": {}, "queen_of_spades": 0})
    game = a_deal(leads=0, seat0="2C 3D", seat1="3C 4D", seat2="4C 5D", seat3="5C 6D", rules=free)
    found = openly(game, 0)

    assert {(one.dear, one.points) for one in found.judged} == {(0.0, (0.0, 0.0))}


def test_who_is_not_to_act_has_nothing_to_judge():
    game = a_deal(leads=0, seat0="2C", seat1="3C", seat2="4C", seat3="5C")

    with pytest.raises(AssertionError):
        analyse(view_for(1, game), 10, SEED)
