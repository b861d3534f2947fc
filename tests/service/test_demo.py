import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from service import demo
from service.cli import main
from tests.processes import children_of, environment, hearts_up, watched

SECONDS = 60


def start(tmp_path, *arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "service", "demo", *arguments],
        env=environment(tmp_path, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def check_told(told):
    """The deals add up to what stands at the end."""
    deals = re.findall(r"^deal (\d+), (?:pass \w+|no pass) \.{13}$", told, re.MULTILINE)
    assert deals == [str(number) for number in range(1, len(deals) + 1)]
    points = re.findall(r"^  (script|random|easy|medium) +([+-]\d+) +(-?\d+)", told, re.MULTILINE)
    assert len(points) == 4 * len(deals)
    total = dict.fromkeys(("script", "random", "easy", "medium"), 0)
    for name, change, after in points:
        total[name] += int(change)
        assert total[name] == int(after)
    places = re.findall(r"^  \d\. (script|random|easy|medium) +(-?\d+)$", told, re.MULTILINE)
    assert dict(places) == {name: str(points) for name, points in total.items()}
    assert told.endswith("log and state agree\n")


@pytest.mark.whole_game
def test_the_demo_starts_a_service_plays_a_game_and_leaves_nothing_behind(tmp_path):
    with start(tmp_path, TMPDIR=str(tmp_path)) as process:
        assert process.stdout.readline() == "starting a service for this demo…\n"
        line = process.stdout.readline()
        assert line.startswith("game "), process.communicate()
        with watched(children_of(process.pid)) as children:
            told, complaints = process.communicate(timeout=SECONDS)
            assert len(children) >= 4  # the parent of the service, the store, the API, a worker
            assert all(child.ends_within(SECONDS) for child in children)

    assert (process.returncode, complaints) == (0, "")
    check_told(told)
    assert list(tmp_path.iterdir()) == []


def test_the_demo_plays_where_it_is_told(tmp_path, capsys):
    with hearts_up(tmp_path) as up:
        code = main(["demo", "--url", f"{up.address}/"])

    assert code == 0
    told = capsys.readouterr().out
    assert told.startswith("game ")
    check_told(told)


def test_a_log_that_does_not_agree_is_an_exit_code_of_one(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "disagreements", lambda *_: ["two and two are five"])
    with hearts_up(tmp_path) as up:
        code = main(["demo", "--url", up.address])

    assert code == 1
    told = capsys.readouterr().out
    assert told.endswith("log and state do NOT agree:\n  two and two are five\n")


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "file:///etc/hostname"])
def test_what_is_no_address_is_refused(url, capsys):
    assert main(["demo", "--url", url]) == 1
    assert f"{url} is no address such as http://127.0.0.1:8000" in capsys.readouterr().err


def test_another_kind_of_service_is_named_with_its_answer(capsys):
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        code = main(["demo", "--url", f"http://127.0.0.1:{server.server_port}"])
        thread.join()

    assert code == 1
    assert "/v1/games: 404 what games?" in capsys.readouterr().err


def test_a_demo_that_finds_nobody_says_so(monkeypatch, capsys):
    monkeypatch.setattr(demo, "_PAUSE_SECONDS", 0)

    assert main(["demo", "--url", "http://127.0.0.1:1"]) == 1
    assert "cannot start\n  POST http://127.0.0.1:1/v1/games: " in capsys.readouterr().err


class Elsewhere(BaseHTTPRequestHandler):
    """Knows nothing of games."""

    def do_POST(self):
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"what games?")

    def log_message(self, *args):
        """Say nothing."""
