"""Endpoints of webhooks over HTTP: whose they are, what they show, and repeats."""

import pytest
from standardwebhooks import Webhook

from engine.clocks import timestamp
from service.keyring import Keyring
from service.requests import HOOKS
from service.webhooks.deliveries import DELIVERED, FAILED
from service.webhooks.endpoints import MOST_ENDPOINTS
from tests.hooks import APP_KEY
from tests.tables import KEYS, Api, at_once, make_app, new_key, outcome_of, started_table

BASE = "/v1/webhook-endpoints"
SOUND = {"url": "https://app.example.com/hooks", "events": ["turn.opened", "game.finished"]}
OTHER = Keyring([KEYS[0].encode()]).app_key("other", "1" * 12)


def create(api, key=None, token=APP_KEY, **body):
    return api.ask("POST", BASE, token, {**SOUND, **body}, key=key, expect=201)


@pytest.fixture
def path(api):
    return f"{BASE}/{create(api).json['id']}"


def test_an_endpoint_is_made_listed_read_and_deleted(api):
    answer = create(api)
    made = answer.json

    assert answer.headers["Location"] == f"{BASE}/{made['id']}"
    assert made["events"] == SOUND["events"]
    assert (made["signing"], made["generation"], made["disabled"]) == ("ed25519", 1, False)
    assert made["public_key"].startswith("whpk_")
    assert api.ask("GET", f"{BASE}/{made['id']}", APP_KEY, expect=200).json == made
    assert api.ask("GET", BASE, APP_KEY, expect=200).json == {"items": [made]}
    assert api.ask("DELETE", f"{BASE}/{made['id']}", APP_KEY, expect=204).data == b""
    api.ask("GET", f"{BASE}/{made['id']}", APP_KEY, expect=(404, "webhook_endpoint_not_found"))
    assert api.ask("GET", BASE, APP_KEY, expect=200).json == {"items": []}


REQUESTS = [
    ("GET", BASE, None),
    ("POST", BASE, SOUND),
    ("GET", "{}", None),
    ("PATCH", "{}", {}),
    ("DELETE", "{}", None),
    ("POST", "{}/test", None),
    ("POST", "{}/rotate-secret", None),
    ("GET", "{}/deliveries", None),
    ("POST", "{}/deliveries/msg_1/retry", None),
]


@pytest.mark.parametrize(("method", "target", "body"), REQUESTS)
def test_nobody_but_an_application_has_endpoints(api, path, method, target, body):
    table, target = started_table(api), target.format(path)

    for token, expected in [
        (None, (401, "authentication_required")),
        ("hak_nonsense", (401, "invalid_token")),
        (table.host, (403, "key_required")),
        (table.tokens[0], (403, "key_required")),
    ]:
        api.ask(method, target, token, body, expect=expected)


@pytest.mark.parametrize(("method", "target", "body"), REQUESTS[2:])
def test_the_endpoints_of_others_are_not_there(api, path, method, target, body):
    expected = (404, "webhook_endpoint_not_found")

    api.ask(method, target.format(path), OTHER, body, expect=expected)
    assert api.ask("GET", BASE, OTHER, expect=200).json == {"items": []}
    api.ask("GET", path, APP_KEY, expect=200)


def test_a_repeat_finds_the_same_endpoint_and_shows_its_secret_again(api):
    key = new_key()
    first = create(api, key, signing="hmac")

    again = create(api, key, signing="hmac")

    assert again.json == first.json
    assert again.json["secret"].startswith("whsec_")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    body = {**SOUND, "signing": "ed25519"}
    api.ask("POST", BASE, APP_KEY, body, key=key, expect=(409, "idempotency_key_reused"))
    assert create(api, key, token=OTHER).json["id"] != first.json["id"]


def test_a_repeat_after_the_end_of_the_endpoint_makes_one_with_another_secret(api):
    key = new_key()
    first = create(api, key, signing="hmac").json
    api.ask("DELETE", f"{BASE}/{first['id']}", APP_KEY, expect=204)
    while timestamp(api.deps.clock()) == first["created_at"]:
        pass  # a millisecond at most

    second = create(api, key, signing="hmac")

    assert second.json["secret"] != first["secret"]
    assert "Idempotency-Replayed" not in second.headers
    assert create(api, key, signing="hmac").json == second.json


