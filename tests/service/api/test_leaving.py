"""Leaving a running game, being kicked from it, and coming back: who plays, and who sees what."""

import json
import threading
from functools import partial

import pytest

from engine.bots import LEVELS
from tests.tables import (
    BOT,
    HUMAN,
    SHORT,
    at_once,
    full_table,
    new_key,
    playing_table,
    started_table,
)

REVOKED = (401, "token_revoked")


def the_turn(table):
    (seat,) = table.state()["turn"]["seats"]
    return seat


def leave(table, seat, how):
    if how == "kick":
        return table.order(seat, kick=True)
    return table.release(seat)


in_either_way = pytest.mark.parametrize("how", ["kick", "release"])


@in_either_way
def test_a_bot_plays_on_for_whoever_leaves(api, how):
    table = playing_table(api)
    seat, before = the_turn(table), table.state()
    state = leave(table, seat, how).json

    assert state == table.state()
    assert (state["turn"], state["deal"]) == (before["turn"], before["deal"])
    left = state["seats"][seat]
    assert (left["kind"], left["controller"], left["bot_level"]) == ("human", "bot", "medium")
    assert (left["name"], left["claimed"]) == (f"Person {seat}", False)
    table.let_bots_play()
    moved = table.events(after=state["version"])
    played = {"kind": "bot", "seat": seat, "level": "medium", "version": LEVELS["medium"].version}
    assert [one["actor"] for one in moved] == [played]
    assert (moved[0]["data"]["auto"], moved[0]["data"]["turn_id"]) == (
        "takeover",
        before["turn"]["id"],
    )


@in_either_way
def test_everybody_reads_who_left_and_who_plays(api, how):
    table = playing_table(api)
    version = table.version
    leave(table, 1, how)

    for viewer in (None, "host", 0):
        gone, control = table.events(viewer, after=version)
        assert gone["type"] == {"kick": "seat.kicked", "release": "seat.released"}[how]
        assert gone["actor"] == ({"kind": "host"} if how == "kick" else {"kind": "seat", "seat": 1})
        reason = {"kick": "kicked", "release": "released"}[how]
        assert control["type"] == "seat.control_changed"
        assert control["data"] == {
            "seat": 1,
            "from": "human",
            "to": "bot",
            "level": "medium",
            "reason": reason,
        }
        assert [one["private"] for one in (gone, control)] == [{}, {}]
        assert [one["hidden"] for one in (gone, control)] == [[], []]


@in_either_way
def test_the_token_of_whoever_left_is_dead(api, how):
    table = playing_table(api)
    seat = the_turn(table)
    move = table.a_move(seat)
    leave(table, seat, how)

    events = ("/events", "/events?wait=1", "/events/1")
    for path in ("", *events, "/states/1", "/legal-moves", "/knowledge"):
        table.ask("GET", path, seat, expect=REVOKED)
    table.move(seat, move, expect=REVOKED)
    table.ask("PATCH", f"/seats/{seat}", seat, {"name": "Eva"}, expect=REVOKED)
    table.ask("POST", f"/seats/{seat}/release", seat, expect=REVOKED)


def test_nobody_is_asked_between_the_two_events(api):
    table = playing_table(api)
    turn, version = table.state()["turn"], table.version
    table.order(1, kick=True)
    table.reissue(1)

    turns = [
        table.ask("GET", f"/states/{version + number}", expect=200).json["turn"]
        for number in range(5)
    ]

    assert turns == [turn, None, turn, None, turn]


def test_whoever_left_comes_back_with_a_token_of_the_hosts(api):
    table = playing_table(api)
    seat = the_turn(table)
    hand = table.state(seat)["you"]["hand"]
    table.release(seat)
    version = table.version

    answer = table.reissue(seat)

    assert answer.json["version"] == version + 2
    rotated, control = table.events(after=version)
    assert (rotated["type"], control["type"]) == ("seat.token_rotated", "seat.control_changed")
    assert control["data"] == {
        "seat": seat,
        "from": "bot",
        "to": "human",
        "level": None,
        "reason": "reissued",
    }
    state = table.state(seat)
    assert (state["you"]["hand"], state["you"]["to_act"]) == (hand, True)
    seen = state["seats"][seat]
    assert (seen["controller"], seen["bot_level"], seen["claimed"]) == ("human", None, True)
    table.let_bots_play()
    assert table.version == state["version"]
    table.move(seat, table.a_move(seat), expect=201)


