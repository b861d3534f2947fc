"""Two packs: a code names two cards, and which of the two is meant never matters."""

import random

import pytest

from engine.cards import PACK_SIZE, card, code_of, codes_of, twins, union
from engine.decide import decide
from engine.disclosure import private_part, public_part
from engine.errors import DuplicateCards
from engine.events import CardPlayed, CardsPassed, DealScored, PassCompleted
from engine.evolve import fold
from engine.playing import Trick, forbidden, legal_plays, opening, trick_winner
from engine.readable import rules_data
from engine.shuffle import NO_SEED, deal_hands, deal_order
from engine.state import Passing, Playing, situation
from engine.view import view_for
from tests.games import play_commands
from tests.table import (
    a_deal,
    a_new_deal,
    accepted,
    after,
    apart,
    hands,
    in_order,
    link,
    of_type,
    pass_cards,
    play,
    refusal,
    rules,
    step,
    to_act,
    twins_exchanged,
)

TWO_PACKS = rules(seats=8, deck={"packs": 2}, passing={"cycle": ["hold"]})
PASSING = rules(seats=8, deck={"packs": 2}, passing={"cycle": ["left"]})
FIRST, SECOND = card("QS"), card("QS") << PACK_SIZE


# The deck


def test_the_deck_is_the_pack_twice_in_a_row():
    codes = [code_of(one) for one in TWO_PACKS.deck_order]

    assert codes[:52] == codes[52:]
    assert len(set(TWO_PACKS.deck_order)) == 104
    assert TWO_PACKS.penalty_points == 52
    assert rules_data(TWO_PACKS)["derived"] == {
        "deck_size": 104,
        "hand_size": 13,
        "kitty_size": 0,
        "removed": [],
        "opening_card": "2C",
        "penalty_points": 52,
    }


def test_a_list_takes_both_twins_out():
    table = rules(seats=10, deck={"packs": 2, "remove": ["2C", "QS"]})

    codes = [code_of(one) for one in table.deck_order]
    assert len(codes) == 100
    assert not {"2C", "QS"} & set(codes)
    assert rules_data(table)["derived"]["removed"] == ["2C", "QS"]
    assert rules_data(table)["derived"]["opening_card"] == "3C"
    assert table.penalty_points == 26


def test_a_card_with_a_value_of_its_own_has_it_twice():
    table = rules(seats=8, deck={"packs": 2}, scoring={"extra": {"JD": -10}})

    assert table.points_in(twins(card("JD"))) == -20


@pytest.mark.parametrize("seats", range(5, 12))
def test_every_card_is_dealt_once(seats):
    table = rules(seats=seats, deck={"packs": 2, "leftover": "kitty"}, passing={"count": 0})
    seeds = [NO_SEED] * seats

    dealt = deal_hands(table, "11" * 32, "0" * 32, 1, seeds)

    order = deal_order(table, "11" * 32, "0" * 32, 1, seeds)
    assert sorted(order) == sorted(table.deck_order)
    assert union(dealt) | union(order[table.hand_size * seats :]) == table.cards
    assert union(dealt).bit_count() == table.hand_size * seats


# Playing


def test_a_code_plays_either_twin():
    first = a_deal(rules=TWO_PACKS, seat0="QS 2S")
    second = twins_exchanged(first, FIRST)

    for before, held in ((first, FIRST), (second, SECOND)):
        events, game = step(before, play(0, "QS"))
        assert of_type(CardPlayed, events).card == held
        assert codes_of(game.hands[0]) == ["2S"]


def test_who_holds_a_card_twice_plays_one_of_the_two():
    game = a_deal(rules=TWO_PACKS, seat0="QS QS 4D", leads=0)
    assert sorted(codes_of(game.hands[0])) == ["4D", "QS", "QS"]

    _, game = step(game, play(0, "QS"))

    assert sorted(codes_of(game.hands[0])) == ["4D", "QS"]


def test_a_card_that_is_not_held_is_refused_though_its_twin_lies_there():
    game = a_deal(rules=TWO_PACKS, trick=Trick(0, in_order("QS")), seat1="2S")

    assert refusal(game, play(1, "QS")) == "card_not_in_hand"


def test_twins_are_one_legal_move_and_one_refused_card():
    game = a_deal(rules=TWO_PACKS, trick=Trick(0, in_order("5S")), seat1="7S 7S 4D 4D 2H")

    at = situation(game, 1)

    assert codes_of(legal_plays(at)) == ["7S", "7S"]
    assert [code_of(one) for one, _ in forbidden(at)] == ["4D", "2H"]
    assert [no.code for _, no in forbidden(at)] == ["must_follow_suit"] * 2


