"""Private games: to whoever has no token of it, one is as if it did not exist."""

import re

import pytest

from tests.contract.bodies import WHOLE
from tests.contract.spec import contract
from tests.tables import (
    BOT,
    HUMAN,
    SHORT,
    UNKNOWN_GAME,
    Table,
    full_table,
    new_key,
    open_table,
    outcome_of,
)

CLAIMS = {"claimSeat", "claimAnySeat"}
OPERATIONS = [one for one in contract().operations if "{game_id}" in one.path]
CODE = re.compile("[0-9A-HJKMNP-TV-Z]{10}")
PLACES = {"seat": 0, "seq": 1, "version": 1, "deal": 1, "analysis_id": "a" * 32}


def private_table(api, *seats, **body):
    """Return a table of two people and its join code, in the lobby."""
    seats = seats or (HUMAN, HUMAN, BOT)
    body = {"seats": list(seats), "claim": {"seat": 0, "name": "Ana"}, **body}
    made = api.ask("POST", "/v1/games", body=body | {"visibility": "private"}, expect=201).json
    return Table(api, made), made["join_code"]


def started(api):
    table, code = private_table(api, rules=SHORT)
    claim(table, 1, code)
    return table.start()


def claim(table, seat, code, **more):
    answer = table.ask("POST", f"/seats/{seat}/claim", body={"name": "Bea", "join_code": code})
    assert outcome_of(answer) == more.get("expect", 201)
    if answer.status_code == 201:
        table.tokens[seat] = answer.json["seat_token"]
    return answer


def said(api, operation, game_id, method=None, token=None):
    """Return what is answered about *game_id*, but for what differs in every answer."""
    path = operation.path.format(game_id=game_id, **PLACES)
    body = WHOLE.get(operation.id, [None])[0]
    answer = api.ask(method or operation.method, path, token, body)
    text = answer.get_data(as_text=True).replace(game_id, "")
    headers = {name: value for name, value in answer.headers if name not in {"Request-Id", "Date"}}
    return answer.status_code, re.sub('"request_id": "[^"]*"', "", text), headers


STAGES = {
    "lobby": lambda api: private_table(api)[0],
    "running": started,
    "over": lambda api: finished(started(api)),
}


def finished(table):
    while table.state("host")["turn"] is not None:
        table.let_bots_play()
        turn = table.state("host")["turn"]
        for seat in () if turn is None else turn["seats"]:
            if seat in table.tokens:
                table.move(seat, table.a_move(seat), expect=201)
    return table


@pytest.mark.parametrize("stage", STAGES)
def test_without_a_token_nothing_tells_a_private_game_from_none(api, stage):
    table = STAGES[stage](api)
    other = open_table(api).host

    for operation in OPERATIONS:
        if operation.id in CLAIMS:
            continue
        ways = [(None, None), (None, other)]
        ways += [("HEAD", None), ("OPTIONS", None)] if operation.method == "GET" else []
        for method, token in ways:
            answers = [said(api, operation, one, method, token) for one in (table.id, UNKNOWN_GAME)]
            assert answers[0] == answers[1], f"{operation.id} as {method} with {token}"


def test_what_needs_no_token_elsewhere_is_no_game_here(api):
    table = finished(started(api))
    reads = [one for one in OPERATIONS if {} in one.definition["security"] and one.method == "GET"]

    assert len(reads) > 9
    for operation in reads:
        path = operation.path.format(game_id=table.id, **PLACES)
        api.ask("GET", path, expect=(404, "game_not_found"))
        found = {200, 204, (404, "analysis_not_found")}
        assert outcome_of(api.ask("GET", path, table.host)) in found


def test_a_repeated_fork_needs_the_token_like_the_first(api):
    table, key = finished(started(api)), new_key()
    body = {"at_version": 20}

    table.ask("POST", "/forks", 0, body, key=key, expect=201)

    table.ask("POST", "/forks", 0, body, key=key, expect=201)
    table.ask("POST", "/forks", None, body, key=key, expect=(404, "game_not_found"))


def test_a_private_game_is_in_no_list(api):
    private_table(api)
    seen = open_table(api)

    items = api.ask("GET", "/v1/games", expect=200).json["items"]

    assert [one["id"] for one in items] == [seen.id]


def test_a_seat_of_a_private_game_is_for_who_knows_the_code(api):
    table, code = private_table(api)
    wrong = "0" * 10

    assert CODE.fullmatch(code)
    for given in (None, wrong, "x", "é" * 32):
        answer = claim(table, 1, given, expect=(409, "wrong_join_code"))
        assert "open_seats" not in answer.json
    table.ask("POST", "/seats/claim", body={"name": "Bea"}, expect=(409, "wrong_join_code"))
    claim(table, 1, code.lower())
    assert table.state(1)["seats"][1]["name"] == "Bea"


