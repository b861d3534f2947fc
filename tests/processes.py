"""Real processes for tests: start, look at, wait for and kill them, each by its id."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

SECONDS = 60
"""When a test gives up. No promise: what should be fast takes as long as the machine is busy."""


def eventually(condition, seconds=SECONDS):
    """Return the first true value of *condition*, looked at until *seconds* are over."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return value


class Watched:
    """A process that need not be our child, held by a descriptor: its id is never reused."""

    def __init__(self, pid):
        self.pid = pid
        self._descriptor = os.pidfd_open(pid)

    def ends_within(self, seconds):
        ended, _, _ = select.select([self._descriptor], [], [], seconds)
        return bool(ended)

    def kill(self):
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)

    def close(self):
        os.close(self._descriptor)


@contextmanager
def watched(pids):
    """Watch processes, and leave none of them running behind a test that failed."""
    with ExitStack() as stack:
        processes = []
        for pid in pids:
            processes.append(Watched(pid))
            stack.callback(processes[-1].close)
            stack.callback(processes[-1].kill)
        yield processes


def children_of(pid):
    """Return the command line by process id of each living descendant of *pid*."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            command = stat.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
            if fields[0] != "Z":
                found[int(stat.parent.name)] = int(fields[1]), command
    known = {pid}
    while more := {child for child, (parent, _) in found.items() if parent in known} - known:
        known |= more
    return {child: found[child][1] for child in known - {pid}}


class Up:
    """A running `hearts up` or `hearts api`: its processes and its address."""

    def __init__(self, process):
        self.process = process
        self.pid = process.pid
        self.address = None
        for line in process.stdout:
            if found := re.search(r"serving on (http\S+)", line):
                self.address = found[1]
                break

    def children(self, part):
        return [pid for pid, command in children_of(self.pid).items() if part in command]

    def everyone(self):
        return [self.pid, *children_of(self.pid)]

    def is_live(self):
        host = self.address.removeprefix("http://")
        connection = HTTPConnection(host, timeout=SECONDS)
        try:
            connection.request("GET", "/health/live")
            return connection.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


def environment(data_dir, **more):
    """Return a child's environment: this one's, with nothing set for the service but *more*."""
    ours = ("HEARTS_", "OTEL_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    given = {
        "HEARTS_DATA_DIR": str(data_dir),
        "HEARTS_PORT": "0",
        "HEARTS_WORKERS": "1",  # each takes a second of a busy machine to start
        "HEARTS_RATE_LIMITS": "off",  # a test is one caller, and asks all day
        "HEARTS_WEBHOOK_WORKERS": "0",
        "HEARTS_LOG_LEVEL": "warning",  # a pipe that nobody reads must not fill up
    }
    return inherited | given | more


def start_up(data_dir, *, command="up", start=subprocess.Popen, **more):
    """Start `hearts up`, or another *command*, by *start*, without waiting for it."""
    return start(
        [sys.executable, "-m", "service", command],
        env=environment(data_dir, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def hearts_up(data_dir, **more):
    """Run `hearts up`, or another command, until it serves; kill what the test left of it."""
    with start_up(data_dir, **more) as process:
        try:
            up = Up(process)
            assert up.address, process.stderr.read()
            yield up
        finally:
            process.kill()
