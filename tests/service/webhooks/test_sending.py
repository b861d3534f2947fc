"""Attempts at real servers on loopback, good and hostile."""

import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from service.webhooks import sending
from service.webhooks.sending import Outcome, Sender
from tests.hooks import HOST, Authority, answer, sender, target
from tests.processes import eventually

BODY = '{"type":"webhook.test"}'
HEADERS = {"webhook-id": "msg_1"}


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def context(authority):
    return authority.serving(HOST)


def send(authority, server, *addresses, path="/hooks?t=1", host=HOST, **more):
    url = f"https://{host}:{server.port}{path}"
    return sender(authority, *addresses, **more).send(url, HEADERS, BODY)


def test_a_message_arrives_over_tls_under_the_name_of_its_host(authority, context):
    with target(context=context) as server:
        assert send(authority, server) == Outcome(status=204)

    method, path, headers, body = server.asked[0]
    assert (method, path, body.decode()) == ("POST", "/hooks?t=1", BODY)
    assert headers["host"] == f"{HOST}:{server.port}"
    assert headers["webhook-id"] == "msg_1"
    assert headers["content-type"] == "application/json"
    assert "authorization" not in headers


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_2xx_is_an_arrival(authority, context, status):
    with target(lambda *_: answer(status, body=b"thanks"), context) as server:
        assert send(authority, server).is_done


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_followed_by_nobody(authority, context, status):
    with (
        target() as inside,
        target(
            lambda *_: answer(status, f"Location: http://127.0.0.1:{inside.port}/latest/meta-data"),
            context,
        ) as server,
    ):
        outcome = send(authority, server)

        assert (outcome.status, outcome.is_done) == (status, False)
        assert inside.connected == 0


def test_no_proxy_of_the_environment_is_asked(authority, context, monkeypatch):
    with target() as proxy, target(context=context) as server:
        for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")

        assert send(authority, server).is_done
        assert proxy.connected == 0


def test_a_certificate_for_another_name_is_refused(authority):
    with target(context=authority.serving("other.example.com")) as server:
        assert send(authority, server).error == sending.TLS
        assert server.asked == []


def test_a_certificate_of_nobody_is_refused(authority, context, tmp_path):
    with target(context=context) as server:
        assert send(Authority(tmp_path), server).error == sending.TLS
        assert server.asked == []


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
)
def test_a_name_that_leads_inside_is_not_asked(authority, context, address):
    with target(context=context) as server:
        for addresses in ([address], ["8.8.8.8", address]):
            outcome = send(authority, server, *addresses, anywhere=False)

            assert outcome.error == sending.REFUSED
        assert server.connected == 0


def test_the_address_that_was_checked_is_the_one_that_is_asked(authority, context, monkeypatch):
    """A name that leads inside from the second look on leads nowhere: there is no second look."""
    asked, connected = [], []

    def rebinding(host, _):
        asked.append(host)
        return ["8.8.8.8"] if len(asked) == 1 else ["127.0.0.1"]

    def connecting(address, timeout):
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connecting)
    one = Sender(anywhere=False, resolve=rebinding, context=authority.trusting())

    assert one.send(f"https://{HOST}/", HEADERS, BODY).error == sending.UNREACHABLE
    assert (asked, connected) == ([HOST], [("8.8.8.8", 443)])


def test_an_address_that_does_not_answer_gives_way_to_the_next(authority, context):
    with target(context=context) as server:
        assert send(authority, server, "127.1.2.3", "::1", "127.0.0.1").is_done


def test_the_name_is_looked_up_again_for_each_attempt(authority, context):
    with target(context=context) as server:
        answers = iter([["127.0.0.1"], []])
        one = Sender(anywhere=True, resolve=lambda *_: next(answers), context=authority.trusting())
        url = f"https://{HOST}:{server.port}/"

        assert one.send(url, HEADERS, BODY).is_done
        assert one.send(url, HEADERS, BODY).error == sending.NAME


def slowly(*_):
    yield b"HTTP/1.1 200 OK\r\nX: "
    while True:
        yield b"x"
        time.sleep(0.02)


