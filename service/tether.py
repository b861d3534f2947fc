"""Ties a child process to its parent: it dies with it, even with one that was killed.

Run as a program, `tether.py <parent's pid> <command> …` becomes the command.
Linux sends the death signal by itself. Elsewhere the tether stays between the
two and looks after the parent a few times a second; only a SIGKILL of the
tether itself leaves the command behind there.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LOOK_EVERY_SECONDS = 0.2


def start(
    command: Sequence[str],
    environ: Mapping[str, str] | None = None,
    fds: Sequence[int] = (),
    output: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start *command* so that it dies with this process, and return it.

    It inherits the descriptors *fds* under their numbers, writes to *output*
    as `Popen` takes it, and leads a process group of its own: the terminal's
    Ctrl-C does not reach it. To be called from the main thread: Linux takes
    the end of the calling thread for the end of the parent.
    """
    tether = [sys.executable, "-I", str(Path(__file__).resolve()), str(os.getpid())]
    return subprocess.Popen(  # noqa: S603  # the command is the project's own
        [*tether, *command], env=environ, pass_fds=fds, start_new_session=True, stdout=output
    )


def die_with(parent: int) -> bool:
    """Let this process be killed when *parent*, a process id, dies.

    If it is dead already, this process ends here. Returns False where the
    system has no such signal.
    """
    if sys.platform != "linux":
        return False

    # The order matters: a parent that died before the call is seen after it.
    failed: int = ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    return not failed


def watch(parent: int, command: Sequence[str]) -> int:
    """Run *command* until it ends or *parent* is gone; return its exit code.

    SIGTERM is passed on.
    """
    told: list[int] = []
    # Before there is a child: a signal that comes early must not leave it alone.
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    child = subprocess.Popen(command, close_fds=False)  # noqa: S603  # as given to start()
    while os.getppid() == parent:
        while told:
            child.send_signal(told.pop())
        try:
            return child.wait(_LOOK_EVERY_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    child.kill()
    return child.wait()


def main(arguments: Sequence[str]) -> int:
    """Become the command in *arguments*, tied to the parent they name first."""
    parent, command = int(arguments[0]), list(arguments[1:])
    if die_with(parent):
        os.execvp(command[0], command)  # noqa: S606  # no shell is wanted
    return watch(parent, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
