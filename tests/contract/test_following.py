"""The client of docs/following.md follows a game to its end, whatever cuts it off."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.asking import at
from tests.processes import hearts_up
from tests.tables import BOT, SHORT

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "docs" / "follow.mjs"
SECONDS = 60
# Cut off after some frames, it goes on after its last id.
PROGRAM = """
import {follow} from "FOLLOW";
const log = [];
let cursor = 0, left = 7, over = false;
while (!over) {
  over = true;  // unless something comes: a cut at the last event is answered by 204
  for await (const frame of follow(process.argv[2], undefined, cursor)) {
    over = false;
    if (frame.id) cursor = frame.id;
    if (frame.event === "message") log.push(frame.data);
    if (frame.event === "stream.end") over = frame.data.reason === "game_over";
    if (--left === 0) { left = 1 + Math.floor(Math.random() * 9); break; }
  }
}
for await (const _ of follow(process.argv[2], undefined, cursor)) throw new Error("more");
console.log(JSON.stringify(log));
process.exit(0);
"""


def test_the_page_shows_the_client_as_it_is():
    page = (ROOT / "docs" / "following.md").read_text()
    (shown,) = re.findall(r"^```js\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)

    _, _, code = MODULE.read_text().partition("\n")
    assert code == shown
    assert len(shown.splitlines()) <= 15


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_client_is_told_everything_once(tmp_path):
    more = {"HEARTS_STREAMS_PER_ADDRESS": "1000"}
    with hearts_up(tmp_path / "data", **more) as up:
        service = at(up.address)
        body = {"seats": [BOT] * 4, "rules": SHORT}
        made = service.ask("POST", "/v1/games", body=body, status=201).json
        game = f"/v1/games/{made['id']}"
        program = tmp_path / "program.mjs"
        program.write_text(PROGRAM.replace("FOLLOW", MODULE.as_uri()))
        with subprocess.Popen(
            ["node", program, f"{up.address}{game}/stream"], stdout=subprocess.PIPE
        ) as node:
            service.ask("POST", f"{game}/start", token=made["host_token"], status=200)
            try:
                log = json.loads(node.communicate(timeout=SECONDS)[0])
            finally:
                node.kill()  # one that hangs would be waited for without end
        events = service.ask("GET", f"{game}/events?limit=500", status=200).json["items"]

    assert len(log) > 60
    assert log == events
