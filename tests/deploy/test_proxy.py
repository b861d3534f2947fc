"""The shipped configuration of the proxy, tried with a real nginx before a real service."""

import re
import secrets
import shutil
import subprocess
import threading
import time
from contextlib import ExitStack

import pytest
import requests

from service.settings import private_socket, socket_url
from tests.contract.asking import at
from tests.contract.spec import Answer, contract
from tests.deploy.proxying import BODY_SECONDS, SECONDS, Proxy, ask, make_certificate, nginx
from tests.processes import eventually, hearts_up
from tests.tables import SHORT, UNKNOWN_GAME

pytestmark = [
    pytest.mark.proxy,
    pytest.mark.skipif(not nginx(), reason="there is no nginx; `make test-proxy` fetches one"),
    pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl for a certificate"),
]

BODY = b'{"claim": {"seat": 0, "name": "Ana"}}'
POST = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
TIME = b"GET /v1/time HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
MEMBERS = {"type", "title", "status", "code", "detail", "instance", "request_id"}


def with_length(body, claimed=None):
    return POST + b"Content-Length: %d\r\n\r\n" % (claimed or len(body)) + body


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proxy")
    make_certificate(folder)
    return folder


@pytest.fixture(scope="module")
def service(folder):
    """An API and a stream process over one store: the address of the first, and of the second."""
    data = folder / "data"
    with hearts_up(data) as up:
        shared = {
            "HEARTS_EVENTS_URL": socket_url(private_socket(data)),
            "HEARTS_SECRET_KEYS_FILE": str(data / "secret"),
        }
        with hearts_up(data, command="stream", HEARTS_API_THREADS="8", **shared) as stream:
            yield [each.address.removeprefix("http://") for each in (up, stream)]


@pytest.fixture(scope="module")
def proxy(folder, service):
    proxy = Proxy(folder, *service)
    yield proxy
    proxy.close()


@pytest.fixture
def wire(proxy):
    with proxy.connect() as connection:
        yield connection


def play(client, restart=None):
    """Play a game of one deal, waiting for each turn; call *restart* in the middle of it."""
    body = {"rules": SHORT, "claim": {"seat": 0, "name": "Ana"}}
    made = client.ask("POST", "/v1/games", body=body, status=201).json
    game, me = f"/v1/games/{made['id']}", made["seat_token"]
    client.ask("POST", f"{game}/start", token=made["host_token"], status=200)
    # As who waits asks, since bots may be so quick that there is nothing to wait for.
    again(client, "GET", f"{game}/events?wait=25", me)
    while True:
        state = again(client, "GET", game, me).json
        if state["status"] != "active":
            return state
        if not state["you"]["to_act"]:
            again(client, "GET", f"{game}/events?after={state['version']}&wait=25", me)
            continue
        if restart and state["deal"]["trick_number"] == 5:
            restart = restart()
        move = state["you"]["legal_moves"][0] | {"turn_id": state["turn"]["id"]}
        again(client, "POST", f"{game}/moves", me, move)


def again(client, method, path, token, body=None):
    """Return the answer, as soon as it is another than "again, later"."""

    def answer():
        reply = client.ask(method, path, token=token, body=body)
        assert reply.status in {200, 201, 503}
        assert reply.status != 503 or reply.headers["Retry-After"] == "1"
        return reply if reply.status != 503 else None

    return eventually(answer)


@pytest.mark.whole_game
def test_a_game_is_played_through_the_proxy(proxy, service):
    state = play(at(proxy.address, verify=str(proxy.certificate)))

    assert state["result"]["reason"] == "deals_played"
    backends = re.findall(r'backend="(\S+)" "(\S+) \S*?(/events|/moves)?"', proxy.log())
    assert (service[0], "POST", "/moves") in backends
    assert (service[1], "GET", "/events") in backends
    assert (service[1], "POST", "/moves") not in backends


