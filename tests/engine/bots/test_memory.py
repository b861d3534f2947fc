from dataclasses import replace

import pytest

from engine.bots.memory import likely_dearest, recall
from engine.cards import CLUBS, DIAMONDS, HEARTS, SPADES, card, cards, union
from engine.state import Playing
from engine.view import view_for
from tests.engine.bots.bot_games import decisions, short
from tests.table import STANDARD, a_deal, names, rules, trick

OMNIBUS = rules("omnibus")


def test_out_are_the_cards_not_held_and_not_played():
    game = a_deal(seat1="3C QS", trick=trick(0, "7D"))

    memory = recall(view_for(1, _after(game, (trick(0, "2C 4C 5C 6C"), 3))))

    assert memory.out == STANDARD.cards & ~cards("3C QS 7D 2C 4C 5C 6C")


def test_who_did_not_follow_is_void_in_the_suit_from_then_on():
    game = _after(
        a_deal(seat1="3C QS", trick=trick(0, "7D")),
        (trick(0, "2C 4C AH 6C"), 3),
        (trick(3, "9D 2H JD KS"), 1),
    )

    assert recall(view_for(1, game)).voids == (DIAMONDS, 0, CLUBS | DIAMONDS, 0)


def test_the_trick_on_the_table_shows_voids_too():
    game = a_deal(seat3="3C", trick=trick(0, "7D 8D QS"))

    assert recall(view_for(3, game)).voids == (0, 0, DIAMONDS, 0)


def test_a_passed_card_is_known_until_it_is_played():
    game = a_deal(seat1="3C", trick=trick(0, "7D"))
    view = view_for(1, _after(game, (trick(0, "KS AS 2S 3S"), 1)))
    passed = replace(view, you=replace(view.you, passed=((3, cards("QS 3S AH")),)))

    assert [names(some) for some in recall(passed).known] == [set(), set(), set(), {"QS", "AH"}]


def test_before_the_play_nothing_is_remembered():
    game = a_deal(seat0="2C 3C")

    memory = recall(view_for(0, game))

    assert memory.out == STANDARD.cards & ~cards("2C 3C")
    assert set(memory.voids) == set(memory.known) == {0}


def test_a_card_is_equally_likely_with_each_other_seat_that_may_hold_its_suit():
    game = a_deal(seat3="3C", trick=trick(0, "7D 8D 2S"))
    view = view_for(3, game)
    memory = recall(replace(view, you=replace(view.you, passed=((1, cards("QS")),))))

    assert [memory.chance(seat, card("KS")) for seat in range(3)] == [1 / 3] * 3
    assert [memory.chance(seat, card("KD")) for seat in range(3)] == [1 / 2, 1 / 2, 0]
    assert [memory.chance(seat, card("QS")) for seat in range(3)] == [0, 1, 0]
    assert [memory.holders(suit) for suit in (CLUBS, DIAMONDS, SPADES, HEARTS)] == [3, 2, 3, 3]


@pytest.mark.parametrize(
    ("some", "chance", "points"),
    [
        pytest.param("QS", 1.0, 13, id="a card that is surely there"),
        pytest.param("QS AH", 0.5, 13 / 2 + 1 / 4, id="the heart, where the queen is not"),
        pytest.param("JD KC", 1.0, 0, id="no dear card"),
        pytest.param("", 1.0, 0, id="no card"),
    ],
)
def test_the_dearest_card_of_a_seat_is_reckoned_from_the_top(some, chance, points):
    assert likely_dearest(cards(some), OMNIBUS, lambda _: chance) == points


@pytest.mark.parametrize("seats", [3, 5])
def test_what_is_remembered_is_true(seats):
    for decision in decisions(short("standard", seats), "medium"):
        if not isinstance(decision.state, Playing):
            continue
        memory, hands = recall(decision.view), decision.state.hands

        assert memory.out == union(hands) & ~hands[memory.seat]
        for seat, hand in enumerate(hands):
            if seat != memory.seat:
                assert not hand & memory.voids[seat]
                assert not memory.known[seat] & ~hand


def _after(game, *tricks):
    return replace(game, tricks=tricks)
