import re
import tempfile
from pathlib import Path

import pytest

from service.settings import NAMES, load, private_socket
from service.settings_reader import SettingsError

ROOT = Path(__file__).parents[2]
KEY = "a key of at least thirty-two bytes"


def settings(tmp_path, **given):
    return load({"HEARTS_DATA_DIR": str(tmp_path)} | given)


def problems(tmp_path, **given):
    with pytest.raises(SettingsError) as refused:
        settings(tmp_path, **given)
    return refused.value.problems


def test_with_nothing_given_one_machine_runs_everything(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    plain = load({})

    assert (plain.host, plain.port, plain.workers) == ("127.0.0.1", 8000, 2)
    assert plain.data_dir == tmp_path / ".hearts"
    assert plain.is_embedded
    assert plain.events_url == plain.queue_url == f"unix://{tmp_path}/.hearts/store/redis.sock"
    assert (plain.log_level, plain.durability) == ("info", "buffered")


def test_an_empty_value_counts_as_not_given(tmp_path):
    assert settings(tmp_path, HEARTS_PORT="", HEARTS_EVENTS_URL=" ").port == 8000
    assert settings(tmp_path, HEARTS_EVENTS_URL=" ").is_embedded
    assert settings(tmp_path, HEARTS_PROT="").port == 8000


def test_the_queue_is_where_the_events_are_unless_named(tmp_path):
    one = settings(tmp_path, HEARTS_EVENTS_URL="redis://store:6379/0")
    two = settings(
        tmp_path, HEARTS_EVENTS_URL="redis://store", HEARTS_QUEUE_URL="rediss://queue:6380"
    )

    assert one.queue_url == one.events_url
    assert not one.is_embedded
    assert two.queue_url == "rediss://queue:6380"


@pytest.mark.parametrize("seconds", [0, 60, 86_400, 10**8])
def test_games_are_archived_after_a_minute_at_least_or_never(tmp_path, seconds):
    chosen = settings(
        tmp_path, HEARTS_ARCHIVE_AFTER_SECONDS=str(seconds), HEARTS_EVENTS_URL="redis://store"
    )

    assert chosen.archive_after_seconds == seconds
    assert chosen.archive_url == chosen.events_url


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HEARTS_HOST", "two words"),
        ("HEARTS_PORT", "65536"),
        ("HEARTS_PORT", "-1"),
        ("HEARTS_PORT", "٣"),
        ("HEARTS_PORT", "8_000"),
        ("HEARTS_PORT", "80.0"),
        ("HEARTS_DATA_DIR", __file__),
        ("HEARTS_WORKERS", "0"),
        ("HEARTS_ARCHIVE_AFTER_SECONDS", "59"),
        ("HEARTS_ARCHIVE_AFTER_SECONDS", "-1"),
        ("HEARTS_API_THREADS", "3"),
        ("HEARTS_STREAMS", "0"),
        ("HEARTS_STREAMS_PER_TOKEN", "0"),
        ("HEARTS_STREAMS_PER_ADDRESS", "-1"),
        ("HEARTS_STREAM_SECONDS", "0"),
        ("HEARTS_LOBBY_HOURS", "0"),
        ("HEARTS_BOT_DELAY", "2001"),
        ("HEARTS_HEARTBEAT_SECONDS", "61"),
        ("HEARTS_ADDRESS_HEADER", "X-Real-IP: 1"),
        ("HEARTS_METRICS_PORT", "65536"),
        ("HEARTS_METRICS_HOST", "two words"),
        ("HEARTS_LOG_LEVEL", "loud"),
        ("HEARTS_DURABILITY", "always"),
        ("HEARTS_REVOKED_KEYS", "0123456789AB"),
        ("HEARTS_REVOKED_KEYS", "0123456789ab,hak_0123456789ab"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(tmp_path, name, value):
    (problem,) = problems(tmp_path, **{name: value})

    assert problem.startswith(f"{name} is {value!r}, but must be ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HEARTS_EVENTS_URL", "http://user:hunter2@store"),
        ("HEARTS_EVENTS_URL", "redis://"),
        ("HEARTS_EVENTS_URL", "redis://:hunter2@store:port"),
        ("HEARTS_ARCHIVE_URL", "http://:hunter2@store"),
        ("HEARTS_QUEUE_URL", "unix://"),
        ("HEARTS_QUEUE_URL", "hunter2"),
        ("HEARTS_SECRET_KEYS", "hunter2"),
        ("HEARTS_SECRET_KEYS", f"{KEY},hunter2"),
        ("HEARTS_SECRET_KEYS", f"{KEY},,"),
    ],
)
def test_a_wrong_secret_is_named_but_not_shown(tmp_path, name, value):
    (problem,) = problems(tmp_path, **{name: value})

    assert problem.startswith(f"{name} must be ")
    assert "hunter2" not in problem


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("HEARTS_DURABILTY", "; did you mean HEARTS_DURABILITY?"),
        ("HEARTS_SECRET_KEY", "; did you mean HEARTS_SECRET_KEYS?"),
        ("HEARTS_EVENT_URL", "; did you mean HEARTS_EVENTS_URL?"),
        ("HEARTS_PORT_FILE", "; did you mean HEARTS_PORT?"),
        ("HEARTS_URLS", "."),
        ("HEARTS_", "."),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_and_its_value_not_shown(tmp_path, name, hint):
    (problem,) = problems(tmp_path / "new", **{name: "hunter2"})

    assert problem == f"{name} is no setting{hint}"
    assert not (tmp_path / "new").exists()


