"""Moves over HTTP: what is accepted, what is refused with which code, and what a refusal shows."""

import random

import pytest

from tests.proofs import DECK
from tests.tables import (
    BOT,
    HUMAN,
    SHORT,
    full_table,
    new_key,
    open_table,
    playing_table,
    started_table,
)

PLAY = {"type": "play", "card": "QS"}
PASS = {"type": "pass", "cards": ["QS", "2H", "3H"]}
MOON = {"type": "moon", "choice": "others_add"}


@pytest.fixture
def table(api):
    """A table whose first card is to be led."""
    return playing_table(api)


def actor(table):
    return table.state()["turn"]["seats"][0]


def held(table, seat):
    return table.state(seat)["you"]["hand"]


def test_a_move_is_answered_with_what_it_did_and_the_next_turn(table):
    seat = actor(table)
    before = table.version
    answer = table.move(seat, table.a_move(seat), expect=201)

    (event,) = answer.json["events"]
    assert (event["type"], event["seq"]) == ("card.played", before + 1)
    assert answer.headers["Location"] == f"{table.path}/events/{before + 1}"
    assert answer.headers["ETag"] == f'"{before + 1}-s{seat}"'
    assert "Idempotency-Replayed" not in answer.headers
    assert answer.json["turn"] == table.state()["turn"]
    assert answer.json["turn"]["seats"] == [(seat + 1) % 4]


def test_a_legal_move_can_be_sent_back_as_it_was_offered(table):
    seat = actor(table)
    (offer,) = table.ask("GET", "/legal-moves", seat, expect=200).json["moves"]

    table.move(seat, offer, expect=201)


def test_the_last_card_of_a_game_ends_it_for_every_reader(api):
    """Fault cases 31 and 80."""
    # A moon by chance would wait for its shooter.
    table = playing_table(api, rules={**SHORT, "scoring": {"moon": "off"}})
    turn = table.play(until=lambda _: sum(s["hand_size"] for s in table.state()["seats"]) == 1)
    seat = turn["seats"][0]
    answer = table.move(seat, table.a_move(seat), expect=201).json

    state = table.state()
    assert answer["turn"] is None
    assert [one["type"] for one in answer["events"]][-2:] == ["deal.scored", "game.finished"]
    assert state["version"] == answer["version"]
    assert state["status"] == "finished"
    finished, scored = answer["events"][-1]["data"], answer["events"][-2]["data"]
    assert state["result"]["totals"] == finished["totals"] == scored["totals"]
    (line,) = api.ask("GET", "/v1/games", expect=200).json["items"]
    assert (line["status"], line["version"]) == ("finished", answer["version"])
    page = table.ask("GET", f"/events?after={answer['version'] - 1}&wait=20", expect=200).json
    assert page["complete"]
    assert page["items"] == [{**answer["events"][-1]}]


# The phase


def test_no_move_before_the_start(api):
    """Fault cases 9 and 151."""
    table = full_table(api)
    for move in (PLAY, PASS, MOON):
        answer = table.move(0, move, expect=(409, "game_not_started"))
        assert answer.json["game_status"] == "lobby"
        table.move(0, {**move, "turn_id": 5}, expect=(409, "game_not_started"))
    assert table.version == 5


def test_no_move_after_the_end(api):
    """Fault cases 9 and 151."""
    table = playing_table(api)
    table.ask("POST", "/abort", "host", expect=200)
    version = table.version
    for move in (PLAY, PASS, MOON, {**PLAY, "turn_id": version - 1}):
        answer = table.move(0, move, expect=(409, "game_not_active"))
        assert answer.json["game_status"] == "aborted"
    assert table.version == version


def test_a_pass_is_no_play_and_a_play_no_pass(api):
    """Fault cases 9 and 151."""
    passing, playing = started_table(api), playing_table(api)
    for table, moves in ((passing, (PLAY, MOON)), (playing, (PASS, MOON))):
        before, seat = table.version, actor(table)
        for move in moves:
            answer = table.move(seat, move, expect=(409, "wrong_phase"))
            assert answer.json["turn"] == table.state()["turn"]
            assert answer.json["legal_moves"] == table.state(seat)["you"]["legal_moves"]
        assert table.version == before


