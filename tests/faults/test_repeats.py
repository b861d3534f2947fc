"""Every command again: after the end of the game, from a process that remembers nothing."""

import random

import pytest

from tests.tables import (
    BOT,
    HUMAN,
    KEYS,
    SHORT,
    Api,
    Table,
    full_table,
    make_app,
    new_key,
    open_table,
    playing_table,
    started_table,
)

NEW_SECRET = "a secret that came later -- in tests"
REUSED = (409, "idempotency_key_reused")


class Recorder:
    """Sends commands with keys, and remembers them with their answers."""

    def __init__(self, api):
        self.api = api
        self.sent = []

    def send(self, method, target, token, body, status):
        key = new_key()
        answer = self.api.ask(method, target, token, body, key=key, expect=status)
        self.sent.append((method, target, token, body, key, answer))
        return answer.json


def recorded_game(api, rng):
    """Return a recorder of all commands of a whole game for four."""
    record = Recorder(api)
    body = {"rules": SHORT, "seats": [HUMAN] * 4, "claim": {"seat": 0, "name": "Ana"}}
    table = Table(api, record.send("POST", "/v1/games", None, body, 201))
    for path in ("/seats/2/claim", "/seats/claim", "/seats/claim"):
        claimed = record.send("POST", table.path + path, None, {"name": path}, 201)
        table.tokens[claimed["seat"]] = claimed["seat_token"]
    for seat, change in (
        (1, {"name": "Bea"}),
        (2, {"client_seed": "a1" * 32}),
        (1, {"name": "Bea"}),
    ):
        path = f"{table.path}/seats/{seat}"
        record.send("PATCH", path, table.tokens[seat], change, 200)
    for seat, change in ((None, {"lobby": "closed"}), (3, BOT), (3, {"kind": "human"})):
        path = table.path if seat is None else f"{table.path}/seats/{seat}"
        record.send("PATCH", path, table.host, change, 200)
    record.send("PATCH", table.path, table.host, {"lobby": "open"}, 200)
    path = f"{table.path}/seats/3"
    table.tokens[3] = record.send("POST", f"{path}/claim", None, {"name": "Dag"}, 201)["seat_token"]
    made = record.send("PATCH", path, table.host, {"reissue": True}, 200)
    table.tokens[3] = made["seat_token"]
    record.send("PATCH", path, table.tokens[3], {"ready": True}, 200)
    version = table.version
    record.send("POST", table.path + "/start", table.host, {"expected_version": version}, 200)
    while (turn := table.state()["turn"]) is not None:
        seat = rng.choice(turn["seats"])
        move = table.a_move(seat, rng)
        record.send("POST", table.path + "/moves", table.tokens[seat], move, 201)
    body = {"at_version": table.version - 9, "claim": {"seat": 2, "name": "Cid"}}
    for token in (None, table.tokens[2], table.host):
        record.send("POST", table.path + "/forks", token, body, 201)
    return table, record


def test_every_command_of_a_game_can_be_repeated_after_its_end(api, redis_db):
    """Fault cases 64 and 65."""
    table, record = recorded_game(api, random.Random("repeats"))
    version = table.version
    elsewhere = Api(make_app(redis_db))

    for through in (api, elsewhere):
        for method, target, token, body, key, first in record.sent:
            again = through.ask(method, target, token, body, key=key, expect=first.status_code)
            assert again.data == first.data
            assert again.headers["Idempotency-Replayed"] == "true"
            for name in ("ETag", "Location", "Cache-Control"):
                assert again.headers.get(name) == first.headers.get(name)
            if target.endswith("/moves"):
                natural = through.ask(method, target, token, body, expect=200)
                assert natural.data == first.data
    assert table.version == version


def test_no_key_of_a_game_takes_another_body(api):
    table, record = recorded_game(api, random.Random("other bodies"))
    version = table.version
    others = {
        "/start": {},
        "/moves": {"type": "play", "card": "QS"},
        "/games": {},
        "/forks": {"at_version": 1},
        table.id: {"rules": {}},
    }
    for method, target, token, _, key, _ in record.sent:
        if "/seats/" in target:
            other = {"kick": True} if token == table.host else {"name": "Cid"}
        else:
            other = next(body for end, body in others.items() if target.endswith(end))
        api.ask(method, target, token, other, key=key, expect=REUSED)
    assert table.version == version