def test_a_token_that_is_lost_in_a_running_game_is_replaced(api):
    table = playing_table(api)
    seat = the_turn(table)
    version, old = table.version, table.tokens[seat]
    table.reissue(seat)

    assert [one["type"] for one in table.events(after=version)] == ["seat.token_rotated"]
    table.ask("GET", "", token=old, expect=REVOKED)
    table.move(seat, table.a_move(seat), expect=201)


def test_nobody_is_kicked_twice_and_no_bot_is_kicked(api):
    table = playing_table(api, HUMAN, HUMAN, BOT, BOT)
    table.order(0, kick=True)

    kick = {"kick": True}
    table.ask("PATCH", "/seats/0", "host", kick, expect=(409, "seats_not_filled"))
    table.ask("PATCH", "/seats/2", "host", kick, expect=(409, "seat_is_bot"))


def test_the_seats_of_a_running_game_keep_their_kind(api):
    table = playing_table(api)
    for body in (BOT, {"kind": "human"}):
        started = (409, "game_already_started")
        table.ask("PATCH", "/seats/0", "host", body, expect=started)


def test_nobody_comes_or_goes_when_the_game_is_over(api):
    table = playing_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    over = (409, "game_not_active")
    for body in ({"kick": True}, {"reissue": True}):
        answer = table.ask("PATCH", "/seats/0", "host", body, expect=over)
        assert answer.json["game_status"] == "aborted"
    table.ask("POST", "/seats/0/release", 0, expect=over)
    table.ask("POST", "/seats/0/rotate-token", 0, expect=over)
    table.ask("POST", "/host/rotate-token", "host", expect=over)


def test_a_game_that_all_have_left_is_played_to_its_end(api):
    table = started_table(api, rules=SHORT)
    for seat in range(4):
        table.release(seat)

    table.let_bots_play()

    state = table.state()
    assert state["status"] == "finished"
    assert [seat["controller"] for seat in state["seats"]] == ["bot"] * 4
    autos = {one["data"]["auto"] for one in table.events() if "auto" in one["data"]}
    assert autos == {"takeover"}


def test_the_list_still_names_who_has_left(api):
    table = playing_table(api)
    before = api.ask("GET", "/v1/games").json["items"][0]
    table.release(2)

    after = api.ask("GET", "/v1/games").json["items"][0]
    assert (after["seats"], after["open_seats"]) == (before["seats"], [])


def test_whoever_waits_is_told_that_the_token_is_dead(api):
    table = playing_table(api)
    version, told = table.version, []
    waiting = threading.Thread(
        target=lambda: told.append(table.ask("GET", f"/events?after={version}&wait=20", 1))
    )
    waiting.start()
    table.order(1, kick=True)
    waiting.join(15)

    assert (told[0].status_code, told[0].json["code"]) == REVOKED


# Secrets


@in_either_way
def test_leaving_opens_no_card(api, how):
    """Fault case 45."""
    table = started_table(api)
    version = table.version
    texts = [leave(table, 1, how).text, table.reissue(1).text, table.order(2, kick=True).text]
    texts += [json.dumps(table.events(viewer, after=version)) for viewer in (None, "host", 0)]
    texts += [table.ask("GET", f"/states/{version + 2}", viewer).text for viewer in (None, "host")]

    for text in texts:
        assert '"hand":' not in text
        assert '"cards":' not in text


