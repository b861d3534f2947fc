import os
import subprocess
import sys
from pathlib import Path

import pytest

from service import tether
from tests.processes import SECONDS, watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the death signal is Linux's")

PARENT = """
import sys
from service import tether
tether.start([sys.executable, "-c", {code!r}]).wait()
"""
WATCHER = """
import os, sys
from service import tether
print(os.getpid(), flush=True)
tether.watch(os.getppid(), [sys.executable, "-c", {code!r}])
"""
EARLY = """
import os, signal, subprocess
from service import tether
class Popen(subprocess.Popen):
    def __init__(self, *arguments, **more):
        os.kill(os.getpid(), signal.SIGTERM)
        super().__init__(*arguments, **more)
subprocess.Popen = Popen
print(tether.watch(os.getppid(), ["sleep", "99"]))
"""
SLEEPER = "import os, time; print(os.getpid(), flush=True); time.sleep(99)"


def parent(program):
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )


def test_a_child_dies_with_a_killed_parent():
    with (
        parent(PARENT.format(code=SLEEPER)) as process,
        watched([int(process.stdout.readline())]) as [child],
    ):
        process.kill()

        assert child.ends_within(SECONDS)


def test_a_child_whose_parent_is_gone_already_does_not_start():
    stranger = os.getppid()

    ended = subprocess.run(
        [sys.executable, tether.__file__, str(stranger), "echo", "started"],
        stdout=subprocess.PIPE,
        check=False,
    )

    assert ended.returncode == 1
    assert ended.stdout == b""


def test_the_command_takes_the_place_of_the_tether():
    child = tether.start(
        [sys.executable, "-c", "import os, sys; sys.exit(os.getsid(0) != os.getpid())"]
    )

    assert child.wait(SECONDS) == 0


def test_a_child_inherits_the_descriptors_it_is_given(tmp_path):
    with (tmp_path / "file").open("w") as file:
        program = f"import os; os.write({file.fileno()}, b'written')"
        child = tether.start([sys.executable, "-c", program], fds=[file.fileno()])

        assert child.wait(SECONDS) == 0
    assert (tmp_path / "file").read_text() == "written"


def test_where_there_is_no_death_signal_the_parent_is_watched():
    program = WATCHER.format(code=SLEEPER)
    middle = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {program!r}])"
    with (
        parent(middle) as process,
        watched([int(process.stdout.readline()), int(process.stdout.readline())]) as pair,
    ):
        process.kill()

        assert all(each.ends_within(SECONDS) for each in pair)


def test_a_watched_command_hands_on_its_exit_code_and_sigterm():
    program = WATCHER.format(code=SLEEPER).replace("tether.watch", "code = tether.watch")
    with parent(program + "\nprint(code)") as process:
        process.stdout.readline()
        process.stdout.readline()

        process.terminate()

        assert process.stdout.readline() == "-15\n"


def test_a_sigterm_that_comes_before_the_command_has_started_is_passed_on_too():
    with parent(EARLY) as process:
        assert process.stdout.readline() == "-15\n"