def test_only_the_seat_to_act_may_play(table):
    """Fault case 151."""
    seat, before = actor(table), table.version
    for other in {0, 1, 2, 3} - {seat}:
        for card in held(table, other)[:3]:
            move = {"type": "play", "card": card}
            answer = table.move(other, move, expect=(409, "not_your_turn"))
            assert answer.json["legal_moves"] == []
            assert answer.json["turn"]["seats"] == [seat]
    assert table.version == before


# Cards


def test_a_card_that_is_not_held_is_refused(table):
    """Fault case 10."""
    seat, before = actor(table), table.version
    hand = held(table, seat)
    for card in DECK:
        if card not in hand:
            move = {"type": "play", "card": card}
            answer = table.move(seat, move, expect=(409, "card_not_in_hand"))
            assert answer.json["legal_moves"] == table.state(seat)["you"]["legal_moves"]
    assert table.version == before


def test_a_card_that_was_played_is_gone(table):
    """Fault case 10."""
    first = actor(table)
    card = table.a_move(first)["card"]
    table.play(until=lambda turn: turn["seats"] == [first] and len(held(table, first)) == 12)

    table.move(first, {"type": "play", "card": card}, expect=(409, "card_not_in_hand"))


def test_a_card_that_is_not_in_the_deck_is_not_in_a_hand(api):
    """Fault case 10."""
    table = playing_table(api, HUMAN, HUMAN, HUMAN)
    (removed,) = table.state()["rules"]["derived"]["removed"]

    seat = actor(table)
    table.move(seat, {"type": "play", "card": removed}, expect=(409, "card_not_in_hand"))


def test_every_card_that_may_not_be_led_is_refused_as_it_was_explained(table):
    """Fault cases 3 and 151."""
    expected = {"must_follow_suit", "must_lead_lowest_club", "hearts_not_broken"}
    rng, refused = random.Random("explained"), set()
    while not expected <= refused:
        seat = actor(table)
        legal = table.ask("GET", "/legal-moves?explain=true", seat, expect=200).json
        before = table.version
        for why in legal["forbidden"]:
            move = {"type": "play", "card": why["card"]}
            answer = table.move(seat, move, expect=(409, why["code"]))
            assert answer.json["detail"] == why["detail"]
            assert answer.json["legal_moves"] == legal["moves"]
            refused.add(why["code"])
        assert table.version == before
        table.move(seat, rng.choice(legal["moves"]), expect=201)


# Passing


@pytest.fixture
def passing(api):
    return started_table(api)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 13])
def test_a_pass_has_as_many_cards_as_the_rules_say(passing, count):
    """Fault case 11."""
    move = {"type": "pass", "cards": held(passing, 0)[:count]}

    passing.move(0, move, expect=(409, "wrong_pass_count"))
    assert not passing.state()["seats"][0]["has_passed"]


def test_a_card_cannot_be_passed_twice(passing):
    """Fault case 12."""
    one, two = held(passing, 0)[:2]
    for cards in ([one, one, two], [one, two, one], [two, one, one], [one] * 3):
        move = {"type": "pass", "cards": cards}
        passing.move(0, move, expect=(409, "duplicate_cards"))
    assert len(held(passing, 0)) == 13


def test_cards_of_others_cannot_be_passed(passing):
    """Fault case 10."""
    hand = held(passing, 0)
    absent = next(card for card in DECK if card not in hand)
    move = {"type": "pass", "cards": [*hand[:2], absent]}

    passing.move(0, move, expect=(409, "card_not_in_hand"))


def test_nobody_sees_what_was_passed_before_everybody_has(passing):
    """Fault case 52."""
    given = {}
    for seat in (0, 1, 2):
        given[seat] = held(passing, seat)[:3]
        passing.move(seat, {"type": "pass", "cards": given[seat]}, expect=201)

        assert len(held(passing, seat)) == 10
        assert [one["has_passed"] for one in passing.state()["seats"]] == [
            other in given for other in range(4)
        ]
        for viewer in range(4):
            you = passing.state(viewer)["you"]
            assert you["received"] == []
            passed = [card for one in you["passed"] for card in one["cards"]]
            assert sorted(passed) == sorted(given.get(viewer, []))
    assert passing.state()["turn"]["seats"] == [3]