def test_what_clients_compose_and_tests_are_told_is_no_concern_of_the_service(tmp_path):
    others = (
        "HEARTS_URL",
        "HEARTS_IMAGE",
        "HEARTS_PUBLIC_PORT",
        "HEARTS_TEST_NGINX",
        "MY_HEARTS_X",
    )

    assert settings(tmp_path, **dict.fromkeys(others, "x")) == settings(tmp_path)


def test_all_wrong_values_are_named_at_once(tmp_path):
    found = problems(tmp_path / "new", HEARTS_PORT="x", HEARTS_WORKERS="x", HEARTS_SECRET_KEYS="x")

    assert [problem.split()[0] for problem in found] == [
        "HEARTS_PORT",
        "HEARTS_WORKERS",
        "HEARTS_SECRET_KEYS",
    ]


def test_nothing_is_made_for_settings_that_are_refused(tmp_path):
    problems(tmp_path / "new", HEARTS_PORT="x")

    assert not (tmp_path / "new").exists()


def test_the_first_key_signs_and_all_are_kept_in_order(tmp_path):
    keys = settings(tmp_path, HEARTS_SECRET_KEYS=f"{KEY} 2, {KEY} 1").secret_keys

    assert keys == (f"{KEY} 2".encode(), f"{KEY} 1".encode())


SECRETS = {
    "HEARTS_EVENTS_URL": "redis://:hunter2@store",
    "HEARTS_QUEUE_URL": "redis://:hunter2@queue",
    "HEARTS_SECRET_KEYS": f"{KEY}, {KEY} 2",
}


def test_a_secret_may_stand_in_a_file(tmp_path):
    files = {f"{name}_FILE": str(tmp_path / name) for name in SECRETS}
    for name, value in SECRETS.items():
        (tmp_path / name).write_text(f"{value}\n")

    assert settings(tmp_path, **files) == settings(tmp_path, **SECRETS)
    assert not settings(tmp_path, **files).is_embedded


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_given_once(tmp_path, name):
    (tmp_path / name).write_text(SECRETS[name])

    found = problems(tmp_path, **{name: SECRETS[name], f"{name}_FILE": str(tmp_path / name)})

    assert found == (f"{name} and {name}_FILE are both given; one is enough.",)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "No such file or directory"), (b" \n", "it is empty"), (b"\xff" * 32, "it is no text")],
    ids=["missing", "empty", "bytes"],
)
@pytest.mark.parametrize("name", SECRETS)
def test_a_file_without_a_secret_is_refused(tmp_path, name, content, why):
    place = tmp_path / "secret-file"
    if content is not None:
        place.write_bytes(content)

    assert f"{name}_FILE: {place}: {why}." in problems(tmp_path, **{f"{name}_FILE": str(place)})


