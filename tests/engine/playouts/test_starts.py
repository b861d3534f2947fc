import random

import pytest

from engine.cards import cards
from engine.playouts.starts import first_start, start_of, world_of
from engine.state import Passing, turn_of
from engine.view import kitty_of, view_for
from tests.engine.bots.bot_games import TABLES, short
from tests.engine.playouts.positions import positions, start_in
from tests.table import a_deal, a_new_deal, after, pass_cards, play, rules, trick


def contents(start):
    """Return everything that a start has, by name; a compiled one has no `__dict__`."""
    names = [name for name in dir(start) if not name.startswith("_")]
    return {name: getattr(start, name) for name in names}


def test_a_start_in_the_middle_of_a_trick_has_the_cards_on_the_table():
    state = a_deal(trick=trick(2, "8D KD"), seat0="2D", seat1="3D", taken=("2H", "", "", "QS 3S"))

    start = start_in(state)

    assert (start.seat, start.place, start.winner) == (0, 2, 3)
    assert (start.best, start.pile, start.suit) == (cards("KD"), cards("8D KD"), 8191 << 13)
    assert start.taken == [cards("2H"), 0, 0, cards("QS 3S")]
    assert (start.broken, start.first, start.opens) == (0, 0, 0)


def test_equal_cards_on_the_table_cancel():
    table = rules("cancellation", 5)
    state = a_deal(rules=table, trick=trick(0, "KC QC KC"), seat3="2C", seat4="3C", seat0="4C")

    start = start_in(state)

    assert (start.best, start.winner) == (cards("QC"), 1)
    assert (start.once, start.gone) == (cards("KC QC"), cards("KC"))
    assert (start.pile, start.pile_twice) == (cards("KC QC"), cards("KC"))
    assert start.played == [cards("KC"), cards("QC"), cards("KC"), 0, 0]


def test_a_trick_that_rides_lies_in_the_pile():
    table = rules("cancellation", 5)
    state = a_deal(
        rules=table,
        trick=trick(0, "KC KC QC QC"),
        seat4="7D 8D",
        seat0="2C",
        seat1="3C",
        seat2="4C",
        seat3="5C",
    )

    start = start_in(after(state, play(4, "7D")))

    assert (start.seat, start.place, start.best) == (0, 0, 0)
    assert (start.pile, start.pile_twice) == (cards("KC QC 7D"), cards("KC QC"))


@pytest.mark.parametrize(
    ("lead", "opens"), [("lowest_club", cards("2C")), ("any_club", 8191), ("eldest", 0)]
)
def test_the_first_lead_opens_as_the_rules_say(lead, opens):
    table = rules(play={"opening_lead": lead}, passing={"cycle": ["hold"]})
    state = a_new_deal(rules=table, seat0="3C", seat1="2C 5C", seat2="4C", seat3="6C")

    start = start_in(state)

    assert (start.first, start.place, start.opens) == (1, 0, opens)
    assert start.seat == turn_of(state).seats[0]
    assert contents(start) == contents(first_start(table, state.hands, 1))


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_the_first_start_is_the_one_that_the_view_shows(preset, seats):
    table = short(preset, seats)
    state = next(positions(table, random.Random(seats)))

    assert contents(start_in(state)) == contents(first_start(table, state.hands, 1))


def test_there_is_no_start_while_cards_are_passed():
    state = a_new_deal(seat0="2C 3C 4C", seat1="5C 6C 7C", seat2="8C 9C TC", seat3="JC QC KC")
    assert isinstance(state, Passing)

    with pytest.raises(AssertionError, match="waits for a pass"):
        start_of(view_for(0, state))
    passed = after(state, pass_cards(0, "2C 3C 4C"), pass_cards(1, "5C 6C 7C"))
    with pytest.raises(AssertionError, match="waits for a pass"):
        start_of(view_for(2, passed))


def test_the_kitty_is_with_its_taker_in_a_world_and_not_in_the_start():
    table = rules("kitty", 5)
    for state in positions(table, random.Random(1)):
        start, world = start_in(state), world_of(state.hands, kitty_of(state))
        taker = state.deal.kitty_taker

        assert start.kitty_seat == (-1 if taker is None else taker)
        assert world.kitty == kitty_of(state) != 0
        assert not any(taken & world.kitty for taken in start.taken)


def test_a_world_of_two_packs_has_what_a_seat_holds_twice():
    both = cards("QS") << 52 | cards("QS 2H")

    world = world_of((both, cards("3C")), both)

    assert (world.hands, world.twice) == ([cards("QS 2H"), cards("3C")], [cards("QS"), 0])
    assert (world.kitty, world.kitty_twice) == (cards("QS 2H"), cards("QS"))