def test_a_wait_is_answered_as_soon_as_something_happens(proxy):
    client = at(proxy.address, verify=str(proxy.certificate))
    made = client.ask("POST", "/v1/games", body={"claim": {"seat": 0, "name": "Ana"}}).json
    path, answers = f"/v1/games/{made['id']}", []
    waits = threading.Thread(
        target=lambda: answers.append(client.ask("GET", f"{path}/events?after=2&wait=25"))
    )
    began = time.monotonic()
    waits.start()
    other = at(proxy.address, verify=str(proxy.certificate))
    other.ask("POST", f"{path}/start", token=made["host_token"], status=200)
    waits.join(SECONDS)

    assert [event["type"] for event in answers[0].json["items"]][:1] == ["game.started"]
    assert time.monotonic() - began < 10


def test_a_stream_goes_through_frame_by_frame(proxy, service):
    """Fault case 119; and no ticket stands in the proxy's log."""
    client = at(proxy.address, verify=str(proxy.certificate))
    made = client.ask("POST", "/v1/games", body={"claim": {"seat": 0, "name": "Ana"}}).json
    path = f"/v1/games/{made['id']}"
    ticket = client.ask("POST", f"{path}/stream-tickets", token=made["seat_token"]).json["ticket"]
    with requests.Session() as session:
        session.trust_env, session.verify = False, str(proxy.certificate)
        with session.get(
            f"{proxy.address}{path}/stream?ticket={ticket}",
            headers={"Accept-Encoding": "gzip", "X-Real-IP": "192.0.2.1"},
            stream=True,
            timeout=SECONDS,
        ) as stream:
            lines = stream.iter_lines()
            assert b"event: snapshot" in iter(lines.__next__, b"data: ")
            client.ask("POST", f"{path}/start", token=made["host_token"], status=200)
            assert any(b"game.started" in line for line in lines)
    # Written when the stream has ended; the one for the ticket has a line like it.
    eventually(lambda: f'"GET {path}/stream"' in proxy.log())

    assert f'backend="{service[1]}" "GET {path}/stream"' in proxy.log()
    assert ticket not in proxy.log()


def test_http_2_is_spoken_to_who_asks_for_it(proxy):
    curl = shutil.which("curl")
    if not curl or "HTTP2" not in subprocess.check_output([curl, "--version"], text=True):
        pytest.skip("there is no curl that speaks HTTP/2")
    shown = "%{http_version} %{http_code} %{content_type}"
    command = [curl, "--silent", "--cacert", proxy.certificate, "--write-out", shown]
    out = ["--output", "/dev/null"]

    said = subprocess.check_output([*command, *out, f"{proxy.address}/v1/time"], text=True)
    refused = subprocess.run(
        [*command, "--data-binary", "@-", f"{proxy.address}/v1/games"],
        input=b" " * 20_000,
        capture_output=True,
        check=True,
    ).stdout.decode()

    assert said == "2 200 application/json"
    assert refused.endswith("2 413 application/problem+json")


# Slow and large requests


def test_a_body_that_stalls_is_given_up_and_never_reaches_the_api(proxy, wire):
    raw = ask(wire, with_length(BODY[:-1], len(BODY)))

    assert raw.status == 0  # nginx closes the connection: nobody listens, most likely
    assert BODY_SECONDS <= raw.seconds < BODY_SECONDS + 5
    line = eventually(lambda: re.search('status=408 .* backend="(.*)" "POST', proxy.log()))
    assert line[1] == ""


def test_slow_bodies_keep_nobody_else_waiting(proxy):
    """Both processes together have fewer threads than there are slow clients."""
    with ExitStack() as stack:
        slow = [stack.enter_context(proxy.connect()) for _ in range(80)]
        for number, connection in enumerate(slow):
            connection.sendall(with_length(BODY[: number % 30], len(BODY)))
        with proxy.connect() as honest:
            answers = [ask(honest, with_length(BODY)) for _ in range(10)]

    assert {raw.status for raw in answers} == {201}
    assert sorted(raw.seconds for raw in answers)[5] < 1


def test_one_address_has_a_bounded_number_of_requests_open(proxy):
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(proxy.connect()).sendall(with_length(b"", len(BODY)))
        refused = eventually(lambda: first(proxy, status=429))

    assert problem(refused)["code"] == "too_many_streams"
    assert refused.headers["Retry-After"] == "1"
    assert refused.json["retry_after_seconds"] == 1
    assert eventually(lambda: first(proxy, status=200))