def test_a_key_of_one_seat_is_nothing_to_another(api):
    """Fault case 65: nobody gets the answer of somebody else."""
    table, key = started_table(api), new_key()
    first = table.move(0, table.a_move(0), key=key, expect=201)
    second = table.move(1, table.a_move(1), key=key, expect=201)

    assert first.json["events"][0]["private"].keys() == {"0"}
    assert second.json["events"][0]["private"].keys() == {"1"}
    move = {"type": "pass", "cards": first.json["events"][0]["private"]["0"]["cards"]}
    stolen = table.move(2, move, key=key)
    assert stolen.status_code == 409
    assert stolen.json["code"] == "card_not_in_hand"


def test_a_key_of_a_seat_is_nothing_to_the_host_and_to_newcomers(api):
    table, key = full_table(api), new_key()
    table.ask("PATCH", "/seats/0", 0, {"name": "Ana"}, key=key, expect=200)
    table.ask("POST", "/seats/claim", body={"name": "Ana"}, key=key, expect=(409, "game_full"))
    table.ask("POST", "/start", "host", key=key, expect=200)

    api.ask("POST", "/v1/games", body={}, key=key, expect=201)


def test_a_key_of_one_operation_is_nothing_for_another_of_the_same_seat(api):
    table, key = full_table(api), new_key()
    table.ask("PATCH", "/seats/0", 0, {"name": "Ana"}, key=key, expect=200)
    table.start()
    before = table.version

    table.move(0, table.a_move(0), key=key, expect=REUSED)
    assert table.version == before


def test_a_key_of_one_game_is_nothing_in_another(api):
    key = new_key()
    for table in (full_table(api), full_table(api)):
        answer = table.ask("POST", "/start", "host", key=key, expect=200)
        assert answer.json["id"] == table.id


def test_a_body_is_the_same_however_it_is_written(api):
    key = new_key()
    first = api.send("POST", "/v1/games", b'{"claim":{"seat":0,"name":"Jos\\u00e9"}}', key=key)
    same = '{"claim": {"name": " Jose\u0301 ", "seat": 0.0}}'.encode()

    assert first.status_code == 201
    assert api.send("POST", "/v1/games", same, key=key, expect=201).data == first.data


def test_the_answer_to_a_repeat_is_of_its_own_time(api):
    """It is rendered from the log up to that version, not from the present."""
    table, key = full_table(api), new_key()
    first = table.ask("POST", "/start", "host", key=key, expect=200)
    table.pass_cards()
    table.play(until=lambda turn: turn["id"] > 20)

    again = table.ask("POST", "/start", "host", key=key, expect=200)
    assert again.data == first.data
    assert again.json["version"] == first.json["version"] < table.version


def test_a_repeated_claim_gives_its_first_name_and_token(api):
    table, key = open_table(api), new_key()
    first = table.ask("POST", "/seats/1/claim", body={"name": "Bea"}, key=key, expect=201)
    table.tokens[1] = first.json["seat_token"]
    table.ask("PATCH", "/seats/1", 1, {"name": "Cid"}, expect=200)

    again = table.ask("POST", "/seats/1/claim", body={"name": "Bea"}, key=key, expect=201)
    assert again.data == first.data
    assert table.state()["seats"][1]["name"] == "Cid"


# Secrets that were rotated


@pytest.mark.parametrize("keys", [(NEW_SECRET, *KEYS), (*KEYS, NEW_SECRET)])
def test_a_repeated_create_finds_its_game_after_a_new_secret(api, redis_db, keys):
    key, body = new_key(), {"claim": {"seat": 0, "name": "Ana"}}
    first = api.ask("POST", "/v1/games", body=body, key=key, expect=201)
    rotated = Api(make_app(redis_db, *keys))

    again = rotated.ask("POST", "/v1/games", body=body, key=key, expect=201)
    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(rotated.ask("GET", "/v1/games", expect=200).json["items"]) == 1
    rotated.ask("POST", "/v1/games", body={}, key=key, expect=REUSED)