def test_requests_with_one_key_at_once_make_one_endpoint(api):
    key = new_key()
    made = at_once(*[lambda: create(api, key).json["id"]] * 8)

    assert len(set(made)) == 1
    assert len(api.ask("GET", BASE, APP_KEY).json["items"]) == 1


def test_an_application_has_ten_endpoints_at_most(api):
    def one():
        return outcome_of(api.ask("POST", BASE, APP_KEY, SOUND))

    found = at_once(*[one] * (MOST_ENDPOINTS + 3))

    assert found.count(201) == MOST_ENDPOINTS
    assert found.count((409, "too_many_webhook_endpoints")) == 3


def test_a_secret_is_shown_where_it_is_new_and_nowhere_else(api):
    made = create(api, signing="hmac").json
    path = f"{BASE}/{made['id']}"

    rotated = api.ask("POST", f"{path}/rotate-secret", APP_KEY, expect=200).json

    assert made["public_key"] is rotated["public_key"] is None
    assert made["secret"] != rotated["secret"]
    Webhook(rotated["secret"])
    for answer in (
        api.ask("GET", path, APP_KEY),
        api.ask("GET", BASE, APP_KEY),
        api.ask("PATCH", path, APP_KEY, {"disabled": True}),
    ):
        assert "whsec_" not in answer.text


def test_a_rotation_is_repeated_by_its_key(api, path):
    key = new_key()
    before = api.ask("GET", path, APP_KEY).json

    first = api.ask("POST", f"{path}/rotate-secret", APP_KEY, key=key, expect=200)
    again = api.ask("POST", f"{path}/rotate-secret", APP_KEY, key=key, expect=200)
    other = api.ask("POST", f"{path}/rotate-secret", APP_KEY, expect=200)

    assert first.json == again.json
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (first.json["generation"], other.json["generation"]) == (2, 3)
    keys = [one["public_key"] for one in (before, first.json, other.json)]
    assert len(set(keys)) == 3


def test_what_is_named_is_changed_and_nothing_else(api, path):
    before = api.ask("GET", path, APP_KEY).json
    changes = {
        "url": "https://new.example.com/",
        "events": ["turn.reminder"],
        "filter": {"player_ref_prefix": "u_"},
        "disabled": True,
    }

    for name, value in changes.items():
        after = api.ask("PATCH", path, APP_KEY, {name: value}, expect=200).json
        before |= {name: value} | ({"disabled_reason": "request"} if name == "disabled" else {})
        assert after == before
    assert api.ask("PATCH", path, APP_KEY, {}, expect=200).json == before
    enabled = {"disabled": False, "disabled_reason": None, "filter": {"player_ref_prefix": None}}
    body = {"disabled": False, "filter": {}}
    assert api.ask("PATCH", path, APP_KEY, body, expect=200).json == before | enabled


@pytest.mark.parametrize(
    "url",
    ["http://app.example.com", "https://127.0.0.1", "https://[::1]/", "https://localhost:8443"],
)
def test_what_is_not_public_is_refused_where_it_is_said(api, path, url):
    expected = (409, "webhook_target_refused")

    api.ask("POST", BASE, APP_KEY, {**SOUND, "url": url}, expect=expected)
    api.ask("PATCH", path, APP_KEY, {"url": url}, expect=expected)


@pytest.mark.parametrize(
    "body",
    [
        {"url": "https://u:p@example.com"},
        {"url": "https://example.com/#x"},
        {"url": 1},
        {"events": []},
        {"events": ["turn.opened", "turn.opened"]},
        {"events": ["card.played"]},
        {"events": ["webhook.test"]},
        {"filter": {"player_ref_prefix": ""}},
        {"filter": None},
        {"signing": "rsa"},
        {"secret": "whsec_mine"},
    ],
)
def test_a_body_that_does_not_fit_is_422(api, body):
    api.ask("POST", BASE, APP_KEY, {**SOUND, **body}, expect=(422, "validation_failed"))


