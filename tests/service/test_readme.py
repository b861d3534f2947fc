"""The README's examples are run as they stand, against a service started as it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import hearts_up

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text()
BASE = "http://127.0.0.1:8000"


def example(language, up):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert BASE in found
    return found.replace(BASE, up.address)


def run(program, folder):
    ended = subprocess.run(
        program,
        cwd=folder,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout


@pytest.mark.whole_game
def test_the_python_client_plays_a_game_to_its_end(tmp_path):
    with hearts_up(tmp_path / "data") as up:
        said = run([sys.executable, "-W", "error", "-c", example("python", up)], tmp_path)

    assert said.startswith("{'totals': [")
    assert "'reason': 'target_reached'" in said


def test_the_play_through_with_curl_ends_with_the_opened_hands(tmp_path):
    with hearts_up(tmp_path / "data") as up:
        said = run(["sh", "-c", example("sh", up)], tmp_path)

    legal, *moves, result, opened = said.splitlines()
    assert '"direction":"left"' in legal
    assert len(moves) in (14, 15)  # a pass, thirteen cards, and perhaps a moon
    assert "'reason': 'deals_played'" in result
    assert '"hands":[[' in opened


def test_links_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text()):
            assert (ROOT / target).exists(), f"{page} links to {target}"
