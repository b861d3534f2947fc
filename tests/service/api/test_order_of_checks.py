"""With several faults at once the answer is always that of the first check."""

from typing import NamedTuple

import pytest

from tests.proofs import DECK
from tests.tables import UNKNOWN_GAME, full_table, new_key, playing_table


class Case(NamedTuple):
    """An operation: *sound* fits its schema, *refused* is what the game itself then says.

    The role is *told* by the path, else by the body. *at_any_time* goes until the game is over.
    """

    method: str
    path: str
    role: str | None
    sound: bytes
    refused: tuple[int, str]
    told: bool = True
    at_any_time: bool = False


COMMANDS = {
    "startGame": Case(
        "POST", "/start", "host", b'{"expected_version": 999}', (409, "version_conflict")
    ),
    "abortGame": Case(
        "POST", "/abort", "host", b'{"expected_version": 999}', (409, "version_conflict")
    ),
    "claimAnySeat": Case(
        "POST", "/seats/claim", None, b'{"name": "Ana"}', (409, "game_already_started")
    ),
    "claimSeat": Case(
        "POST", "/seats/0/claim", None, b'{"name": "Ana"}', (409, "game_already_started")
    ),
    "updateGame": Case("PATCH", "", "host", b'{"lobby": "closed"}', (409, "game_already_started")),
    "updateSeat": Case(
        "PATCH", "/seats/0", "seat", b'{"name": "Ana"}', (409, "game_already_started"), told=False
    ),
    "updateSeat by the host": Case(
        "PATCH", "/seats/0", "host", b'{"kind": "human"}', (409, "game_already_started"), told=False
    ),
    "releaseSeat": Case(
        "POST", "/seats/0/release", "seat", b"{}", (409, "game_not_active"), at_any_time=True
    ),
    "changeControl": Case(
        "PUT",
        "/seats/0/control",
        "seat",
        b'{"controller": "bot"}',
        (409, "game_not_active"),
        at_any_time=True,
    ),
    "rotateSeatToken": Case(
        "POST", "/seats/0/rotate-token", "seat", b"{}", (409, "game_not_active"), at_any_time=True
    ),
    "rotateHostToken": Case(
        "POST", "/host/rotate-token", "host", b"{}", (409, "game_not_active"), at_any_time=True
    ),
    "rematchGame": Case(
        "POST", "/rematch", "seat", b"{}", (409, "game_not_finished"), at_any_time=True
    ),
    "takeHint": Case(
        "POST", "/hints", "seat", b'{"level": "hard", "turn_id": 1}', (409, "hints_disabled")
    ),
    "makeMove": Case(
        "POST",
        "/moves",
        "seat",
        b'{"type": "play", "card": "QS", "turn_id": 1}',
        (409, "stale_turn"),
    ),
}
READS = {
    "getGame": ("", None),
    "getLegalMoves": ("/legal-moves", "seat"),
    "getKnowledge": ("/knowledge", "seat"),
    "listEvents": ("/events", None),
    "getEvent": ("/events/999", None),
    "getState": ("/states/999", None),
    "getReplay": ("/replay", None),
    "listDeals": ("/deals", None),
    "getDeal": ("/deals/99", None),
    "getDealProof": ("/deals/99/proof", None),
    "getAnalysis": (f"/analyses/{UNKNOWN_GAME}", None),
    "getFairness": ("/fairness", None),
    "exportGame": ("/export", None),
}
BEYOND = {
    "getEvent": (404, "event_not_found"),
    "getState": (404, "version_not_found"),
    "getDeal": (404, "deal_not_found"),
    "getDealProof": (404, "deal_not_found"),
    "getAnalysis": (404, "analysis_not_found"),
}


@pytest.fixture
def table(api):
    return playing_table(api)


class Request:
    """A request that has every fault but those that were mended."""

    def __init__(self, table, case):
        self.table, self.case = table, case
        self.method, self.target = "DELETE", f"/v1/games/{UNKNOWN_GAME}{case.path}"
        self.query = "?x=1"
        self.token = "nonsense"
        self.data = b"[" * 20_000
        self.media_type = "text/plain"
        self.key = "odd"

    def answers(self):
        sent = {"data": self.data, "content_type": self.media_type, "key": self.key}
        answer = self.table.api.ask(self.method, self.target + self.query, self.token, **sent)
        return (answer.status_code, answer.json["code"])

    def sign(self, game_id, *, other_role=False):
        sign, role = self.table.api.deps.keyring, self.case.role
        is_host = (role == "host") is not other_role
        if is_host:
            self.token = sign.host_token(game_id, 1, sign.current)
        elif game_id == self.table.id:
            self.token = self.table.tokens[0]
        else:
            self.token = sign.seat_token(game_id, 0, 1, sign.current)


