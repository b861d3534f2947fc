"""Who may do what: every operation with every kind of credential, as one exact table."""

import pytest

from service.keyring import Keyring
from tests.tables import UNKNOWN_GAME, full_table, open_table

SEED = "a1" * 32
LATE = {"expected_version": 999}

# Operation → method, path within the game, body. None of them changes anything: the game
# runs, so that commands come as far as the game itself, and no further; what goes at any
# time comes with a key that was used for something else.
OPERATIONS = {
    "getGame": ("GET", "", None),
    "listEvents": ("GET", "/events", None),
    "getEvent": ("GET", "/events/1", None),
    "getState": ("GET", "/states/1", None),
    "getReplay": ("GET", "/replay", None),
    "listDeals": ("GET", "/deals", None),
    "getDeal": ("GET", "/deals/1", None),
    "getDealProof": ("GET", "/deals/1/proof", None),
    "getFairness": ("GET", "/fairness", None),
    "exportGame": ("GET", "/export", None),
    "getLegalMoves": ("GET", "/legal-moves", None),
    "getKnowledge": ("GET", "/knowledge", None),
    "takeHint": ("POST", "/hints", {"level": "hard"}),
    "makeMove": ("POST", "/moves", {"type": "moon", "choice": "others_add"}),
    "updateSeat": ("PATCH", "/seats/0", {"client_seed": SEED}),
    "updateSeat by the host": ("PATCH", "/seats/0", {"kind": "human"}),
    "releaseSeat": ("POST", "/seats/0/release", None),
    "rotateSeatToken": ("POST", "/seats/0/rotate-token", None),
    "rotateHostToken": ("POST", "/host/rotate-token", None),
    "updateGame": ("PATCH", "", {"lobby": "closed"}),
    "startGame": ("POST", "/start", LATE),
    "abortGame": ("POST", "/abort", LATE),
    "claimSeat": ("POST", "/seats/0/claim", {"name": "Ana"}),
    "claimAnySeat": ("POST", "/seats/claim", {"name": "Ana"}),
}
READ = {
    *("getGame", "listEvents", "getEvent", "getState", "getReplay"),
    *("listDeals", "getDeal", "getDealProof", "getFairness", "exportGame"),
}
OF_A_SEAT = {"updateSeat", "releaseSeat", "rotateSeatToken"}
BY_SEAT = {"getLegalMoves", "getKnowledge", "takeHint", "makeMove", *OF_A_SEAT}
BY_HOST = {"updateGame", "startGame", "abortGame", "rotateHostToken"}
BY_HOST_OF_A_SEAT = {"updateSeat by the host"}
COLUMNS = (READ, BY_SEAT - OF_A_SEAT, OF_A_SEAT, BY_HOST, BY_HOST_OF_A_SEAT)
WITH_A_TOKEN = sorted({*READ, *BY_SEAT, *BY_HOST, *BY_HOST_OF_A_SEAT})
BY_ANYBODY = {"claimSeat", "claimAnySeat"}
NO_CREDENTIAL = {"another secret", "garbage", "two"}
AT_ANY_TIME = {"releaseSeat", "rotateSeatToken", "rotateHostToken"}
USED_KEY = "u" * 32

NO_TOKEN = (401, "authentication_required")
INVALID = (401, "invalid_token")
REVOKED = (401, "token_revoked")
WRONG_GAME = (403, "wrong_game")
STARTED = (409, "game_already_started")

# What an operation answers to whoever may.
ALLOWED = {
    **dict.fromkeys(READ, 200),
    "getDealProof": (409, "not_revealed"),
    "getLegalMoves": 200,
    "getKnowledge": 200,
    "takeHint": (409, "hints_disabled"),
    "makeMove": (409, "wrong_phase"),
    "updateSeat": STARTED,
    "updateSeat by the host": STARTED,
    **dict.fromkeys(AT_ANY_TIME, (409, "idempotency_key_reused")),
    "updateGame": STARTED,
    "startGame": (409, "version_conflict"),
    "abortGame": (409, "version_conflict"),
    "claimSeat": STARTED,
    "claimAnySeat": STARTED,
}

ALLOWED_TO = "whoever may"
HOST_ONLY = (403, "host_only")
SEAT_ONLY = (403, "seat_token_required")
WRONG_SEAT = (403, "wrong_seat")

