"""The clients that newcomers start from play every kind of table to its end."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.presets import PRESETS
from tests.contract.asking import at
from tests.processes import hearts_up

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "docs" / "client.py"
PROGRAMS = {
    "client.py": [sys.executable, "-W", "error"],
    "client.mjs": [shutil.which("node")],
}
MOST_LINES = 60
SECONDS = 60


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with hearts_up(tmp_path_factory.mktemp("client")) as up:
        yield up.address


@pytest.fixture(params=PROGRAMS)
def client(request):
    """Return the name of a program that this machine can run."""
    if None in PROGRAMS[request.param]:
        pytest.skip("there is no node")
    return request.param


def run(client, address, rules):
    return subprocess.run(
        [*PROGRAMS[client], CLIENT.with_name(client), json.dumps(rules)],
        env=os.environ | {"HEARTS_URL": address},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def played(client, address, rules):
    """Return the result of a whole game by *rules*, as the client and the service have it."""
    ended = run(client, address, rules)
    assert (ended.returncode, ended.stderr) == (0, "")
    result = (ast.literal_eval if client == "client.py" else json.loads)(ended.stdout)
    check_newest(address, result)
    return result


def check_newest(address, result):
    """The game at the top of the list is the one that was played."""
    service = at(address)
    (line,) = service.ask("GET", "/v1/games?limit=1", status=200).json["items"]
    state = service.ask("GET", f"/v1/games/{line['id']}", status=200).json
    assert (state["status"], state["result"]) == ("finished", result)


def test_the_readme_shows_the_client_as_it_is():
    (shown,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE
    )

    assert shown == CLIENT.read_text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_client_is_short(name):
    assert len(CLIENT.with_name(name).read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize("seats", range(3, 8))
def test_the_client_plays_with_three_to_seven_seats(client, address, seats):
    result = played(client, address, {"seats": seats, "ending": {"target": 20}})

    assert result["reason"] == "target_reached"
    assert len(result["totals"]) == seats


@pytest.mark.parametrize("preset", PRESETS)
def test_the_client_plays_by_every_preset(client, address, preset):
    ending = {"target": None, "deals": 1, "tie": "share"}

    result = played(client, address, {"preset": preset, "ending": ending})

    assert result["reason"] == "deals_played"


def test_the_client_says_why_a_table_cannot_be(client, address):
    ended = run(client, address, {"preset": "online", "seats": 5})

    assert (ended.returncode, ended.stderr) == (1, "online is played by 4, not 5.\n")
