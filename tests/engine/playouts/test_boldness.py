import random

import pytest

from engine.cards import cards, code_of, codes_of, union
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
        pytest.param("2S KS 3D", "AS 4D 5D", "2S", id="low where that can do no harm"),
        pytest.param("AD AS 2S", "4D 4S", "AS", id="of two tops the one with more behind it"),
        pytest.param("AD AH QH JH", "4D 4H", "AD", id="first what others need not follow"),
        pytest.param("QD AH 2H", "KD AD 4H", "AH", id="a sure trick before an unsure one"),
        pytest.param("KS", "QS AS", "KS", id="high where others hold what is needed"),
    ],
)
def test_a_lead_takes_its_trick_or_one_without_what_is_needed_is_lost(choice, others, card):
    assert code_of(bold_lead(cards(choice), cards(others), MOON)) == card


@pytest.mark.parametrize(
    ("choice", "lies", "others", "later", "card"),
    [
        pytest.param("2D 9D KD", "5D QS", "7D", 2, "KD", id="as high as possible"),
        pytest.param("2D 9D KD", "5D QS", "7D", 0, "9D", id="as low as wins in the last place"),
        pytest.param("2D 9D", "TD QS", "7D", 1, "2D", id="the lowest under a higher card"),
        pytest.param("2D KD", "5D", "7D", 2, "KD", id="high while few are out"),
        pytest.param("2D KD", "5D", "3D 4D 6D 7D 8D", 2, "2D", id="low while many are"),
        pytest.param("2D KD", "5D", "AD", 1, "2D", id="low under one that is out"),
        pytest.param("2D KD", "5D", "7D", 0, "2D", id="low where all have played"),
        pytest.param("2S KS", "5S", "QS AS", 1, "KS", id="high where what is needed may fall"),
    ],
)
def test_it_follows_high_where_something_is_at_stake(choice, lies, others, later, card):
    beaten = 2 * cards(lies.split()[0]) - 1
    stake = MOON & cards(f"{lies} {others}")

    assert code_of(bold_follow(cards(choice), cards(others), beaten, stake, later)) == card


def test_it_follows_low_where_all_that_lies_there_has_cancelled():
    assert code_of(bold_follow(cards("2D 9D"), cards("7D AD"), 0, 0, 1)) == "2D"


@pytest.mark.parametrize(
    ("choice", "others", "card"),
    [
        pytest.param("2C QH AS", "3C 4C 5C KH", "2C", id="what would lose a later trick"),
        pytest.param("2C 2H", "3C 3H", "2C", id="nothing that the moon needs, if that is alike"),
        pytest.param("AC 2H", "3C 3H 4H 5H 6H 7H", "2H", id="what it needs but would not win"),
    ],
)
def test_it_throws_what_loses(choice, others, card):
    assert code_of(bold_throw(cards(choice), cards(others), MOON)) == card