def test_a_wrong_secret_of_a_file_is_not_shown(tmp_path):
    (tmp_path / "keys").write_text("hunter2")

    (problem,) = problems(tmp_path, HEARTS_SECRET_KEYS_FILE=str(tmp_path / "keys"))

    assert problem.startswith("HEARTS_SECRET_KEYS must be ")
    assert "hunter2" not in problem


def test_what_a_process_needs_has_no_default(tmp_path):
    environ = {"HEARTS_DATA_DIR": str(tmp_path / "new")}
    with pytest.raises(SettingsError) as refused:
        load(environ, needs=["HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"])

    assert [problem.split()[0] for problem in refused.value.problems] == [
        "HEARTS_EVENTS_URL",
        "HEARTS_SECRET_KEYS",
    ]
    assert not (tmp_path / "new").exists()
    load(environ | SECRETS, needs=["HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"])


def test_the_secret_is_made_once_for_this_user_alone(tmp_path):
    first = settings(tmp_path / "new").secret_keys
    second = settings(tmp_path / "new").secret_keys

    assert first == second
    assert len(first[0]) >= 32
    assert (tmp_path / "new" / "secret").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["secret"]


def test_another_folder_has_another_secret(tmp_path):
    assert settings(tmp_path / "a").secret_keys != settings(tmp_path / "b").secret_keys


def test_a_secret_file_that_was_cut_short_is_refused(tmp_path):
    (tmp_path / "secret").write_text("short")

    (problem,) = problems(tmp_path)

    assert str(tmp_path / "secret") in problem


def test_settings_show_no_secret(tmp_path):
    shown = repr(
        settings(tmp_path, HEARTS_EVENTS_URL="redis://:hunter2@store", HEARTS_SECRET_KEYS=KEY)
    )

    assert "hunter2" not in shown
    assert KEY not in shown


def test_a_long_data_folder_gets_its_socket_in_a_short_one(tmp_path):
    short = private_socket(Path("/data"))
    long = private_socket(Path("/data", "x" * 100))

    assert short == Path("/data/store/redis.sock")
    assert len(str(long)) < 104
    assert long != private_socket(Path("/data", "y" * 100))


def test_a_socket_s_path_is_short_even_where_temporary_files_lie_deep(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("x" * 100)))

    assert len(str(private_socket(Path("/data", "x" * 100)))) < 104


class Asked(dict):
    """An environment that notes which names were asked for."""

    def get(self, name, default=None):
        return self.setdefault(name, default)


def test_every_setting_stands_in_the_readme_with_its_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = Asked()
    plain = load(asked)
    table = dict(
        re.findall(
            r"^\| `(HEARTS_\w+)` \| (.+?) \|", (ROOT / "README.md").read_text(), re.MULTILINE
        )
    )

    assert table.keys() == asked.keys() == NAMES
    assert table["HEARTS_HOST"] == f"`{plain.host}`"
    assert table["HEARTS_PORT"] == f"`{plain.port}`"
    assert table["HEARTS_DATA_DIR"] == f"`./{plain.data_dir.name}`"
    assert table["HEARTS_WORKERS"] == f"`{plain.workers}`"
    assert table["HEARTS_API_THREADS"] == f"`{plain.api_threads}`"
    assert table["HEARTS_LOG_LEVEL"] == f"`{plain.log_level}`"
    assert table["HEARTS_DURABILITY"] == f"`{plain.durability}`"
