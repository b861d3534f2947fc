"""The presets: what each differs in, and who can play it."""

import pytest

from engine.cards import RANKS, SUITS, card
from engine.conflicts import check_rules
from engine.errors import RulesConflict
from engine.presets import DEFAULT_PRESET, PRESETS, preset_rules
from engine.readable import rules_data
from tests.table import rules

UNRESTRICTED = {
    "opening_lead": "eldest",
    "first_trick_points": "allowed",
    "hearts_lead": "any_time",
}
DIFFERENCES = {
    "standard": {},
    "online": {"play": {"hearts_broken_by": "heart"}, "scoring": {"moon": "others_add"}},
    "microsoft": {"play": {"hearts_broken_by": "heart"}, "scoring": {"moon": "others_add"}},
    "bicycle": {"scoring": {"moon": "others_add"}},
    "pagat": {"play": {"hearts_broken_by": "heart", "first_trick_points": "allowed"}},
    "omnibus": {"scoring": {"extra": {"JD": -10}}},
    "omnibus_bicycle": {
        "scoring": {
            "extra": {"TD": -10},
            "moon": "self_subtract",
            "moon_points": 26,
            "moon_needs": "counters",
            "moon_absorbs_bonus": True,
        }
    },
    "spot": {"scoring": {"hearts": "rank", "queen_of_spades": 25}, "ending": {"target": 500}},
    "black_maria": {
        "passing": {"cycle": ["right"]},
        "play": UNRESTRICTED,
        "scoring": {"extra": {"KS": 10, "AS": 7}, "moon": "off"},
    },
    "plain": {
        "passing": {"cycle": ["hold"]},
        "play": UNRESTRICTED,
        "scoring": {"queen_of_spades": 0, "moon": "off"},
    },
    "new_moon": {"scoring": {"moon": "self_subtract", "sun_points": 52}},
    "cancellation": {
        "deck": {"packs": 2, "leftover": "kitty"},
        "passing": {"cycle": ["hold"]},
        "play": {"opening_lead": "eldest", "cancel_pairs": True},
    },
    "kitty": {"deck": {"remove": "none", "leftover": "kitty"}},
    "reverse": {
        "deck": {"remove": ["TC", "TD", "TS", "TH"]},
        "passing": {"cycle": ["hold"]},
        "play": UNRESTRICTED,
        "scoring": {
            "hearts": {"J": 1, "Q": 2, "K": 3, "A": 4},
            "queen_of_spades": 2,
            "extra": {
                f"{rank}{suit}": points
                for suit in "CDS"
                for rank, points in {"J": 1, "Q": 2, "K": 3, "A": 4}.items()
                if rank + suit != "QS"
            },
            "moon": "others_add",
            "moon_points": 40,
            "moon_needs": "tricks",
        },
    },
}
EVERYWHERE = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


def test_these_are_the_presets():
    assert list(PRESETS) == list(DIFFERENCES)
    assert DEFAULT_PRESET == "standard"


@pytest.mark.parametrize("name", PRESETS)
def test_a_table_that_says_nothing_of_its_seats_has_the_usual_ones(name):
    usual = {"kitty": 5, "cancellation": 6}

    assert PRESETS[name].usual_seats == usual.get(name, 4)
    assert PRESETS[name].usual_seats in PRESETS[name].seats


@pytest.mark.parametrize(("name", "options"), DIFFERENCES.items(), ids=DIFFERENCES)
def test_a_preset_differs_from_standard_in_this_alone(name, options):
    seats = PRESETS[name].usual_seats
    assert preset_rules(name, seats) == _standard_with(name, seats, options)


def _standard_with(name, seats, options):
    standard = rules("standard", seats, **options)
    return type(standard)(
        **{
            field: getattr(standard, field)
            for field in ("seats", "deck", "passing", "play", "scoring", "ending", "reveal")
        },
        preset=name,
    )


