"""What make says to people who have just come."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLD = """#!/bin/sh
exec {python} -c 'import sys; sys.version_info = (3, 9, 2); exec(sys.argv[2])' "$@"
"""


def make(*arguments):
    # Not as a part of the make that may have started these tests.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("target", "command"), [("run", "up"), ("worker", "worker")])
def test_what_make_starts_ends_with_it(target, command):
    said = make("--dry-run", target).stdout

    assert said.rstrip().endswith(f"hearts {command} --parent $PPID")


@pytest.fixture
def old_python(tmp_path):
    program = tmp_path / "python3.9"
    program.write_text(OLD.format(python=sys.executable))
    program.chmod(0o700)
    return program


def test_a_python_that_is_too_old_is_named_with_its_version(old_python):
    said = make("run", f"PYTHON={old_python}")

    assert said.returncode == 2
    assert said.stdout == ""
    assert f"{old_python} is 3.9; hearts-api needs Python 3.11 or later." in said.stderr
    assert "make run PYTHON=python3.13" in said.stderr
    assert not (ROOT / ".venv-3.9").exists()


def test_a_python_that_is_not_there_is_named():
    said = make("demo", "PYTHON=no-such-python")

    assert said.returncode == 2
    first, *_ = said.stderr.splitlines()
    assert first == "no-such-python is not there; hearts-api needs Python 3.11 or later."


def test_help_has_every_target_that_is_meant_for_people():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    said = make("help").stdout

    assert {line.split()[1] for line in said.splitlines() if line.startswith("  make ")} == targets
    assert make().stdout == said
    assert max(map(len, said.splitlines())) <= 100
