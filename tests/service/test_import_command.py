import pytest

from service.cli import main
from tests.contract.asking import at
from tests.engine.notation.records import events_of, text_of
from tests.processes import hearts_up

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}


@pytest.fixture
def text():
    return text_of(events_of("standard", 4, 1, ending=ONE_DEAL))


def test_a_file_is_sent_and_can_be_read_there(tmp_path, text, capsys):
    (tmp_path / "right.hgn").write_text(text)
    (tmp_path / "wrong.hgn").write_text(text.replace("\nS ", "\nS 1"))
    with hearts_up(tmp_path / "data") as up:
        assert main(["import", str(tmp_path / "right.hgn"), "--url", up.address]) == 0
        address = capsys.readouterr().out.strip()
        assert address.startswith(f"{up.address}/v1/games/")
        state = at(up.address).ask("GET", address.removeprefix(up.address), status=200).json
        assert (state["status"], state["origin"]["kind"]) == ("finished", "import")

        assert main(["import", str(tmp_path / "wrong.hgn"), "--url", up.address]) == 1
        assert '"code": "wrong_points"' in capsys.readouterr().err


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "file:///tmp", "nowhere"])
def test_where_nobody_answers_nothing_is_sent(tmp_path, text, capsys, url):
    (tmp_path / "right.hgn").write_text(text)

    assert main(["import", str(tmp_path / "right.hgn"), "--url", url]) == 2

    assert "no game there" in capsys.readouterr().err