def test_a_seat_passes_once(passing):
    """Fault case 52."""
    hand, turn = held(passing, 0), passing.state()["turn"]["id"]
    passing.move(0, {"type": "pass", "cards": hand[:3], "turn_id": turn}, expect=201)

    other = {"type": "pass", "cards": hand[3:6]}
    passing.move(0, other, expect=(409, "not_your_turn"))
    passing.move(0, {**other, "turn_id": turn}, expect=(409, "turn_already_played"))


# Repeats


@pytest.mark.parametrize("key", [None, "k" * 32])
def test_a_move_that_is_sent_twice_is_made_once(table, key):
    """Fault case 64."""
    seat = actor(table)
    move = table.a_move(seat)
    first = table.move(seat, move, key=key, expect=201)
    version = first.json["version"]

    for _ in range(2):
        again = table.move(seat, move, key=key, expect=201 if key else 200)
        assert again.data == first.data
        assert again.headers["ETag"] == first.headers["ETag"]
        assert again.headers.get("Location") == (first.headers["Location"] if key else None)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert table.version >= version
        table.play(until=lambda turn: turn["id"] > version)


def test_another_move_for_a_turn_that_was_played_is_refused(table):
    """Fault case 64."""
    seat = actor(table)
    move = table.a_move(seat)
    table.move(seat, move, expect=201)
    other = next(card for card in DECK if card != move["card"])

    for _ in range(2):
        answer = table.move(seat, {**move, "card": other}, expect=(409, "turn_already_played"))
        assert answer.json["turn"] == table.state()["turn"]
        table.play(until=lambda turn, now=table.version: turn["id"] > now)


def test_a_pass_is_the_same_in_any_order(passing):
    """Fault case 64."""
    move = passing.a_move(0)
    first = passing.move(0, move, expect=201)

    for cards in (move["cards"][::-1], sorted(move["cards"])):
        assert passing.move(0, {**move, "cards": cards}, expect=200).data == first.data


def test_a_move_without_key_and_turn_is_not_taken_for_a_repeat(table):
    seat = actor(table)
    card = table.a_move(seat)["card"]
    table.move(seat, {"type": "play", "card": card}, expect=201)

    table.move(seat, {"type": "play", "card": card}, expect=(409, "not_your_turn"))


def test_a_refused_move_does_not_take_its_key(table):
    seat, key = actor(table), new_key()
    absent = next(card for card in DECK if card not in held(table, seat))
    move = table.a_move(seat)
    table.move(seat, {**move, "card": absent}, key=key, expect=(409, "card_not_in_hand"))

    table.move(seat, move, key=key, expect=201)


# Who is to act is the only thing that tells about the others


def test_a_seat_that_is_not_to_act_is_offered_nothing(table):
    """Fault case 50."""
    seat = actor(table)
    for other in {0, 1, 2, 3} - {seat}:
        legal = table.ask("GET", "/legal-moves?explain=true", other, expect=200).json
        assert (legal["to_act"], legal["moves"], legal["forbidden"]) == (False, [], [])
        assert (legal["why"], legal["pass"]) == ("not_your_turn", None)
        assert table.state(other)["you"]["legal_moves"] == []


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (full_table, "game_not_started"),
        (lambda api: _aborted(full_table(api)), "game_not_active"),
        (lambda api: _aborted(playing_table(api)), "game_not_active"),
    ],
)
def test_why_is_the_code_that_a_move_would_get(api, make, why):
    table = make(api)
    legal = table.ask("GET", "/legal-moves", 0, expect=200).json

    assert (legal["to_act"], legal["turn_id"], legal["why"]) == (False, None, why)
    table.move(0, PLAY, expect=(409, why))


def _aborted(table):
    table.ask("POST", "/abort", "host", expect=200)
    return table


def test_a_bot_has_no_token_and_no_seat_to_claim(api):
    table = open_table(api, HUMAN, BOT, BOT)
    answer = table.ask("POST", "/seats/1/claim", body={"name": "Ana"}, expect=(409, "seat_is_bot"))

    assert answer.json["open_seats"] == [0]