def test_the_pass_of_a_stand_in_is_read_by_its_player_alone(api):
    table = started_table(api)
    table.order(1, kick=True)
    table.let_bots_play()
    (passed,) = (one for one in table.events() if one["type"] == "cards.passed")
    assert (passed["hidden"], passed["private"]) == ([1], {})

    table.reissue(1)

    mine = table.events(1)[passed["seq"] - 1]
    assert list(mine["private"]) == ["1"]
    cards = table.state(1)["you"]["passed"][0]["cards"]
    assert sorted(cards) == sorted(mine["private"]["1"]["cards"])
    (other,) = (one for one in table.events(2) if one["type"] == "cards.passed")
    assert (other["hidden"], other["private"]) == ([1], {})


def test_no_event_and_no_state_holds_a_token(api):
    table = playing_table(api)
    table.reissue(1)
    made = table.ask("POST", "/host/rotate-token", "host", expect=201)
    table.host = made.json["host_token"]
    table.order(2, kick=True)

    for viewer in (None, "host", 0, 1):
        for path in ("", "/events?limit=500"):
            text = table.ask("GET", path, viewer).text
            assert "hst_" not in text
            assert "hht_" not in text


# Repeats and races


def test_a_repeated_kick_is_answered_alike(api):
    table, key = playing_table(api), new_key()
    kick = {"kick": True}
    first = table.ask("PATCH", "/seats/1", "host", kick, key=key, expect=200)
    table.reissue(1)
    again = table.ask("PATCH", "/seats/1", "host", kick, key=key, expect=200)

    assert again.data == first.data
    assert table.state()["seats"][1]["controller"] == "human"


def test_a_repeated_reissue_gives_the_token_it_gave(api):
    table, key = playing_table(api), new_key()
    body = {"reissue": True}
    first = table.ask("PATCH", "/seats/1", "host", body, key=key, expect=200)
    later = table.reissue(1)
    again = table.ask("PATCH", "/seats/1", "host", body, key=key, expect=200)

    assert again.data == first.data != later.data
    table.ask("GET", "", token=again.json["seat_token"], expect=REVOKED)
    table.ask("GET", "", token=later.json["seat_token"], expect=200)


def test_the_move_of_a_stand_in_is_the_turns_only_move(api):
    """Whoever comes back and means the turn that is over is told so."""
    table = playing_table(api)
    seat = the_turn(table)
    moves = [
        {**move, "turn_id": table.state()["turn"]["id"]}
        for move in table.state(seat)["you"]["legal_moves"]
    ]
    table.order(seat, kick=True)
    table.let_bots_play()
    table.reissue(seat)

    outcomes = [table.move(seat, move) for move in moves]

    played = [answer for answer in outcomes if answer.status_code == 200]
    assert len(played) == 1
    assert played[0].json["events"][0]["data"]["auto"] == "takeover"
    others = {answer.json["code"] for answer in outcomes if answer.status_code != 200}
    assert others <= {"turn_already_played"}


@in_either_way
def test_a_move_and_leaving_at_once_are_in_one_order(api, how):
    for _ in range(5):
        table = playing_table(api)
        seat = the_turn(table)
        move = table.a_move(seat)

        moved, _ = at_once(partial(table.move, seat, move), partial(leave, table, seat, how))

        assert moved.status_code in {201, 401}
        before = table.version
        table.let_bots_play()
        kinds = [one["data"]["auto"] for one in table.events() if one["type"] == "card.played"]
        assert kinds == ([None] if moved.status_code == 201 else ["takeover"])
        assert table.version == before + (moved.status_code == 401)


def test_a_bots_move_and_the_players_return_at_once_are_in_one_order(api):
    for _ in range(5):
        table = playing_table(api)
        seat = the_turn(table)
        table.order(seat, kick=True)

        at_once(table.let_bots_play, partial(table.reissue, seat))

        log = table.events()
        back = next(one["seq"] for one in log if one["type"] == "seat.token_rotated")
        assert all(one["seq"] < back for one in log if one["actor"]["kind"] == "bot")
        assert table.state()["seats"][seat]["controller"] == "human"


def test_two_who_leave_at_once_are_both_gone(api):
    table = full_table(api)
    at_once(*(partial(table.release, seat) for seat in range(4)))

    assert [seat["claimed"] for seat in table.state()["seats"]] == [False] * 4
    assert table.state()["status"] == "lobby"