@pytest.mark.parametrize("keys", [(NEW_SECRET, *KEYS), (*KEYS, NEW_SECRET)])
def test_a_repeated_fork_finds_its_game_after_a_new_secret(api, redis_db, keys):
    table, key = started_table(api, rules=SHORT), new_key()
    at = table.version
    table.ask("POST", "/abort", "host", expect=200)
    body = {"at_version": at, "claim": {"seat": 0, "name": "Ana"}}
    first = table.ask("POST", "/forks", body=body, key=key, expect=201)
    rotated = table.through(Api(make_app(redis_db, *keys)))

    again = rotated.ask("POST", "/forks", body=body, key=key, expect=201)
    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"


def test_secrets_in_another_order_find_the_same_games(redis_db):
    one, other = (
        Api(make_app(redis_db, *keys)) for keys in ((*KEYS, NEW_SECRET), (NEW_SECRET, *KEYS))
    )
    for first, second in ((one, other), (other, one)):
        key, body = new_key(), {"claim": {"seat": 0, "name": "Ana"}}
        made = first.ask("POST", "/v1/games", body=body, key=key, expect=201)
        again = second.ask("POST", "/v1/games", body=body, key=key, expect=201)

        assert again.data == made.data
    assert len(one.ask("GET", "/v1/games", expect=200).json["items"]) == 2


def test_a_game_goes_on_with_its_own_secret(api, redis_db):
    """Fault case 163."""
    table = full_table(api)
    key = new_key()
    first = table.ask("POST", "/start", "host", key=key, expect=200)
    rotated = table.through(Api(make_app(redis_db, NEW_SECRET, *KEYS)))

    assert rotated.ask("POST", "/start", "host", key=key, expect=200).data == first.data
    rotated.pass_cards()
    rotated.play(until=lambda _: rotated.state()["deal"]["number"] == 2)
    newcomer = open_table(rotated.api, claim={"seat": 0, "name": "Bea"})
    assert newcomer.state(0)["you"]["seat"] == 0
    api.ask("GET", newcomer.path, newcomer.tokens[0], expect=(401, "invalid_token"))


def test_a_game_whose_secret_is_gone_can_be_read_and_not_dealt(api, redis_db, caplog):
    table = full_table(api)
    stranger = table.through(Api(make_app(redis_db, NEW_SECRET)))

    assert stranger.ask("GET", expect=200).json["status"] == "lobby"
    stranger.ask("GET", viewer=0, expect=(401, "invalid_token"))
    sign = stranger.api.deps.keyring
    host = sign.host_token(table.id, 1, sign.current)
    gone = (503, "game_quarantined")
    for _ in range(2):
        answer = stranger.ask("POST", "/start", token=host, expect=gone)
        assert answer.json["reason"] == "secret"
    key = api.deps.keyring.current
    said = [one.message for one in caplog.records if one.levelname == "ERROR"]
    assert said == [f"quarantined {table.id} (secret): key {key} is not configured"]
    stranger.ask("POST", "/abort", token=host, expect=200)


def test_a_seat_whose_token_cannot_be_signed_is_not_claimed(api, redis_db):
    table = open_table(api)
    stranger = table.through(Api(make_app(redis_db, NEW_SECRET)))

    for _ in range(2):
        body = {"name": "Ana"}
        answer = stranger.ask("POST", "/seats/claim", body=body, expect=(503, "game_quarantined"))
        assert answer.json["reason"] == "secret"

    assert table.version == 1


def test_a_move_under_a_key_survives_a_restart(api, redis_db):
    """Fault cases 64 and 163."""
    table, key = playing_table(api), new_key()
    seat = table.state()["turn"]["seats"][0]
    move = table.a_move(seat)
    first = table.move(seat, move, key=key, expect=201)
    restarted = table.through(Api(make_app(redis_db)))

    assert restarted.move(seat, move, key=key, expect=201).data == first.data
    assert restarted.version == first.json["version"]
