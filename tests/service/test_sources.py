import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from service.sources import (
    NoGameThereError,
    export_address,
    fetch_export,
    read_game_file,
    read_source,
)
from tests.processes import hearts_up

GAME = "8814420b5e0dfb13cdf4b48ef3daab3e"


@pytest.mark.parametrize(
    ("source", "address"),
    [
        (GAME, f"http://x:1/v1/games/{GAME}/export?format=json"),
        (f"https://y/v1/games/{GAME}", f"https://y/v1/games/{GAME}/export?format=json"),
        (f"https://y/v1/games/{GAME}/", f"https://y/v1/games/{GAME}/export?format=json"),
        (
            f"https://y/v1/games/{GAME}/export?as=public",
            f"https://y/v1/games/{GAME}/export?as=public",
        ),
        ("https://y/game.hgn", "https://y/game.hgn"),
    ],
)
def test_a_game_is_found_by_its_id_or_its_address(source, address):
    assert export_address(source, "json", "http://x:1/") == address


@pytest.mark.parametrize("source", ["", "game.hgn", "file:///etc/passwd", GAME[1:]])
def test_what_is_neither_is_no_game(source):
    with pytest.raises(NoGameThereError, match="neither"):
        export_address(source, "json")


def test_a_file_is_read(tmp_path):
    path = tmp_path / "game.hgn"
    path.write_bytes(b"*\n")

    assert read_source(str(path), "hgn") == b"*\n"


def test_a_file_is_no_id_of_a_game(tmp_path):
    path = tmp_path / GAME
    path.write_bytes(b"*\n")

    assert read_game_file(str(path), "hgn", "http://127.0.0.1:1") == b"*\n"


def test_an_id_is_that_of_a_game_of_the_service():
    with pytest.raises(NoGameThereError, match=rf"127\.0\.0\.1:1/v1/games/{GAME}/export"):
        read_game_file(GAME, "jsonl", "http://127.0.0.1:1")


def test_a_file_that_is_not_there_is_no_game(tmp_path):
    with pytest.raises(NoGameThereError, match="No such file"):
        read_source(str(tmp_path / "game.hgn"), "hgn")
    with pytest.raises(NoGameThereError, match="directory"):
        read_source(str(tmp_path), "hgn")


def test_a_file_without_end_is_no_game(tmp_path, monkeypatch):
    monkeypatch.setattr("service.sources._MOST_BYTES", 3)
    path = tmp_path / "game.hgn"
    path.write_bytes(b"1234")

    with pytest.raises(NoGameThereError, match="too long"):
        read_source(str(path), "hgn")


def test_nobody_is_no_game():
    with pytest.raises(NoGameThereError, match=r"127\.0\.0\.1:1"):
        fetch_export(GAME, "hgn", "http://127.0.0.1:1")


def test_a_refusal_says_why(tmp_path):
    with hearts_up(tmp_path) as up:
        with pytest.raises(NoGameThereError, match=r": 404 game_not_found: [A-Z][^{}]*\.$"):
            fetch_export(GAME, "hgn", up.address)
        assert read_source(f"{up.address}/v1/time", "hgn").startswith(b'{"now"')


@pytest.mark.parametrize(
    "page",
    [b"<p>Bad gateway", b"[]", b'"down"', b'{"code": "x"}', b"[" * 5_000, b"\xff"],
)
def test_a_refusal_of_somebody_else_is_shown_as_it_is(page):
    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(502)
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *args):
            """Say nothing."""

    said = re.escape(page[:2_000].decode(errors="replace"))
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(NoGameThereError, match=rf": 502 {said}$"):
            fetch_export(GAME, "hgn", f"http://127.0.0.1:{server.server_port}")
        thread.join()
