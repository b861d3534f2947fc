"""Bodies: what is no JSON, no object, too large, of another type, or not what the schema says."""

import gzip
import json

import pytest

from tests.nasty import MALFORMED, NO_OBJECT, TOO_LARGE
from tests.tables import BOT, HUMAN, full_table, new_key, open_table

# Operation → method, path within the game, who may, and a body that fits its schema.
OPERATIONS = {
    "createGame": ("POST", None, None, {"claim": {"seat": 0, "name": "Ana"}}),
    "updateGame": ("PATCH", "", "host", {"rules": {"ending": {"target": 50}}}),
    "startGame": ("POST", "/start", "host", {"expected_version": 5}),
    "abortGame": ("POST", "/abort", "host", {"expected_version": 5}),
    "claimAnySeat": ("POST", "/seats/claim", None, {"name": "Ana"}),
    "claimSeat": ("POST", "/seats/1/claim", None, {"name": "Ana"}),
    "updateSeat": ("PATCH", "/seats/0", 0, {"name": "Ana"}),
    "updateSeat by the host": ("PATCH", "/seats/0", "host", {"kind": "human"}),
    "releaseSeat": ("POST", "/seats/0/release", 0, {}),
    "changeControl": ("PUT", "/seats/0/control", 0, {"controller": "human"}),
    "rotateSeatToken": ("POST", "/seats/0/rotate-token", 0, {}),
    "rematchGame": ("POST", "/rematch", 0, {}),
    "rotateHostToken": ("POST", "/host/rotate-token", "host", {}),
    "takeHint": ("POST", "/hints", 0, {"level": "hard"}),
    "makeMove": ("POST", "/moves", 0, {"type": "play", "card": "QS"}),
}
# Where it may be left out: what comes of that, and of an empty one after it.
OPTIONAL = {
    "startGame": (409, 409),
    "abortGame": (200, 409),
    "releaseSeat": (200, 401),
    "rotateSeatToken": (201, 401),
    "rematchGame": (409, 409),
    "rotateHostToken": (201, 401),
}

every_operation = pytest.mark.parametrize("operation", OPERATIONS)


class Door:
    """Sends bodies to one operation of a table in its lobby, where seat 0 is taken."""

    def __init__(self, api, operation):
        self.api = api
        self.table = open_table(api, claim={"seat": 0, "name": "Ana"})
        self.method, path, viewer, self.body = OPERATIONS[operation]
        self.target = "/v1/games" if path is None else self.table.path + path
        self.token = self.table.token(viewer)

    def send(self, data, **more):
        return self.api.send(self.method, self.target, data, self.token, **more)

    def ask(self, body=None, **more):
        return self.api.ask(self.method, self.target, self.token, body, **more)

    def is_untouched(self):
        listed = self.api.ask("GET", "/v1/games", expect=200).json["items"]
        return [(one["id"], one["version"]) for one in listed] == [(self.table.id, 2)]


@pytest.fixture
def door(api, operation):
    return Door(api, operation)


# Bytes


@every_operation
def test_what_is_no_json_is_400_everywhere(door):
    """Fault cases 126, 127, 128, 129, 132 and 142."""
    for data in MALFORMED.values():
        door.send(data, expect=(400, "malformed_json"))
    assert door.is_untouched()


@every_operation
def test_what_is_no_object_is_422_everywhere(door):
    """Fault case 134."""
    for data in NO_OBJECT.values():
        answer = door.send(data, expect=(422, "validation_failed"))

        assert [error["pointer"] for error in answer.json["errors"]] == [""]
    assert door.is_untouched()


@every_operation
def test_what_is_too_large_is_413_everywhere(door):
    """Fault case 139."""
    for data in TOO_LARGE.values():
        door.send(data, expect=(413, "payload_too_large"))
    assert door.is_untouched()


OTHER_TYPES = [
    None,
    "",
    "text/plain",
    "text/json",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/problem+json",
    "application/vnd.api+json",
    "application/jsonp",
    "application/json-seq",
    "application",
    "*/*",
    "application/json, text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=utf-7",
    "application/json; charset=latin-1",
    "application/json; charset=bogus",
    "application/json; version=2",
    "application/json; charset=utf-8; version=2",
]


@every_operation
def test_what_is_not_said_to_be_json_is_415(door):
    """Fault case 144."""
    data = json.dumps(door.body).encode()

    for media_type in OTHER_TYPES:
        door.send(data, content_type=media_type, expect=(415, "unsupported_media_type"))
    assert door.is_untouched()


