import subprocess
import sys
from pathlib import Path

import pytest

from service.cli import main
from service.keyring import Keyring
from tests.contract.asking import at
from tests.processes import environment, hearts_up

ROOT = Path(__file__).parents[2]


def hearts(tmp_path, *arguments, **settings):
    return subprocess.run(
        [sys.executable, "-m", "service", *arguments],
        env=environment(tmp_path, **settings),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize("command", ["up", "api", "worker"])
def test_wrong_settings_end_a_command_before_it_starts(tmp_path, command):
    ended = hearts(tmp_path, command, HEARTS_PORT="http", HEARTS_WORKERS="many")

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "HEARTS_PORT is 'http', but must be a whole number from 0 to 65535." in ended.stderr
    assert "HEARTS_WORKERS is 'many'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_host_that_nobody_knows_is_a_wrong_setting_too(tmp_path):
    ended = hearts(tmp_path, "up", HEARTS_HOST="no-such-host.invalid")

    assert ended.returncode == 2
    assert "hearts: wrong settings\n  HEARTS_HOST is 'no-such-host.invalid'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_api_alone_needs_the_store_and_the_secret_of_all(tmp_path):
    ended = hearts(tmp_path / "data", "api")

    assert ended.returncode == 2
    assert "HEARTS_EVENTS_URL or HEARTS_EVENTS_URL_FILE must be given" in ended.stderr
    assert "HEARTS_SECRET_KEYS or HEARTS_SECRET_KEYS_FILE must be given" in ended.stderr
    assert not (tmp_path / "data").exists()


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    help_text = capsys.readouterr().out
    assert "up " in help_text
    assert "api " in help_text
    assert "worker " in help_text
    assert "verify " in help_text
    assert "export " in help_text


def test_a_key_for_an_app_is_made_and_told_once(tmp_path, capsys, monkeypatch):
    secret = "a secret that signs in this test"
    monkeypatch.setenv("HEARTS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HEARTS_SECRET_KEYS", secret)

    assert main(["key", "new", "shop"]) == 0

    told = capsys.readouterr()
    key = Keyring([secret.encode()]).read_app_key(told.out.strip())
    assert key.app == "shop"
    assert f"HEARTS_REVOKED_KEYS={key.number} " in told.err
    assert list(tmp_path.iterdir()) == []


def test_no_secret_is_made_for_a_key_that_no_service_would_know(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "nobody's"
    monkeypatch.setenv("HEARTS_DATA_DIR", str(folder))

    assert main(["key", "new", "shop"]) == 2

    told = capsys.readouterr()
    assert told.out == ""
    assert f"HEARTS_DATA_DIR: {folder / 'secret'}: No such file" in told.err
    assert not folder.exists()


@pytest.mark.parametrize("name", ["", "Shop", "-shop", "a" * 25, "a b", "é", "a|b"])
def test_an_app_has_a_plain_name(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setenv("HEARTS_DATA_DIR", str(tmp_path))

    assert main(["key", "new", "--", name]) == 2

    assert "no name of an application" in capsys.readouterr().err


def test_a_game_is_exported_and_found_right(tmp_path, capsysbinary):
    with hearts_up(tmp_path) as up:
        service = at(up.address)
        body = {"claim": {"seat": 0, "name": "Ana"}, "fill_with_bots": True}
        made = service.ask("POST", "/v1/games", body=body, status=201).json
        path = f"/v1/games/{made['id']}"
        service.ask("POST", f"{path}/start", token=made["host_token"], status=200)
        service.ask("POST", f"{path}/abort", token=made["host_token"], status=200)

        assert main(["export", made["id"], "--url", up.address]) == 0
        written = capsysbinary.readouterr().out
        assert main(["verify", f"{up.address}{path}"]) == 0
        assert b": right\n" in capsysbinary.readouterr().out

    (tmp_path / "game.hgn").write_bytes(written)
    assert main(["verify", str(tmp_path / "game.hgn")]) == 0


@pytest.mark.parametrize("arguments", [[], ["down"]])
def test_an_unknown_command_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert "usage: hearts" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk is always full here")
def test_a_full_disk_is_said_in_one_line(tmp_path):
    for command in ("replay", "verify"):
        with Path("/dev/full").open("wb") as full:
            ended = subprocess.run(
                [sys.executable, "-m", "service", command, str(ROOT / "docs" / "example.hgn")],
                env=environment(tmp_path),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )

        assert ended.returncode == 1
        assert ended.stderr.startswith("hearts: cannot write\n  ")
        assert ended.stderr.count("\n") == 2


def test_a_reader_who_has_read_enough_is_no_fault(tmp_path):
    command = [sys.executable, "-m", "service", "replay", str(ROOT / "docs" / "example.hgn")]
    with subprocess.Popen(
        command,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        told = process.stderr.read()

    assert (process.returncode, told) == (1, b"")
