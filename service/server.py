"""The API's process: granian on a socket that was opened before, with our own habits.

Granian's main process has one child, which runs the threads that answer. The
child dies with its main process, and hears of a shutdown before its
connections are closed.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, Any, Final

from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from service import collecting, logs, metrics, settings, stopping, tether, tracing

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from flask import Flask

    from service.places import Places

STREAMS_END_WITHIN_SECONDS: Final = 3
DRAIN_SECONDS: Final = 7
_KILL_SECONDS = 1  # after those
_HEAD_BYTES = 16_384
_HEAD_MILLISECONDS = 5_000
_BACKLOG = 1024
_IS_UNIX_SOCKET = False
_Holder: Any = SocketHolder  # granian does not annotate its constructor
# Granian copies the environment into every request's own; these have no business there.
_KEPT_OUT_OF_REQUESTS = (
    "HEARTS_SECRET_KEYS",
    "HEARTS_EVENTS_URL",
    "HEARTS_ARCHIVE_URL",
    "HEARTS_QUEUE_URL",
    "HEARTS_RATE_URL",
    *tracing.SECRETS,
)
_LOGGING = {
    "formatters": {"line": {"()": "service.logs.LineFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {"_granian": {"handlers": ["console"], "propagate": False}},
}


class Server(MPServer):
    """Granian with one child, on the listening socket *descriptor*.

    The child gets its application from *load*, called with the process id of its parent
    and with what tells it to end. *connections* is how many it takes at once; more wait in
    the socket's queue.
    """

    def __init__(
        self,
        descriptor: int,
        load: Callable[[int, Connection], Callable[..., Any]],
        interface: Interfaces,
        threads: int | None = None,
        connections: int | None = None,
    ) -> None:
        super().__init__(
            "service.wsgi:app",
            interface=interface,
            blocking_threads=threads,
            backpressure=connections,
            http=HTTPModes.http1,
            websockets=False,
            http1_settings=HTTP1Settings(
                header_read_timeout=_HEAD_MILLISECONDS, max_buffer_size=_HEAD_BYTES
            ),
            workers_kill_timeout=_KILL_SECONDS,
            log_level=LogLevels.error,
            log_dictconfig=_LOGGING,
        )
        self._descriptor = descriptor
        told, self._stop = Pipe(duplex=False)
        self.load = partial(load, os.getpid(), told)

    def _init_shared_socket(self) -> None:
        # What granian does with a socket of its own that its child shall share.
        self._ssp = None
        self._shd = _Holder(self._descriptor, _IS_UNIX_SOCKET, _BACKLOG)
        self._sfd = self._descriptor  # type: ignore[assignment]  # a number, once there is one
        self._sso = socket.socket(fileno=self._descriptor)

    def _stop_workers(self) -> None:
        for worker in self.wrks:
            worker.interrupt_by_parent = True
        self._stop.send_bytes(b"stop")
        for worker in self.wrks:
            worker.inner.join(DRAIN_SECONDS)
        super()._stop_workers()  # type: ignore[no-untyped-call]  # as granian has it


def load_app(main: int, stop: Connection) -> "WSGIApplication":
    """Return the application, inside granian's child of the process *main*.

    The child is to end as soon as something comes out of *stop*.
    """
    prepare(main)
    tracing.start("hearts-api")
    watch = import_module("service.wiring").make_watch(settings.load())
    app = ready(import_module("service.wsgi").app, stop)
    import_module("service.lifesign").LifeSign(watch).start()
    return app


def prepare(main: int) -> None:
    """Tie this process, granian's child, to the process *main*."""
    tether.die_with(main)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # until granian sets its own


def ready(app: "Flask", stop: Connection) -> "WSGIApplication":
    """Return *app* as it is to answer, in a process that ends when it is told by *stop*."""
    # Not at the top: granian's main process needs none of it.
    lines = app.extensions[import_module("service.requests").LINES]
    checked = settings.load()
    metrics.serve(checked.metrics_host, checked.metrics_port)
    told = (stop, threading.get_ident(), lines.places)
    threading.Thread(target=_stop_when_told, args=told, daemon=True).start()
    # When granian is done: requests are answered until then.
    Finalize(None, tracing.stop, exitpriority=0)
    collecting.collect_seldom()
    for name in _KEPT_OUT_OF_REQUESTS:
        os.environ.pop(name, None)
    return partial(_answer, app)


def _stop_when_told(stop: Connection, main_thread: int, places: "Places") -> None:
    try:
        stop.recv_bytes()
    except EOFError:  # where there is no death signal: the main process is gone
        os._exit(1)
    stopping.begin()
    # Granian would cut streams off, or wait for them without end.
    places.wait_until_empty(STREAMS_END_WITHIN_SECONDS)
    # Only the main thread handles signals, and granian's sleeps without end. One
    # sent to the whole process may be given to another thread and not wake it.
    signal.pthread_kill(main_thread, signal.SIGTERM)


def _answer(
    app: "WSGIApplication", environ: "WSGIEnvironment", start_response: "StartResponse"
) -> Iterable[bytes]:
    def start(
        status: str, headers: list[tuple[str, str]], exc_info: "OptExcInfo | None" = None, /
    ) -> Callable[[bytes], object]:
        return start_response(status, [*headers, ("Server", "hearts-api")], exc_info)

    # An offer that may be ignored; the router would look for a websocket at that path.
    environ.pop("HTTP_UPGRADE", None)
    return app(environ, start)


def main() -> None:
    """Serve on the socket whose number is the first argument, until SIGTERM."""
    checked = settings.load()
    logs.configure(checked.log_level)
    server = Server(int(sys.argv[1]), load_app, Interfaces.WSGI, checked.api_threads)
    server.serve(target_loader=server.load, wrap_loader=False)


if __name__ == "__main__":
    main()
