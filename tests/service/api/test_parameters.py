"""Query parameters and keys: read as strictly as bodies, and before the game is looked up."""

import threading

import pytest

from service.keyring import Keyring
from service.parameters import preferred_wait
from tests.contract.spec import contract
from tests.tables import KEYS, UNKNOWN_GAME, full_table, new_key, open_table, started_table

VALUES = {
    "name": "standard",
    "seat": 0,
    "seq": 1,
    "version": 1,
    "deal": 1,
    "analysis_id": "0" * 32,
    "file": "page.css",
    "slug": "busy",
}
NO_INTEGERS = [
    "",
    "x",
    "-1",
    "+1",
    "%2B1",
    "1.0",
    "1.5",
    "1e1",
    "%201",
    "1%20",
    "1%0A",
    "1%00",
    "%00",
    "٣",
    "%D9%A3",
    "1_0",
    "0x1",
    "1,2",
    "NaN",
    "null",
    "true",
    "9007199254740993",
    "9223372036854775808",
    "1" + "0" * 400,
    "1" * 5_000,
    "%ff",
    "%ud800",
]


@pytest.fixture
def table(api):
    return started_table(api)


APP_KEY = Keyring([KEYS[0].encode()]).app_key("shop", "0" * 12)


def key_for(path):
    """Return the key of an app where nobody else is answered."""
    operation = next(
        one for one in contract().operations if (one.path, one.method) == (path, "GET")
    )
    return APP_KEY if operation.definition["security"] == [{"applicationKey": []}] else None


# Path, name and schema of each integer in a query.
INTEGERS = [
    (operation.path, one["name"], one["schema"])
    for operation in contract().operations
    for one in contract().parameters(operation)
    if one["in"] == "query" and one["schema"].get("type") == "integer"
]


def targets(path, table):
    if "{endpoint_id}" in path:
        made = {"url": "https://app.example.com", "events": ["turn.opened"]}
        key = "endpoint" * 4
        answer = table.api.ask("POST", "/v1/webhook-endpoints", APP_KEY, made, key=key)
        return [path.format(endpoint_id=answer.json["id"], delivery_id="msg_1")]
    return [path.format(game_id=game_id, **VALUES) for game_id in (table.id, UNKNOWN_GAME)]


@pytest.mark.parametrize(("path", "name", "schema"), INTEGERS)
def test_an_integer_is_ascii_digits_within_its_bounds(api, table, path, name, schema):
    """Fault cases 126, 128 and 140."""
    beyond = [str(schema["minimum"] - 1), str(schema["maximum"] + 1)]
    for target in targets(path, table):
        for value in [*NO_INTEGERS, *beyond]:
            asked, key = f"{target}?{name}={value}", key_for(path)
            answer = api.ask("GET", asked, key, expect=(400, "invalid_parameter"))

            (wrong,) = answer.json["errors"]
            assert (wrong["parameter"], wrong["code"]) == (name, "invalid")


@pytest.mark.parametrize(("path", "name", "schema"), INTEGERS)
def test_an_integer_may_have_zeros_before_it(api, table, path, name, schema):
    if name == "wait":
        return
    target = targets(path, table)[0]

    assert api.ask("GET", f"{target}?{name}=000000004", key_for(path)).status_code == 200


