"""The README's shell example is run as it stands, and its links lead somewhere.

Its Python example is `docs/client.py`, which tests/contract plays with.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.processes import hearts_up

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text()
BASE = "http://127.0.0.1:8000"


def example(up):
    (found,) = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
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


def test_the_play_through_with_curl_ends_with_the_opened_hands(tmp_path):
    with hearts_up(tmp_path / "data") as up:
        said = run(["sh", "-c", example(up)], tmp_path)

    legal, *moves, result, deal, proof = said.splitlines()
    assert '"direction":"left"' in legal
    assert len(moves) in (14, 15)  # a pass, thirteen cards, and perhaps a moon
    assert "'reason': 'deals_played'" in result
    deal, proof = json.loads(deal), json.loads(proof)
    assert deal["open"]
    assert deal["seed"] == proof["seed"]
    header, *events, trailer = map(json.loads, (tmp_path / "game.jsonl").read_text().splitlines())
    assert (header["game_id"], len(events)) == (proof["game_id"], header["version"])
    assert [*trailer] == ["sha256"]


def test_links_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text()):
            assert (ROOT / target).exists(), f"{page} links to {target}"
