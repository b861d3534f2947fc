"""Clients that are generated from the contract type-check, and play a whole game each."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.generate import main
from tests.processes import hearts_up

HERE = Path(__file__).parent
TOOLS = Path(os.environ.get("HEARTS_TEST_CLIENT_TOOLS", "nowhere")).absolute()
PLAYERS = ("player.py", "player.ts", "tsconfig.json", "package.json")

pytestmark = pytest.mark.skipif(not TOOLS.is_dir(), reason="`make clients` brings the generators")
with_npm = pytest.mark.skipif(
    not (TOOLS / "node_modules").is_dir(), reason="there is no npm on this machine"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with both clients, and with the programs that play with them."""
    folder = tmp_path_factory.mktemp("clients")
    main(folder, TOOLS)
    for name in PLAYERS:
        shutil.copy(HERE / name, folder)
    if (TOOLS / "node_modules").is_dir():
        (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with hearts_up(tmp_path_factory.mktemp("service")) as up:
        yield up.address


def run(folder, *command):
    ended = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def check_result(told):
    result = json.loads(told)
    assert result["reason"] == "deals_played"
    assert min(result["places"]) == 1
    assert len(result["totals"]) == 4


def test_the_python_client_is_typed_and_plays_a_game(folder, address):
    run(folder, sys.executable, "-m", "mypy", "--strict", "player.py", "hearts_client")

    check_result(run(folder, sys.executable, "player.py", address))


@with_npm
def test_the_typescript_client_compiles_and_plays_a_game(folder, address):
    run(folder, "node", "node_modules/typescript/bin/tsc", "--project", ".", "--outDir", "out")

    check_result(run(folder, "node", "out/player.js", address))
