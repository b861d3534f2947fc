"""The API's process as it is shipped, asked through a socket by clients that keep no rules."""

import time
from contextlib import suppress

import pytest
from redis import Redis

from tests.contract.spec import Answer, contract
from tests.servers import OwnApi
from tests.tables import KEYS, UNKNOWN_GAME
from tests.wires import Wire

BODY = b'{"claim": {"seat": 0, "name": "Ana"}}'
CREATE = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
READ = b"GET /v1/games/%s HTTP/1.1\r\nHost: x\r\n" % UNKNOWN_GAME.encode()
TIME = b"GET /v1/time HTTP/1.1\r\nHost: x\r\n\r\n"


def with_length(body, claimed=None):
    length = len(body) if claimed is None else claimed
    return CREATE + b"Content-Length: %d\r\n\r\n" % length + body


def chunks(*parts):
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


def chunked(*parts, end=b"0\r\n\r\n"):
    return CREATE + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(*parts) + end


@pytest.fixture(scope="module")
def process(redis_url, tmp_path_factory):
    """The API's process."""
    folder = tmp_path_factory.mktemp("raw")
    own = OwnApi(folder, redis_url, HEARTS_SECRET_KEYS=KEYS[0], HEARTS_LOG_LEVEL="debug")
    yield own
    own.close()


@pytest.fixture
def wire(process, redis_db):
    """A connection to it, with nothing in the store."""
    with Wire(process.address) as wire:
        yield wire


@pytest.fixture
def games(redis_db):
    """Counts the games that there are."""
    with Redis.from_url(redis_db) as redis:
        yield lambda: len(list(redis.scan_iter("hearts:*:game:*")))


def checked(method, target, raw):
    """Return *raw*, an answer of the application, if it keeps to the contract."""
    answer = Answer(method, target, raw.status, raw.headers, raw.body)
    assert contract().problems(answer) == []
    return raw


def ask(wire, *parts, **more):
    wire.send(*parts, **more)
    return wire.answer()


# Bodies of other lengths than they say


def test_a_body_in_chunks_is_read_like_any_other(wire, games):
    """Fault case 139."""
    for parts in ([BODY], [BODY[:1], BODY[1:20], BODY[20:]], [BODY[n : n + 1] for n in range(37)]):
        raw = checked("POST", "/v1/games", ask(wire, chunked(*parts)))
        assert raw.status == 201
    assert games() == 3


def test_a_body_that_dribbles_in_is_waited_for(wire):
    head, body = with_length(BODY)[: -len(BODY)], BODY
    assert ask(wire, head, body[:5], body[5:9], body[9:], pause=0.1).status == 201
    head, *rest = CREATE + b"Transfer-Encoding: chunked\r\n\r\n", chunks(body[:5]), chunks(body[5:])
    assert ask(wire, head, *rest, b"0\r\n\r\n", pause=0.1).status == 201


def test_a_body_that_is_cut_off_is_refused(process, games):
    """Fault case 139."""
    for request in (
        with_length(BODY[:-1], len(BODY)),
        with_length(BODY, len(BODY) + 10),
        with_length(b"", len(BODY)),
        chunked(BODY[:-1], end=b""),
        chunked(end=b""),
        chunked(end=b"5\r\nab"),
    ):
        with Wire(process.address) as wire:
            wire.send(request)
            wire.finish()
            raw = wire.answer()
            assert raw.status in {0, 400}, request
            if raw.body:
                assert checked("POST", "/v1/games", raw).code == "malformed_json"
    assert games() == 0


def test_an_empty_body_in_chunks_is_no_body(wire, games):
    raw = checked("POST", "/v1/games", ask(wire, chunked()))

    assert (raw.status, raw.code) == (400, "malformed_json")
    assert games() == 0


FIVE_MB = 5_000_000


@pytest.mark.parametrize(
    "request_",
    [
        with_length(b" " * FIVE_MB),
        with_length(b" " * 16_385),
        chunked(*[b" " * 65_536] * 77),
        chunked(*[b" "] * 16_385),
        chunked(b"[" * 100_000),
        with_length(b"", FIVE_MB),
    ],
    ids=["5 MB", "16 KiB + 1", "5 MB in chunks", "16 KiB + 1 in chunks", "brackets", "only said"],
)
def test_a_large_body_is_refused_early(process, games, request_):
    """Fault case 139."""
    with Wire(process.address) as wire:
        began = time.monotonic()
        with suppress(OSError):  # it may be refused before all was sent
            wire.send(request_)
        raw = checked("POST", "/v1/games", wire.answer())

        assert (raw.status, raw.code) == (413, "payload_too_large")
        assert time.monotonic() - began < 5
    assert games() == 0