def first(proxy, status):
    with proxy.connect() as connection:
        raw = ask(connection, TIME)
    return raw if raw.status == status else None


LARGE = b" " * 16_385


@pytest.mark.parametrize(
    "parts",
    [
        [with_length(LARGE)],
        [POST + b"Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n"],
        [POST + CHUNKED, *[b"1000\r\n" + b" " * 4096 + b"\r\n"] * 5, b"0\r\n\r\n"],
    ],
    ids=["said", "asked before", "in chunks"],
)
def test_a_large_body_is_refused_in_the_form_of_the_contract(wire, parts):
    raw = ask(wire, *parts)

    answer = Answer("POST", "/v1/games", raw.status, raw.headers, raw.body)
    assert contract().problems(answer) == []
    assert (raw.status, raw.json["code"]) == (413, "payload_too_large")


@pytest.mark.parametrize("part", [POST + CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (37, BODY)])
def test_a_body_in_chunks_reaches_the_api_whole(wire, part):
    assert ask(wire, part).status == 201


@pytest.mark.parametrize("end", [b"", b"0\r\n", b"5\r\nab"], ids=["none", "half", "another"])
def test_a_body_in_chunks_without_its_last_chunk_never_reaches_the_api(proxy, end):
    """The API itself cannot tell that it was cut off, if its JSON is whole."""
    game = secrets.token_hex(16)
    claim = b"POST /v1/games/%s/seats/claim HTTP/1.1\r\nHost: x\r\n" % game.encode()
    with proxy.connect() as connection:
        connection.sendall(claim + CHUNKED + b"%x\r\n%s\r\n" % (len(BODY), BODY) + end)

    line = eventually(lambda: re.search(f'backend="(.*)" "POST /v1/games/{game}', proxy.log()))
    assert line[1] == ""


# Requests that make no sense