@every_operation
def test_a_body_that_is_compressed_is_415(door):
    plain = json.dumps(door.body).encode()

    for coding, data in {
        "gzip": gzip.compress(plain),
        "br": plain,
        "gzip, identity": plain,
    }.items():
        headers = {"Content-Encoding": coding}
        door.send(data, headers=headers, expect=(415, "unsupported_media_type"))
    assert door.is_untouched()


@pytest.mark.parametrize("coding", ["identity", "Identity", " identity "])
def test_a_body_may_be_said_to_be_as_it_is(api, coding):
    headers = {"Content-Encoding": coding}
    api.send("POST", "/v1/games", b"{}", headers=headers, expect=201)


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "Application/JSON",
        "application/json;charset=utf-8",
        "application/json; charset=UTF-8",
        'application/json; charset="utf-8"',
        "application/json;",
        "application/json; charset=",
    ],
)
def test_json_may_be_named_in_all_the_ways_that_mean_the_same(api, media_type):
    """Fault case 144."""
    api.send("POST", "/v1/games", b"{}", content_type=media_type, expect=201)


@every_operation
def test_a_body_that_is_needed_and_not_there_is_refused(door, operation):
    if operation in OPTIONAL:
        found = (door.ask().status_code, door.send(b"").status_code)
        assert found == OPTIONAL[operation]
        return
    door.ask(expect=(415, "unsupported_media_type"))
    door.send(b"", expect=(400, "malformed_json"))
    assert door.is_untouched()


@every_operation
def test_a_body_of_exactly_16_kib_is_read(door):
    body = json.dumps(door.body)
    answer = door.send(body.ljust(16_384).encode())

    assert answer.status_code in {201, 200, 409}


# Members


STRANGE = ["__proto__", "seat", "version", "score", "is_bot", "token", "", "_schema", "a/b~c", "é"]


@every_operation
def test_an_unknown_member_is_refused_and_named(door):
    """Fault case 54."""
    for name in STRANGE:
        answer = door.ask({**door.body, name: 1}, expect=(422, "validation_failed"))

        pointer = "/" + name.replace("~", "~0").replace("/", "~1")
        assert answer.json["errors"] == [
            {"pointer": pointer, "code": "unknown", "detail": "There is no such member."}
        ]
    assert door.is_untouched()


def test_all_faults_are_named_at_once(api):
    body = {
        "rules": {"preset": "whist", "ending": {"target": 0, "tie": "x"}, "extra": {}},
        "seats": [{"kind": "human", "level": "easy"}, {"kind": "bot"}, {"kind": "robot"}],
        "claim": {"name": ""},
        "client_seed": "a1" * 32,
    }
    answer = api.ask("POST", "/v1/games", body=body, expect=(422, "validation_failed"))

    assert {error["pointer"]: error["code"] for error in answer.json["errors"]} == {
        "/rules/preset": "invalid",
        "/rules/ending/target": "invalid",
        "/rules/ending/tie": "invalid",
        "/rules/extra": "unknown",
        "/seats/0/level": "unknown",
        "/seats/1/level": "required",
        "/seats/2/kind": "invalid",
        "/claim/name": "invalid",
        "/claim/seat": "required",
        "/client_seed": "unknown",
    }


# Field → operation, and a body around its value.
INTEGERS = {
    "rules.seats": ("createGame", lambda n: {"rules": {"seats": n}}),
    "rules.version": ("createGame", lambda n: {"rules": {"version": n}}),
    "passing.count": ("createGame", lambda n: {"rules": {"passing": {"count": n}}}),
    "queen_of_spades": ("createGame", lambda n: {"rules": {"scoring": {"queen_of_spades": n}}}),
    "extra.JD": ("createGame", lambda n: {"rules": {"scoring": {"extra": {"JD": n}}}}),
    "updated target": ("updateGame", lambda n: {"rules": {"ending": {"target": n}}}),
    "hearts.A": ("createGame", lambda n: {"rules": {"scoring": {"hearts": {"A": n}}}}),
    "no_trick": ("createGame", lambda n: {"rules": {"scoring": {"no_trick": n}}}),
    "moon_points": ("createGame", lambda n: {"rules": {"scoring": {"moon_points": n}}}),
    "sun_points": ("createGame", lambda n: {"rules": {"scoring": {"sun_points": n}}}),
    "target": ("createGame", lambda n: {"rules": {"ending": {"target": n}}}),
    "deals": ("createGame", lambda n: {"rules": {"ending": {"deals": n}}}),
    "deck_size": ("createGame", lambda n: {"rules": {"derived": {"deck_size": n}}}),
    "claim.seat": ("createGame", lambda n: {"claim": {"seat": n, "name": "Ana"}}),
    "start": ("startGame", lambda n: {"expected_version": n}),
    "abort": ("abortGame", lambda n: {"expected_version": n}),
    "turn_id": ("makeMove", lambda n: {"type": "play", "card": "QS", "turn_id": n}),
    "expected_version": (
        "makeMove",
        lambda n: {"type": "pass", "cards": ["QS"], "expected_version": n},
    ),
}
NULLABLE = {"sun_points", "target", "updated target", "deals"}
NO_INTEGERS = ["4", "", 4.9, 1e-9, True, False, [], [4], {}, 999_999_999, -999_999_999, "0x4", " 4"]
UNBOUNDED = {"rules.version", "start", "abort", "turn_id", "expected_version"}


