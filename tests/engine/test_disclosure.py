"""Who may read what of an event; silence hides."""

import json
import random
import re
import typing

import pytest

from engine import events as e
from engine.cards import CODES, cards, codes_of
from engine.commands import Advice, Advised, PassCards
from engine.disclosure import hidden_seats, own_part, private_part, public_part
from engine.resuming import hands_in, position_of
from engine.state import Passing, Playing, Shooting, shown_deal
from tests.forks import a_position, states_of
from tests.games import play_game, restless_commands
from tests.table import in_order, rules

KINDS = typing.get_args(e.Event)
SECRET = {
    "hand of every seat": e.DealDealt(
        1, 3, None, 0, 0, None, (cards("2C"), cards("3D"), cards("4S"), cards("5H"))
    ),
    "pass": e.CardsPassed(1, 2, in_order("KD QH KH"), 7, None),
    "what was received": e.PassCompleted(
        1, 0, cards("2C"), (((3, cards("QC")),), ((0, cards("JD")),), (), ())
    ),
    "advice": e.HintUsed(
        1, 0, 2, 7, "hard", Advice(9, (Advised(PassCards(2, in_order("KD QH KH")), 120, 8),), "x")
    ),
    "seed with a claim": e.SeatClaimed(1, "Bea", 1, "ab" * 32),
    "seed with an update": e.SeatUpdated(2, "Cid", client_seed_given=True, client_seed="cd" * 32),
}


@pytest.mark.parametrize("event", SECRET.values(), ids=SECRET)
def test_the_public_part_has_no_secret(event):
    public = json.dumps(public_part(event))

    for part in private_part(event).values():
        assert not any(secret in public for secret in _texts(part) if secret != "2C")


def _texts(plain):
    if isinstance(plain, dict):
        return [text for value in plain.values() for text in _texts(value)]
    if isinstance(plain, list):
        return [text for value in plain for text in _texts(value)]
    return [plain] if isinstance(plain, str) else []


def test_a_hand_belongs_to_its_seat():
    parts = private_part(SECRET["hand of every seat"])

    assert own_part(parts, 2) == {"2": {"hand": ["4S"]}}
    assert own_part(parts, None) == {}
    assert hidden_seats(parts, own_part(parts, 2)) == [0, 1, 3]


def test_advice_belongs_to_who_asked_for_it():
    parts = private_part(SECRET["advice"])

    assert public_part(SECRET["advice"]) == {"deal": 1, "trick": 0, "seat": 2, "turn_id": 7}
    assert own_part(parts, 1) == own_part(parts, None) == {}
    assert hidden_seats(parts, {}) == [2]
    assert parts["2"]["ranking"] == [
        {
            "move": {"type": "pass", "cards": ["KD", "QH", "KH"]},
            "expected_hundredths": 120,
            "error_hundredths": 8,
        }
    ]


def test_a_pass_belongs_to_who_passed_in_the_order_chosen():
    parts = private_part(SECRET["pass"])

    assert parts == {"2": {"cards": ["KD", "QH", "KH"]}}
    assert own_part(parts, 1) == {}


def test_what_was_received_belongs_to_the_receiver():
    parts = private_part(SECRET["what was received"])

    assert own_part(parts, 1) == {"1": {"received": [{"from": 0, "cards": ["JD"]}]}}
    assert public_part(SECRET["what was received"]) == {
        "deal": 1,
        "leader": 0,
        "opening_card": "2C",
    }


@pytest.mark.parametrize("kind", [Passing, Playing, Shooting])
def test_of_a_position_a_seat_reads_its_own_cards_and_what_lay_on_the_table(kind):
    position = position_of(a_position(kind))
    event = e.PositionSet(position)
    parts, public = private_part(event), json.dumps(public_part(event))
    seen = set(_texts(public_part(event)))

    for seat, hand in enumerate(hands_in(position)):
        assert own_part(parts, seat)[str(seat)]["hand"] == codes_of(hand)
        assert own_part(parts, seat).keys() == {str(seat)}
        assert not seen & set(codes_of(hand)), public
    assert hidden_seats(parts, {}) == [0, 1, 2, 3]