@pytest.mark.parametrize(
    ("target", "values"),
    [
        ("/v1/games?dealing={}", ["", "seed", "SEEDED", "seeded,committed", "seeded%00"]),
        ("/v1/games?sort={}", ["", "name", "created_at%00", "-created_at,created_at", "%2Dx"]),
        ("/v1/games?origin={}", ["", "rules", "FORK", "fork,fork", "null", "fork%00"]),
        ("/v1/games?practice={}", ["", "1", "0", "True", "yes", "null", "true%00"]),
        ("/v1/games?has_bots={}", ["", "1", "True", "no", "true%00"]),
        ("/v1/games?preset={}", ["", "Standard", "standard,plain", "standard%00"]),
        ("/v1/games?status={}", ["", "LOBBY", "lobby,active", "over", "lobby%00"]),
        ("/v1/games?status=lobby&status={}", ["", "ended"]),
        ("/v1/games?created_after={}", ["", "2026-11-29", "2026-02-30T00:00:00.000Z", "now"]),
        ("/v1/games?created_before={}", ["2026-11-29T18:00:00Z", "2026-11-29T18:00:00.900%2B00"]),
        ("/v1/games?last_event_after={}", ["1795974400900", "2026-11-29T24:00:01.000Z", "%00"]),
        ("/v1/games?player_ref={}", ["", "a%20b", "%C3%A9", "a" * 65]),
        ("/v1/games?metadata.a={}", ["%00", "a" * 129]),
        ("/v1/exports?status={}", ["", "lobby", "active", "FINISHED", "finished,aborted"]),
        ("/v1/exports?since={}", ["", "2026-11-29", "2026-02-30T00:00:00.000Z", "now"]),
        ("/v1/exports?until={}", ["1795974400900", "2026-11-29T18:00:00Z", "%00"]),
        ("/v1/exports?player_ref={}", ["", "a%20b", "%C3%A9", "a" * 65]),
        ("{}/legal-moves?explain={}", ["", "1", "0", "True", "yes", "on", "true%00", "null"]),
        ("{}/events?types={}", ["", ",", "card.played,", ",card.played", "card", "card.played%00"]),
        ("{}/events?types={}", ["card.played%20", "CARD.PLAYED", "card.played;deal.scored", "*"]),
        ("{}/events?as={}", ["", "seat:7", "seat:-1", "seat:", "seat:00", "seat", "own%00", "ALL"]),
        ("{}/events/1?as={}", ["seat:4", "seat:6", "seat:7", "host", "own,all", "seat:٣"]),
        ("{}/states/1?as={}", ["seat:4", "seat:6", "seat:7", "host", "everybody", "%ff"]),
        ("{}/deals?as={}", ["", "seat:4", "seat:7", "host", "own%00"]),
        ("{}/deals/1?as={}", ["", "seat:4", "seat:7", "host", "own%00"]),
        ("{}/replay?as={}", ["", "seat:4", "seat:7", "host", "own%00"]),
        ("{}/replay?step={}", ["", "move", "event,trick", "EVENT", "trick%00"]),
        ("{}/replay?state={}", ["", "true", "all", "FULL", "none%00"]),
        ("{}/export?as={}", ["", "seat:4", "seat:7", "host", "own%00"]),
        ("{}/export?format={}", ["", "pgn", "xml", "JSON", "jsonl%00", "application/json"]),
    ],
)
def test_a_word_is_one_of_its_list(api, table, target, values):
    """Fault cases 126 and 140."""
    for value in values:
        path = target.format(*([table.path] * (target.count("{}") - 1)), value)

        token = APP_KEY if path.startswith("/v1/exports") else table.tokens[0]
        answer = table.api.ask("GET", path, token, expect=(400, "invalid_parameter"))
        assert len(answer.json["errors"]) == 1


CURSORS = ["", "x", "%00", "%ff", "AAAA", "=", "e30", "a" * 4_000, "LWNyZWF0ZWRfYXR8MXw", "٣"]


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_cursor_is_one_that_this_list_gave(api, cursor):
    """Fault case 140."""
    open_table(api)

    api.ask("GET", f"/v1/games?cursor={cursor}", expect=(400, "invalid_cursor"))


@pytest.fixture
def cursor(api):
    for _ in range(3):
        open_table(api)
    return api.ask("GET", "/v1/games?limit=1", expect=200).json["next_cursor"]


def test_a_cursor_that_was_changed_is_refused(api, cursor):
    """Fault case 140."""
    for changed in (cursor[:-1], cursor[1:], cursor + "A", cursor + "%3D", cursor + "%20"):
        api.ask("GET", f"/v1/games?cursor={changed}", expect=(400, "invalid_cursor"))


def test_a_cursor_belongs_to_its_order(api, cursor):
    """Fault case 140."""
    target = f"/v1/games?sort=created_at&cursor={cursor}"

    api.ask("GET", target, expect=(400, "invalid_cursor"))


@pytest.mark.parametrize("sort", ["created_at", "-created_at"])
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_the_pages_of_a_list_are_the_list(api, sort, limit):
    """Fault case 140."""
    made = [open_table(api).id for _ in range(5)]

    found, target = [], f"/v1/games?sort={sort}&limit={limit}"
    while target:
        answer = api.ask("GET", target, expect=200)
        assert 0 < len(answer.json["items"]) <= limit
        found += [one["id"] for one in answer.json["items"]]
        cursor = answer.json["next_cursor"]
        target = cursor and f"/v1/games?sort={sort}&limit={limit}&cursor={cursor}"
        link = answer.headers.get("Link")
        assert (link is None) == (cursor is None)
        assert link is None or cursor in link
    assert sorted(found) == sorted(made)
    lines = {line["id"]: line["created_at"] for line in _all_lines(api)}
    times = [lines[one] for one in found]
    assert times == sorted(times, reverse=sort.startswith("-"))


