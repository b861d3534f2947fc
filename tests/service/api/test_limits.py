"""Limits as a caller meets them: what is counted, what is said, and who is one caller."""

import json
import re
from dataclasses import replace

import pytest

from service.keyring import Keyring
from service.metering import _FREE, POLICIES
from service.requests import DEPS
from tests.contract.bodies import WHOLE
from tests.contract.spec import contract
from tests.house import at_once
from tests.limits import LIMITED, keys_of, let_the_window_end, limited, said, since, used
from tests.tables import KEYS, UNKNOWN_GAME, new_key, open_table, outcome_of, playing_table

pytestmark = pytest.mark.store


# Reading


def test_every_read_says_what_is_left(redis_db):
    api = limited(redis_db)

    first, second = (api.ask("GET", "/v1/presets", expect=200) for _ in range(2))

    assert first.headers["RateLimit-Policy"] == '"read";q=600;w=60'
    assert said(first) == ("read", 599)
    assert said(second) == ("read", 598)


def test_who_has_nothing_left_is_told_when_to_come_back(redis_db, counts):
    api = limited(redis_db, read="3/60")
    for left in (2, 1, 0):
        assert said(api.ask("GET", "/v1/time", expect=200)) == ("read", left)
    (key,) = keys_of(counts)
    counts.expire(key, 21)

    refused = api.ask("GET", "/v1/time", expect=LIMITED)

    seconds = int(refused.headers["Retry-After"])
    assert refused.headers["RateLimit"] == '"read";r=0;t=21'
    # An address may be that of many, who are not to come back in the same second.
    assert 21 <= seconds <= 23
    assert refused.json["policy"] == "read"
    assert refused.json["retry_after_seconds"] == seconds
    assert refused.headers["Cache-Control"] == "no-store"


def test_a_window_begins_with_the_first_request_in_it_and_ends(redis_db, counts):
    api = limited(redis_db, read="2/60")
    for expect in (200, 200, LIMITED, LIMITED):
        api.ask("GET", "/v1/time", expect=expect)
    (key,) = keys_of(counts)
    assert 0 < counts.pttl(key) <= 60_000

    let_the_window_end(counts)

    assert said(api.ask("GET", "/v1/time", expect=200)) == ("read", 1)


def test_a_window_does_not_grow_with_what_is_refused(redis_db, counts):
    api = limited(redis_db, read="1/60")
    api.ask("GET", "/v1/time", expect=200)
    (key,) = keys_of(counts)
    counts.expire(key, 7)

    for _ in range(3):
        api.ask("GET", "/v1/time", expect=LIMITED)

    assert counts.ttl(key) <= 7


def test_a_key_that_lost_its_end_gets_another(redis_db, counts):
    api = limited(redis_db)
    api.ask("GET", "/v1/time", expect=200)
    (key,) = keys_of(counts)
    counts.persist(key)

    api.ask("GET", "/v1/time", expect=200)

    assert 0 < counts.ttl(key) <= 60


def test_what_has_not_changed_is_free_even_to_who_has_nothing_left(redis_db, free, counts):
    api = limited(redis_db, read="2/60")
    table = playing_table(free).through(api)
    tag = table.ask("GET", viewer=0, expect=200).headers["ETag"]
    known = {"headers": {"If-None-Match": tag}}

    for _ in range(5):
        assert said(table.ask("GET", viewer=0, expect=304, **known)) == ("read", 1)
    table.ask("GET", viewer=0, expect=200)
    assert said(table.ask("GET", viewer=0, expect=304, **known)) == ("read", 0)
    table.ask("GET", viewer=0, expect=LIMITED)

    assert used(counts, "read") == 3


def test_an_old_tag_is_a_read(redis_db, free):
    api = limited(redis_db, read="2/60")
    table = playing_table(free).through(api)
    old = {"headers": {"If-None-Match": '"1-p"'}}

    assert [outcome_of(table.ask("GET", **old)) for _ in range(3)] == [200, 200, LIMITED]


def test_processes_share_one_count(redis_db):
    one, other = limited(redis_db, read="5/60"), limited(redis_db, read="5/60")

    answers = [api.ask("GET", "/v1/time") for api in [one, other] * 3]

    assert [said(one)[1] for one in answers] == [4, 3, 2, 1, 0, 0]
    assert [one.status_code for one in answers] == [200] * 5 + [429]


def test_of_many_at_once_as_many_pass_as_may(redis_db):
    api = limited(redis_db, read="20/60")

    answers = at_once([lambda: api.ask("GET", "/v1/time")] * 40)

    assert sorted(one.status_code for one in answers) == [200] * 20 + [429] * 20


def test_a_repeat_of_another_command_is_a_read(redis_db, free):
    api = limited(redis_db)
    table, key = open_table(free).through(api), new_key()

    for left in (599, 598):
        answer = table.ask("POST", "/abort", "host", expect=200, key=key)
        assert said(answer) == ("read", left)


