import random
from dataclasses import replace

import pytest

from engine.cards import cards, union
from engine.playouts.tables import once, table_of, twice
from engine.readable import rules_data, rules_from
from engine.rules import Ending
from tests.engine.rule_mixes import any_mix
from tests.table import rules


def test_a_table_is_made_once_for_rules_that_play_alike():
    standard = rules("standard")

    assert table_of(standard) is table_of(rules_from(rules_data(standard)))
    assert table_of(standard) is table_of(replace(standard, ending=Ending(deals=3)))


def test_rules_that_differ_in_play_or_points_have_tables_of_their_own():
    rng = random.Random(1)
    for _ in range(300):
        one, other = any_mix(rng), any_mix(rng)
        alike = (one.seats, one.cards, one.play, one.deck.kitty_to, dict(one.points)) == (
            (other.seats, other.cards, other.play, other.deck.kitty_to, dict(other.points))
        )
        assert alike or table_of(one) is not table_of(other)
    assert table_of(rules(), 0) is not table_of(rules(), 64)
    assert table_of(rules(scoring={"no_trick": -5})) is not table_of(rules())


def test_a_table_counts_every_set_of_cards_as_the_rules_do():
    rng = random.Random(2)
    for _ in range(50):
        known = any_mix(rng)
        table = table_of(known)
        deck = [one for one in known.deck_order if one < 1 << 52]
        some = union(rng.sample(deck, rng.randint(0, len(deck))))
        points = sum(
            worth[some >> shift & 8191]
            for shift, worth in zip(
                table.suits + table.boon_suits, table.worths + table.boons, strict=True
            )
        )
        assert points == known.points_in(some)


def test_every_card_in_play_stands_once_in_the_order_of_throws():
    rng = random.Random(3)
    for _ in range(50):
        known = any_mix(rng)
        throws = table_of(known).throws

        assert sum(throws) == union(throws) == once(known.cards)


def test_the_queen_of_spades_is_thrown_first():
    assert table_of(rules("standard")).throws[0] == cards("QS")


@pytest.mark.parametrize(
    ("preset", "shy"),
    [
        ("standard", "QS"),
        ("omnibus", "QS JD"),
        ("spot", "QS KH AH"),
        ("black_maria", "QS KS AS"),
        ("plain", ""),
    ],
)
def test_dear_cards_and_bonuses_are_not_led_where_there_are_others(preset, shy):
    assert table_of(rules(preset)).shy == cards(shy)


def test_cards_of_two_packs_are_told_apart_by_how_many_there_are():
    both = cards("QS 2H") | cards("QS") << 52

    assert once(both) == cards("QS 2H")
    assert twice(both) == cards("QS")
