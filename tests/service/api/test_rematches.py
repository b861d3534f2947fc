"""A rematch: the same seats play again, in one game, however often and whoever asks for it."""

import random

import pytest

from tests.tables import (
    BOT,
    HUMAN,
    KEYS,
    SHORT,
    Api,
    Table,
    at_once,
    full_table,
    make_app,
    new_key,
    open_table,
    started_table,
)

CLOCK = {"play_seconds": 60}


@pytest.fixture
def over(api):
    return played(api, HUMAN, HUMAN, HUMAN, BOT)


def played(api, *seats, **body):
    table = started_table(api, *seats, rules=SHORT, **body)
    while table.state()["status"] == "active":
        table.let_bots_play()
        table.play(random.Random(1), until=lambda turn: turn["seats"][0] not in table.tokens)
    return table


def ask(table, seat, expect=201, **more):
    return table.ask("POST", "/rematch", seat, expect=expect, **more)


def test_the_first_who_asks_opens_the_rematch(api, over):
    made = ask(over, 1)

    data, other = made.json, Table(api, made.json)
    assert made.headers["Location"] == other.path
    assert data["origin"] == {"kind": "rematch", "game_id": over.id, "version": None}
    assert (data["status"], data["seat"]) == ("lobby", 1)
    state = other.state(1)
    assert state["rules"] == over.state()["rules"]
    assert [(seat["name"], seat["kind"]) for seat in state["seats"]] == [
        (None, "human"),
        ("Person 1", "human"),
        (None, "human"),
        (over.state()["seats"][3]["name"], "bot"),
    ]
    assert state["lobby"] == "closed"
    assert state["fairness"]["commitment"] != over.state()["fairness"]["commitment"]


def test_whoever_asks_later_sits_down_in_it(api, over):
    other = Table(api, ask(over, 1).json)

    later = ask(over, 2, expect=200).json

    assert (later["id"], later["seat"], later["host_token"]) == (other.id, 2, None)
    other.tokens[2] = later["seat_token"]
    assert other.state(2)["seats"][2]["name"] == "Person 2"
    assert later["seat_token"] != other.tokens[1]


def test_each_answer_is_given_again(over):
    first, later = ask(over, 1), ask(over, 2, expect=200)

    for key in (None, new_key()):
        assert ask(over, 1, key=key).data == first.data
        assert ask(over, 2, key=key, expect=200).data == later.data


def test_a_rematch_is_played_by_those_who_have_played(api, over):
    other = Table(api, ask(over, 0).json)
    for seat in (1, 2):
        other.tokens[seat] = ask(over, seat, expect=200).json["seat_token"]

    other.start()
    while other.state()["status"] == "active":
        other.let_bots_play()
        other.play(until=lambda turn: turn["seats"][0] not in other.tokens)

    assert ask(other, 2).json["origin"]["game_id"] == other.id
    for form in ("jsonl", "hgn"):
        file = other.ask("GET", f"/export?format={form}", expect=200)
        kind = file.content_type.partition(";")[0]
        report = api.ask(
            "POST", "/v1/verifications", data=file.data, content_type=kind, expect=200
        ).json
        assert report["first_error"] is None


def test_all_who_ask_at_once_get_one_rematch(over):
    answers = at_once(*[lambda seat=seat: over.ask("POST", "/rematch", seat) for seat in (0, 1, 2)])

    assert sorted(one.status_code for one in answers) == [200, 200, 201]
    assert len({one.json["id"] for one in answers}) == 1
    assert {one.json["seat"] for one in answers} == {0, 1, 2}
    assert sum(one.json["host_token"] is not None for one in answers) == 1


def test_nobody_else_takes_a_seat(api, over):
    other = Table(api, ask(over, 0).json)

    other.ask("POST", "/seats/1/claim", body={"name": "Eve"}, expect=(409, "lobby_closed"))


def test_a_seat_that_somebody_has_taken_is_not_given_away(api, over):
    other = Table(api, ask(over, 0).json)
    other.ask("PATCH", "", "host", {"lobby": "open"}, expect=200)
    other.claim(1, name="Eve")

    ask(over, 1, expect=(409, "seat_taken"))


def test_the_token_of_whoever_comes_after_is_not_given_away(api, over):
    other = Table(api, ask(over, 0).json)
    first = ask(over, 1, expect=200).json["seat_token"]
    other.tokens[1] = first
    other.release(1)
    other.ask("PATCH", "", "host", {"lobby": "open"}, expect=200)
    other.claim(1, name="Eve")

    again = ask(over, 1, expect=200).json["seat_token"]

    assert again == first
    other.ask("GET", token=again, expect=(401, "token_revoked"))


def test_a_rematch_that_has_started_takes_nobody_in(api, over):
    other = Table(api, ask(over, 0).json)
    for seat in (1, 2):
        other.order(seat, kind="bot", level="easy")
    other.start()

    ask(over, 1, expect=(409, "game_already_started"))


def test_only_a_game_that_was_played_to_its_end_has_a_rematch(api):
    table = full_table(api)
    ask(table, 0, expect=(409, "game_not_finished"))
    table.start()
    ask(table, 0, expect=(409, "game_not_finished"))
    table.ask("POST", "/abort", "host", expect=200)
    ask(table, 0, expect=(409, "game_not_finished"))


def test_only_a_seat_asks_for_a_rematch(over):
    ask(over, None, expect=(401, "authentication_required"))
    ask(over, "host", expect=(403, "seat_token_required"))


def test_clock_and_visibility_are_the_same(api):
    table = played(api, HUMAN, BOT, BOT, BOT, clock=CLOCK, visibility="unlisted")

    state = ask(table, 0).json["game"]

    assert state["clock"] == table.state()["clock"]
    assert state["visibility"] == "unlisted"


def test_a_seeded_game_is_played_again_with_other_cards(api):
    table = played(api, HUMAN, BOT, BOT, BOT, dealing={"mode": "seeded", "seed": "5e" * 32})

    assert ask(table, 0).json["fairness"]["mode"] == "committed"


def test_a_rematch_is_listed_and_can_be_asked_for(api, over):
    other = Table(api, ask(over, 0).json)

    for query in ("", "?origin=rematch"):
        items = api.ask("GET", f"/v1/games{query}", expect=200).json["items"]
        assert other.id in [one["id"] for one in items]
    only = api.ask("GET", "/v1/games?origin=rematch", expect=200).json["items"]
    assert {one["origin"]["kind"] for one in only} == {"rematch"}


def test_a_rematch_is_the_same_after_the_secret_was_changed(over, redis_url):
    made = ask(over, 0).json
    newer = "another secret that signs from now on"
    again = over.through(Api(make_app(redis_url, newer, *KEYS)))

    assert ask(again, 0).json["id"] == made["id"]
    assert ask(again, 1, expect=200).json["id"] == made["id"]


def test_the_rematch_of_a_private_game_is_private(api):
    seat = {"claim": {"seat": 0, "name": "Ana"}, "visibility": "private"}
    table = open_table(api, HUMAN, BOT, BOT, BOT, rules=SHORT, **seat).start()
    table.let_bots_play()
    while table.state(0)["status"] == "active":
        table.move(0, table.a_move(0), expect=201)
        table.let_bots_play()

    made = ask(table, 0).json

    assert made["game"]["visibility"] == "private"
    assert made["join_code"] is not None
    api.ask("GET", f"/v1/games/{made['id']}", expect=(404, "game_not_found"))