def test_what_nobody_pays_for_says_nothing(redis_db, counts):
    api = limited(redis_db, read="1/60")

    for path in ("/health/live", "/docs", "/openapi.yaml", "/problems", "/problems/rate-limited"):
        assert "RateLimit" not in api.ask("GET", path, expect=200).headers
    api.ask("OPTIONS", "/v1/games", expect=204)
    api.ask("GET", "/v1/nothing", expect=(404, "not_found"))
    api.ask("DELETE", "/v1/games", expect=(405, "method_not_allowed"))

    assert keys_of(counts) == []


@pytest.mark.parametrize("operation", contract().operations, ids=lambda one: one.id)
def test_the_contract_says_429_of_exactly_what_is_counted(redis_db, operation):
    path = re.sub(r"\{[a-z]+_id\}", UNKNOWN_GAME, operation.path)
    path = re.sub(r"\{[a-z_]+\}", "1", path)
    body = WHOLE.get(operation.id, [None])[0]

    answer = limited(redis_db).ask(operation.method, path, None, body)

    assert ("RateLimit" in answer.headers) == ("429" in operation.definition["responses"])


def test_a_spent_quota_is_429_on_every_operation_that_counts(redis_db, counts):
    spent = dict.fromkeys(
        ("read", "move", "create", "claim", "hint", "import", "verification", "analysis"), "1/60"
    )
    api = limited(redis_db, **spent)
    for operation in contract().operations:
        if "429" in operation.definition["responses"] and "{" not in operation.path:
            for _ in range(2):
                answer = api.ask(operation.method, operation.path, None, {"odd": True})

            assert outcome_of(answer) == LIMITED, operation.id
            let_the_window_end(counts)


def test_streams_and_waits_are_one_read_each(redis_db, free):
    api = limited(redis_db)
    table = playing_table(free).through(api)

    stream = table.ask("GET", "/stream", 0, expect=200)
    waited = table.ask("GET", f"/events?after={free.deps.games.read(table.id).version}&wait=1", 0)

    assert said(stream) == ("read", 599)
    assert said(waited) == ("read", 598)


def test_the_service_document_lists_what_is_counted(redis_db, free):
    listed = limited(redis_db, join="3/30").ask("GET", "/v1", expect=200).json["limits"]

    quotas = {one.pop("policy"): one for one in listed["rate_limits"]}
    assert quotas["read"] == {"quota": 600, "window_seconds": 60}
    assert quotas["join"] == {"quota": 3, "window_seconds": 30}
    assert free.ask("GET", "/v1", expect=200).json["limits"]["rate_limits"] == []


def test_without_limits_nothing_is_said(free, counts):
    assert "RateLimit" not in free.ask("GET", "/v1/time", expect=200).headers
    assert keys_of(counts) == []


def test_policies_are_those_of_what_there_is(redis_db):
    app = limited(redis_db).app

    assert POLICIES.keys() <= app.view_functions.keys()
    assert app.blueprints.keys() >= _FREE


# Who is who


def test_callers_do_not_disturb_each_other(redis_db, free):
    api = limited(redis_db, read="1/60")
    table = playing_table(free).through(api)

    for viewer in (0, 1, "host", None):
        table.ask("GET", viewer=viewer, expect=200)
        table.ask("GET", viewer=viewer, expect=LIMITED)
    for address in ("192.0.2.1", "192.0.2.2", "2001:db8:0:1::1", "2001:db8:0:2::1"):
        api.ask("GET", "/v1/time", expect=200, **since(address))
    api.ask("GET", "/v1/time", expect=LIMITED, **since("2001:db8:0:1:ffff::2"))


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Real-IP", "Forwarded"])
def test_who_says_to_be_somebody_else_is_not_believed(redis_db, name):
    api = limited(redis_db, read="1/60")

    api.ask("GET", "/v1/time", expect=200, headers={name: "203.0.113.1"})
    api.ask("GET", "/v1/time", expect=LIMITED, headers={name: "203.0.113.2"})


def test_the_proxy_s_word_counts_where_there_is_one(redis_db):
    api = limited(redis_db, header="X-Forwarded-For", read="1/60")

    def from_(text):
        return outcome_of(api.ask("GET", "/v1/time", headers={"X-Forwarded-For": text}))

    assert from_("203.0.113.1") == 200
    assert from_("203.0.113.2") == 200
    # What stands before the proxy's own word may be made up.
    assert from_("198.51.100.7, 203.0.113.1") == LIMITED


def replaced(table, seat, how):
    """Return the token of *seat*, in whose place there is now another one, made in that way."""
    old = table.tokens[seat]
    if how == "reissue":
        body = {"reissue": True}
        made = table.ask("PATCH", f"/seats/{seat}", "host", body, expect=200)
    else:
        made = table.ask("POST", f"/seats/{seat}/rotate-token", seat, expect=201)
    table.tokens[seat] = made.json["seat_token"]
    return old