def _all_lines(api):
    return api.ask("GET", "/v1/games?limit=100", expect=200).json["items"]


def test_a_cursor_after_the_end_of_the_log_gives_nothing(table):
    """Fault case 140."""
    version = table.version
    for after in (version, version + 1, 999_999_999):
        page = table.ask("GET", f"/events?after={after}", expect=200).json

        assert (page["items"], page["next_after"]) == ([], after)
        assert (page["has_more"], page["complete"]) == (False, False)


def test_pages_of_the_log_always_go_on(table):
    """Fault cases 88 and 140."""
    version, after, seen = table.version, 0, []
    while after < version:
        page = table.ask("GET", f"/events?after={after}&limit=1", expect=200).json
        assert page["next_after"] == after + 1
        seen += page["items"]
        after = page["next_after"]

    assert seen == table.events()


def test_a_filter_jumps_but_goes_on(table):
    target, after, found = "/events?limit=2&types=deal.dealt,game.created", 0, []
    while True:
        page = table.ask("GET", f"{target}&after={after}", expect=200).json
        assert page["next_after"] > after
        found += [one["type"] for one in page["items"]]
        after = page["next_after"]
        if not page["has_more"]:
            break

    assert found == ["game.created", "deal.dealt"]


# How long to wait


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("wait=10", 10),
        ("WAIT = 10", 10),
        ('wait="10"', 10),
        ("respond-async, wait=10", 10),
        ("wait=10; foo=1", 10),
        ("wait=4, wait=10", 4),
        ("wait=999999999", 25),
        ("wait=0", 0),
        *[
            (odd, 0)
            for odd in ("", "wait", "wait=", "wait=-1", "wait=1.5", "wait=x", "await=9", ",")
        ],
    ],
)
def test_a_wait_may_be_a_preference(api, given, seconds):
    with api.app.test_request_context(headers={"Prefer": given}):
        assert preferred_wait(25) == seconds


def test_who_prefers_to_wait_is_told_what_comes_next(api):
    table = full_table(api)
    version, told = table.version, []
    waiting = threading.Thread(
        target=lambda: told.append(
            table.ask("GET", f"/events?after={version}", headers={"Prefer": "wait=20"})
        )
    )
    waiting.start()
    table.tell(0, name="Ana")
    waiting.join(15)

    assert [one["type"] for one in told[0].json["items"]] == ["seat.updated"]


def test_the_parameter_goes_before_the_preference(api):
    table = full_table(api)

    page = table.ask(
        "GET", f"/events?after={table.version}&wait=0", headers={"Prefer": "wait=25"}, expect=200
    )

    assert page.json["items"] == []


# Unknown and repeated


def _queries(path):
    yield from ("?x=1", "?", "?=1", "?%00=1", "?token=x", "?ticket=x", "?_=1", "?x", "?AS=own")
    yield f"?{path}=1"


def _only(operation):
    """Return the only scheme with which *operation* is answered, None if there are others."""
    schemes = [name for one in operation.definition["security"] for name in one]
    return schemes[0] if len(schemes) == 1 else None