@pytest.mark.parametrize("operation", COMMANDS)
def test_a_command_is_checked_in_one_order(table, operation):
    """Fault case 160."""
    case = COMMANDS[operation]
    if case.at_any_time:
        table.ask("POST", "/abort", "host", expect=200)
    before = table.version
    request = Request(table, case)

    assert request.answers() == (405, "method_not_allowed")
    request.method = case.method
    assert request.answers() == (401, "invalid_token")
    request.token = None
    if case.role is not None:
        assert request.answers() == (401, "authentication_required")
        request.sign(table.id)
        assert request.answers() == (403, "wrong_game")
        request.sign(UNKNOWN_GAME, other_role=True)
        role = {"host": "host_only", "seat": "seat_token_required"}[case.role]
        assert request.answers() == ((403, role) if case.told else (413, "payload_too_large"))
        request.sign(UNKNOWN_GAME)
    assert request.answers() == (413, "payload_too_large")
    request.data = b"["
    assert request.answers() == (415, "unsupported_media_type")
    request.media_type = "application/json"
    assert request.answers() == (400, "malformed_json")
    request.data = b'{"x": 1}'
    assert request.answers() == (400, "invalid_parameter")
    request.key = new_key()
    assert request.answers() == (400, "unknown_parameter")
    request.query = ""
    assert request.answers() == (422, "validation_failed")
    request.data = case.sound
    if not case.told:
        request.sign(UNKNOWN_GAME, other_role=True)
        assert request.answers() == (403, role)
        request.sign(UNKNOWN_GAME)
    assert request.answers() == (404, "game_not_found")
    request.target = table.path + case.path
    if case.role is not None:
        request.sign(table.id)
    assert request.answers() == case.refused
    assert table.version == before


@pytest.mark.parametrize("operation", READS)
def test_a_read_is_checked_in_one_order(table, operation):
    """Fault case 160."""
    path, role = READS[operation]
    request = Request(table, Case("GET", path, role, b"", (0, "")))
    request.data = request.media_type = None

    assert request.answers() == (405, "method_not_allowed")
    request.method = "GET"
    assert request.answers() == (401, "invalid_token")
    request.sign(table.id)
    assert request.answers() == (403, "wrong_game")
    request.sign(UNKNOWN_GAME)
    assert request.answers() == (400, "unknown_parameter")
    request.query = ""
    assert request.answers() == (404, "game_not_found")
    if operation in BEYOND:
        request.sign(table.id)
        request.target = table.path + path
        assert request.answers() == BEYOND[operation]


def test_a_key_is_looked_at_before_version_and_turn(table):
    """Fault case 160."""
    seat, key = table.state()["turn"]["seats"][0], new_key()
    move = table.a_move(seat)
    table.move(seat, move, key=key, expect=201)

    other = {**move, "turn_id": 1, "expected_version": 1}
    table.move(seat, other, key=key, expect=(409, "idempotency_key_reused"))


def test_a_precondition_is_looked_at_before_the_rules(api):
    """Fault case 160."""
    table, stale = full_table(api), {"headers": {"If-Match": '"1-p"'}}
    five = {"rules": {"seats": 5}}

    table.ask("PATCH", "", "host", five, **stale, expect=(412, "version_mismatch"))
    table.ask("PATCH", "", "host", five, expect=(409, "rules_conflict"))
    table.ask(
        "PATCH", "/seats/9", "host", {"kick": True}, **stale, expect=(412, "version_mismatch")
    )


def test_a_version_is_looked_at_before_the_turn_and_the_turn_before_the_rules(table):
    """Fault cases 150 and 160."""
    seat = table.state()["turn"]["seats"][0]
    hand = table.state(seat)["you"]["hand"]
    absent = next(card for card in DECK if card not in hand)
    move = {"type": "play", "card": absent, "turn_id": 1, "expected_version": 1}

    table.move(seat, move, expect=(409, "version_conflict"))
    del move["expected_version"]
    table.move(seat, move, expect=(409, "stale_turn"))
    del move["turn_id"]
    table.move(seat, move, expect=(409, "card_not_in_hand"))


def test_creating_is_checked_in_one_order(api):
    """Fault case 160."""
    request = {"data": b"[" * 20_000, "content_type": "text/plain", "key": "odd"}
    request["token"] = "nonsense"

    def answers(method="POST", query="?x=1"):
        answer = api.ask(method, f"/v1/games{query}", **request)
        return (answer.status_code, answer.json["code"])

    assert answers("DELETE") == (405, "method_not_allowed")
    assert answers() == (401, "invalid_token")
    request["token"] = None
    assert answers() == (413, "payload_too_large")
    request["data"] = b"["
    assert answers() == (415, "unsupported_media_type")
    request["content_type"] = "application/json"
    assert answers() == (400, "malformed_json")
    request["data"] = b'{"x": 1}'
    assert answers() == (400, "invalid_parameter")
    request["key"] = new_key()
    assert answers() == (400, "unknown_parameter")
    assert answers(query="") == (422, "validation_failed")
    request["data"] = b'{"rules": {"seats": 3, "passing": {"cycle": ["across"]}}}'
    assert answers(query="") == (409, "rules_conflict")
