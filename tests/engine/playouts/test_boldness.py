import random

import pytest

from engine.cards import NO_CARDS, cards, code_of, codes_of, union
from engine.playouts import kernel
from engine.playouts.boldness import bold_follow, bold_lead, bold_throw
from engine.playouts.shapes import Playout
from engine.playouts.tables import table_of
from tests.engine.playouts.positions import played, start_in, world_in
from tests.table import STANDARD, a_deal

MOON = cards("QS") | cards("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")


def points(bold, **hands):
    """Return the points of all seats after a playout in which *bold* goes for a moon.

    Seat 0 leads; it has taken all penalties that nobody holds.
    """
    held = union(cards(hand) for hand in hands.values())
    state = a_deal(taken=(" ".join(codes_of(MOON & ~held)), "", "", ""), **hands)
    playout = Playout(table_of(state.table.rules, 0))
    kernel.play_out(playout, start_in(state), world_in(state), 0, 1, bold)
    return played(playout)


def test_who_goes_for_a_moon_takes_what_it_can():
    hands = {"seat0": "2C AC KH AH", "seat1": "3C 4C 2H 3H", "seat2": "QD 4H 5H QS"}
    hands["seat3"] = "5C 6C 6H 7H"

    assert points(0, **hands) == [0, 26, 26, 26]
    assert points(kernel.NOBODY, **hands)[0] == 26 - 13


def test_after_one_penalty_for_another_seat_it_ducks_like_the_others():
    state = a_deal(
        seat0="2C AH 3H",
        seat1="3C 2H QH",
        seat2="4C 4H 6H",
        seat3="5C 5H 7H",
        taken=("", "", "8H 2D 3D 4D", ""),
    )
    rng = random.Random(1)

    for _ in range(20):
        draw = rng.randint(1, 2**31 - 2)
        found = []
        for bold in (0, kernel.NOBODY):
            playout = Playout(table_of(STANDARD))
            kernel.play_out(playout, start_in(state), world_in(state), cards("2C"), draw, bold)
            found.append(played(playout))
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("choice", "others", "card"),
    [
        pytest.param("2D 3D KS", "4D 5D 6D AS", "KS", id="the one with the fewest above it"),
        pytest.param("AD AS 2S", "4D 4S", "AS", id="of two tops the one with more behind it"),
        pytest.param("QD 5S 4S 3S", "KD 6S 7S", "QD", id="one above weighs more than length"),
    ],
)
def test_a_lead_takes_its_trick_if_any_does(choice, others, card):
    assert code_of(bold_lead(cards(choice), cards(others))) == card


@pytest.mark.parametrize(
    ("choice", "best", "later", "card"),
    [
        pytest.param("2D 9D KD", "5D", 2, "KD", id="as high as possible while others follow"),
        pytest.param("2D 9D KD", "5D", 0, "9D", id="as low as wins in the last place"),
        pytest.param("2D 9D", "TD", 1, "2D", id="the lowest under a higher card"),
        pytest.param("2D 9D", "", 1, "9D", id="high where all that lies there has cancelled"),
    ],
)
def test_it_goes_over_what_lies_there(choice, best, later, card):
    beaten = 2 * cards(best) - 1 if best else NO_CARDS

    assert code_of(bold_follow(cards(choice), beaten, later)) == card


@pytest.mark.parametrize(
    ("choice", "others", "card"),
    [
        pytest.param("2C QH AS", "3C 4C 5C KH", "2C", id="what would lose a later trick"),
        pytest.param("2C 2H", "3C 3H", "2C", id="nothing that the moon needs, if that is alike"),
        pytest.param("AC 2H", "3C 3H", "2H", id="what it needs but would not win"),
    ],
)
def test_it_throws_what_loses(choice, others, card):
    assert code_of(bold_throw(cards(choice), cards(others), MOON)) == card
