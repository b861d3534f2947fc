import pytest
from hypothesis import given as for_any

from engine.presets import PRESETS, preset_rules
from engine.readable import rules_data
from service.rule_texts import differences, options, text
from tests.strategies import valid_rules
from tests.table import rules

TABLES = [preset_rules(name, seats) for name, one in PRESETS.items() for seats in one.seats]


def told(option, given):
    (found,) = (one.text for one in options(given) if one.option == option)
    return found


@pytest.mark.parametrize("given", TABLES, ids=lambda one: f"{one.preset} {one.seats}")
def test_every_option_has_its_value_and_a_sentence(given):
    found = {one.option: one for one in options(given)}
    data = rules_data(given)

    for about in ("deck", "passing", "play", "scoring", "ending"):
        for name, value in data[about].items():
            assert found.pop(f"{about}.{name}").value == value
    assert found.keys() == {"seats", "reveal"}


@for_any(valid_rules())
def test_a_sentence_is_whole_and_a_text_is_short(given):
    for one in options(given):
        assert one.text[0].isupper() or one.text[0].isdigit()
        assert one.text[-1] == "."
        assert not {"{", "}", "_"} & set(one.text)
        assert len(one.text) <= 2_500
    assert 0 < len(text(given)) <= 10_000


def test_cards_and_points_are_named():
    given = rules("standard", deck={"remove": ["TC", "2D"]}, scoring={"extra": {"JD": -10}})

    assert told("deck.remove", given) == "Left out: the ten of clubs and the two of diamonds."
    assert told("scoring.extra", given).endswith(": the jack of diamonds -10.")
    assert told("scoring.moon_points", given).endswith("here 26.")


def test_a_player_is_not_told_what_is_without_effect():
    plain, standard = text(preset_rules("plain", 4)), text(preset_rules("standard", 4))

    assert "queen" in standard.lower()
    assert plain.lower().count("queen") == 1  # that she is a card like any other
    assert "No cards are passed." in plain
    assert "Before the first trick" not in plain
    assert "moon" in standard
    assert plain.count("moon") == 1  # that there is none


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_standard_hearts_differs_from_itself_in_nothing(seats):
    assert differences(preset_rules("standard", seats)) == []


def test_what_differs_is_told_with_the_usual_value():
    (found,) = differences(preset_rules("bicycle", 5))

    assert (found.option, found.value, found.usual) == (
        "scoring.moon",
        "others_add",
        "shooter_choice",
    )
    assert found.text == "If a seat shoots the moon, every other seat scores its points."
