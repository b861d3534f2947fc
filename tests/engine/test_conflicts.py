"""Options that contradict each other or exceed their bounds: docs/rules.md, section 3."""

import pytest

from engine.cards import CODES
from engine.conflicts import check_rules
from engine.decide import decide
from engine.errors import RulesConflict
from engine.rules import Deck, Rules
from tests.table import create, link, rules

CONFLICTS = {
    "across at an odd table": (
        rules(seats=5, passing={"cycle": ["left", "across"]}),
        ("/passing/cycle", "/seats"),
        "across at a table of 5",
    ),
    "second left of four": (
        rules(passing={"cycle": ["left2"]}),
        ("/passing/cycle", "/seats"),
        "left2 needs 5 seats",
    ),
    "second right of three": (
        rules(seats=3, passing={"cycle": ["left", "right2"]}),
        ("/passing/cycle", "/seats"),
        "right2 needs 5 seats",
    ),
    "scatter from a small hand": (
        rules(deck={"remove": list(CODES[8:])}, passing={"cycle": ["scatter"], "count": 0}),
        ("/passing/cycle", "/seats", "/deck/remove"),
        "3 cards does not fit a hand of 2",
    ),
    "more cards than a hand": (
        rules(seats=7, passing={"count": 8}),
        ("/passing/count", "/seats", "/deck/remove"),
        "8 cards does not fit a hand of 7",
    ),
    "more cards than a small deck gives": (
        rules(deck={"remove": list(CODES[8:])}),
        ("/passing/count", "/seats", "/deck/remove"),
        "3 cards does not fit a hand of 2",
    ),
    "a sun without a moon": (
        rules(scoring={"moon": "off", "sun_points": 52}),
        ("/scoring/sun_points", "/scoring/moon"),
        "sun follows the direction of the moon",
    ),
    "no end": (
        rules(ending={"target": None}),
        ("/ending/target", "/ending/deals"),
        "at a target or after a number of deals",
    ),
    "a full pack at a table of five": (
        rules(seats=5, deck={"remove": "none"}),
        ("/deck/leftover", "/deck/remove", "/seats"),
        "52 cards do not deal evenly to 5 seats",
    ),
    "a list that leaves an uneven deck": (
        rules(deck={"remove": ["2C"]}),
        ("/deck/leftover", "/deck/remove", "/seats"),
        "51 cards do not deal evenly to 4 seats",
    ),
    "a kitty alone": (
        rules("kitty", 5, deck={"remove": list(CODES[3:])}, passing={"count": 0}),
        ("/deck/remove", "/seats"),
        "not a card for every seat",
    ),
    "two packs that leave a card": (
        rules(seats=5, deck={"packs": 2}),
        ("/deck/leftover", "/deck/remove", "/seats"),
        "104 cards do not deal evenly to 5 seats",
    ),
    "pairs in one pack": (
        rules(play={"cancel_pairs": True}),
        ("/play/cancel_pairs", "/deck/packs"),
        "no pairs to cancel",
    ),
    "no card left": (
        rules(deck={"remove": list(CODES)}),
        ("/deck/remove", "/seats"),
        "not a card for every seat",
    ),
}


@pytest.mark.parametrize(("some", "fields", "words"), CONFLICTS.values(), ids=CONFLICTS)
def test_a_contradiction_is_refused_and_names_both_sides(some, fields, words):
    with pytest.raises(RulesConflict, match=words) as conflict:
        check_rules(some)

    assert conflict.value.fields == fields
    assert conflict.value.code == "rules_conflict"


@pytest.mark.parametrize("some", [some for some, *_ in CONFLICTS.values()], ids=CONFLICTS)
def test_no_game_is_created_with_a_contradiction(some):
    with pytest.raises(RulesConflict):
        decide(None, create(some), link)