@pytest.mark.parametrize("how", ["reissue", "rotate"])
def test_a_token_that_was_replaced_takes_nothing_from_its_seat(redis_db, free, how):
    api = limited(redis_db, read="2/60", move="1/60")
    table = playing_table(free)
    ticket = table.ask("POST", "/stream-tickets", 0, expect=201).json["ticket"]
    old = replaced(table, 0, how)
    table, dead = table.through(api), (401, "token_revoked")

    for _ in range(2):
        api.ask("GET", table.path, old, expect=dead)
    table.ask("GET", f"/stream?ticket={ticket}", expect=LIMITED)
    api.ask("POST", f"{table.path}/moves", old, {"type": "play", "card": "2C"}, expect=dead)

    assert said(table.ask("GET", viewer=0, expect=200)) == ("read", 1)
    assert said(table.ask("POST", "/moves", 0, {"type": "play", "card": "1C"})) == ("move", 0)


def test_a_ticket_that_has_expired_is_that_of_its_address(redis_db, free):
    api = limited(redis_db, read="2/60")
    table = playing_table(free)
    ticket = table.ask("POST", "/stream-tickets", 0, expect=201).json["ticket"]
    table, late = table.through(api), api.deps.clock() + 3_600_000
    api.app.extensions[DEPS] = replace(api.deps, clock=lambda: late)

    for expect in ((401, "ticket_expired"), (401, "ticket_expired"), LIMITED):
        table.ask("GET", f"/stream?ticket={ticket}", expect=expect)

    api.ask("GET", "/v1/time", expect=LIMITED)
    assert said(table.ask("GET", viewer=0, expect=200)) == ("read", 1)


def test_tokens_in_place_of_others_count_as_claims(redis_db, free, counts):
    api = limited(redis_db, claim="3/60")
    table = playing_table(free).through(api)

    replaced(table, 0, "rotate")
    replaced(table, 1, "reissue")
    table.host = table.ask("POST", "/host/rotate-token", "host", expect=201).json["host_token"]
    for path, viewer in (("/seats/0/rotate-token", 0), ("/host/rotate-token", "host")):
        refused = table.ask("POST", path, viewer, expect=LIMITED)
        assert refused.json["policy"] == "claim"
        assert said(refused) == ("claim", 0)
    table.ask("PATCH", "/seats/1", "host", {"reissue": True}, expect=LIMITED)

    assert table.ask("GET", viewer=0, expect=200).json["you"]["seat"] == 0
    assert used(counts, "claim") == 6


def test_a_token_that_was_made_before_is_free(redis_db, free, counts):
    one, other = (limited(redis_db, claim="1/60") for _ in range(2))
    table, key = playing_table(free), new_key()
    table.through(other).state()
    made = [
        table.through(api).ask("POST", "/seats/0/rotate-token", 0, expect=201, key=key)
        for api in (one, other, one)
    ]

    assert len({answer.json["seat_token"] for answer in made}) == 1
    assert [said(answer)[0] for answer in made] == ["read"] * 3
    assert used(counts, "claim") == 1


@pytest.mark.parametrize("token", ["hst_made-up-{}", "hak_made-up-{}", "{}"])
def test_made_up_tokens_are_those_of_one_address(redis_db, token):
    api = limited(redis_db, read="2/60")
    invalid = (401, "invalid_token")

    outcomes = [
        outcome_of(api.ask("GET", f"/v1/games/{UNKNOWN_GAME}", token.format(number)))
        for number in range(3)
    ]

    assert outcomes == [invalid, invalid, LIMITED]


def test_a_ticket_is_its_seat(redis_db, free):
    api = limited(redis_db)
    table = playing_table(free).through(api)
    ticket = table.ask("POST", "/stream-tickets", 0, expect=201).json["ticket"]

    assert said(table.ask("GET", f"/stream?ticket={ticket}", expect=200)) == ("read", 598)
    assert said(table.ask("GET", "/stream?ticket=odd")) == ("read", 599)


def test_an_application_has_a_quota_of_its_own(redis_db):
    api = limited(redis_db, create="1/60")
    keyring = Keyring([KEYS[0].encode()])
    shop, again = (keyring.app_key("shop", digit * 12) for digit in "12")
    other = keyring.app_key("other", "3" * 12)

    for token in (None, shop, other):
        api.ask("POST", "/v1/games", token, {}, expect=201)
        api.ask("POST", "/v1/games", token, {}, expect=LIMITED)
    api.ask("POST", "/v1/games", again, {}, expect=LIMITED)


def test_the_store_learns_neither_tokens_nor_addresses(redis_db, free, counts):
    api = limited(redis_db)
    table = playing_table(free).through(api)

    table.ask("GET", viewer=0)
    table.ask("GET", **since("192.0.2.77"))
    kept = json.dumps([(key, counts.get(key)) for key in keys_of(counts)])

    assert len(keys_of(counts)) == 2
    for secret in (table.tokens[0], table.tokens[0][4:40], table.id, "192.0.2.77"):
        assert secret not in kept
