"""Passing: directions, refusals, and who sees what when: docs/rules.md, section 6."""

import pytest

from engine.cards import cards, code_of
from engine.decide import decide
from engine.errors import RulesConflict
from engine.events import CardsPassed, DealDealt, PassCompleted
from engine.passing import direction_of, pass_size, pass_targets
from engine.rules import Direction
from engine.state import Passing, Playing, turn_of
from engine.view import view_for
from tests.games import play_game
from tests.table import (
    STANDARD,
    a_new_deal,
    after,
    create,
    link,
    names,
    of_type,
    pass_cards,
    play,
    refusal,
    rules,
    step,
)


def a_pass(**more):
    return a_new_deal(
        seat0="2C 3C 4C 5C 6C",
        seat1="2D 3D 4D 5D 6D",
        seat2="2S 3S 4S 5S QS",
        seat3="2H 3H 4H 5H",
        **more,
    )


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        (4, "left right across hold left right across hold"),
        (3, "left right left right"),
        (5, "left right left right"),
        (6, "left right left right"),
        (7, "left right left right"),
    ],
)
def test_the_usual_directions(seats, words):
    """Fault case 14."""
    table = rules(seats=seats)

    directions = [direction_of(table, deal) for deal in range(1, len(words.split()) + 1)]

    assert directions == words.split()


def test_whole_games_follow_the_directions(rng):
    """Fault case 14, in the events of a game."""
    events = play_game(rules(ending={"target": None, "deals": 6}), rng)

    dealt = [event for event in events if isinstance(event, DealDealt)][:6]
    words = "left right across hold left right"
    assert [event.direction for event in dealt] == words.split()
    assert [event.pass_count for event in dealt] == [3, 3, 3, 0, 3, 3]
    assert [event.leader is None for event in dealt] == [True, True, True, False, True, True]


@pytest.mark.parametrize(
    ("direction", "seats", "targets"),
    [
        ("left", 4, [1, 2, 3, 0]),
        ("right", 4, [3, 0, 1, 2]),
        ("across", 4, [2, 3, 0, 1]),
        ("across", 6, [3, 4, 5, 0, 1, 2]),
        ("left2", 5, [2, 3, 4, 0, 1]),
        ("right2", 5, [3, 4, 0, 1, 2]),
        ("left", 3, [1, 2, 0]),
        ("right", 7, [6, 0, 1, 2, 3, 4, 5]),
    ],
)
def test_where_cards_go(direction, seats, targets):
    assert [pass_targets(Direction(direction), seat, seats) for seat in range(seats)] == [
        (target,) for target in targets
    ]


def test_nothing_goes_anywhere_where_cards_are_held():
    assert pass_targets(Direction.HOLD, 0, 4) == ()


def test_scatter_gives_one_card_to_each_opponent_in_the_order_named():
    game = a_new_deal(
        rules=rules(seats=3, passing={"cycle": ["scatter"], "count": 1}),
        seat0="3C 4C 5C",
        seat1="3D 4D 5D",
        seat2="3S 4S 5S",
    )
    passes = [pass_cards(0, "5C 3C"), pass_cards(1, "3D 4D"), pass_cards(2, "4S 3S")]

    game = after(game, *passes)

    assert [names(hand) for hand in game.hands] == [
        {"4C", "4D", "4S"},
        {"5D", "5C", "3S"},
        {"5S", "3C", "3D"},
    ]


def test_cards_arrive_when_all_have_passed():
    passes = [pass_cards(0, "2C 3C 4C"), pass_cards(2, "2S 3S 4S"), pass_cards(3, "2H 3H 4H")]

    before = after(a_pass(), *passes)
    events, game = step(before, pass_cards(1, "2D 3D 4D"))

    assert isinstance(before, Passing)
    assert [type(event) for event in events] == [CardsPassed, PassCompleted]
    assert isinstance(game, Playing)
    assert names(game.hands[1]) == {"5D", "6D", "2C", "3C", "4C"}
    assert of_type(PassCompleted, events).received == (
        ((3, cards("2H 3H 4H")),),
        ((0, cards("2C 3C 4C")),),
        ((1, cards("2D 3D 4D")),),
        ((2, cards("2S 3S 4S")),),
    )


def test_a_pass_is_told_in_deck_order():
    events, game = step(a_pass(), pass_cards(2, "4S 2S 3S"))

    assert [code_of(one) for one in of_type(CardsPassed, events).cards] == ["2S", "3S", "4S"]
    assert game.passed[2] == of_type(CardsPassed, events).cards


def test_scatter_is_told_in_the_order_that_says_who_gets_what():
    game = a_new_deal(
        rules=rules(seats=3, passing={"cycle": ["scatter"], "count": 1}),
        seat0="3C 4C 5C",
        seat1="3D 4D 5D",
        seat2="3S 4S 5S",
    )

    events, _ = step(game, pass_cards(0, "5C 3C"))

    assert [code_of(one) for one in of_type(CardsPassed, events).cards] == ["5C", "3C"]


