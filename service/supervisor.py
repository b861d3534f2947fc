"""`hearts up`: starts everything on this machine, keeps it alive, ends all of it.

One parent, several children: the private store unless another is named, the
API, the workers. A child that dies is started again; when the parent dies, all
die with it. The parent does little else, so there is little that could bring
it down. `hearts api` is the same with the API as the only child.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Final

from service import embedded, ending, stopping, tether
from service.embedded import CannotStartError
from service.listener import base_address, listen
from service.settings import Settings

_LOOK_EVERY_SECONDS = 0.1
_STEADY_AFTER_SECONDS = 10.0
_FIRST_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 2.0
_CHILDREN_END_WITHIN_SECONDS = 9.0
_API_ANSWERS_WITHIN_SECONDS = 60.0
_READINESS_WITHIN_SECONDS = 5.0
_METRICS_PORT: Final = "HEARTS_METRICS_PORT"
_RATE_LIMITS: Final = "HEARTS_RATE_LIMITS"
_API: Final = ("the API", "service.server")
_STREAM: Final = ("the stream process", "service.stream_server")
# Where to reach a socket that listens everywhere.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # read, never bound
_log = logging.getLogger(__name__)


class Child:
    """A process that is started again whenever it ends.

    The first time at once; after each short life the pause before the next
    doubles, up to two seconds.
    """

    def __init__(self, name: str, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        self.name = name
        self._start = start
        self._pause = _FIRST_PAUSE_SECONDS
        self._begin()

    def _begin(self) -> None:
        self.process = self._start()
        self._started = time.monotonic()
        self._again_at: float | None = None

    def keep_alive(self) -> None:
        """Start the process again if it has ended and its pause is over."""
        if self.process.poll() is None:
            return
        now = time.monotonic()
        if self._again_at is None:
            self._again_at = now + self._next_pause(now - self._started)
            _log.warning("%s ended (%s), starting it again", self.name, self.process.returncode)
        elif now >= self._again_at:
            self._begin()

    def _next_pause(self, lived_seconds: float) -> float:
        is_steady = lived_seconds >= _STEADY_AFTER_SECONDS
        pause = _FIRST_PAUSE_SECONDS if is_steady else self._pause
        self._pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
        return pause


def up(settings: Settings, parent: int | None = None) -> None:
    """Run everything until `ending` says so of us and *parent*, then end all of it in order.

    Raises:
        CannotStartError: The port or the data folder is taken, or a part does
            not come up; nothing is left running.
        SettingsError: The host is none that this machine has.
    """
    with ExitStack() as at_the_end:
        ending.stop_when_told(parent)
        # Before the port: whoever has both is to be named, not only where it serves.
        lock = _lock(settings.data_dir, at_the_end) if settings.is_embedded else None
        listener = at_the_end.enter_context(listen(settings.host, settings.port))
        settings = _for_this_machine(settings, listener)
        address = base_address(listener, settings.host)
        children = [] if lock is None else _start_store(settings, lock, address, at_the_end)
        children += _start_clients(settings, listener, at_the_end, helpers=_helpers(settings))
        _keep_alive(children, listener, _welcome(address))
    _say("stopped; every game goes on at the next start")


def api(settings: Settings, parent: int | None = None) -> None:
    """Run the API alone until `ending` says so of us and *parent*, then end it in order.

    Raises:
        CannotStartError: The port is taken, or the API does not come up.
        SettingsError: The host is none that this machine has.
    """
    with ExitStack() as at_the_end:
        ending.stop_when_told(parent)
        listener = at_the_end.enter_context(listen(settings.host, settings.port))
        children = _start_clients(settings, listener, at_the_end)
        _keep_alive(children, listener, f"serving on {base_address(listener, settings.host)}")
    _say("stopped")


def stream(settings: Settings, parent: int | None = None) -> None:
    """Run a stream process alone until `ending` says so of us and *parent*, then end it in order.

    Raises:
        CannotStartError: The port is taken, or the process does not come up.
        SettingsError: The host is none that this machine has.
    """
    with ExitStack() as at_the_end:
        ending.stop_when_told(parent)
        listener = at_the_end.enter_context(listen(settings.host, settings.port, for_streams=True))
        children = _start_clients(settings, listener, at_the_end, server=_STREAM)
        _keep_alive(children, listener, f"serving on {base_address(listener, settings.host)}")
    _say("stopped")


def _keep_alive(children: Sequence[Child], listener: socket.socket, welcome: str) -> None:
    if not stopping.is_stopping():
        _say(welcome)
        _warn_of_the_store(listener)
    while not stopping.is_stopping():
        for child in children:
            child.keep_alive()
        time.sleep(_LOOK_EVERY_SECONDS)
    _say("stopping…")


def _for_this_machine(settings: Settings, listener: socket.socket) -> Settings:
    """Return *settings* without limits where only this machine can ask, unless they are named."""
    address, _, _ = listener.getsockname()[0].partition("%")
    is_named = bool(os.environ.get(_RATE_LIMITS, "").strip())
    if is_named or not ip_address(address).is_loopback:
        return settings
    return replace(settings, rate_limits="off")


def _lock(data_dir: Path, at_the_end: ExitStack) -> IO[str]:
    return at_the_end.enter_context(embedded.lock_folder(data_dir))


def _start_store(
    settings: Settings, lock: IO[str], address: str, at_the_end: ExitStack
) -> list[Child]:
    embedded.sign(lock, address)
    _say(f"starting the store… (its data: {settings.data_dir})")
    server = embedded.prepare(settings.data_dir, settings.durability)
    store = Child(f"the store (its log: {server.log_file})", partial(server.start, lock))
    at_the_end.callback(lambda: server.stop(store.process))
    server.wait_until_ready(store.process)
    return [store]


def _start_clients(
    settings: Settings,
    listener: socket.socket,
    at_the_end: ExitStack,
    *,
    helpers: Sequence[tuple[str, str]] = (),
    server: tuple[str, str] = _API,
) -> list[Child]:
    name, module = server
    beside = f" and {len(helpers)} processes beside it" if helpers else ""
    _say(f"starting {name}{beside}…")
    clients: list[Child] = []
    at_the_end.callback(lambda: _end(clients))
    environ = _environment(settings)
    api = _module(module, str(listener.fileno()))
    clients.append(Child(name, partial(tether.start, api, environ, [listener.fileno()])))
    for number, (helper, command) in enumerate(helpers, 1):
        program = _module("service", command)
        clients.append(Child(helper, partial(tether.start, program, _of_worker(environ, number))))
    _wait_until_live(clients[0], listener)
    return clients


def _helpers(settings: Settings) -> list[tuple[str, str]]:
    """Return name and command of each process that works beside the API."""
    workers = range(1, settings.workers + 1)
    couriers = range(1, settings.webhook_workers + 1)
    return [
        *((f"worker {number}", "worker") for number in workers),
        *((f"webhooks {number}", "webhooks") for number in couriers),
    ]


def _of_worker(environ: Mapping[str, str], number: int) -> Mapping[str, str]:
    # Each process shows its own numbers; on one machine they cannot share a port.
    port = int(environ.get(_METRICS_PORT) or 0)
    return {**environ, _METRICS_PORT: str(port + number)} if port else environ


def _environment(settings: Settings) -> Mapping[str, str]:
    # The address of a private store follows from its folder.
    given = {"HEARTS_DATA_DIR": str(settings.data_dir), _RATE_LIMITS: settings.rate_limits}
    return os.environ | given


def _module(name: str, *arguments: str) -> list[str]:
    # -P: a folder that happens to be the current one does not hide our modules.
    return [sys.executable, "-P", "-m", name, *arguments]


def _wait_until_live(api: Child, listener: socket.socket) -> None:
    deadline = time.monotonic() + _API_ANSWERS_WITHIN_SECONDS
    while not stopping.is_stopping() and not _is_live(listener):
        if api.process.poll() is not None:
            raise CannotStartError(f"{api.name} ended at once; what it said stands above")
        if time.monotonic() > deadline:
            raise CannotStartError(f"{api.name} is silent after {_API_ANSWERS_WITHIN_SECONDS} s")
        time.sleep(_LOOK_EVERY_SECONDS)


def _is_live(listener: socket.socket) -> bool:
    status, _ = _ask(listener, "/health/live", within=1)
    return status == HTTPStatus.OK


def _warn_of_the_store(listener: socket.socket) -> None:
    """Say what is wrong with the store, if something is."""
    _, said = _ask(listener, "/health/ready", within=_READINESS_WITHIN_SECONDS)
    with suppress(ValueError, LookupError, TypeError):  # no answer, or somebody else's
        reason = json.loads(said)["checks"]["store"]["reason"]
        if reason is not None:
            _say(f"NOT READY: {reason} GET /health/ready tells when it is well.")


def _ask(listener: socket.socket, path: str, *, within: float) -> tuple[int | None, bytes]:
    """Return what the API answers *within* seconds: None and nothing if it does not."""
    host, port = listener.getsockname()[:2]
    connection = HTTPConnection(_LOOPBACK.get(host, host), port, timeout=within)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, HTTPException):
        return None, b""
    finally:
        connection.close()


def _end(children: Sequence[Child]) -> None:
    for child in children:
        child.process.terminate()
    deadline = time.monotonic() + _CHILDREN_END_WITHIN_SECONDS
    for child in children:
        try:
            child.process.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _log.warning("%s does not end, killing it", child.name)
            os.killpg(child.process.pid, signal.SIGKILL)
            child.process.wait()


def _welcome(address: str) -> str:
    return f"""\
serving on {address} (Ctrl-C ends it)

Look around:
  curl -s {address}/v1
  curl -s {address}/v1/presets
Sit down at a table with three bots:
  curl -s -X POST {address}/v1/games \\
       -H 'Content-Type: application/json' -d '{{"claim": {{"seat": 0, "name": "Ana"}}}}'
README.md plays a whole game from there; {address}/docs describes every request.
"""


def _say(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone; nobody is left to be told
        print(text, flush=True)
