"""Rules as plain values."""

import json

import pytest

from engine.presets import PRESETS, preset_rules
from engine.readable import card_data, rules_data, rules_from
from engine.rules import RULES_VERSION
from tests.table import STANDARD, rules

EVERYWHERE = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


def test_the_standard_game_spelled_out():
    assert rules_data(STANDARD) == {
        "preset": "standard",
        "version": RULES_VERSION,
        "seats": 4,
        "reveal": "deal_end",
        "deck": {"packs": 1, "remove": "standard", "leftover": "none", "kitty_to": "first_trick"},
        "passing": {"count": 3, "cycle": ["left", "right", "across", "hold"]},
        "play": {
            "opening_lead": "lowest_club",
            "first_trick_points": "forbidden",
            "hearts_lead": "after_broken",
            "hearts_broken_by": "heart_or_queen",
            "queen": "free",
            "hearts_and_queen": "queen_must_lead",
            "cancel_pairs": False,
        },
        "scoring": {
            "hearts": "one",
            "queen_of_spades": 13,
            "extra": {},
            "no_trick": 0,
            "moon": "shooter_choice",
            "moon_points": "auto",
            "moon_needs": "penalties",
            "moon_absorbs_bonus": False,
            "sun_points": None,
        },
        "ending": {"target": 100, "deals": None, "reach": "at_least", "tie": "play_on"},
        "derived": {
            "deck_size": 52,
            "hand_size": 13,
            "kitty_size": 0,
            "removed": [],
            "opening_card": "2C",
            "penalty_points": 26,
        },
    }


@pytest.mark.parametrize(("name", "seats"), EVERYWHERE)
def test_a_preset_reads_back_as_it_was_written(name, seats):
    table = preset_rules(name, seats)

    assert rules_from(json.loads(json.dumps(rules_data(table)))) == table


UNUSUAL = [
    {"deck": {"remove": ["2C", "2D", "2S", "2H"]}},
    {"deck": {"remove": []}},
    {"deck": {"remove": "none"}},
    {"seats": 8, "deck": {"packs": 2, "remove": "none"}},
    {"seats": 11, "deck": {"packs": 2, "remove": ["2C", "QS"], "leftover": "kitty"}},
    {"deck": {"remove": ["2C"], "leftover": "kitty", "kitty_to": "first_penalty_trick"}},
    {"scoring": {"hearts": {"A": 4, "K": 3}, "extra": {"JD": -10, "AS": 7}, "moon_points": 40}},
    {"ending": {"target": None, "deals": 4, "reach": "exceed", "tie": "share"}},
    {"reveal": "game_end"},
]


@pytest.mark.parametrize("options", UNUSUAL)
def test_unusual_options_read_back_as_they_were_written(options):
    data = rules_data(rules(**options))

    assert rules_data(rules_from(json.loads(json.dumps(data)))) == data
    for name, value in options.items():
        given = data[name]
        assert given.items() >= value.items() if isinstance(value, dict) else given == value


def test_rules_are_read_in_the_version_they_name():
    data = rules_data(STANDARD)

    assert rules_from({**data, "version": 7}).version == 7
    del data["version"]
    assert rules_from(data).version == RULES_VERSION


def test_options_that_came_later_are_read_as_their_default():
    data = rules_data(STANDARD)
    for option in ("packs", "leftover", "kitty_to"):
        del data["deck"][option]
    del data["play"]["cancel_pairs"]

    assert rules_from(data) == STANDARD


def test_cards_with_a_value_of_their_own_stand_in_deck_order():
    extra = rules(scoring={"extra": {"QS": 5, "AH": 2, "2C": 1}}).scoring.extra

    assert list(
        rules_data(rules(scoring={"extra": {"QS": 5, "AH": 2, "2C": 1}}))["scoring"]["extra"]
    ) == [
        "2C",
        "QS",
        "AH",
    ]
    assert len(extra) == 3


def test_the_eldest_opens_with_no_card_in_particular():
    table = rules(play={"opening_lead": "eldest"})

    assert rules_data(table)["derived"]["opening_card"] is None
    assert card_data(None) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"passing": {"cycle": ["sideways"]}},
        {"play": {"queen": "never"}},
        {"deck": {"remove": ["1H"]}},
        {"scoring": {"extra": {"XX": 1}}},
        {"ending": {"tie": "fight"}},
    ],
)
def test_words_that_are_no_value_of_an_option_are_refused(wrong):
    with pytest.raises(ValueError, match=r"is not a (valid|card)"):
        rules(**wrong)