def test_without_the_code_nothing_is_told_of_the_seats(api):
    table, _ = private_table(api)
    table.ask("PATCH", "", "host", {"lobby": "closed"}, expect=200)

    for seat in (0, 1, 2, 10):
        claim(table, seat, None, expect=(409, "wrong_join_code"))
    table.ask("POST", "/abort", "host", expect=200)
    claim(table, 1, None, expect=(409, "wrong_join_code"))


def test_the_code_belongs_to_the_game(api):
    (one, code), (_, other) = private_table(api), private_table(api)

    assert code != other
    claim(one, 1, other, expect=(409, "wrong_join_code"))


def test_a_repeated_creation_brings_the_same_code(api):
    key, body = new_key(), {"visibility": "private"}

    codes = [
        api.ask("POST", "/v1/games", body=body, key=key, expect=201).json["join_code"]
        for _ in range(2)
    ]

    assert codes[0] == codes[1] is not None


def test_only_private_games_have_a_code(api):
    for visibility in ("public", "unlisted"):
        body = {"visibility": visibility}
        assert api.ask("POST", "/v1/games", body=body, expect=201).json["join_code"] is None


def test_a_fork_may_be_private(api):
    table = finished(started(api))
    body = {"at_version": 20, "seats": [HUMAN] * 3, "visibility": "private"}

    made = table.ask("POST", "/forks", 0, body, expect=201).json

    fork = Table(api, made)
    fork.ask("GET", expect=(404, "game_not_found"))
    claim(fork, 0, made["join_code"])


def test_the_host_makes_a_table_private_before_the_start(api):
    table = open_table(api, HUMAN, HUMAN, BOT)
    table.claim(0)

    answer = table.ask("PATCH", "", "host", {"visibility": "private"}, expect=200).json

    assert answer["visibility"] == "private"
    table.ask("GET", expect=(404, "game_not_found"))
    assert api.ask("GET", "/v1/games", expect=200).json["items"] == []
    event = table.events("host")[-1]
    assert (event["type"], event["data"]) == (
        "game.options_changed",
        {"changes": {"visibility": "private"}},
    )
    claim(table, 1, answer["join_code"])


def test_asking_for_private_once_more_brings_the_code_again(api):
    table, code = private_table(api)

    again = table.ask("PATCH", "", "host", {"visibility": "private"}, expect=200).json

    assert again["join_code"] == code


def test_a_table_that_is_made_public_is_listed(api):
    table, _ = private_table(api)

    answer = table.ask("PATCH", "", "host", {"visibility": "public"}, expect=200).json

    assert "join_code" not in answer
    (line,) = api.ask("GET", "/v1/games", expect=200).json["items"]
    assert line["id"] == table.id
    table.claim(1)


def test_another_visibility_leaves_everybody_ready(api):
    table = full_table(api, HUMAN, HUMAN, BOT)
    table.tell(0, ready=True)

    table.ask("PATCH", "", "host", {"visibility": "unlisted"}, expect=200)

    assert table.state()["seats"][0]["ready"]


def test_visibility_stays_once_the_game_has_started(api):
    table = started(api)

    body = {"visibility": "public"}
    table.ask("PATCH", "", "host", body, expect=(409, "game_already_started"))


def test_a_stream_ticket_opens_a_private_game(api):
    table = started(api)
    ticket = table.ask("POST", "/stream-tickets", 0, {}, expect=201).json["ticket"]

    answer = table.ask("GET", f"/stream?ticket={ticket}", expect=200)

    assert b"event: snapshot" in answer.data


def test_no_cache_keeps_a_private_game_for_others(api):
    table = finished(started(api))
    reads = [one for one in OPERATIONS if {} in one.definition["security"] and one.method == "GET"]

    for operation in reads:
        path = operation.path.format(game_id=table.id, **PLACES)
        cache = api.ask("GET", path, table.host).headers["Cache-Control"]
        assert "public" not in cache, f"{path}: {cache}"


def test_a_copy_of_a_private_game_can_be_read(api):
    table = finished(started(api))
    file = table.ask("GET", "/export?format=jsonl", 0, expect=200).data

    made = api.ask(
        "POST", "/v1/imports", data=file, content_type="application/x-ndjson", expect=201
    ).json

    assert made["game"]["visibility"] == "unlisted"
    state = api.ask("GET", f"/v1/games/{made['id']}", expect=200).json
    assert state["status"] == "finished"