@pytest.mark.parametrize(("operation", "body_with"), INTEGERS.values(), ids=INTEGERS)
def test_an_integer_is_nothing_that_looks_like_one(door, request, body_with):
    """Fault cases 128 and 135."""
    field = next(name for name, (_, body) in INTEGERS.items() if body is body_with)
    wrong = [*NO_INTEGERS, *([] if field in NULLABLE else [None])]
    for value in wrong:
        if value == 999_999_999 and field in UNBOUNDED:
            continue
        answer = door.ask(body_with(value), expect=(422, "validation_failed"))

        assert len(answer.json["errors"]) == 1, value
        assert str(value) not in answer.text or len(str(value)) < 3
    assert door.is_untouched()


def test_an_integer_may_be_written_with_a_point(api):
    """Fault case 135."""
    body = (
        b'{"rules": {"seats": 5.0, "ending": {"target": 1e2}}, "claim": {"seat": 0.0, "name": "A"}}'
    )
    game = api.send("POST", "/v1/games", body, expect=201).json["game"]

    assert (game["rules"]["seats"], game["rules"]["ending"]["target"]) == (5, 100)
    assert game["seats"][0]["name"] == "A"


@pytest.mark.parametrize("value", ["yes", "true", "off", 1, 0, 1.0, None, [], ["true"], {}])
def test_a_boolean_is_true_or_false(api, value):
    """Fault case 135."""
    rules = {"scoring": {"moon_absorbs_bonus": value}}
    bodies = [{"rules": rules}, {"auto_start": value}, {"fill_with_bots": value}]

    for body in bodies:
        api.ask("POST", "/v1/games", body=body, expect=(422, "validation_failed"))
    Door(api, "updateGame").ask({"rules": rules}, expect=(422, "validation_failed"))
    Door(api, "updateSeat").ask({"ready": value}, expect=(422, "validation_failed"))


@pytest.mark.parametrize("value", ["yes", "true", 1, 0, None, False, [], [True], {}])
@pytest.mark.parametrize("member", ["kick", "reissue"])
def test_what_is_asked_for_is_asked_for_with_true(api, member, value):
    Door(api, "updateSeat by the host").ask({member: value}, expect=(422, "validation_failed"))


@pytest.mark.parametrize("value", ["Open", "", "shut", True, False, None, 1, ["open"], {}])
def test_a_lobby_is_open_or_closed(api, value):
    api.ask("POST", "/v1/games", body={"lobby": value}, expect=(422, "validation_failed"))
    Door(api, "updateGame").ask({"lobby": value}, expect=(422, "validation_failed"))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kick": True, "reissue": True},
        {"kick": True, "name": "Ana"},
        {"reissue": True, "kind": "human"},
        {"kind": "human", "kick": True},
        {"kind": "human", "name": "Ana"},
        {"kind": "human", "level": "easy"},
        {"kind": "human", "ready": True},
        {"kind": "bot"},
        {"kind": "bot", "level": "hardest"},
        {"kind": "bot", "level": "easy", "name": ""},
        {"kind": "bot", "level": "easy", "client_seed": "a1" * 32},
        {"kind": None},
        {"kind": "robot"},
        {"kind": ["bot"]},
        {"level": "easy"},
        {"rules": {}},
    ],
    ids=str,
)
def test_one_thing_is_changed_of_a_seat_at_a_time(api, body):
    for operation in ("updateSeat", "updateSeat by the host"):
        Door(api, operation).ask(body, expect=(422, "validation_failed"))


