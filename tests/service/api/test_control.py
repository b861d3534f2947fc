"""Stepping aside: a bot plays one's seat for a while, and its player takes it back."""

import pytest

from engine.cards import CODES
from tests.tables import BOT, HUMAN, at_once, full_table, new_key, playing_table

MEDIUM = ("bot", "medium", True)
HIMSELF = ("human", None, True)


def control(table, seat, controller, **more):
    more = {"expect": 200} | more
    path, body = f"/seats/{seat}/control", {"controller": controller}
    return table.ask("PUT", path, seat, body, **more)


def who_plays(table, seat):
    seen = table.state()["seats"][seat]
    return seen["controller"], seen["bot_level"], seen["claimed"]


def changes(table):
    return [
        (one["data"]["from"], one["data"]["to"], one["data"]["level"], one["data"]["reason"])
        for one in table.events()
        if one["type"] == "seat.control_changed"
    ]


def test_a_bot_plays_for_whoever_steps_aside(api):
    table = playing_table(api)
    seat = table.state()["turn"]["seats"][0]

    control(table, seat, "bot")
    table.let_bots_play()

    assert who_plays(table, seat) == MEDIUM
    assert changes(table) == [("human", "bot", "medium", "handed_over")]
    played = table.events()[-1]
    assert (played["data"]["seat"], played["data"]["auto"]) == (seat, "takeover")
    assert table.state(seat)["you"]["hand"]


def test_a_seat_is_taken_back(api):
    table = playing_table(api)
    control(table, 2, "bot")

    control(table, 2, "human")

    assert who_plays(table, 2) == HIMSELF
    assert changes(table)[1:] == [("bot", "human", None, "returned")]


def test_with_a_move_the_player_is_back(api):
    table = playing_table(api)
    seat = table.state()["turn"]["seats"][0]
    control(table, seat, "bot")
    before = table.version

    moved = table.move(seat, table.a_move(seat), expect=201).json

    assert [one["type"] for one in moved["events"]] == ["seat.control_changed", "card.played"]
    assert changes(table)[1:] == [("bot", "human", None, "played")]
    assert who_plays(table, seat) == HIMSELF
    inside = table.ask("GET", f"/states/{before + 1}", expect=200).json
    assert inside["turn"] is None


def test_whoever_comes_back_with_a_pass_has_passed(api):
    table = full_table(api).start()
    control(table, 1, "bot")

    table.move(1, table.a_move(1), expect=201)

    assert table.state()["seats"][1]["has_passed"]
    assert who_plays(table, 1) == HIMSELF


def test_a_move_with_which_somebody_is_back_can_be_repeated(api):
    table = playing_table(api)
    seat = table.state()["turn"]["seats"][0]
    control(table, seat, "bot")
    move = table.a_move(seat)

    first = table.move(seat, move, expect=201)
    again = table.move(seat, move, expect=200)

    assert again.json == first.json
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_refused_move_brings_nobody_back(api):
    table = playing_table(api)
    seat = table.state()["turn"]["seats"][0]
    control(table, seat, "bot")
    missing = next(code for code in CODES if code not in table.state(seat)["you"]["hand"])

    table.move(seat, {"type": "play", "card": missing}, expect=(409, "card_not_in_hand"))

    assert who_plays(table, seat) == MEDIUM


@pytest.mark.parametrize("controller", ["bot", "human"])
def test_what_holds_already_is_no_change(api, controller):
    table = playing_table(api)
    if controller == "bot":
        control(table, 2, "bot")
    before = table.version

    control(table, 2, controller)

    assert table.version == before


@pytest.mark.parametrize("controller", ["bot", "human"])
def test_what_holds_already_is_noted_under_a_key(api, controller):
    table, key = playing_table(api), new_key()
    if controller == "bot":
        control(table, 2, "bot")

    first = control(table, 2, controller, key=key)
    control(table, 2, "human" if controller == "bot" else "bot")
    again = control(table, 2, controller, key=key)

    assert again.json == first.json
    assert [one for one in changes(table) if one[3] == "unchanged"] == [
        (controller, controller, "medium" if controller == "bot" else None, "unchanged")
    ]


def test_who_steps_aside_can_leave(api):
    table = playing_table(api)
    control(table, 2, "bot")

    table.release(2)

    assert who_plays(table, 2) == ("bot", "medium", False)
    assert len(changes(table)) == 1
    table.reissue(2)
    assert who_plays(table, 2) == HIMSELF


def test_the_host_gives_back_the_seat_of_whoever_has_lost_its_token(api):
    table = playing_table(api)
    control(table, 2, "bot")

    table.reissue(2)

    assert who_plays(table, 2) == HIMSELF
    assert changes(table)[1:] == [("bot", "human", None, "reissued")]


def test_a_token_can_be_replaced_while_a_bot_plays(api):
    table = playing_table(api)
    control(table, 2, "bot")

    made = table.ask("POST", "/seats/2/rotate-token", 2, expect=201)
    table.tokens[2] = made.json["seat_token"]

    assert who_plays(table, 2) == MEDIUM
    control(table, 2, "human")


def test_only_a_running_game_can_be_left_to_bots(api):
    table = full_table(api)

    control(table, 2, "bot", expect=(409, "game_not_started"))
    table.start()
    table.ask("POST", "/abort", "host", expect=200)
    control(table, 2, "bot", expect=(409, "game_not_active"))


def test_nobody_steps_aside_for_another(api):
    table = playing_table(api)
    body = {"controller": "bot"}

    table.ask("PUT", "/seats/2/control", 1, body, expect=(403, "wrong_seat"))
    table.ask("PUT", "/seats/2/control", "host", body, expect=(403, "seat_token_required"))


@pytest.mark.parametrize("number", range(8))
def test_a_bots_move_and_the_players_own_at_once_are_one_move(api, number):
    del number
    table = playing_table(api)
    seat = table.state()["turn"]["seats"][0]
    control(table, seat, "bot")
    move = table.a_move(seat)

    own, _ = at_once(lambda: table.move(seat, move), table.let_bots_play)

    played = [one for one in table.events() if one["type"] == "card.played"]
    assert [one["data"]["seat"] for one in played] == [seat]
    assert (played[0]["data"]["auto"] is None) is (own.status_code == 201)


def test_a_game_with_comings_and_goings_is_right(api):
    table = full_table(api, HUMAN, BOT, BOT, BOT, rules={"ending": {"deals": 1, "tie": "share"}})
    table.start()
    for times in range(60):
        if table.state()["status"] != "active":
            break
        control(table, 0, "bot", key=new_key())
        control(table, 0, ("bot", "human")[times % 2], key=new_key())
        table.let_bots_play()
        if table.state(0)["status"] == "active" and table.state(0)["you"]["to_act"]:
            table.move(0, table.a_move(0), expect=201)
    assert table.state()["status"] == "finished"

    for form in ("jsonl", "hgn"):
        file = table.ask("GET", f"/export?format={form}", expect=200)
        kind = file.content_type.partition(";")[0]
        report = api.ask(
            "POST", "/v1/verifications", data=file.data, content_type=kind, expect=200
        ).json
        assert report["valid"], report