def test_who_asks_whether_to_send_is_answered_before(wire, games):
    expect = b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n"
    raw = ask(wire, CREATE + expect % FIVE_MB)
    assert (raw.status, raw.code) == (413, "payload_too_large")

    assert games() == 0


@pytest.mark.parametrize(
    "lengths",
    [
        b"Content-Length: -1",
        b"Content-Length: +37",
        b"Content-Length: 3 7",
        b"Content-Length: 0x25",
        b"Content-Length: 37\r\nContent-Length: 36",
        b"Content-Length: 99999999999999999999999999",
        b"Content-Length: \xc2\xb2",
        b"Transfer-Encoding: chunked, gzip",
        b"Transfer-Encoding: bogus",
        b"Content-Length 37",
    ],
)
def test_a_length_that_makes_no_sense_is_refused(process, games, lengths):
    """Fault case 139."""
    with Wire(process.address) as wire:
        wire.send(CREATE + lengths + b"\r\n\r\n" + BODY)
        wire.finish()

        assert wire.answer().status in {0, 400, 411, 413, 501}
    assert games() == 0


def test_a_body_that_nobody_asked_for_does_not_become_a_request(process, redis_db):
    hidden = b"GET /v1/presets HTTP/1.1\r\nHost: x\r\n\r\n"
    moves = b"POST /v1/games/%s/moves HTTP/1.1\r\nHost: x\r\n" % UNKNOWN_GAME.encode()
    with Wire(process.address) as wire:
        wire.send(moves + b"Content-Length: %d\r\n\r\n" % len(hidden) + hidden + TIME)
        assert wire.answer().status == 401
        assert b"now" in wire.answer().body
    with Wire(process.address) as wire:
        wire.send(READ + b"Content-Length: %d\r\n\r\n" % len(hidden) + hidden + TIME)
        assert wire.answer().status == 404
        assert b"now" in wire.answer().body


# Heads that make no sense