@pytest.mark.parametrize(
    "body",
    [{}, {"rules": None}, {"rules": []}, {"auto_start": True}, {"seats": [HUMAN] * 4}],
    ids=str,
)
def test_a_change_of_the_table_names_rules_or_lobby(api, body):
    Door(api, "updateGame").ask(body, expect=(422, "validation_failed"))


CARDS = [
    "QS\n",
    "\nQS",
    "\uff31\uff33",
    "qs",
    "Q♠",
    "QS ",
    " QS",
    "Q",
    "",
    "QSS",
    "1S",
    "10S",
    "SQ",
    "XX",
]
CARDS += ["0C", "T\u0000", "Q\u017f", 12, None, True, ["QS"], {"suit": "S"}]


@pytest.mark.parametrize("card", CARDS, ids=repr)
def test_a_card_is_two_ascii_characters(api, card):
    """Fault cases 10 and 150."""
    door = Door(api, "makeMove")

    door.ask({"type": "play", "card": card}, expect=(422, "validation_failed"))
    door.ask({"type": "pass", "cards": ["2C", card]}, expect=(422, "validation_failed"))
    rules = {"deck": {"remove": [card]}}
    api.ask("POST", "/v1/games", body={"rules": rules}, expect=(422, "validation_failed"))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"type": None},
        {"type": "Play", "card": "QS"},
        {"type": "play"},
        {"type": "play", "card": "QS", "cards": ["QS"]},
        {"type": "play", "cards": ["QS"]},
        {"type": "pass", "card": "QS"},
        {"type": "pass", "cards": "QS"},
        {"type": "pass", "cards": ["QS"] * 21},
        {"type": "pass", "cards": {"0": "QS"}},
        {"type": "moon"},
        {"type": "moon", "choice": "sun"},
        {"type": "moon", "choice": "safety\n"},
        {"type": ["play"], "card": "QS"},
        {"type": {"play": 1}},
        {"card": "QS"},
    ],
    ids=str,
)
def test_a_move_is_one_of_three_kinds(api, body):
    """Fault case 150."""
    Door(api, "makeMove").ask(body, expect=(422, "validation_failed"))


SEEDS = [
    "a1" * 31,
    "a1" * 33,
    "A1" * 32,
    "g1" * 32,
    "a1" * 32 + "\n",
    " " + "a1" * 31,
    "",
    1,
    ["a"],
]


@pytest.mark.parametrize("seed", SEEDS, ids=repr)
def test_a_client_seed_is_64_lower_case_hex_digits(api, seed):
    claim, update = Door(api, "claimSeat"), Door(api, "updateSeat")

    claim.ask({"name": "Ana", "client_seed": seed}, expect=(422, "validation_failed"))
    update.ask({"client_seed": seed}, expect=(422, "validation_failed"))


def test_a_client_seed_may_be_null_in_a_claim_alone(api):
    Door(api, "claimSeat").ask({"name": "Ana", "client_seed": None}, expect=201)
    Door(api, "updateSeat").ask({"client_seed": None}, expect=(422, "validation_failed"))
    Door(api, "updateSeat").ask({}, expect=(422, "validation_failed"))


@pytest.mark.parametrize(
    "seats",
    [
        [],
        [HUMAN] * 2,
        [HUMAN] * 12,
        [{}] * 4,
        [None] * 4,
        ["human"] * 4,
        [{"kind": "human", "name": "Ana"}] * 4,
        [{"kind": "bot", "level": "hardest"}] * 4,
        [{**BOT, "seat": 0}] * 4,
        {"0": HUMAN},
        4,
    ],
    ids=str,
)
def test_a_table_has_three_to_eleven_seats_of_a_known_kind(api, seats):
    api.ask("POST", "/v1/games", body={"seats": seats}, expect=(422, "validation_failed"))


@every_operation
def test_nothing_that_is_refused_takes_its_key(door, operation):
    key = new_key()
    door.send(b"{", key=key, expect=(400, "malformed_json"))
    door.ask({**door.body, "x": 1}, key=key, expect=(422, "validation_failed"))

    answer = door.ask(door.body, key=key)

    assert answer.status_code in {200, 201} or answer.json["code"] != "idempotency_key_reused"


def test_a_full_table_is_not_filled_by_odd_bodies(api):
    table = full_table(api)
    before = table.state()

    for data in [*MALFORMED.values(), *NO_OBJECT.values()]:
        assert api.send("POST", table.path + "/seats/claim", data).status_code in {400, 422}
    assert table.state() == before
