import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.processes import SECONDS, children_of, hearts_up, watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

AT_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.execvp(sys.argv[2], sys.argv[2:])
"""
# As make does: told that the terminal is gone, it waits for its children.
LEADER = """
import signal, subprocess, sys
signal.signal(signal.SIGHUP, lambda *_: None)
group = 0 if sys.argv[1] == "behind" else None
sys.exit(subprocess.run(sys.argv[2:], process_group=group).returncode)
"""
ASKED = """
from service import ending
terminal = ending._terminal()
while True:
    print(terminal.is_lost(), flush=True)
    input()
"""
TOLD = """
import sys, threading, time
from service import ending, stopping
ending.stop_when_told(int(sys.argv[1]) if sys.argv[1:] else None)
print(sorted(thread.name for thread in threading.enumerate()), flush=True)
while not stopping.is_stopping():
    time.sleep(0.01)
print("stopped", flush=True)
"""
MIDDLE = """
import os, subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1], str(os.getpid())])
"""


class Terminal:
    """A terminal, and whoever leads its session; both are gone at the end."""

    def __init__(self):
        self._keyboard, self._screen = os.openpty()

    def run(self, command, **more):
        return subprocess.Popen(
            python(AT_TERMINAL, str(self._screen), *command),
            start_new_session=True,
            pass_fds=[self._screen],
            **more,
        )

    def hang_up(self):
        os.close(self._screen)
        os.close(self._keyboard)
        self._keyboard = None

    def close(self):
        if self._keyboard is not None:
            self.hang_up()


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.close()


@contextmanager
def running(command, start=subprocess.Popen):
    """Run *command* with pipes, and leave nothing of it behind."""
    with start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            with watched(children_of(process.pid)):
                process.kill()


def python(code, *arguments):
    return [sys.executable, "-c", code, *arguments]


def answer(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline()


@pytest.mark.parametrize(("where", "is_lost"), [("in front", "True\n"), ("behind", "False\n")])
def test_a_terminal_is_lost_to_who_was_in_its_foreground(terminal, where, is_lost):
    with running(python(LEADER, where, *python(ASKED)), terminal.run) as leader:
        assert leader.stdout.readline() == "False\n"
        assert answer(leader) == "False\n"

        terminal.hang_up()

        assert answer(leader) == is_lost


def test_a_process_that_nobody_told_stops_when_its_terminal_hangs_up(terminal):
    with running(python(LEADER, "in front", *python(TOLD)), terminal.run) as leader:
        assert leader.stdout.readline() == "['MainThread', 'end']\n"

        terminal.hang_up()

        assert leader.stdout.readline() == "stopped\n"


def test_under_nohup_neither_the_terminal_nor_sighup_ends_anything(terminal):
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "-", *python(TOLD)]
    with running(command, terminal.run) as process:
        assert process.stdout.readline() == "['MainThread']\n"

        terminal.hang_up()
        process.send_signal(signal.SIGHUP)
        assert process.poll() is None
        process.terminate()

        assert process.stdout.readline() == "stopped\n"


def test_without_a_terminal_and_a_parent_only_signals_end_it():
    with subprocess.Popen(
        python(TOLD), start_new_session=True, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "['MainThread']\n"

        process.send_signal(signal.SIGHUP)

        assert process.stdout.readline() == "stopped\n"


def test_a_process_stops_when_the_parent_that_it_names_was_killed():
    with subprocess.Popen(
        python(MIDDLE, TOLD), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as middle:
        assert "end" in middle.stdout.readline()

        middle.kill()

        assert middle.stdout.readline() == "stopped\n"


def test_everything_ends_with_the_terminal(terminal, tmp_path):
    def start(command, **more):
        return terminal.run(python(LEADER, "in front", *command), **more)

    with (
        hearts_up(tmp_path, start=start) as up,
        watched(children_of(up.pid)) as everyone,
    ):
        terminal.hang_up()

        assert all(each.ends_within(SECONDS) for each in everyone)
        assert up.process.wait(SECONDS) == 0
