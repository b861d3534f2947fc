"""The app as a stream process serves it: requests on threads, streams on one loop.

Every request is answered by the same WSGI application, on a thread that is free again as
soon as the answer is made. A stream goes on without one: a task waits for the ear of the
stream. The thread that hears the bell has read the log then, for all of them; a few more
read it where no bell has rung for long, and for who is far behind.
"""

import asyncio
import io
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from types import coroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

from service import stopping
from service.bodies import FILE_BYTES
from service.feeds import Feed
from service.requests import EAR, STREAM
from service.streams import Stream

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[None]]

OPENERS: Final = 8
_READERS: Final = 4
_UNREAD_SECONDS: Final = 10.0
_UNNAMED: Final = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


class Waker:
    """Wakes ears on *loop*, all that are rung together by one call into it.

    Each call wakes the loop with a write, and gives the interpreter away; a thread that rang
    twenty ears one by one would wait for it twenty times.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._rung: deque[LoopEar] = deque()
        self._is_called = False

    def ear(self) -> "LoopEar":
        """Return a new ear."""
        return LoopEar(self, self._loop)

    def wake(self, ear: "LoopEar") -> None:
        """Wake *ear*; from any thread."""
        self._rung.append(ear)
        if not self._is_called:
            self._is_called = True
            with suppress(RuntimeError):  # the loop has ended, and with it who waited
                self._loop.call_soon_threadsafe(self._wake_all)

    def _wake_all(self) -> None:
        self._is_called = False  # before looking: who comes from here on calls again
        with suppress(IndexError):
            while True:
                self._rung.popleft().wake()


class LoopEar:
    """Hears, on *loop*, that a game has moved on; rung from any thread."""

    __slots__ = ("_is_rung", "_loop", "_timer", "_waiting", "_waker")

    def __init__(self, waker: Waker, loop: asyncio.AbstractEventLoop) -> None:
        self._waker = waker
        self._loop = loop
        self._is_rung = False
        self._waiting: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def ring(self) -> None:
        """Wake who waits, or the next who will."""
        self._waker.wake(self)

    async def wait(self, seconds: float) -> None:
        """Wait up to *seconds*, or until the ear is rung or the process is to end.

        It may be shorter: the timer of an earlier wait goes on.
        """
        if not self._is_rung and not stopping.is_stopping():
            self._wake_within(seconds)
            self._waiting = self._loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        self._is_rung = False

    def wake(self) -> None:
        """Wake who waits, or the next who will; on the loop."""
        self._is_rung = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def close(self) -> None:
        """Stop the timer of waits that are over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wake_within(self, seconds: float) -> None:
        # To be woken too early once in a while costs less than a timer for each wait.
        at = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > at:
            self.close()
            self._timer = self._loop.call_at(at, self._wake_by_time)

    def _wake_by_time(self) -> None:
        self._timer = None
        self.wake()


