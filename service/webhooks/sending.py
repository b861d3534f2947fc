"""One attempt: a POST to an address that was checked, and what came of it.

Redirects are not followed, proxies of the environment not asked, the body of the answer not
read. The certificate must be for the host's name. All of it is over after `SECONDS`,
however slowly the other side speaks.
"""

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Final, NamedTuple

from service import VERSION
from service.webhooks.aside import aside
from service.webhooks.targets import (
    Resolve,
    Target,
    TargetRefusedError,
    addresses_of,
    resolved,
    target_of,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SECONDS: Final = 15.0
MOST_RETRY_AFTER: Final = 86_400
_SECONDS_TO_CONNECT: Final = 5.0
_MOST_ADDRESSES: Final = 4
_LOOKUPS: Final = 64
"""So many that names which hang keep no others waiting."""

_MOST_BYTES: Final = 65_536
"""So much is read of an answer, with all the interim ones (100) that may come before it."""

_DIGITS: Final = 9
_HABITS: Final = {
    "Content-Type": "application/json",
    "User-Agent": f"hearts-api/{VERSION}",
    "Connection": "close",
}

REFUSED: Final = "target_refused"
NAME: Final = "name_not_found"
UNREACHABLE: Final = "unreachable"
TLS: Final = "tls"
TIMEOUT: Final = "timeout"
BROKEN: Final = "connection_broken"
NO_HTTP: Final = "no_http"
NO_KEY: Final = "key_lost"
ERRORS: Final = (REFUSED, NAME, UNREACHABLE, TLS, TIMEOUT, BROKEN, NO_HTTP, NO_KEY)
"""What can go wrong before there is a status."""


class Outcome(NamedTuple):
    """What an attempt came to: a *status*, or one of `ERRORS`.

    *retry_after* is how many seconds the other side asks to be left alone.
    """

    status: int | None = None
    error: str | None = None
    retry_after: int | None = None

    @property
    def is_done(self) -> bool:
        """Whether the message has arrived."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - as HTTP has it


class _FailedError(Exception):
    """The attempt came to nothing; *error* is one of `ERRORS`."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class Sender:
    """Sends messages, *anywhere* if so told, else to public places alone."""

    def __init__(
        self,
        *,
        anywhere: bool,
        resolve: Resolve = resolved,
        seconds: float = SECONDS,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._anywhere = anywhere
        self._resolve = resolve
        self._seconds = seconds
        self._context = context or ssl.create_default_context()
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._lookups = threading.Semaphore(_LOOKUPS)

    def send(self, url: str, headers: Mapping[str, str], body: str) -> Outcome:
        """Return what became of *body* at *url*."""
        until = time.monotonic() + self._seconds
        try:
            target = target_of(url, anywhere=self._anywhere)
            addresses = self._addresses(target, until)
            return self._posted(target, addresses, {**_HABITS, **headers}, body, until)
        except TargetRefusedError:
            return Outcome(error=REFUSED)
        except _FailedError as exc:
            return Outcome(error=exc.error)

    def _addresses(self, target: Target, until: float) -> list[str]:
        # Looking up a name cannot be broken off, so another thread does it.
        if not self._lookups.acquire(timeout=max(0.0, until - time.monotonic())):
            raise _FailedError(TIMEOUT)
        found = aside(partial(self._look_up, target), "webhook-names")
        try:
            return found.result(max(0.0, until - time.monotonic()))
        except TimeoutError:
            raise _FailedError(TIMEOUT) from None
        except (OSError, UnicodeError):
            raise _FailedError(NAME) from None

    def _look_up(self, target: Target) -> list[str]:
        try:
            return addresses_of(target, self._resolve, anywhere=self._anywhere)
        finally:
            self._lookups.release()

    def _posted(
        self,
        target: Target,
        addresses: Sequence[str],
        headers: Mapping[str, str],
        body: str,
        until: float,
    ) -> Outcome:
        connection = HTTPConnection(target.host, target.port)
        connection.response_class = _Answer
        connection.default_port = 443 if target.is_tls else 80
        connection.sock = _connected(addresses, target.port, until)
        # A bound for all of it: that of a socket begins again with each byte.
        with _cut_off_at(lambda: connection.sock, until) as is_over:
            try:
                if target.is_tls:
                    connection.sock = secured = self._wrapped(connection.sock, target.host)
                    secured.do_handshake()
                connection.request("POST", target.path, body.encode(), dict(headers))
                with closing(connection.getresponse()) as response:
                    # Where the headers were cut off, that looks like their end.
                    return Outcome(error=TIMEOUT) if is_over() else _outcome(response)
            except ssl.SSLError as exc:
                raise _FailedError(TIMEOUT if is_over() else TLS) from exc
            except (HTTPException, ValueError) as exc:
                is_broken = isinstance(exc, ConnectionError)
                error = BROKEN if is_broken else NO_HTTP
                raise _FailedError(TIMEOUT if is_over() else error) from exc
            except OSError as exc:
                late = is_over() or isinstance(exc, TimeoutError)
                raise _FailedError(TIMEOUT if late else BROKEN) from exc
            finally:
                connection.close()

    def _wrapped(self, plain: socket.socket, host: str) -> ssl.SSLSocket:
        # The handshake comes later: it must be possible to cut it off.
        return self._context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)


class _Bounded(io.RawIOBase):
    """What comes from a socket, `_MOST_BYTES` of it."""

    def __init__(self, sock: socket.socket) -> None:
        self._raw = sock.makefile("rb", buffering=0)
        self._left = _MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        if self._left <= 0:
            raise HTTPException("no end of answers that are none")
        count = self._raw.readinto(buffer)
        self._left -= count or 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(HTTPResponse):
    """An answer that does not begin again and again for ever."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.fp.close()
        self.fp = io.BufferedReader(_Bounded(sock))


def _connected(addresses: Sequence[str], port: int, until: float) -> socket.socket:
    """Return a connection to the first of *addresses* that takes one."""
    failed = _FailedError(UNREACHABLE)
    for address in addresses[:_MOST_ADDRESSES]:
        left = min(_SECONDS_TO_CONNECT, until - time.monotonic())
        if left <= 0:
            raise _FailedError(TIMEOUT)
        try:
            found = socket.create_connection((address, port), timeout=left)
        except TimeoutError:
            failed = _FailedError(TIMEOUT)
        except OSError:
            failed = _FailedError(UNREACHABLE)
        else:
            found.settimeout(max(0.1, until - time.monotonic()))
            return found
    raise failed


@contextmanager
def _cut_off_at(
    current: Callable[[], socket.socket | None], until: float
) -> Iterator[Callable[[], bool]]:
    """Shut the socket when the time is up; yield what says whether that has happened."""
    over = threading.Event()

    def cut() -> None:
        over.set()
        found = current()
        if found is not None:
            with suppress(OSError):
                # Not that of TLS, which another thread is in.
                socket.socket.shutdown(found, socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, until - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    try:
        yield over.is_set
    finally:
        timer.cancel()


def _outcome(response: HTTPResponse) -> Outcome:
    return Outcome(status=response.status, retry_after=_seconds(response.headers["Retry-After"]))


def _seconds(text: str | None) -> int | None:
    """Return the seconds that `Retry-After` asks for, within bounds; None if it cannot be read."""
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return min(int(text), MOST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    return int(min(max(moment - time.time(), 0), MOST_RETRY_AFTER))