def endlessly(*_):
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    while True:
        yield b"x" * 65_536


def patiently(*_):
    while True:
        yield b"HTTP/1.1 100 Continue\r\n\r\n"
        time.sleep(0.01)


def interim(count, status=100):
    return f"HTTP/1.1 {status} Whatever\r\n\r\n".encode() * count


def hastily(*_):
    while True:
        yield interim(1_000)


def test_who_answers_without_end_that_an_answer_comes_is_soon_given_up(authority, context):
    with target(hastily, context) as server:
        assert send(authority, server) == Outcome(error=sending.NO_HTTP)


def test_some_interim_answers_may_come_before_the_one_that_counts(authority, context):
    with target(lambda *_: interim(100) + answer(204), context) as server:
        assert send(authority, server) == Outcome(status=204)


@pytest.mark.parametrize("say", [slowly, patiently])
def test_who_speaks_slowly_is_cut_off(authority, context, say):
    with target(say, context) as server:
        assert send(authority, server, seconds=0.5) == Outcome(error=sending.TIMEOUT)


def test_who_takes_the_connection_and_says_nothing_is_cut_off(authority):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://{HOST}:{silent.getsockname()[1]}/"

        outcome = sender(authority, seconds=0.3).send(url, HEADERS, BODY)

        assert outcome.error == sending.TIMEOUT


def test_a_name_that_nobody_answers_for_is_given_up(authority, context):
    def hanging(*_):
        time.sleep(1)
        return ["127.0.0.1"]

    one = Sender(anywhere=True, resolve=hanging, seconds=0.2, context=authority.trusting())

    assert one.send(f"https://{HOST}/", HEADERS, BODY).error == sending.TIMEOUT


def test_names_that_hang_are_looked_up_a_few_at_once_and_then_others_again(authority, monkeypatch):
    monkeypatch.setattr(sending, "_LOOKUPS", 1)
    go_on, asked = threading.Event(), []

    def hanging(*_):
        asked.append(True)
        go_on.wait(30)
        return []

    one = Sender(anywhere=True, resolve=hanging, seconds=0.1, context=authority.trusting())
    for _ in range(2):
        assert one.send(f"https://{HOST}/", HEADERS, BODY).error == sending.TIMEOUT
    assert len(asked) == 1

    go_on.set()
    eventually(lambda: one.send(f"https://{HOST}/", HEADERS, BODY).error == sending.NAME)


def test_an_endless_body_is_not_read(authority, context):
    with target(endlessly, context) as server:
        assert send(authority, server).status == 200


def test_a_reset_is_a_failure(authority, context):
    with target(lambda *_: b"", context) as server:
        assert send(authority, server).error == sending.BROKEN


@pytest.mark.parametrize(
    "said",
    [b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500],
)
def test_what_is_no_http_is_a_failure(authority, context, said):
    with target(lambda *_: said, context) as server:
        assert send(authority, server).error == sending.NO_HTTP


def test_a_server_that_is_not_there_is_a_failure(authority):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]

    assert sender(authority).send(f"https://{HOST}:{port}/", {}, BODY).error == sending.UNREACHABLE


def test_plain_http_is_for_tests_alone(authority):
    with target() as server:
        url = f"http://{HOST}:{server.port}/"

        assert sender(authority).send(url, HEADERS, BODY).is_done
        assert sender(authority, anywhere=False).send(url, {}, BODY).error == sending.REFUSED


def in_days(days):
    return format_datetime(datetime.now(UTC) + timedelta(days=days), usegmt=True)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("999999999", sending.MOST_RETRY_AFTER),
        ("9999999999", None),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        # Named, since whoever collects tests together has to find the same names.
        pytest.param(in_days(-1), 0, id="yesterday"),
        pytest.param(in_days(30), 86_400, id="in a month"),
    ],
)
def test_the_other_side_says_when_to_come_again_within_bounds(authority, context, text, seconds):
    def say(*_):
        return answer(503).replace(b"\r\n\r\n", f"\r\nRetry-After: {text}\r\n\r\n".encode())

    with target(say, context) as server:
        assert send(authority, server).retry_after == seconds
