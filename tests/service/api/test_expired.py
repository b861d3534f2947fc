"""A game that has expired: what is said of it, to whom, for how long, and that nothing is left."""

import json
from dataclasses import replace

import pytest
from redis import Redis

from service.archiving import outcomes
from service.keyring import Keyring
from service.requests import DEPS
from service.retention import DAY_MS, WORD_MS, Retention
from service.schemas.responses import timestamp
from service.store.keys import word_key
from tests.contract.bodies import WHOLE
from tests.contract.spec import contract
from tests.tables import HUMAN, KEYS, SHORT, UNKNOWN_GAME, Api, Table, make_app, new_key, open_table
from tests.tables import started_table as people

AFTER_ALL = 2**43
APP_KEY = Keyring([KEYS[0].encode()]).app_key("shop", "0" * 12)
GONE, UNKNOWN = (410, "game_expired"), (404, "game_not_found")
PLACES = {"seat": 0, "seq": 1, "version": 1, "deal": 1, "analysis_id": "0" * 32}
OF_A_GAME = [one for one in contract().operations if one.path.startswith("/v1/games/{game_id}")]


@pytest.fixture
def api(redis_url, redis_db):
    """A way in of its own, which a test may lead to another store."""
    return Api(make_app(redis_url))


def aborted(api):
    """Return a table of an app whose game was aborted."""
    made = api.ask("POST", "/v1/games", APP_KEY, {"seats": [HUMAN] * 4}, expect=201).json
    table = Table(api, made)
    for seat in range(4):
        table.claim(seat)
    table.start().ask("POST", "/abort", "host", expect=200)
    return table


def expire(api, *tables):
    store = api.deps.store
    assert list(outcomes(store, [one.id for one in tables], AFTER_ALL))
    gone = dict(Retention(store, -DAY_MS, api.deps.clock).some())
    assert set(gone) >= {one.id for one in tables}


def asked(operation, table, token):
    """Return the answer to a sound request of *operation*."""
    target = operation.path.format(game_id=table.id, **PLACES)
    body = next(iter(WHOLE.get(operation.id, [None])))
    return table.api.ask(operation.method, target, token, body)


def token_for(operation, table):
    schemes = {name for one in operation.definition["security"] for name in one}
    if "seatToken" in schemes:
        return table.tokens[0]
    if "hostToken" in schemes:
        return table.host
    return APP_KEY if "applicationKey" in schemes else None


@pytest.mark.parametrize("operation", OF_A_GAME, ids=lambda one: one.id)
def test_every_operation_says_that_the_game_has_expired(api, operation):
    table = aborted(api)
    now = api.deps.clock()
    expire(api, table)

    answer = asked(operation, table, token_for(operation, table))

    assert (answer.status_code, answer.json["code"]) == GONE
    assert answer.json["expired_at"] >= timestamp(now)


@pytest.mark.parametrize("operation", OF_A_GAME, ids=lambda one: one.id)
def test_without_a_token_a_private_game_that_has_expired_is_unknown(api, operation):
    table = aborted(api)
    private = private_table(api)
    expire(api, table, private)
    nobody = Table(api, {"id": UNKNOWN_GAME, "host_token": None, "seat": None})
    other = open_table(api)

    for token in (None, APP_KEY, other.host, "hst_x"):
        answers = [asked(operation, one, token) for one in (private, nobody)]
        assert answers[0].status_code == answers[1].status_code
        assert answers[0].status_code != 410
        if answers[0].data:
            assert answers[0].json["code"] == answers[1].json["code"]
            assert answers[0].json["detail"] == answers[1].json["detail"]


def private_table(api):
    made = api.ask("POST", "/v1/games", body={"visibility": "private"} | CLAIM, expect=201).json
    table = Table(api, made)
    table.start()
    table.ask("POST", "/abort", "host", expect=200)
    return table


CLAIM = {"claim": {"seat": 0, "name": "Ana"}}


def test_who_has_a_token_of_a_private_game_is_told(api):
    table = private_table(api)
    ticket = api.deps.keyring.ticket(table.id, 0, 1, AFTER_ALL, api.deps.keyring.current)
    expire(api, table)

    for viewer in (0, "host"):
        table.ask("GET", "", viewer, expect=GONE)
    table.ask("GET", f"/stream?ticket={ticket}", expect=GONE)
    table.ask("GET", "", expect=UNKNOWN)
    table.ask("GET", "/stream", expect=UNKNOWN)


def test_after_some_weeks_nothing_is_known_of_it(api, redis_url):
    table = aborted(api)
    expire(api, table)
    with Redis.from_url(redis_url) as client:
        left = client.pttl(word_key(table.id))
        assert WORD_MS - DAY_MS < left <= WORD_MS
        client.pexpire(word_key(table.id), 0)

    for viewer in (None, 0, "host"):
        table.ask("GET", "", viewer, expect=UNKNOWN)