def test_of_two_equal_cards_the_first_is_the_higher():
    trick = Trick(2, in_order("TC KD AC AC QC 2C 3C 4C"))

    assert trick_winner(trick, 8, cancel_pairs=False) == 4


def test_a_twin_of_the_second_pack_is_no_higher_than_its_rank():
    trick = Trick(0, (FIRST, card("KS"), SECOND, *in_order("2S 3S 4S 5S 6S")))

    assert trick_winner(trick, 8, cancel_pairs=False) == 1


@pytest.mark.parametrize(("deal", "opens"), [(1, 3), (2, 3), (4, 3), (5, 6), (7, 6), (8, 3)])
def test_of_two_lowest_clubs_the_first_clockwise_from_the_dealer_s_left_opens(deal, opens):
    some = apart(hands("3C", "4C", "5C", "2C 6C", "7C", "8C", "2C 9C", "TC"))

    seat, one = opening(TWO_PACKS, some, deal)

    assert (seat, code_of(one)) == (opens, "2C")
    assert one & some[opens]


def test_the_holder_of_both_lowest_clubs_opens_with_either():
    game = a_new_deal(rules=TWO_PACKS, seat1="2C 2C 5D")

    assert to_act(game) == 1
    assert accepted(game) == {"2C"}
    at = situation(game, 1)
    assert codes_of(legal_plays(at)) == ["2C", "2C"]
    assert [code_of(one) for one, _ in forbidden(at)] == ["5D"]


# Passing


def a_pass():
    return a_new_deal(
        rules=PASSING,
        **{f"seat{seat}": f"{seat + 2}C {seat + 2}D {seat + 2}S" for seat in range(1, 8)},
        seat0="QS QS 2H 4H",
    )


def test_twins_may_be_passed_together():
    events, game = step(a_pass(), pass_cards(0, "QS QS 2H"))

    assert private_part(of_type(CardsPassed, events))["0"] == {"cards": ["QS", "QS", "2H"]}
    assert codes_of(game.hands[0]) == ["4H"]


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ("QS QS QS", "duplicate_cards"),
        ("QS 2H 2H", "duplicate_cards"),
        ("QS QS 3H", "card_not_in_hand"),
        ("QS QS", "wrong_pass_count"),
    ],
)
def test_a_card_is_passed_no_more_often_than_it_is_held(codes, code):
    assert refusal(a_pass(), pass_cards(0, codes)) == code


def test_the_refusal_says_how_often_a_card_is_held():
    with pytest.raises(DuplicateCards, match="You hold QS twice"):
        decide(a_pass(), pass_cards(0, "QS QS QS"), link)
    with pytest.raises(DuplicateCards, match="You hold 2H once"):
        decide(a_pass(), pass_cards(0, "QS 2H 2H"), link)


def test_both_twins_arrive():
    game = after(a_pass(), *(pass_cards(s, f"{s + 2}C {s + 2}D {s + 2}S") for s in range(1, 8)))

    events, game = step(game, pass_cards(0, "QS 2H QS"))

    received = private_part(of_type(PassCompleted, events))["1"]["received"]
    assert received == [{"from": 0, "cards": ["QS", "QS", "2H"]}]
    assert codes_of(game.hands[1]) == ["QS", "QS", "2H"]


# Which twin is which is nobody's business


def test_nothing_that_is_said_depends_on_which_twin_is_which():
    """Fault cases 45 and 48."""
    rng = random.Random("twins")
    table = rules(
        seats=7,
        deck={"packs": 2, "leftover": "kitty"},
        passing={"cycle": ["left"]},
        ending={"target": None, "deals": 1, "tie": "share"},
    )
    state = None
    for command, events in play_commands(table, rng):
        if any(isinstance(event, DealScored) for event in events):
            break
        if isinstance(state, Passing | Playing):
            other = twins_exchanged(state, union(rng.sample(table.deck_order[:52], 26)))
            assert wires(other) == wires(state)
            assert list(map(said, decide(other, command, link))) == list(map(said, events))
        state = fold(state, events)


def wires(state):
    """Everything that anybody reads of *state* about cards."""
    views = [view_for(reader, state) for reader in range(7)]
    return [
        (
            codes_of(view.you.hand),
            codes_of(view.you.legal),
            codes_of(view.you.kitty),
            [(seat, codes_of(some)) for seat, some in view.you.passed + view.you.received],
            [codes_of(seat.taken) for seat in view.seats],
            [code_of(one) for one in view.deal.trick],
            [(code_of(one), no.code) for one, no in forbidden(situation(state, seat))]
            if isinstance(state, Playing)
            else None,
        )
        for seat, view in enumerate(views)
    ]


def said(event):
    return public_part(event), private_part(event)