BOTH = b"Content-Length: 37\r\nTransfer-Encoding: chunked\r\n\r\n"
REFUSED = {
    "two lengths": (with_length(BODY).replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n\r\n"), 400),
    "a length and chunks": (POST + BOTH + b"0\r\n\r\n", 400),
    "chunks and a length": (
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        400,
    ),
    "another coding": (POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 501),
    "a chunk of no size": (POST + CHUNKED + b"zz\r\n", 400),
    "no host": (b"GET /v1/time HTTP/1.1\r\n\r\n", 400),
    "another version": (b"GET /v1/time HTTP/9.9\r\nHost: x\r\n\r\n", 505),
    "no request": (b"\x16\x03\x01\x02\r\n\r\n", 400),
    "a tunnel": (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a NUL": (b"GET /v1/ti\0me HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "an echo": (b"TRACE /v1/time HTTP/1.1\r\nHost: x\r\n\r\n", 405),
    "a long header": (
        b"GET /v1/time HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 5_000 + b"\r\n\r\n",
        431,
    ),
    "long headers": (
        b"GET /v1/time HTTP/1.1\r\nHost: x\r\n" + b"A: %s\r\n" % (b"a" * 1_000) * 20 + b"\r\n",
        431,
    ),
    "a long path": (b"GET /v1/" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431),
}


@pytest.mark.parametrize(("request_", "status"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused_in_the_form_of_the_api(wire, request_, status):
    raw = ask(wire, request_)

    assert raw.status == status
    problem(raw)


@pytest.mark.parametrize("path", [b'/v1/"', b"/v1/\\", b"/v1/\xff", b"/v1/%22", b"/" + b"a" * 300])
def test_a_path_that_cannot_be_quoted_is_left_out(wire, path):
    raw = ask(wire, with_length(LARGE).replace(b"/v1/games", path))

    assert problem(raw)["instance"] == "/"


def test_http_without_tls_is_refused_in_the_same_form(proxy):
    with proxy.plain() as connection:
        raw = ask(connection, TIME)

    assert raw.status == 400
    problem(raw)


def problem(raw):
    """Return the problem that *raw* is, with all that belongs to one."""
    found = raw.json
    assert raw.headers["Content-Type"] == "application/problem+json"
    assert raw.headers["Cache-Control"] == "no-store"
    assert raw.headers["X-Content-Type-Options"] == "nosniff"
    assert raw.headers["Access-Control-Allow-Origin"] == "*"
    assert found.keys() >= MEMBERS
    assert found["status"] == raw.status
    assert found["type"] == f"/problems/{found['code'].replace('_', '-')}"
    assert found["request_id"] == raw.headers["Request-Id"]
    return found


# Names and traces


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a-sound_id-1", True), ("short", False), ("x" * 65, False), ('"quoted"', False)],
)
def test_the_id_of_a_request_is_passed_on_or_made(proxy, wire, given, kept):
    ids = f"GET /v1/time HTTP/1.1\r\nHost: x\r\nRequest-Id: {given}\r\n\r\n".encode()
    answered = ask(wire, ids).headers["Request-Id"]
    with proxy.connect() as other:
        refused = ask(other, ids.replace(b"\r\n\r\n", b"\r\nA: " + b"a" * 5_000 + b"\r\n\r\n"))

    assert (answered == given) is kept
    assert f"request={answered} " in proxy.log()
    assert refused.status == 431
    # Of a head that is too long, nginx has not kept what came before.
    assert re.fullmatch("[A-Za-z0-9_-]{8,64}", refused.headers["Request-Id"])


def test_answers_do_not_tell_the_software_behind_or_its_version(proxy, wire):
    assert ask(wire, TIME).headers["Server"] == "hearts-api"
    with proxy.connect() as other:
        # nginx itself can be told to leave out no more than its version.
        assert ask(other, POST + BOTH).headers["Server"] == "nginx"


def test_the_log_holds_no_token_and_no_query(proxy, wire):
    token = b"hst_" + b"a" * 40
    ask(wire, b"GET /v1/games/%s?token=%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"0" * 32, token))
    ask(wire, b"GET /v1/%s HTTP/1.1\r\nHost: x\r\n\r\n" % token)
    ask(wire, b'GET /v1/a"b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n' % token)

    written = eventually(lambda: "/v1/games/0000" in proxy.log() and proxy.log())
    assert "token" not in written
    assert "hst_" not in written
    assert "hst_" not in (proxy.folder / "error.log").read_text()


# The API comes and goes


def test_an_api_that_is_away_is_an_answer_to_try_again(folder, tmp_path):
    shutil.copy(folder / "tls_certificate.pem", tmp_path)
    shutil.copy(folder / "tls_key.pem", tmp_path)
    proxy = Proxy(tmp_path, "127.0.0.1:1", "127.0.0.1:1")
    try:
        with proxy.connect() as connection:
            target = f"/v1/games/{UNKNOWN_GAME}"
            raw = ask(connection, f"GET {target}?x=1 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            posted = ask(connection, with_length(BODY))
    finally:
        proxy.close()

    answer = Answer("GET", target, raw.status, raw.headers, raw.body)
    assert contract().problems(answer) == []
    assert problem(raw) == problem(raw) | {"code": "shutting_down", "instance": target}
    assert raw.headers["Retry-After"] == "1"
    assert posted.status == 503


@pytest.mark.whole_game
def test_a_restart_of_the_api_costs_a_client_nothing_that_tries_again(folder, service, tmp_path):
    shutil.copy(folder / "tls_certificate.pem", tmp_path)
    shutil.copy(folder / "tls_key.pem", tmp_path)
    data = folder / "data"
    shared = {
        "command": "api",
        "HEARTS_EVENTS_URL": socket_url(private_socket(data)),
        "HEARTS_SECRET_KEYS_FILE": str(data / "secret"),
    }
    with ExitStack() as stack:
        first_one = stack.enter_context(hearts_up(data, **shared))
        address = first_one.address.removeprefix("http://")
        proxy = Proxy(tmp_path, address, service[1])
        stack.callback(proxy.close)

        def restart():
            first_one.process.terminate()
            assert first_one.process.wait(SECONDS) == 0
            port = address.rpartition(":")[2]
            stack.enter_context(hearts_up(data, **shared, HEARTS_PORT=port))

        state = play(at(proxy.address, verify=str(proxy.certificate)), restart)

    assert state["result"]["reason"] == "deals_played"
