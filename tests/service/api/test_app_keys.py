"""Application keys: what they are for, and what they say to nobody else."""

import json
import random

import pytest

from service.keyring import Keyring, fresh_number
from tests.tables import (
    BOT,
    HUMAN,
    KEYS,
    SHORT,
    UNKNOWN_GAME,
    Api,
    Table,
    make_app,
    new_key,
    open_table,
    outcome_of,
)

REF = "u_33~reference"


def app_key(app="shop", number=None):
    return Keyring([KEYS[0].encode()]).app_key(app, number or fresh_number())


def create(api, key, **body):
    """Return a table of an app, with Ana in seat 0 unless the body says otherwise."""
    body = {"seats": [HUMAN, HUMAN, BOT], "claim": {"seat": 0, "name": "Ana"}, **body}
    return Table(api, api.ask("POST", "/v1/games", key, body, expect=201).json)


def claim(table, key, seat=1, **body):
    body = {"name": "Bea", "player_ref": REF, **body}
    answer = table.ask("POST", f"/seats/{seat}/claim", token=key, body=body)
    if answer.status_code == 201:
        table.tokens[seat] = answer.json["seat_token"]
    return answer


def test_the_app_that_made_the_game_names_its_players(api):
    key = app_key()
    table = create(api, key)

    assert outcome_of(claim(table, key)) == 201

    stored = api.deps.games.read(table.id).table
    assert stored.players[1].player_ref == REF
    assert stored.options.application == "shop"


def test_another_key_of_the_same_app_is_as_good(api):
    table = create(api, app_key())

    assert outcome_of(claim(table, app_key())) == 201


def test_a_reference_needs_a_key(api):
    table = create(api, app_key())

    for token in (None, table.host, table.tokens[0]):
        assert outcome_of(claim(table, token)) == (403, "key_required")
    assert outcome_of(claim(table, None, player_ref=None)) == 201


def test_a_reference_needs_the_key_of_the_app_that_made_the_game(api):
    for table in (create(api, app_key("other")), open_table(api, HUMAN, HUMAN, BOT)):
        assert outcome_of(claim(table, app_key())) == (403, "key_scope")
        assert outcome_of(claim(table, app_key(), player_ref=None)) == 201


@pytest.mark.parametrize("ref", ["", "a b", "é", "x" * 65, "line\n", 1, True])
def test_a_reference_is_1_to_64_visible_characters(api, ref):
    key = app_key()

    assert outcome_of(claim(create(api, key), key, player_ref=ref)) == (422, "validation_failed")


def test_nobody_is_shown_the_reference_or_the_app(api):
    key = app_key("secretshop")
    table = create(api, key, rules=SHORT)
    claim(table, key)
    table.start()
    table.ask("POST", "/abort", "host", expect=200)

    for viewer in (None, "host", 0, 1):
        for path in (
            *("", "/events", "/events?as=all", "/states/3", "/states/3?as=all"),
            *("/replay?as=all", "/export?as=all", "/export?format=json", "/export?format=hgn"),
            *("/deals", "/fairness", "/stream", "/events/2", "/events/3"),
        ):
            shown = table.ask("GET", path, viewer).data
            for secret in (REF.encode(), b"secretshop", b"player_ref", key.encode()):
                assert secret not in shown, f"{path} as {viewer}"
    listed = api.ask("GET", "/v1/games", expect=200).data
    assert REF.encode() not in listed


def test_a_lost_token_is_made_anew_by_the_app(api):
    key = app_key()
    table = create(api, key)
    claim(table, key)
    lost = table.tokens[1]

    made = table.ask("PATCH", "/seats/1", token=key, body={"reissue": True}, expect=200).json

    table.ask("GET", "", token=lost, expect=(401, "token_revoked"))
    table.ask("GET", "", token=made["seat_token"], expect=200)
    event = table.events()[-1]
    assert (event["type"], event["actor"]) == ("seat.token_rotated", {"kind": "key"})


def test_the_app_gives_a_running_seat_back_to_its_player(api):
    key = app_key()
    table = create(api, key)
    claim(table, key)
    table.start()
    table.release(1)

    made = table.ask("PATCH", "/seats/1", token=key, body={"reissue": True}, expect=200).json

    assert table.state()["seats"][1]["controller"] == "human"
    table.ask("GET", "", token=made["seat_token"], expect=200)


def test_a_repeated_reissue_gives_the_same_token(api):
    key, again = app_key(), new_key()
    table = create(api, key)

    tokens = [
        table.ask(
            "PATCH", "/seats/0", token=one, body={"reissue": True}, key=again, expect=200
        ).json["seat_token"]
        for one in (key, app_key())
    ]

    assert tokens[0] == tokens[1]