# Credential → what it gets from a read, from moves, from the seat's own path, from the host's,
# and from the seat's where the host alone may.
TABLE = {
    "none": (ALLOWED_TO, NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN),
    "own": (ALLOWED_TO, ALLOWED_TO, ALLOWED_TO, HOST_ONLY, HOST_ONLY),
    "other": (ALLOWED_TO, ALLOWED_TO, WRONG_SEAT, HOST_ONLY, WRONG_SEAT),
    "host": (ALLOWED_TO, SEAT_ONLY, SEAT_ONLY, ALLOWED_TO, ALLOWED_TO),
    "a seat of another game": (WRONG_GAME,) * 5,
    "the host of another game": (WRONG_GAME,) * 5,
    "a seat of no game": (WRONG_GAME,) * 5,
    "an older grant": (REVOKED, REVOKED, REVOKED, HOST_ONLY, HOST_ONLY),
    "a later grant": (REVOKED, REVOKED, REVOKED, HOST_ONLY, HOST_ONLY),
    "another grant of the host": (REVOKED, SEAT_ONLY, SEAT_ONLY, REVOKED, REVOKED),
    "another secret": (INVALID,) * 5,
    "garbage": (INVALID,) * 5,
    "two": (INVALID,) * 5,
}
GARBAGE = [
    "",
    "Bearer",
    "Bearer ",
    "Bearer x",
    "bearer x y",
    "Bearer\tx",
    "Basic !!!",
    "Basic QW5hOkFuYQ==",
    "Token {own}",
    "{own}",
    "Bearer {own} ",
    "Bearer  {own}",
    "Bearer {own}, Bearer {own}",
    'Bearer "{own}"',
    "Bearer token={own}",
    "Bearer {own}.{own}",
    "Bearer {own}=",
    "Bearer hst_",
    "Bearer hht_",
    "Bearer hst_.",
    "Bearer " + "a" * 8_000,
    "Bearer hst_" + "A" * 8_000,
    "Bearer hst_\u00e9\u00ff",
    "Bearer \u00ff\u00fe",
    "Bearer null",
    "Bearer undefined",
]


def expected(operation, credential):
    """Return what *operation* answers to *credential*."""
    if operation in BY_ANYBODY:  # a token of a game says nothing there, and what is none is refused
        return INVALID if credential in NO_CREDENTIAL else STARTED
    column = next(number for number, some in enumerate(COLUMNS) if operation in some)
    found = TABLE[credential][column]
    return ALLOWED[operation] if found == ALLOWED_TO else found


class Hall:
    """A running game in which one seat is to act, another game, and credentials of all kinds."""

    def __init__(self, api):
        self.api = api
        rules = {"play": {"opening_lead": "eldest"}, "passing": {"cycle": ["hold"]}}
        self.table = full_table(api, rules=rules)
        self.table.ask("PATCH", "", "host", {"lobby": "closed"}, key=USED_KEY, expect=200)
        for seat in range(4):
            self.table.ask("PATCH", f"/seats/{seat}", seat, {"ready": True}, key=USED_KEY)
        self.table.start()
        self.actor = self.table.state()["turn"]["seats"][0]
        self.other = open_table(api, claim={"seat": 0, "name": "Ana"})
        self.keyring = api.deps.keyring

    def token(self, credential):
        table, sign = self.table, self.keyring
        grant = sign.read(table.tokens[self.actor]).grant
        key_id = sign.current
        return {
            "own": lambda: table.tokens[self.actor],
            "other": lambda: table.tokens[(self.actor + 1) % 4],
            "host": lambda: table.host,
            "a seat of another game": lambda: self.other.tokens[0],
            "the host of another game": lambda: self.other.host,
            "a seat of no game": lambda: sign.seat_token("ab" * 16, self.actor, 1, key_id),
            "an older grant": lambda: sign.seat_token(table.id, self.actor, grant - 1, key_id),
            "a later grant": lambda: sign.seat_token(table.id, self.actor, grant + 1, key_id),
            "another grant of the host": lambda: sign.host_token(table.id, 2, key_id),
            "another secret": lambda: stranger().seat_token(
                table.id, self.actor, grant, stranger().current
            ),
        }[credential]()

    def ask(self, operation, headers, game_id=None):
        method, path, body = OPERATIONS[operation]
        path = path.replace("seats/0", f"seats/{self.actor}")
        target = f"/v1/games/{game_id or self.table.id}{path}"
        key = USED_KEY if operation in AT_ANY_TIME else None
        return self.api.ask(method, target, None, body, headers=headers, key=key)


def stranger():
    return Keyring([b"a secret that signs for nobody -- "])


def outcome(answer):
    return (answer.status_code, answer.json["code"]) if answer.status_code != 200 else 200


@pytest.fixture
def hall(api):
    return Hall(api)


every_operation = pytest.mark.parametrize("operation", OPERATIONS)
SIGNED = [one for one in TABLE if one not in {"none", "garbage", "two"}]


@every_operation
def test_every_credential_gets_what_the_table_says(hall, operation):
    """Fault cases 48, 55, 59 and 61."""
    before = hall.table.version

    found = {"none": outcome(hall.ask(operation, {}))}
    for credential in SIGNED:
        headers = {"Authorization": f"Bearer {hall.token(credential)}"}
        found[credential] = outcome(hall.ask(operation, headers))

    assert found == {credential: expected(operation, credential) for credential in found}
    # A later grant than the log's proves that the log has lost its end; nothing else happens.
    kinds = {one["type"] for one in hall.table.events(after=before)}
    assert kinds <= {"deal.voided", "deal.dealt"}