BOUNDS = {
    "/scoring/queen_of_spades": [({"scoring": {"queen_of_spades": n}}, n) for n in (-1, 1001)],
    "/scoring/no_trick": [({"scoring": {"no_trick": n}}, n) for n in (1, -1001)],
    "/scoring/moon_points": [({"scoring": {"moon_points": n}}, n) for n in (-1001, 1001)],
    "/scoring/sun_points": [({"scoring": {"sun_points": n}}, n) for n in (-1001, 1001)],
    "/scoring/extra": [({"scoring": {"extra": {"JD": n}}}, n) for n in (-1001, 1001)],
    "/scoring/hearts": [({"scoring": {"hearts": {"A": n}}}, n) for n in (-1001, 1001)],
    "/ending/target": [({"ending": {"target": n}}, n) for n in (0, -1, 100_001)],
    "/ending/deals": [({"ending": {"deals": n}}, n) for n in (0, 257)],
    "/passing/count": [({"passing": {"count": n}}, n) for n in (-1,)],
    "/passing/cycle": [({"passing": {"cycle": ["left"] * n}}, n) for n in (0, 13)],
}
OUTSIDE = [(field, *case) for field, cases in BOUNDS.items() for case in cases]


@pytest.mark.parametrize(("field", "options", "value"), OUTSIDE)
def test_a_value_out_of_bounds_is_refused(field, options, value):
    with pytest.raises(RulesConflict, match=f"{field} is out of bounds: {value}") as conflict:
        check_rules(rules(**options))

    assert conflict.value.fields == (field,)


@pytest.mark.parametrize(
    "options",
    [
        {"scoring": {"queen_of_spades": 0}},
        {"scoring": {"queen_of_spades": 1000, "no_trick": -1000, "extra": {"JD": -1000}}},
        {"scoring": {"hearts": {"A": 1000, "2": -1000}, "moon_points": -1000, "sun_points": 1000}},
        {"ending": {"target": 1}},
        {"ending": {"target": 100_000, "deals": 256}},
        {"ending": {"target": None, "deals": 1}},
        {"passing": {"count": 13}},
        {"passing": {"count": 0}},
        {"passing": {"cycle": ["across"] * 12}},
        {"passing": {"cycle": ["scatter"]}},
        {"deck": {"remove": list(CODES[4:])}, "passing": {"count": 1}},
        {"deck": {"remove": list(CODES[7:]), "leftover": "kitty"}, "passing": {"count": 1}},
        {"deck": {"leftover": "kitty", "kitty_to": "last_trick"}},
    ],
)
def test_values_at_their_bounds_are_played(options):
    check_rules(rules(**options))


@pytest.mark.parametrize("direction", ["left2", "right2"])
@pytest.mark.parametrize("seats", [5, 6, 7])
def test_second_neighbours_sit_at_tables_of_five_and_more(direction, seats):
    check_rules(rules(seats=seats, passing={"cycle": [direction]}))


@pytest.mark.parametrize("seats", [-1, 0, 2, 8, 11])
def test_one_pack_seats_three_to_seven(seats):
    with pytest.raises(RulesConflict, match=f"One pack seats 3 to 7, not {seats}") as conflict:
        check_rules(Rules(seats=seats))

    assert conflict.value.fields == ("/deck/packs", "/seats")


@pytest.mark.parametrize("seats", [3, 4, 12])
def test_two_packs_seat_five_to_eleven(seats):
    with pytest.raises(RulesConflict, match=f"Two packs seat 5 to 11, not {seats}") as conflict:
        check_rules(Rules(seats=seats, deck=Deck(packs=2)))

    assert conflict.value.fields == ("/deck/packs", "/seats")


@pytest.mark.parametrize("packs", [0, 3])
def test_there_are_one_or_two_packs(packs):
    with pytest.raises(RulesConflict, match=f"/deck/packs is out of bounds: {packs}"):
        check_rules(Rules(deck=Deck(packs=packs)))


@pytest.mark.parametrize("seats", range(5, 12))
def test_two_packs_are_played_with_what_is_left_as_a_kitty(seats):
    table = rules(seats=seats, deck={"packs": 2, "leftover": "kitty"}, passing={"cycle": ["left"]})

    check_rules(table)

    assert table.hand_size * seats + table.kitty_size == 104


@pytest.mark.parametrize("seats", [3, 5])
def test_a_plan_with_other_seats_than_the_rules_is_a_fault_of_who_made_it(seats):
    command = create(rules(seats=4), seats=create(rules(seats=seats)).seats)

    with pytest.raises(AssertionError, match="the seats of its rules"):
        decide(None, command, link)
