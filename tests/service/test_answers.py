"""Whatever answers a command, the command ends in words and with an exit code of its own."""

import io
import sys
import urllib.error
from http.client import IncompleteRead

import pytest

from service import demo
from service.answers import refusal_of
from service.cli import main
from tests.strangers import answer, stranger

GAME = "8814420b5e0dfb13cdf4b48ef3daab3e"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
COLOURED = "\x1b[31mred\x07\u202e"
DEEP = b'{"detail":' + b"[" * 50_000
COMMANDS = ("export", "verify", "replay", "review", "audit")
BROKEN = {
    "shorter than it says": answer(b"abc", length=500),
    "empty though it says": answer(b"", length=500),
    "chunks that are none": b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"ZZ\r\n",
    "chunks without end": b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"3\r\nabc\r\n",
    "refused, chunks that are none": b"HTTP/1.1 404 No\r\n" + CHUNKED + b"ZZ\r\n",
    "refused, chunks without end": b"HTTP/1.1 404 No\r\n" + CHUNKED + b"3\r\nabc\r\n",
    "refused, shorter than it says": answer(b"abc", "404 No", length=500),
    "no answer": b"\x00\xff\xfe\r\n\r\n",
    "nothing": b"",
    "a length that is none": b"HTTP/1.1 404 No\r\nContent-Length: x\r\n\r\nabc",
    "a refusal without end": answer(DEEP, "409 Conflict"),
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n",
    "elsewhere": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\n\r\n",
    "nowhere": b"HTTP/1.1 302 Found\r\nLocation: http://[::1/\r\n\r\n",
    "colours": answer(COLOURED.encode(), f"404 {COLOURED[:5]}"),
    "colours in a problem": answer({"code": COLOURED, "detail": COLOURED}, "409 Conflict"),
}


def check_plain(said):
    """Check that *said* holds nothing that a terminal would obey."""
    assert all(sign.isprintable() or sign == "\n" for sign in said.out + said.err)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_an_answer_that_is_broken_is_no_game(command, raw, capsys):
    with stranger(raw) as address:
        assert main([command, f"{address}/v1/games/{GAME}"]) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hearts: no game there\n  http://127.0.0.1:")
    check_plain(said)


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_a_file_is_not_taken_by_whoever_answers_so(tmp_path, raw, capsys):
    (tmp_path / "game").write_bytes(b"*\n")
    with stranger(raw) as address:
        code = main(["import", str(tmp_path / "game"), "--url", address])

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        {1: "hearts: the file is not taken\n  ", 2: "hearts: no game there\n  http"}[code]
    )
    assert said.err.splitlines()[1].strip()
    check_plain(said)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"null", b"7", b"\xff", DEEP, b'{"id": null}', b'{"id": 7}'],
    ids=lambda body: repr(body[:12]),
)
def test_a_copy_that_has_no_id_is_no_game(tmp_path, body, capsys):
    (tmp_path / "game").write_bytes(b"*\n")
    with stranger(answer(body, "201 Created")) as address:
        assert main(["import", str(tmp_path / "game"), "--url", address]) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("/v1/imports: what answers there keeps no games\n")


@pytest.mark.parametrize("name", [COLOURED, GAME + COLOURED, "../../x", GAME.upper()])
def test_an_id_that_is_none_is_not_shown(tmp_path, name, capsys):
    (tmp_path / "game").write_bytes(b"*\n")
    with stranger(answer({"id": name}, "201 Created")) as address:
        assert main(["import", str(tmp_path / "game"), "--url", address]) == 2

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_a_demo_does_not_start_where_it_is_answered_so(raw, capsys, monkeypatch):
    monkeypatch.setattr(demo, "_PAUSE_SECONDS", 0)
    with stranger(raw) as address:
        assert main(["demo", "--url", address]) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hearts: cannot start\n  ")
    check_plain(said)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"null", DEEP, b'{"id": "x", "seat_token": "x", "game": 7}'],
    ids=lambda body: repr(body[:12]),
)
def test_nor_where_the_answers_are_others(body, capsys):
    with stranger(answer(body, "201 Created")) as address:
        assert main(["demo", "--url", address]) == 1

    assert capsys.readouterr().err == (
        f"hearts: cannot start\n  {address} does not answer as such a service does\n"
    )


def test_names_from_elsewhere_colour_no_demo(capsys):
    seats = [{"name": COLOURED}] * 4
    made = {"id": "x", "seat_token": "x", "host_token": "x", "game": {"seats": seats}}
    with stranger(answer(made, "201 Created")) as address:
        assert main(["demo", "--url", address]) == 1

    said = capsys.readouterr()
    assert said.out.startswith("game x: ?[31mred??, ")
    check_plain(said)


def test_an_export_is_written_as_it_comes_but_for_a_terminal(monkeypatch, capfdbinary):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    raw = f"{COLOURED}\nnext\n".encode()
    arguments = ["export", GAME, "--url"]
    with stranger(answer(raw)) as address:
        assert main([*arguments, address]) == 0
        assert capfdbinary.readouterr().out == raw

        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        assert main([*arguments, address]) == 0
        assert terminal.getvalue() == "?[31mred??\nnext\n"


@pytest.mark.parametrize("error", [ConnectionResetError(), TimeoutError(), IncompleteRead(b"")])
def test_of_a_refusal_that_breaks_off_its_number_is_left(error):
    class Broken(io.BytesIO):
        def read(self, *_):
            raise error

    assert refusal_of(urllib.error.HTTPError("http://x", 404, "No", {}, Broken()), 7) == b""
