"""What all answers have in common: methods, headers, the one form of errors."""

import io
import logging
import re

import pytest

from service.logs import LineFormatter
from tests.contract.spec import contract
from tests.tables import UNKNOWN_GAME, Api, full_table, make_app

VALUES = {
    "seat": "0",
    "seq": "1",
    "version": "1",
    "name": "standard",
    "deal": "1",
    "file": "page.css",
    "slug": "not-found",
    "endpoint_id": f"whe_{0:032x}",
    "delivery_id": "msg_1",
    "analysis_id": "0" * 32,
}
PATHS = sorted({one.path for one in contract().operations})
GETS = sorted(one.path for one in contract().operations if one.method == "GET")
OF_GAMES = [path for path in PATHS if "{game_id}" in path]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")


def filled(path, game_id=UNKNOWN_GAME):
    return path.format(game_id=game_id, **VALUES)


def methods_of(path):
    promised = {one.method for one in contract().operations if one.path == path}
    return sorted(promised | {"OPTIONS"} | ({"HEAD"} if "GET" in promised else set()))


def header_words(answer, name):
    return {word.strip() for word in answer.headers[name].split(",")}


@pytest.fixture
def game_id(api):
    return full_table(api).id


# Paths and methods


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1/",
        "/v1/games/",
        "/v2/games",
        "/V1/games",
        "/v1//games",
        "/v1/games/../time",
        "/favicon.ico",
        "/static/x",
        "/docs/",
        "/docs/index.html",
        "/docs/../assets/page.css",
        "/docs/..%2Ftemplates%2Fdocs.html",
        "/docs/page.css%00",
        "/problems/",
        "/problems/nothing-known",
        "/problems/not_found",
        "/problems/NOT-FOUND",
        "/problems/not-found/",
        "/openapi",
        "/v1/games/%00",
        "/v1/games/%FF%FE",
        f"/v1/games/{UNKNOWN_GAME}0",
        f"/v1/games/{UNKNOWN_GAME[1:]}",
        f"/v1/games/{UNKNOWN_GAME}%00",
        f"/v1/games/{UNKNOWN_GAME}%0A",
        f"/v1/games/{UNKNOWN_GAME}/",
        f"/v1/games/{'A' * 32}",
        f"/v1/games/{'g' * 32}",
        f"/v1/games/{'٣' * 32}",
        "/v1/games/" + "a" * 5_000,
    ],
)
def test_there_is_nothing_at_any_other_path(api, path):
    """Fault cases 126 and 142."""
    api.ask("GET", path, expect=(404, "not_found"))


@pytest.mark.parametrize(
    "number", ["%00", "-1", "1.0", "01e1", "+1", "%201", "٣", "1_0", "1%0A", "1" * 10, "0x1", ""]
)
@pytest.mark.parametrize("path", ["events/{}", "states/{}", "deals/{}/proof", "seats/{}/claim"])
def test_a_number_in_a_path_is_at_most_nine_ascii_digits(api, path, number):
    """Fault cases 126 and 128."""
    method = "POST" if "claim" in path else "GET"

    api.ask(method, f"/v1/games/{UNKNOWN_GAME}/{path.format(number)}", expect=(404, "not_found"))


@pytest.mark.parametrize("name", ["whist", "a%00b", "standard%0A", "STANDARD", "%F0%9F%82%A1", "."])
def test_an_unknown_preset_is_not_found(api, name):
    api.ask("GET", f"/v1/presets/{name}", expect=(404, "preset_not_found"))


@pytest.mark.parametrize("path", PATHS)
def test_other_methods_are_refused_and_the_allowed_ones_named(api, game_id, path):
    """Fault cases 142 and 158."""
    allowed = methods_of(path)
    for method in sorted(set(METHODS) - set(allowed)):
        for target in (filled(path, game_id), filled(path)):
            answer = api.ask(method, target, token="nonsense", data=b"{", expect=None)

            assert answer.status_code == 405
            assert answer.headers["Allow"] == ", ".join(allowed)
            if method != "HEAD":
                assert answer.json["allowed"] == allowed


@pytest.mark.parametrize("path", PATHS)
def test_options_names_every_method_of_a_path(api, game_id, path):
    """Fault case 148."""
    for target in (filled(path), filled(path, game_id)):
        answer = api.ask("OPTIONS", f"{target}?any=thing", expect=204)

        assert answer.headers["Allow"] == ", ".join(methods_of(path))
        assert answer.data == b""
        assert "Content-Type" not in answer.headers


@pytest.mark.parametrize("path", PATHS)
def test_a_browser_may_send_every_method_with_the_headers_of_ours(api, path):
    """Fault case 148."""
    asked = {
        "Origin": "https://table.example",
        "Access-Control-Request-Method": methods_of(path)[-1],
        "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
    }
    answer = api.ask("OPTIONS", filled(path), headers=asked, expect=204)

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert header_words(answer, "Access-Control-Allow-Methods") == set(methods_of(path))
    assert header_words(answer, "Access-Control-Allow-Headers") >= {
        "Authorization",
        "Content-Type",
        "If-Match",
        "If-None-Match",
        "Idempotency-Key",
        "Last-Event-ID",
        "Prefer",
        "Request-Id",
    }
    assert answer.headers["Access-Control-Max-Age"] == "7200"
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_options_of_an_unknown_path_is_not_found(api):
    api.ask("OPTIONS", "/v1/game", expect=(404, "not_found"))


@pytest.mark.parametrize("path", GETS)
def test_head_is_get_without_the_body(api, game_id, path):
    target = filled(path, game_id)
    got, head = (api.ask(method, target) for method in ("GET", "HEAD"))

    assert head.data == b""
    assert head.status_code == got.status_code
    if path.endswith("/stream"):
        assert "Content-Length" not in head.headers
    elif path != "/health/ready":  # which tells how long it took
        assert head.headers["Content-Length"] == str(len(got.data))
    assert head.headers["Content-Type"] == got.headers["Content-Type"]
    assert head.headers.get("ETag") == got.headers.get("ETag")