HEADS = {
    "no version": b"GET /v1/time\r\n\r\n",
    "another version": b"GET /v1/time HTTP/9.9\r\nHost: x\r\n\r\n",
    "no request": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a NUL in a header": b"GET /v1/time HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n",
    "a NUL in the path": b"GET /v1/ti\0me HTTP/1.1\r\nHost: x\r\n\r\n",
    "raw bytes in the path": b"GET /v1/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    "a blank in the path": b"GET /v1/ time HTTP/1.1\r\nHost: x\r\n\r\n",
    "a folded header": b"GET /v1/time HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
    "a blank before the colon": b"GET /v1/time HTTP/1.1\r\nHost : x\r\n\r\n",
    "101 headers": b"GET /v1/time HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 101 + b"\r\n",
    "a long header": b"GET /v1/time HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000 + b"\r\n\r\n",
    "a long path": b"GET /v1/" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a method of bytes": b"G\xffT /v1/time HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_head_that_makes_no_sense_is_refused(process, redis_db, head):
    with Wire(process.address) as wire:
        with suppress(OSError):  # it may be refused before all was sent
            wire.send(head)
            wire.finish()
        status = wire.answer().status
        assert status == 0 or 400 <= status < 500
    with Wire(process.address) as wire:
        assert ask(wire, TIME).status == 200


def test_a_request_may_be_cut_at_every_byte(process, games):
    request = with_length(BODY)
    for place in range(0, len(request), 3):
        with Wire(process.address) as wire:
            wire.send(request[:place])
    with Wire(process.address) as wire:
        assert ask(wire, request).status == 201
    assert games() == 1


@pytest.mark.parametrize(
    "host", [b"", b"Host: a..b\r\n", b"Host: \xff\xfe\r\n", b"Host: a b\r\n", b"Host:\r\n"]
)
def test_the_host_does_not_matter(wire, host):
    assert ask(wire, b"GET /v1/time HTTP/1.1\r\n" + host + b"\r\n").status == 200


@pytest.mark.parametrize("protocol", [b"websocket", b"WebSocket", b"h2c", b"x"])
def test_an_offer_to_upgrade_is_ignored(process, redis_db, protocol):
    offer = b"Connection: Upgrade\r\nUpgrade: %s\r\n" % protocol
    for request, expected in (
        (TIME[:-2] + offer + b"\r\n", 200),
        (READ + offer + b"\r\n", 404),
        (CREATE + offer + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY, 201),
    ):
        with Wire(process.address) as wire:
            assert ask(wire, request).status == expected


def test_an_older_client_is_answered(wire):
    raw = ask(wire, b"GET /v1/time HTTP/1.0\r\n\r\n")

    assert raw.status == 200


# Headers that stand twice


def test_two_credentials_are_none(wire, process):
    """Fault case 59."""
    raw = ask(wire, with_length(BODY))
    made = raw.json
    path = b"GET /v1/games/%s HTTP/1.1\r\nHost: x\r\n" % made["id"].encode()
    own = b"Authorization: Bearer %s\r\n" % made["seat_token"].encode()
    assert ask(wire, path + own + b"\r\n").json["view"]["kind"] == "seat"

    others = (b"Authorization: Bearer x\r\n", b"Authorization:\r\n", own)
    for pair in [(own, other) for other in others] + [(other, own) for other in others]:
        raw = checked("GET", f"/v1/games/{made['id']}", ask(wire, path + b"".join(pair) + b"\r\n"))
        assert (raw.status, raw.code) == (401, "invalid_token")


@pytest.mark.parametrize(
    "text", [b"Bearer \xff\xfe", b"\xe9", b"Bearer hst_\xc3\xa9", b"Bearer \t"]
)
def test_a_credential_of_bytes_is_none(wire, text):
    """Fault case 59."""
    raw = ask(wire, READ + b"Authorization: " + text + b"\r\n\r\n")

    assert (raw.status, raw.code) == (401, "invalid_token")
    assert raw.headers["WWW-Authenticate"] == "Bearer"


def test_two_keys_are_no_key(wire, games):
    keys = b"".join(b"Idempotency-Key: %s\r\n" % (letter * 22) for letter in (b"a", b"b"))
    raw = ask(wire, CREATE + keys + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)

    assert (raw.status, raw.code) == (400, "invalid_parameter")
    assert games() == 0


def test_tags_may_stand_in_several_headers(wire):
    made = ask(wire, with_length(BODY)).json
    path = b"GET /v1/games/%s HTTP/1.1\r\nHost: x\r\n" % made["id"].encode()
    tags = b'If-None-Match: "1-p"\r\nIf-None-Match: "2-p"\r\n\r\n'

    assert ask(wire, path + tags).status == 304


# What the server itself adds


def test_an_answer_names_no_software_and_has_a_date(wire):
    for request in (TIME, READ + b"\r\n", b"DELETE /v1 HTTP/1.1\r\nHost: x\r\n\r\n"):
        headers = ask(wire, request).headers
        assert "Date" in headers
        assert headers["Server"] == "hearts-api"
        assert {name for name in headers if name[:2].lower() == "x-"} == {"x-content-type-options"}


def test_head_and_options_have_no_body(wire):
    wire.send(
        b"HEAD /v1 HTTP/1.1\r\nHost: x\r\n\r\n" + b"OPTIONS /v1/games HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    head, options = wire.answer("HEAD"), wire.answer()

    assert (head.status, options.status) == (200, 204)
    assert options.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert ask(wire, TIME).status == 200


def test_the_log_of_the_process_holds_no_token_and_no_query(wire, process):
    """Fault case 58."""
    made = ask(wire, with_length(BODY)).json
    token = made["seat_token"].encode()
    ask(
        wire,
        b"GET /v1/games/%s?token=%s HTTP/1.1\r\nHost: x\r\n\r\n" % (made["id"].encode(), token),
    )
    ask(wire, b"GET /v1/%s HTTP/1.1\r\nHost: x\r\n\r\n" % token)
    ask(wire, b"GET /v1/games HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n" % token)

    written = process.log.read_bytes()
    assert made["id"].encode() in written
    assert b"/v1/hst_[hidden]" in written
    for secret in (token, made["host_token"].encode(), KEYS[0].encode(), b"?token", b"token="):
        assert secret not in written
    assert b"Traceback" not in written