class _Answer(NamedTuple):
    """What the application has answered; *live* is a stream, and what to send at once."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    live: tuple[Stream, bytes] | None


class StreamApp:
    """*app* under ASGI, with *threads* for requests that are not streams."""

    def __init__(self, app: "WSGIApplication", threads: int) -> None:
        self._app = app
        self._requests = ThreadPoolExecutor(threads, "request")
        # Apart, so that those who wait keep no stream from being opened.
        self._openings = ThreadPoolExecutor(OPENERS, "opening")
        self._readings = ThreadPoolExecutor(_READERS, "reading")
        self._being_read: dict[Feed, asyncio.Future[None]] = {}
        self._waker: Waker | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        loop = asyncio.get_running_loop()
        environ = _environ(scope, await _body(receive))
        environ[EAR] = self._waker_of(loop).ear()
        is_stream = scope["path"].endswith("/stream")
        pool = self._openings if is_stream else self._requests
        answer = await loop.run_in_executor(pool, _answer, self._app, environ)
        del environ
        start = {"status": answer.status, "headers": answer.headers}
        if answer.live is None:
            await send({"type": "http.response.start", **start})
            await send({"type": "http.response.body", "body": answer.body})
            return
        stream, opening = answer.live
        del answer
        with closing(stream):
            await send({"type": "http.response.start", **start})
            del start
            with suppress(TimeoutError):  # a client that does not read; it resumes by its cursor
                await self._serve(stream, opening, receive, send)

    def _waker_of(self, loop: asyncio.AbstractEventLoop) -> Waker:
        if self._waker is None:
            self._waker = Waker(loop)
        return self._waker

    async def _serve(self, stream: Stream, opening: bytes, receive: Receive, send: Send) -> None:
        assert isinstance(stream.ear, LoopEar), "an ear of this loop"
        gone = asyncio.ensure_future(receive())
        gone.add_done_callback(lambda _: stream.ear.ring())
        try:
            await _send(send, opening)
            del opening
            while not gone.done():
                await self._refreshed(stream.feed)
                if sent := await self._pulled(stream):
                    await _send(send, sent, is_last=stream.is_over)
                if stream.is_over:
                    break
                await stream.ear.wait(stream.patience())
        finally:
            gone.cancel()
            stream.ear.close()

    async def _refreshed(self, feed: Feed) -> None:
        """Have what is new of *feed* read, if it is due, once for all who wait for it."""
        if feed.is_due:
            # One client that goes away leaves the others what is being read.
            await asyncio.shield(self._being_read.get(feed) or self._read(feed))

    def _read(self, feed: Feed) -> "asyncio.Future[None]":
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(self._readings, feed.refresh)
        self._being_read[feed] = reading
        reading.add_done_callback(lambda _: self._being_read.pop(feed))
        return reading

    async def _pulled(self, stream: Stream) -> bytes:
        if stream.is_behind:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._readings, stream.pull)
        return stream.pull()


async def _send(send: Send, body: bytes, *, is_last: bool = False) -> None:
    message = {"type": "http.response.body", "body": body, "more_body": not is_last}
    steps = send(message).__await__()
    try:
        step = next(steps)
    except StopIteration:
        return  # at once, as nearly always: then it needs no timer, which costs more
    async with asyncio.timeout(_UNREAD_SECONDS):
        await _rest(step, steps)


@coroutine
def _rest(step: object, steps: Iterator[object]) -> Generator[object, None, None]:
    """Go on with an awaitable whose first *step* was taken, and which has yet to take *steps*."""
    yield step
    yield from steps


async def _body(receive: Receive) -> bytes:
    """Return the body, or the beginning of one that is longer than any may be.

    Of one that breaks off, nothing: what there is of it could pass for a whole one.
    """
    parts, length, is_more = [], 0, True
    while is_more and length <= FILE_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        part = message.get("body", b"")
        parts.append(part)
        length += len(part)
        is_more = message.get("more_body", False)
    return b"".join(parts)


def _environ(scope: Scope, body: bytes) -> "WSGIEnvironment":
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "",
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope["client"] or [""])[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        if b"_" in raw_name:
            continue  # `X_Real_IP` would be `X-Real-IP`, which a proxy may have set
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        key = _UNNAMED.get(name) or f"HTTP_{name.upper().replace('-', '_')}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ


def _answer(app: "WSGIApplication", environ: "WSGIEnvironment") -> _Answer:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: "OptExcInfo | None" = None, /
    ) -> Callable[[bytes], object]:
        started.append((status, headers))
        return partial(_written, exc_info)

    body = _joined(app(environ, start_response))
    status, headers = started[-1]
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return _Answer(int(status[:3]), encoded, body, environ.pop(STREAM, None))


def _joined(chunks: Iterable[bytes]) -> bytes:
    try:
        return b"".join(chunks)
    finally:
        if (close := getattr(chunks, "close", None)) is not None:
            close()


def _written(*_: object) -> None:
    """Take what an application of old would write; Flask never does."""