def test_a_test_message_waits_to_be_sent_and_is_repeated_by_its_key(api, path):
    key = new_key()
    first = api.ask("POST", f"{path}/test", APP_KEY, {}, key=key, expect=202)

    again = api.ask("POST", f"{path}/test", APP_KEY, key=key, expect=202)
    api.ask("POST", f"{path}/test", APP_KEY, expect=202)

    assert again.json == first.json
    assert again.headers["Idempotency-Replayed"] == "true"
    listed = api.ask("GET", f"{path}/deliveries", APP_KEY, expect=200).json["items"]
    assert [one["status"] for one in listed] == ["pending", "pending"]
    assert listed[-1] == first.json


def test_nothing_is_sent_to_an_endpoint_that_is_disabled(api, path):
    sent = api.ask("POST", f"{path}/test", APP_KEY, expect=202).json["id"]
    api.ask("PATCH", path, APP_KEY, {"disabled": True}, expect=200)

    expected = (409, "webhook_endpoint_disabled")
    api.ask("POST", f"{path}/test", APP_KEY, expect=expected)
    api.ask("POST", f"{path}/deliveries/{sent}/retry", APP_KEY, expect=expected)


def settle(api, path, message_id, status):
    deliveries = api.app.extensions[HOOKS].deliveries
    endpoint_id = path.rpartition("/")[2]
    found = deliveries.find(endpoint_id, message_id)
    changed = type(found)(
        **{name: getattr(found, name) for name in found.__struct_fields__}
        | {"status": status, "next_at": None, "tries": 10}
    )
    deliveries.settle(endpoint_id, changed)


@pytest.mark.parametrize("status", [DELIVERED, FAILED])
def test_a_message_is_sent_again_on_request_and_once_by_key(api, path, status):
    sent, key = api.ask("POST", f"{path}/test", APP_KEY, expect=202).json["id"], new_key()
    settle(api, path, sent, status)
    target = f"{path}/deliveries/{sent}/retry"

    first = api.ask("POST", target, APP_KEY, key=key, expect=202)
    assert (first.json["status"], first.json["id"]) == ("pending", sent)
    settle(api, path, sent, status)
    again = api.ask("POST", target, APP_KEY, key=key, expect=202)
    assert (again.json["status"], again.headers["Idempotency-Replayed"]) == (status, "true")
    assert api.ask("POST", target, APP_KEY, expect=202).json["status"] == "pending"


def test_a_message_that_was_never_meant_for_it_is_not_there(api, path):
    target = f"{path}/deliveries/msg_nothing/retry"

    api.ask("POST", target, APP_KEY, expect=(404, "delivery_not_found"))


def test_pages_of_deliveries_are_the_whole_list(api, path):
    sent = [api.ask("POST", f"{path}/test", APP_KEY).json["id"] for _ in range(5)]

    found, target = [], f"{path}/deliveries?limit=2"
    while target:
        answer = api.ask("GET", target, APP_KEY, expect=200)
        found += [one["id"] for one in answer.json["items"]]
        cursor = answer.json["next_cursor"]
        assert (cursor is None) == ("Link" not in answer.headers)
        target = cursor and f"{path}/deliveries?limit=2&cursor={cursor}"

    assert found == sent[::-1]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.0", "٣", "1" * 16, "%00", "e30"])
def test_a_cursor_is_one_that_the_list_gave(api, path, cursor):
    target = f"{path}/deliveries?cursor={cursor}"

    api.ask("GET", target, APP_KEY, expect=(400, "invalid_cursor"))


def test_a_secret_of_the_service_that_is_gone_takes_the_keys_along(api, path, redis_db):
    """A rotation brings another key, from the secret that is there."""
    later = Api(make_app(redis_db, "another secret that signs in tests"))
    key = later.deps.keyring.app_key("shop", "2" * 12)

    assert later.ask("GET", path, key, expect=200).json["public_key"] is None
    rotated = later.ask("POST", f"{path}/rotate-secret", key, expect=200).json
    assert rotated["public_key"].startswith("whpk_")


def test_an_endpoint_is_found_again_after_the_secret_was_changed(api, redis_db):
    key = new_key()
    made = create(api, key).json
    both = Api(make_app(redis_db, "another secret that signs in tests", KEYS[0]))

    assert create(both, key).json == made


def test_a_store_that_is_down_is_503(api, path, tmp_path):
    app = make_app(f"unix://{tmp_path}/nothing.sock")

    Api(app).ask("GET", path, APP_KEY, expect=(503, "store_unavailable"))
