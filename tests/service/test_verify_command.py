import pytest

from service.cli import main
from tests.engine.notation.records import events_of, text_of
from tests.faults.log_files import log_file

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}


@pytest.fixture
def files(tmp_path):
    text = text_of(events_of("standard", 4, 1, ending=ONE_DEAL))
    (tmp_path / "game.hgn").write_text(text)
    (tmp_path / "game.jsonl").write_bytes(log_file("standard", 4, 1, ending=ONE_DEAL))
    (tmp_path / "wrong.hgn").write_text(text.replace("\nS ", "\nS 1"))
    (tmp_path / "none.hgn").write_text("nothing")
    return tmp_path


@pytest.mark.parametrize("name", ["game.hgn", "game.jsonl"])
def test_a_right_file_is_said_to_be_right(files, name, capsys):
    assert main(["verify", str(files / name)]) == 0

    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"{files / name}: right"
    assert said[1].startswith("  4 seats, 1 deal, ")
    assert said[2:] == [
        f"  {check:<14}pass"
        for check in ("syntax", "commitment", "deals", "legality", "trick_winners", "scores")
    ]


def test_a_wrong_file_is_said_to_be_wrong_and_where(files, capsys):
    assert main(["verify", str(files / "wrong.hgn")]) == 1

    said = capsys.readouterr().out
    assert "  scores        fail\n" in said
    assert said.endswith(", deal 1, trick 13, seat 0: wrong_points\n")


def test_what_cannot_be_read_is_wrong(files, capsys):
    assert main(["verify", str(files / "none.hgn")]) == 1

    said = capsys.readouterr().out.splitlines()
    assert said[1:3] == ["  syntax        fail", "  commitment    skipped"]
    assert said[-1] == "  line 1, column 1: missing_tag"


@pytest.mark.parametrize("command", ["verify", "replay", "review", "audit", "import"])
def test_a_name_of_a_file_has_nothing_that_a_terminal_would_obey(tmp_path, command, capsys):
    (tmp_path / "a\x1b[31mb\udcff\u202e").write_text("nothing")
    for name in ("a\x1b[31mb\udcff\u202e", "\x1b[31m"):
        url = ["--url", "http://127.0.0.1:1"] if command == "import" else []
        assert main([command, str(tmp_path / name), *url]) > 0

        said = capsys.readouterr()
        assert "?[31m" in said.out + said.err or command == "import"
        assert all(sign.isprintable() or sign == "\n" for sign in said.out + said.err)


def test_a_file_that_is_not_there_is_named(tmp_path, capsys):
    assert main(["verify", str(tmp_path / "x")]) == 2

    assert "no game there" in capsys.readouterr().err