@pytest.mark.parametrize(("name", "seats"), EVERYWHERE)
def test_each_preset_stands_at_each_of_its_tables(name, seats):
    """Fault case 20."""
    table = preset_rules(name, seats)

    check_rules(table)

    assert table.hand_size * seats + table.kitty_size == len(table.deck_order)
    assert name in {"kitty", "cancellation"} or not table.kitty_size
    assert table.preset == name


@pytest.mark.parametrize(("name", "seats"), EVERYWHERE)
def test_each_deck_keeps_every_penalty_point(name, seats):
    """Fault case 20."""
    sums = {"spot": 129, "black_maria": 43, "plain": 13, "reverse": 40, "cancellation": 52}

    assert preset_rules(name, seats).penalty_points == sums.get(name, 26)


def test_three_seats_of_black_maria_drop_the_two_of_clubs():
    assert rules_data(preset_rules("black_maria", 3))["derived"]["removed"] == ["2C"]
    assert rules_data(preset_rules("black_maria", 5))["derived"]["removed"] == ["2C", "2D"]


@pytest.mark.parametrize("seats", [2, 12])
@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_takes_fewer_than_three_or_more_than_eleven(name, seats):
    with pytest.raises(RulesConflict, match=f"not {seats}") as conflict:
        preset_rules(name, seats)

    assert conflict.value.fields == ("/preset", "/seats")


@pytest.mark.parametrize(("seats", "hand", "kitty"), [(3, 17, 1), (5, 10, 2), (6, 8, 4), (7, 7, 3)])
def test_the_kitty_has_what_does_not_deal_evenly(seats, hand, kitty):
    derived = rules_data(preset_rules("kitty", seats))["derived"]

    assert (derived["hand_size"], derived["kitty_size"]) == (hand, kitty)
    assert (derived["deck_size"], derived["removed"]) == (52, [])
    assert derived["opening_card"] is None, "the kitty may hold a lower club"


@pytest.mark.parametrize(
    ("seats", "hand", "widow"),
    [(5, 20, 4), (6, 17, 2), (7, 14, 6), (8, 13, 0), (9, 11, 5), (10, 10, 4), (11, 9, 5)],
)
def test_cancellation_deals_as_far_as_the_cards_go(seats, hand, widow):
    derived = rules_data(preset_rules("cancellation", seats))["derived"]

    assert (derived["hand_size"], derived["kitty_size"]) == (hand, widow)
    assert (derived["deck_size"], derived["opening_card"]) == (104, None)


@pytest.mark.parametrize("seats", [8, 11])
@pytest.mark.parametrize("name", [name for name in PRESETS if name != "cancellation"])
def test_cancellation_alone_seats_more_than_seven(name, seats):
    with pytest.raises(RulesConflict):
        preset_rules(name, seats)


@pytest.mark.parametrize("seats", [3, 4])
def test_cancellation_needs_five(seats):
    with pytest.raises(RulesConflict, match=f"played by 5 to 11, not {seats}"):
        preset_rules("cancellation", seats)


def test_four_seats_have_no_kitty():
    with pytest.raises(RulesConflict, match="kitty is played by 3, 5, 6, 7, not 4"):
        preset_rules("kitty", 4)


@pytest.mark.parametrize("seats", [3, 5, 6, 7])
@pytest.mark.parametrize("name", ["online", "reverse"])
def test_online_and_reverse_are_for_four(name, seats):
    with pytest.raises(RulesConflict, match=f"{name} is played by 4, not {seats}") as conflict:
        preset_rules(name, seats)

    assert conflict.value.fields == ("/preset", "/seats")


def test_every_honour_of_reverse_counts_alike():
    plain = preset_rules("reverse", 4)

    worth = {rank: {plain.points.get(card(rank + suit), 0) for suit in SUITS} for rank in RANKS}
    assert worth == {rank: {"JQKA".find(rank) + 1} for rank in RANKS if rank != "T"} | {"T": {0}}
    assert (len(plain.deck_order), plain.hand_size) == (48, 12)


def test_an_unknown_preset_is_a_key_error():
    with pytest.raises(KeyError):
        preset_rules("klaverjas", 4)
