"""The app under ASGI: what reaches it is what another server would give it."""

import asyncio
import io
import threading

import pytest

from service import stream_app
from service.stream_app import StreamApp, Waker

SCOPE = {
    "type": "http",
    "method": "POST",
    "path": "/v1/\ufffd",
    "raw_path": b"/v1/%ff%2f",
    "query_string": b"a=%ff",
    "http_version": "1.1",
    "scheme": "http",
    "client": ("192.0.2.7", 4711),
    "headers": [
        (b"content-length", b"6"),
        (b"x-twice", b"1"),
        (b"x-twice", b"2"),
        (b"content-type", b"text/plain"),
    ],
}


def asked(app, *messages, scope=SCOPE):
    """Return what is sent when *app*, for WSGI, is asked with *messages* from the client."""
    sent, waiting = [], iter(messages)

    async def receive():
        return next(waiting)

    async def send(message):
        sent.append(message)

    asyncio.run(StreamApp(app, 2)(scope, receive, send))
    return sent


def body(part, *, more=False):
    return {"type": "http.request", "body": part, "more_body": more}


def test_a_request_is_handed_on_as_it_came():
    seen = {}

    def app(environ, start_response):
        seen.update(environ, body=environ["wsgi.input"].read())
        start_response("201 Created", [("Content-Type", "text/plain"), ("X-Name", "v")])
        return [b"one ", b"two"]

    start, answer = asked(app, body(b"abc", more=True), body(b"def"))

    assert seen["body"] == b"abcdef"
    assert seen["PATH_INFO"] == "/v1/\xff/"
    assert seen["QUERY_STRING"] == "a=%ff"
    assert seen["REMOTE_ADDR"] == "192.0.2.7"
    assert (seen["CONTENT_LENGTH"], seen["CONTENT_TYPE"]) == ("6", "text/plain")
    assert seen["HTTP_X_TWICE"] == "1,2"
    assert start["status"] == 201
    assert start["headers"] == [(b"content-type", b"text/plain"), (b"x-name", b"v")]
    assert answer["body"] == b"one two"


def test_a_body_is_not_read_beyond_what_any_may_have():
    part = b"x" * 700_000

    def app(environ, start_response):
        start_response("200 OK", [])
        return [str(len(environ["wsgi.input"].read())).encode()]

    _, answer = asked(app, *[body(part, more=True)] * 10)

    assert int(answer["body"]) == 1_400_000


def test_of_a_body_that_breaks_off_nothing_is_handed_on():
    def app(environ, start_response):
        start_response("200 OK", [])
        return [environ["wsgi.input"].read()]

    _, answer = asked(app, body(b"{}", more=True), {"type": "http.disconnect"})

    assert answer["body"] == b""


def test_a_header_that_is_not_what_a_proxy_has_set_does_not_pass_for_it():
    def app(environ, start_response):
        start_response("200 OK", [])
        return [environ["HTTP_X_REAL_IP"].encode()]

    headers = [(b"x-real-ip", b"192.0.2.1"), (b"x_real_ip", b"6.6.6.6"), (b"x-real_ip", b"6.6.6.7")]
    _, answer = asked(app, body(b""), scope=SCOPE | {"headers": headers})

    assert answer["body"] == b"192.0.2.1"


def test_what_the_application_gives_is_closed():
    class Body(io.BytesIO):
        pass

    given = Body(b"text")

    def app(_, start_response):
        start_response("200 OK", [])
        return given

    asked(app, body(b""))

    assert given.closed


# The ear


async def heard(ring, seconds):
    ear = Waker(asyncio.get_running_loop()).ear()
    ring(ear)
    async with asyncio.timeout(30):
        await ear.wait(seconds)


@pytest.mark.parametrize(
    "ring",
    [
        pytest.param(lambda ear: ear.ring(), id="before"),
        pytest.param(lambda ear: threading.Timer(0.05, ear.ring).start(), id="later"),
    ],
)
def test_a_ring_is_heard(ring):
    asyncio.run(heard(ring, 3600))


def test_a_wait_ends_by_itself():
    asyncio.run(heard(lambda _: None, 0.01))


def test_nobody_is_left_to_hear_after_the_loop():
    async def make():
        return Waker(asyncio.get_running_loop()).ear()

    asyncio.run(make()).ring()


def test_whoever_is_rung_together_is_woken_together():
    async def hear():
        calls, loop = [], asyncio.get_running_loop()
        waker = Waker(loop)
        ears = [waker.ear() for _ in range(20)]
        loop.call_soon_threadsafe = counted(loop.call_soon_threadsafe, calls)
        for again in (1, 2):
            waiting = [asyncio.ensure_future(ear.wait(3600)) for ear in ears]
            await asyncio.sleep(0)
            for ear in ears:
                ear.ring()
            async with asyncio.timeout(30):
                await asyncio.gather(*waiting)
            assert len(calls) == again

    asyncio.run(hear())


def counted(function, calls):
    def call(*args):
        calls.append(args)
        return function(*args)

    return call


def test_a_wait_after_a_longer_one_ends_in_time():
    async def hear():
        ear = Waker(asyncio.get_running_loop()).ear()
        ear.ring()
        async with asyncio.timeout(30):
            await ear.wait(3600)
            await ear.wait(0.01)

    asyncio.run(hear())


def test_waits_share_a_timer_that_ends_with_the_stream():
    async def hear():
        loop = asyncio.get_running_loop()
        ear, timers = Waker(loop).ear(), []
        loop.call_at = counted(loop.call_at, timers)
        for _ in range(3):
            waiting = asyncio.ensure_future(ear.wait(3600))
            await asyncio.sleep(0)
            ear.ring()
            await waiting
        assert len(timers) == 1
        timer = ear._timer
        ear.close()
        assert timer.cancelled()

    asyncio.run(hear())


# What is sent


def test_sending_may_take_its_time():
    sent = []

    async def send(message):
        await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        sent.append(message)

    asyncio.run(stream_app._send(send, b"frame", is_last=True))

    assert sent == [{"type": "http.response.body", "body": b"frame", "more_body": False}]


def test_sending_to_who_reads_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr(stream_app, "_UNREAD_SECONDS", 0.01)
    waiting = []

    async def send(_):
        waiting.append(asyncio.get_running_loop().create_future())
        await waiting[0]

    with pytest.raises(TimeoutError):
        asyncio.run(stream_app._send(send, b"frame"))

    assert waiting[0].cancelled()