# Headers of every answer

ANSWERS = [
    ("GET", "/v1", 200),
    ("GET", "/v1/nowhere", 404),
    ("DELETE", "/v1", 405),
    ("POST", "/v1/games", 415),
    ("GET", "/v1?x=1", 400),
    ("GET", "/health/ready", 503),
    ("OPTIONS", "/v1", 204),
    ("POST", f"/v1/games/{UNKNOWN_GAME}/start", 401),
]


@pytest.mark.parametrize(("method", "target", "status"), ANSWERS)
def test_every_answer_has_the_same_habits(api, method, target, status):
    answer = api.ask(method, target)

    assert answer.status_code == status
    assert answer.headers["Vary"] == "Authorization, Accept"
    assert {"ETag", "Location", "Link", "Retry-After", "Idempotency-Replayed", "Request-Id"} <= (
        header_words(answer, "Access-Control-Expose-Headers")
    )
    ours = {name for name, _ in answer.headers if name.lower().startswith("x-")}
    assert ours == {"X-Content-Type-Options"}
    assert "Set-Cookie" not in answer.headers
    if status >= 400 and target != "/health/ready":
        assert answer.content_type == "application/problem+json"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.json["status"] == status
        assert answer.json["instance"] == target.partition("?")[0]
        assert answer.json["request_id"] == answer.headers["Request-Id"]


@pytest.mark.parametrize("given", ["a" * 8, "Z9_-" * 16, "7f3c9a1e52d84b06"])
def test_a_sound_request_id_comes_back(api, given):
    for target in ("/v1/time", "/v1/nowhere"):
        answer = api.ask("GET", target, headers={"Request-Id": given})

        assert answer.headers["Request-Id"] == given


@pytest.mark.parametrize(
    "given",
    ["", "a" * 7, "a" * 65, "abcdefg h", "abcdefgh\u00e9", "abcdefgh,abcdefgh", "abcdef;12"],
)
def test_an_odd_request_id_is_replaced(api, given):
    answer = api.ask("GET", "/v1/nowhere", headers={"Request-Id": given})

    made = answer.headers["Request-Id"]
    assert re.fullmatch("[0-9a-f]{16}", made)
    assert answer.json["request_id"] == made


def test_each_request_gets_an_id_of_its_own(api):
    made = {api.ask("GET", "/v1/time").headers["Request-Id"] for _ in range(20)}

    assert len(made) == 20


@pytest.mark.parametrize(
    "host", ["a..b", "x" * 300, "", "[::1", "a b", "\u00ff", "evil.example:99999"]
)
def test_it_does_not_matter_what_host_is_asked_for(api, host):
    answer = api.ask("GET", f"/v1/games/{UNKNOWN_GAME}", headers={"Host": host})

    assert answer.json["code"] == "game_not_found"


@pytest.mark.parametrize(
    "accept",
    [None, "*/*", "application/json, */*;q=0.5", "application/problem+json", "text/html", "x", ""],
)
def test_json_is_served_whatever_is_accepted(api, accept):
    """Fault case 146."""
    headers = {} if accept is None else {"Accept": accept}

    assert api.ask("GET", "/v1", headers=headers, expect=200).content_type == "application/json"
    api.ask("GET", "/v1/nowhere", headers=headers, expect=(404, "not_found"))


# Faults of our own


@pytest.fixture
def broken(redis_db):
    """A way into an app that has a fault in one place, and the lines it logs."""

    def fail(*_):
        secret = "QS hst_abcdefghijklmnop"
        raise ZeroDivisionError(secret)

    app = make_app(redis_db)
    app.view_functions["catalogue.get_time"] = fail
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(LineFormatter())
    logging.getLogger("service").addHandler(handler)
    yield Api(app), lines
    logging.getLogger("service").removeHandler(handler)


def test_a_fault_of_ours_is_a_problem_that_tells_nothing(broken):
    """Fault case 142."""
    api, _ = broken
    answer = api.ask("GET", "/v1/time", expect=(500, "internal_error"))

    for told in ("Traceback", "ZeroDivision", "QS", "hst_", ".py", "division"):
        assert told not in answer.text


def test_a_fault_of_ours_is_logged_under_the_id_of_its_request(broken):
    api, lines = broken
    answer = api.ask("GET", "/v1/time", headers={"Request-Id": "find-me-again"})

    assert answer.json["request_id"] == "find-me-again"
    (line,) = [one for one in lines.getvalue().splitlines() if "ZeroDivisionError" in one]
    assert "find-me-again" in line
    assert "abcdefghijklmnop" not in line


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.mark.parametrize(
    ("header", "trace"),
    [
        (f"00-{TRACE}-00f067aa0ba902b7-01", f"trace={TRACE} "),
        (f"00-{TRACE}-{'0' * 16}-01", ""),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", ""),
        (f"00-{TRACE.upper()}-00f067aa0ba902b7-01", ""),
        (f"ff-{TRACE}-00f067aa0ba902b7-01", ""),
        ("x", ""),
    ],
)
def test_the_trace_of_a_request_stands_in_its_log_lines(api, caplog, header, trace):
    caplog.set_level("INFO")
    caplog.handler.setFormatter(LineFormatter())

    api.ask("POST", "/v1/games", body={}, headers={"traceparent": header}, expect=201)

    (line,) = [one for one in caplog.text.splitlines() if "POST /v1/games" in one]
    assert re.findall("trace=[^ ]* ", line) == ([trace] if trace else [])