@pytest.mark.parametrize("operation", contract().operations, ids=lambda one: one.id)
def test_an_unknown_parameter_is_refused_everywhere(api, table, operation):
    """Fault cases 54, 58 and 126."""
    seat = table.tokens[0] if "{game_id}" in operation.path else None
    token = {"hostToken": table.host, "applicationKey": APP_KEY}.get(_only(operation), seat)
    body = {
        "createGame": {},
        "checkRules": {"rules": {}},
        "updateGame": {"lobby": "closed"},
        "claimAnySeat": {"name": "Ana"},
        "claimSeat": {"name": "Ana"},
        "updateSeat": {"name": "Ana"},
        "takeHint": {"level": "hard"},
        "analyseGame": {"level": "hard"},
        "makeMove": {"type": "play", "card": "QS"},
        "changeControl": {"controller": "human"},
        "forkGame": {"at_version": 1},
        "createWebhookEndpoint": {"url": "https://app.example.com", "events": ["turn.opened"]},
        "updateWebhookEndpoint": {"disabled": False},
        # With a sound body they would work, and the token be dead.
        "releaseSeat": {"no": "member"},
        "rotateSeatToken": {"no": "member"},
        "rotateHostToken": {"no": "member"},
    }.get(operation.id)
    # A file is no JSON.
    is_file = operation.id in {"verifyFile", "importFile"}
    file = {"data": b"*", "content_type": "text/x-hgn"} if is_file else {}
    target = targets(operation.path, table)[0]
    before = table.version
    for query in _queries("seat"):
        answer = api.ask(operation.method, target + query, token, body, **file)

        # The stream alone knows tickets, and looks at none beside a token.
        if query != "?" and (operation.id, query) != ("followGame", "?ticket=x"):
            assert answer.status_code == 400, query
            assert answer.json["code"] == "unknown_parameter"
            assert answer.json["errors"][0]["code"] == "unknown"
    assert table.version - before <= 0 or operation.id == "abortGame"


@pytest.mark.parametrize(
    "query",
    ["after=1&after=1", "after=1&after=2", "as=own&as=own", "wait=0&wait=0", "limit=5&%6Cimit=5"],
)
def test_a_repeated_parameter_is_refused(table, query):
    answer = table.ask("GET", f"/events?{query}", expect=(400, "invalid_parameter"))

    (wrong,) = answer.json["errors"]
    assert wrong["code"] == "repeated"


def test_all_wrong_parameters_are_named_at_once(table):
    answer = table.ask("GET", "/events?after=x&limit=0&x=1&as=me&as=own&types=y")

    wrong = {(one["parameter"], one["code"]) for one in answer.json["errors"]}
    assert wrong >= {("after", "invalid"), ("limit", "invalid"), ("x", "unknown")}
    assert wrong >= {("as", "repeated"), ("types", "invalid")}
    assert answer.json["code"] == "invalid_parameter"


def test_many_unknown_parameters_give_a_short_detail(api):
    query = "&".join(f"a{number}=1" for number in range(500))
    answer = api.ask("GET", f"/v1/time?{query}", expect=(400, "unknown_parameter"))

    assert len(answer.json["detail"]) <= 500


# Keys

WRONG_KEYS = ["", "a" * 21, "a" * 65, "a" * 21 + " ", "a" * 30 + "\u00e9", '"' + "a" * 22]
WRONG_KEYS += [
    "a" * 22 + '"',
    '""',
    "a" * 22 + "," + "b" * 22,
    "a" * 21 + "=",
    "'" + "a" * 22 + "'",
]


@pytest.mark.parametrize("key", WRONG_KEYS, ids=repr)
def test_a_key_is_22_to_64_characters_of_its_alphabet(api, key):
    table = full_table(api)
    wrong = (400, "invalid_parameter")
    before = table.version

    api.ask("POST", "/v1/games", body={}, key=key, expect=wrong)
    table.ask("POST", "/start", "host", key=key, expect=wrong)
    table.ask("POST", "/abort", "host", key=key, expect=wrong)
    table.ask("POST", "/seats/claim", body={"name": "Ana"}, key=key, expect=wrong)
    table.ask("PATCH", "/seats/0", 0, body={"name": "Ana"}, key=key, expect=wrong)
    answer = table.move(0, {"type": "play", "card": "QS"}, key=key, expect=wrong)

    assert answer.json["errors"][0]["parameter"] == "Idempotency-Key"
    assert table.version == before


@pytest.mark.parametrize("key", ["a" * 22, "a" * 64, "A-z_0" * 5, "0" * 32])
def test_quotes_around_a_key_do_not_count(api, key):
    one, other = (
        api.ask("POST", "/v1/games", body={}, key=given, expect=201) for given in (key, f'"{key}"')
    )

    assert one.data == other.data
    assert other.headers["Idempotency-Replayed"] == "true"


def test_a_key_does_not_matter_where_nothing_is_commanded(api):
    api.ask("GET", "/v1/time", key="odd", expect=200)
    api.ask("HEAD", "/v1/time", key="odd", expect=200)
    assert api.ask("GET", "/v1", key=new_key(), expect=200)