def everything(client):
    """Yield all that the store holds, keys and values."""
    for key in client.scan_iter(count=1_000):
        yield key
        match client.type(key):
            case b"string":
                yield client.get(key)
            case b"hash":
                yield from (part for pair in client.hgetall(key).items() for part in pair)
            case b"zset":
                yield from client.zrange(key, 0, -1)
            case b"list":
                yield from client.lrange(key, 0, -1)
            case b"set":
                yield from client.smembers(key)
            case b"stream":
                yield from (part for _, entry in client.xrange(key) for part in entry.values())


def test_no_key_of_it_is_left_but_the_word(api, redis_url):
    made = api.ask("POST", "/v1/games", APP_KEY, CLAIM | {"metadata": {"cup": "c_1"}}, expect=201)
    table, kept = Table(api, made.json), open_table(api)
    table.start()
    table.let_bots_play()
    table.ask("POST", "/abort", "host", expect=200)
    expire(api, table)

    with Redis.from_url(redis_url) as client:
        found = {one for one in everything(client) if table.id.encode() in one}
        assert found == {word_key(table.id).encode()}
        assert any(kept.id.encode() in one for one in everything(client))


def test_it_is_in_no_list_and_in_no_export(api):
    table, kept = aborted(api), aborted(api)
    store = api.deps.store
    list(outcomes(store, [table.id], AFTER_ALL))
    list(Retention(store, -DAY_MS, api.deps.clock).some())

    for sort in ("created_at", "-last_event_at"):
        found = api.ask("GET", f"/v1/games?sort={sort}&status=aborted", expect=200).json["items"]
        assert [line["id"] for line in found] == [kept.id]


def test_who_has_its_state_in_hand_is_told_that_it_is_gone(api):
    table = aborted(api)
    tag = table.ask("GET", "", expect=200).headers["ETag"]
    expire(api, table)

    for _ in range(2):
        table.ask("GET", "", headers={"If-None-Match": tag}, expect=GONE)
    table.ask("HEAD", "", expect=410)


def test_its_fork_and_its_rematch_stay_as_they_are(api):
    table = people(api, rules=SHORT)
    table.play()
    rematch = Table(api, table.ask("POST", "/rematch", 0, expect=201).json)
    body = {"at_version": table.version // 2, "claim": {"seat": 0, "name": "Ana"}}
    fork = Table(api, table.ask("POST", "/forks", body=body, expect=201).json)
    paths = ("", "/events", "/deals", "/export?format=json", "/fairness", "/states/1")
    before = [one.ask("GET", path, 0, expect=200).data for one in (rematch, fork) for path in paths]

    expire(api, table)
    api.over(api.deps.store)

    again = [one.ask("GET", path, 0, expect=200).data for one in (rematch, fork) for path in paths]
    assert again == before
    assert fork.state()["origin"]["game_id"] == rematch.state()["origin"]["game_id"] == table.id
    table.ask("POST", "/rematch", 1, expect=GONE)
    table.ask("POST", "/forks", body=body, expect=GONE)


@pytest.mark.parametrize("is_old", [False, True])
def test_the_key_of_its_creation_makes_no_other_game(redis_url, api, is_old):
    key = new_key()
    table = Table(api, api.ask("POST", "/v1/games", body=CLAIM, key=key, expect=201).json)
    table.ask("POST", "/abort", "host", expect=200)
    expire(api, table)
    if is_old:
        api = Api(make_app(redis_url, "a newer secret that signs in tests only", *KEYS))

    api.ask("POST", "/v1/games", body=CLAIM, key=key, expect=(409, "idempotency_key_reused"))


def test_a_hint_at_it_is_no_trouble(api):
    table = aborted(api)
    expire(api, table)

    table.let_bots_play()

    assert len(api.deps.games.quarantine) == 0


def test_an_export_leaves_out_what_goes_while_it_is_sent(api):
    first, second = (
        Table(api, api.ask("POST", "/v1/games", APP_KEY, CLAIM, expect=201).json) for _ in range(2)
    )
    for table in (first, second):
        table.ask("POST", "/abort", "host", expect=200)
    later = api.deps.clock() + 60_000
    api.app.extensions[DEPS] = replace(api.over(api.deps.store).deps, clock=lambda: later)
    # The client takes the first line at once.
    answer = api.app.test_client().get(
        "/v1/exports", headers={"Authorization": f"Bearer {APP_KEY}"}
    )
    list(outcomes(api.deps.store, [second.id], AFTER_ALL))

    expire(api, first)

    assert [json.loads(line)["header"]["game_id"] for line in answer.data.splitlines()] == [
        first.id
    ]
    assert api.ask("GET", "/v1/exports", APP_KEY, expect=200).data == b""
