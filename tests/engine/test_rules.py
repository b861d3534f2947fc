"""What follows from the options: decks, hands, points, and sets of cards."""

import pytest

from engine.cards import HEARTS, NO_CARDS, card, cards, codes_of
from engine.rules import Direction, Rules, usual_cycle
from tests.table import names, rules

DECKS = [
    # seats, removed, hand size, opening card
    (3, "2D", 17, "2C"),
    (4, "", 13, "2C"),
    (5, "2D 2C", 10, "3C"),
    (6, "2D 3D 3C 4C", 8, "2C"),
    (7, "2D 3D 3C", 7, "2C"),
]


@pytest.mark.parametrize(("seats", "removed", "size", "opening"), DECKS)
def test_the_standard_deck_deals_evenly_and_keeps_its_points(seats, removed, size, opening):
    """Fault case 20."""
    table = rules(seats=seats)

    assert table.removed == cards(removed)
    assert len(table.deck_order) == size * seats == 52 - len(removed.split())
    assert table.hand_size == size
    assert table.opening_card == card(opening)
    assert table.penalty_points == 26


def test_nothing_is_removed_where_the_rules_say_none():
    assert rules(seats=4, deck={"remove": "none"}).removed == NO_CARDS


def test_a_list_of_cards_is_removed():
    table = rules(seats=5, deck={"remove": ["2C", "2S"]})

    assert names(table.removed) == {"2C", "2S"}
    assert table.opening_card == card("3C")


def test_the_deck_is_in_the_order_of_the_shuffle():
    deck = rules(seats=6).deck_order

    assert [codes_of(one)[0] for one in deck[:4]] == ["2C", "5C", "6C", "7C"]
    assert [codes_of(one)[0] for one in deck[-2:]] == ["KH", "AH"]


def test_usual_directions_hold_at_four_seats_only():
    assert Direction.HOLD in usual_cycle(4)
    assert all(usual_cycle(seats) == (Direction.LEFT, Direction.RIGHT) for seats in (3, 5, 6, 7))


def test_the_defaults_are_the_standard_game():
    assert rules("standard", 4) == Rules()


POINTS = [
    ({}, {"2H": 1, "AH": 1, "QS": 13}, 26),
    ({"hearts": "rank"}, {"2H": 2, "TH": 10, "JH": 11, "QH": 12, "KH": 13, "AH": 14}, 117),
    ({"hearts": {"A": 5, "2": 3}}, {"2H": 3, "AH": 5}, 21),
    ({"queen_of_spades": 0}, {"2H": 1}, 13),
    ({"extra": {"JD": -10}}, {"JD": -10, "2H": 1}, 26),
    ({"extra": {"KS": 10, "AS": 7}}, {"KS": 10, "AS": 7, "QS": 13}, 43),
    ({"extra": {"2H": -3, "QS": 0}}, {"2H": -3, "3H": 1}, 12),
]


@pytest.mark.parametrize(("scoring", "some", "total"), POINTS)
def test_what_cards_count(scoring, some, total):
    table = rules(scoring=scoring)

    assert {code: table.points_in(card(code)) for code in some} == some
    assert table.penalty_points == total
    assert table.moon_points == total


def test_every_card_but_the_counters_counts_nothing():
    table = rules("omnibus")

    counters = table.penalties | table.bonuses

    assert table.penalties == HEARTS & table.cards | cards("QS")
    assert table.bonuses == cards("JD")
    assert table.points_in(table.cards & ~counters) == 0
    assert table.points_in(table.cards) == 16


def test_a_card_out_of_play_counts_nothing():
    table = rules(deck={"remove": ["QS", "2C", "2D", "2H"]})

    assert table.penalty_points == 12
    assert not table.penalties & cards("QS")


def test_a_fixed_moon_needs_no_sum():
    assert rules(scoring={"moon_points": 5}).moon_points == 5


@pytest.mark.parametrize(
    ("opening", "card_name"), [("lowest_club", "2C"), ("any_club", "2C"), ("eldest", None)]
)
def test_a_club_opens_unless_the_eldest_does(opening, card_name):
    table = rules(play={"opening_lead": opening})

    assert table.opening_card == (card_name and card(card_name))


LIMITS = [
    ({}, {}, {"barred_on_first_trick": "QS 2H", "unbroken_lead": "2H", "breaks_hearts": "QS 2H"}),
    ({"first_trick_points": "allowed"}, {}, {"unbroken_lead": "2H", "breaks_hearts": "QS 2H"}),
    ({"hearts_lead": "any_time"}, {}, {"barred_on_first_trick": "QS 2H", "breaks_hearts": "QS 2H"}),
    (
        {"hearts_broken_by": "heart"},
        {},
        {"barred_on_first_trick": "QS 2H", "unbroken_lead": "2H", "breaks_hearts": "2H"},
    ),
    (
        {"queen": "no_lead_until_broken"},
        {},
        {
            "barred_on_first_trick": "QS 2H",
            "unbroken_lead": "QS 2H",
            "breaks_hearts": "QS 2H",
        },
    ),
    (
        {"queen": "no_play_until_broken"},
        {},
        {
            "barred_on_first_trick": "QS 2H",
            "unbroken_lead": "QS 2H",
            "unbroken_follow": "QS",
            "breaks_hearts": "QS 2H",
        },
    ),
    (
        {"hearts_and_queen": "free_choice"},
        {},
        {
            "barred_on_first_trick": "QS 2H",
            "unbroken_lead": "2H",
            "breaks_hearts": "QS 2H",
            "free_among": "QS 2H",
        },
    ),
    (
        {"queen": "no_play_until_broken", "hearts_and_queen": "free_choice"},
        {"queen_of_spades": 0},
        {"barred_on_first_trick": "2H", "unbroken_lead": "2H", "breaks_hearts": "2H"},
    ),
    (
        {"queen": "no_play_until_broken"},
        {"queen_of_spades": 0, "extra": {"QS": 9}},
        {"barred_on_first_trick": "QS 2H", "unbroken_lead": "2H", "breaks_hearts": "2H"},
    ),
    (
        {},
        {"extra": {"JD": -10, "KS": 5}},
        {"barred_on_first_trick": "QS 2H KS", "unbroken_lead": "2H", "breaks_hearts": "QS 2H"},
    ),
]
SAMPLE = cards("2H QS KS JD 9C")
SETS = (
    "barred_on_first_trick",
    "unbroken_lead",
    "unbroken_follow",
    "breaks_hearts",
    "free_among",
)


@pytest.mark.parametrize(("play", "scoring", "expected"), LIMITS)
def test_play_options_become_sets_of_cards(play, scoring, expected):
    limits = rules(play=play, scoring=scoring).limits

    found = {name: names(getattr(limits, name) & SAMPLE) for name in SETS}

    assert found == {name: set(expected.get(name, "").split()) for name in SETS}