@every_operation
def test_what_is_no_bearer_token_is_no_credential(hall, operation):
    """Fault case 59."""
    own = hall.token("host" if operation in {*BY_HOST, *BY_HOST_OF_A_SEAT} else "own")
    for text in GARBAGE:
        answer = hall.ask(operation, {"Authorization": text.format(own=own)})

        assert outcome(answer) == expected(operation, "garbage"), text
        if answer.status_code == 401:
            assert answer.headers["WWW-Authenticate"] == "Bearer"


@every_operation
def test_two_credentials_are_none(hall, operation):
    """Fault case 59."""
    by_host = operation in {*BY_HOST, *BY_HOST_OF_A_SEAT}
    own = f"Bearer {hall.token('host' if by_host else 'own')}"
    for second in (own, "Bearer x", "Basic x"):
        for pair in ((own, second), (second, own)):
            answer = hall.ask(operation, [("Authorization", one) for one in pair])

            assert outcome(answer) == expected(operation, "two")


@pytest.mark.parametrize("operation", WITH_A_TOKEN)
def test_a_credential_does_not_tell_whether_a_game_exists(hall, operation):
    """Fault case 55."""
    for credential in (
        "own",
        "other",
        "host",
        "a seat of another game",
        "the host of another game",
    ):
        headers = {"Authorization": f"Bearer {hall.token(credential)}"}
        for game_id in (hall.other.id, UNKNOWN_GAME):
            if hall.keyring.read(hall.token(credential)).game_id == game_id:
                continue
            answer = hall.ask(operation, headers, game_id)

            assert outcome(answer) == WRONG_GAME


@pytest.mark.parametrize("operation", WITH_A_TOKEN)
def test_a_genuine_token_of_a_game_that_is_not_there_finds_nothing(hall, operation):
    sign = hall.keyring
    if operation in {*BY_HOST, *BY_HOST_OF_A_SEAT}:
        token = sign.host_token(UNKNOWN_GAME, 1, sign.current)
    else:
        token = sign.seat_token(UNKNOWN_GAME, hall.actor, 1, sign.current)
    answer = hall.ask(operation, {"Authorization": f"Bearer {token}"}, UNKNOWN_GAME)

    assert outcome(answer) == (404, "game_not_found")


@pytest.mark.parametrize("operation", sorted({*READ, "getLegalMoves", "getKnowledge", "makeMove"}))
def test_a_token_of_a_seat_that_the_table_does_not_have_is_revoked(hall, operation):
    token = hall.keyring.seat_token(hall.table.id, 6, 1, hall.keyring.current)
    answer = hall.ask(operation, {"Authorization": f"Bearer {token}"})

    assert outcome(answer) == REVOKED


def test_a_repeat_is_only_for_the_token_in_force(hall):
    table, actor, key = hall.table, hall.actor, "k" * 32
    move = table.a_move(actor)
    table.move(actor, move, key=key, expect=201)

    stale = hall.token("an older grant")
    table.ask("POST", "/moves", body=move, token=stale, key=key, expect=REVOKED)
    table.ask("POST", "/moves", body=move, token=stale, expect=REVOKED)


def test_the_seat_comes_from_the_token_alone(hall):
    """Fault case 54."""
    table, actor = hall.table, hall.actor
    other = (actor + 1) % 4
    move = table.a_move(actor)
    before = table.version

    table.move(other, {**move, "seat": actor}, expect=(422, "validation_failed"))
    table.ask("POST", f"/moves?seat={actor}", other, move, expect=(400, "unknown_parameter"))
    wrong_seat = (403, "wrong_seat")
    table.ask("PATCH", f"/seats/{actor}", other, {"name": "Ana"}, expect=wrong_seat)
    table.ask("PATCH", "/seats/6", other, {"name": "Ana"}, expect=wrong_seat)
    table.ask("PATCH", "/seats/999999999", other, {"name": "Ana"}, expect=wrong_seat)
    assert table.version == before


@pytest.mark.parametrize("name", ["token", "ticket", "access_token", "authorization", "hst"])
def test_a_token_in_the_query_is_an_unknown_parameter(hall, name):
    """Fault cases 58 and 61."""
    own = hall.token("own")
    for path in ("", "/events", "/legal-moves"):
        answer = hall.table.ask("GET", f"{path}?{name}={own}")

        assert answer.status_code in {400, 401}
        assert own not in answer.text


def test_a_token_may_be_named_a_bearer_in_any_case(hall):
    for scheme in ("bearer", "BEARER", "Bearer"):
        answer = hall.ask("getLegalMoves", {"Authorization": f"{scheme} {hall.token('own')}"})

        assert answer.status_code == 200