@pytest.mark.parametrize("taken", [False, True])
def test_of_a_kitty_in_a_position_only_its_taker_reads(taken):
    made = rules("kitty", seats=3)
    states = states_of(made, random.Random(2))
    state = next(one for one in states if (shown_deal(one).deal.kitty_taker is not None) == taken)
    position = position_of(state)
    parts = private_part(e.PositionSet(position))
    kitty = codes_of(position.kitty)

    assert kitty
    assert parts.get("table") == (None if taken else {"kitty": kitty})
    for seat in range(3):
        own = kitty if seat == position.kitty_taker else None
        assert parts[str(seat)]["kitty"] == own
    assert public_part(e.PositionSet(position))["kitty"]["size"] == len(kitty)


def test_others_know_only_that_a_seed_was_given():
    claimed = SECRET["seed with a claim"]

    assert public_part(claimed)["client_seed_given"] is True
    assert own_part(private_part(claimed), 1) == {"1": {"client_seed": "ab" * 32}}
    assert private_part(e.SeatClaimed(1, "Bea", 1, None)) == {}


def test_nobody_reads_the_part_of_the_server():
    """Fault case 47."""
    created = e.GameCreated(rules(), (), "ab" * 32, 1, "nonce", "key")
    parts = private_part(created)

    assert parts == {"server": {"nonce": "nonce", "key_id": "key"}}
    assert own_part(parts, 0) == own_part(parts, None) == {}
    assert own_part(parts, None, everything=True) == {}
    assert hidden_seats(parts, {}) == []


def test_an_open_event_is_read_whole():
    parts = private_part(SECRET["hand of every seat"])

    assert own_part(parts, None, everything=True) == parts
    assert hidden_seats(parts, parts) == []


def test_no_link_is_shown_before_its_deal_is_over(rng):
    """Fault case 47."""
    events = play_game(rules(ending={"target": None, "deals": 2}), rng)
    links = {event.deal: event.opened.seed for event in events if isinstance(event, e.DealScored)}

    for event in events:
        text = json.dumps([public_part(event), private_part(event)])
        shown = {deal for deal, link in links.items() if link in text}
        assert shown == ({event.deal} if isinstance(event, e.DealScored) else set())


def test_every_event_of_a_game_is_plain_and_says_who_reads_it(rng):
    events = play_game(rules(ending={"target": None, "deals": 5}), rng)

    for event in events:
        parts = private_part(event)
        assert json.loads(json.dumps(public_part(event))) == public_part(event)
        assert json.loads(json.dumps(dict(parts))) == parts
        assert all(re.fullmatch(r"\d|table|server", owner) for owner in parts)


def test_every_event_of_a_restless_game_is_plain_and_says_who_reads_it(rng):
    seen = set()
    for _ in range(20):
        for _, events in restless_commands(rules(ending={"target": None, "deals": 1}), rng):
            for event in events:
                parts = private_part(event)
                assert json.loads(json.dumps(public_part(event))) == public_part(event)
                assert all(re.fullmatch(r"\d|server", owner) for owner in parts)
                seen.add(type(event))

    rare = {e.KittyTaken, e.PositionSet, e.MoonShot, e.MoonChosen, e.DealVoided, e.GameAborted}
    rare |= {e.TurnTimedOut, e.TurnExtended, e.HintUsed}
    assert seen >= set(KINDS) - rare


def test_who_changes_hands_is_said_by_kind():
    to_bot = public_part(e.ControlChanged(1, "easy", "kicked"))
    to_human = public_part(e.ControlChanged(1, None, "reissued"))

    assert (to_bot["from"], to_bot["to"], to_bot["level"]) == ("human", "bot", "easy")
    assert (to_human["from"], to_human["to"], to_human["level"]) == ("bot", "human", None)


def test_every_kind_of_event_is_told_apart():
    assert len(set(KINDS)) == len(KINDS) == 28


def test_cards_are_written_as_codes(rng):
    played = next(event for event in play_game(rules(), rng) if isinstance(event, e.CardPlayed))

    assert public_part(played)["card"] in CODES