def test_a_key_makes_tokens_and_changes_nothing_else(api):
    key = app_key()
    table = create(api, key)

    for body in ({"kick": True}, {"kind": "human"}, {"name": "Eve"}, {"ready": True}):
        table.ask("PATCH", "/seats/0", token=key, body=body, expect=(403, "host_only"))
    for method, path in (("POST", "/start"), ("POST", "/abort"), ("PATCH", ""), ("GET", "")):
        body = None if method == "GET" else {}
        table.ask(method, path, token=key, body=body, expect=(401, "invalid_token"))


def test_another_app_makes_no_tokens(api):
    table = create(api, app_key("other"))
    hidden = create(api, app_key("other"), visibility="private")
    body = {"reissue": True}

    table.ask("PATCH", "/seats/0", token=app_key(), body=body, expect=(403, "key_scope"))
    for one in (hidden.id, UNKNOWN_GAME):
        api.ask(
            "PATCH", f"/v1/games/{one}/seats/0", app_key(), body, expect=(404, "game_not_found")
        )


def test_a_key_opens_no_private_game(api):
    key = app_key()
    made = create(api, key, visibility="private")

    made.ask("GET", token=key, expect=(401, "invalid_token"))
    assert outcome_of(claim(made, key)) == (409, "wrong_join_code")


def test_one_idempotency_key_is_another_one_for_each_app(api):
    again = new_key()

    ids = [
        api.ask("POST", "/v1/games", one, {}, key=again, expect=201).json["id"]
        for one in (None, app_key("one"), app_key("two"), app_key("one"))
    ]

    assert len(set(ids)) == 3
    assert ids[1] == ids[3]


@pytest.mark.parametrize(
    "text",
    [
        "hak_",
        "hak_" + "0" * 12 + "A" * 32 + "." + "A" * 43,
        app_key()[:-1],
        app_key() + "A",
        app_key().replace("hak_", "hst_"),
        Keyring([b"another secret of at least 32 bytes"]).app_key("shop", "0" * 12),
    ],
    ids=range(6),  # keys are drawn anew in each process
)
def test_what_is_no_key_of_ours_is_refused(api, text):
    table = create(api, app_key())

    for method, path, body in (
        ("POST", "/v1/games", {}),
        ("POST", f"{table.path}/seats/1/claim", {"name": "Bea"}),
        ("POST", f"{table.path}/seats/claim", {"name": "Bea"}),
        ("PATCH", f"{table.path}/seats/0", {"reissue": True}),
    ):
        api.ask(method, path, text, body, expect=(401, "invalid_token"))


def test_a_revoked_key_is_dead_and_others_of_the_app_are_not(redis_url, redis_db):
    number = fresh_number()
    api = Api(make_app(redis_url, revoked=[number]))

    revoked, other = app_key(number=number), app_key()
    api.ask("POST", "/v1/games", revoked, {}, expect=(401, "token_revoked"))
    made = api.ask("POST", "/v1/games", other, {}, expect=201).json
    game = f"/v1/games/{made['id']}"
    for method, path, body in [
        ("GET", "/v1/games", None),
        ("GET", "/v1/exports", None),
        ("POST", f"{game}/seats/claim", {"name": "Bea"}),
        ("POST", f"{game}/seats/1/claim", {"name": "Bea"}),
        ("PATCH", f"{game}/seats/1", {"reissue": True}),
    ]:
        api.ask(method, path, revoked, body, expect=(401, "token_revoked"))
    # Where everybody gets the same nobody looks, and a game takes its own tokens alone.
    api.ask("GET", "/v1/presets", revoked, expect=200)
    for key in (revoked, other):
        api.ask("GET", game, key, expect=(401, "invalid_token"))


def test_a_rematch_that_a_player_opens_belongs_to_the_app_too(api):
    key = app_key()
    table = create(api, key, rules=SHORT, seats=[HUMAN, BOT, BOT])
    table.start()
    while table.state()["status"] == "active":
        table.let_bots_play()
        table.play(random.Random(1), until=lambda turn: turn["seats"][0] not in table.tokens)

    made = table.ask("POST", "/rematch", 0, expect=201).json

    options = api.deps.games.read(made["id"]).table.options
    assert options.application == "shop"


def test_a_reference_passes_into_no_file(api):
    key = app_key()
    table = create(api, key, rules=SHORT)
    claim(table, key)
    table.ask("PATCH", "/seats/1", token=key, body={"reissue": True}, expect=200)
    table.start()
    table.ask("POST", "/abort", "host", expect=200)
    file = table.ask("GET", "/export", expect=200).data
    sent = {"data": file, "content_type": "application/x-ndjson"}

    assert json.loads(file.splitlines()[1])["data"]["host_grant"] == 1
    assert api.ask("POST", "/v1/verifications", **sent, expect=200).json["valid"]
    made = api.ask("POST", "/v1/imports", **sent, expect=201).json
    assert api.deps.games.read(made["id"]).table.players[1].player_ref is None