def test_seats_pass_in_any_order_in_one_turn():
    game = a_pass()

    passed = after(game, pass_cards(2, "2S 3S 4S"))

    assert turn_of(passed).seats == (0, 1, 3)
    assert turn_of(passed).id == turn_of(game).id


REFUSED = {
    "two cards": ("2C 3C", "wrong_pass_count"),
    "four cards": ("2C 3C 4C 5C", "wrong_pass_count"),
    "no card": ("", "wrong_pass_count"),
    "one card": ("2C", "wrong_pass_count"),
    "a card twice": ("2C 2C 3C", "duplicate_cards"),
    "the same card only": ("2C 2C 2C", "duplicate_cards"),
    "a card not held": ("2C 3C QS", "card_not_in_hand"),
    "a card not held, twice": ("2C QS QS", "card_not_in_hand"),
}


@pytest.mark.parametrize(("codes", "code"), REFUSED.values(), ids=REFUSED)
def test_a_pass_that_does_not_fit_is_refused(codes, code):
    """Fault cases 11 and 12."""
    assert refusal(a_pass(), pass_cards(0, codes)) == code


def test_the_whole_hand_is_no_pass():
    """Fault case 11."""
    whole = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"

    assert refusal(a_new_deal(seat0=whole), pass_cards(0, whole)) == "wrong_pass_count"


def test_the_count_of_the_rules_is_accepted():
    """Fault case 11."""
    game = a_pass(rules=rules(passing={"count": 4}))

    assert refusal(game, pass_cards(0, "2C 3C 4C")) == "wrong_pass_count"
    assert refusal(game, pass_cards(0, "2C 3C 4C 5C")) is None


def test_a_second_pass_is_refused():
    game = after(a_pass(), pass_cards(0, "2C 3C 4C"))

    assert refusal(game, pass_cards(0, "5C 6C 2C")) == "not_your_turn"
    assert refusal(game, pass_cards(0, "2C 3C 4C")) == "not_your_turn"


@pytest.mark.parametrize(
    ("some", "deal"),
    [
        pytest.param(STANDARD, 4, id="hold deal"),
        pytest.param(rules(passing={"cycle": ["hold"]}), 1, id="hold always"),
        pytest.param(rules(passing={"count": 0}), 1, id="no cards"),
    ],
)
def test_a_pass_where_nothing_is_passed_is_refused(some, deal):
    assert refusal(a_pass(rules=some, deal=deal), pass_cards(0, "2C 3C 4C")) == "wrong_phase"


def test_a_play_during_the_pass_is_refused():
    assert refusal(a_pass(), play(0, "2C")) == "wrong_phase"


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_nobody_sits_across_at_an_odd_table(seats):
    with pytest.raises(RulesConflict) as conflict:
        decide(None, create(rules(seats=seats, passing={"cycle": ["left", "across"]})), link)

    assert conflict.value.fields == ("/passing/cycle", "/seats")


def test_nothing_received_is_seen_before_the_last_pass_is_in():
    """Fault case 52, and three seats passing left."""
    game = a_new_deal(
        rules=rules(seats=3), seat0="3C 4C 5C 6C", seat1="3D 4D 5D 6D", seat2="3S 4S 5S 6S"
    )
    before = after(game, pass_cards(0, "3C 4C 5C"), pass_cards(1, "3D 4D 5D"))

    views = [view_for(seat, before) for seat in range(3)]

    assert [view.you.received for view in views] == [(), (), ()]
    assert [names(view.you.hand) for view in views] == [{"6C"}, {"6D"}, {"3S", "4S", "5S", "6S"}]
    assert [seat.has_passed for seat in views[2].seats] == [True, True, False]

    done = after(before, pass_cards(2, "3S 4S 5S"))

    assert [view_for(seat, done).you.received for seat in range(3)] == [
        ((2, cards("3S 4S 5S")),),
        ((0, cards("3C 4C 5C")),),
        ((1, cards("3D 4D 5D")),),
    ]


@pytest.mark.parametrize(
    ("options", "direction", "size"),
    [
        ({"count": 2, "cycle": ["left"]}, "left", 2),
        ({"count": 2, "cycle": ["scatter"]}, "scatter", 3),
        ({"count": 0, "cycle": ["scatter"]}, "scatter", 3),
        ({"count": 0, "cycle": ["left"]}, None, 0),
        ({"count": 0, "cycle": ["hold"]}, "hold", 0),
        ({"count": 2, "cycle": ["hold"]}, "hold", 0),
    ],
)
def test_how_many_cards_go_where(options, direction, size):
    some = rules(passing=options)

    assert direction_of(some, 1) == direction
    assert pass_size(some, direction_of(some, 1)) == size


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_every_pass_of_a_game_is_of_distinct_cards_from_the_hand(seats, rng):
    """Fault case 16."""
    dealt = None
    for event in play_game(rules(seats=seats, ending={"target": None, "deals": 4}), rng):
        if isinstance(event, DealDealt):
            dealt = event
        if isinstance(event, CardsPassed):
            hand = dealt.hands[event.seat]
            assert len(set(event.cards)) == dealt.pass_count == 3
            assert all(one & hand for one in event.cards)
