"""`hearts up` as people meet it: real processes, killed in every order."""

import re
import signal
import sys

import pytest
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError  # noqa: A004
from redis.retry import Retry

from service import supervisor
from service.listener import listen
from service.settings import load, private_socket
from service.supervisor import Child
from tests.contract.asking import at
from tests.processes import SECONDS, Up, children_of, eventually, hearts_up, start_up, watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

KEYS = "a secret that signs in tests only"
PARTS = ["valkey-server", "service.server", "service worker"]


def store_of(data_dir):
    patient = Retry(ConstantBackoff(0.05), 200, supported_errors=(ConnectionError,))
    return Redis(
        unix_socket_path=str(private_socket(data_dir)), retry=patient, decode_responses=True
    )


def test_everything_starts_and_serves_on_one_port(tmp_path):
    with hearts_up(tmp_path, HEARTS_WORKERS="3", HEARTS_WEBHOOK_WORKERS="1") as up:
        assert up.is_live()
        assert len(up.children("valkey-server")) == 1
        assert len(up.children("service.server")) == 2  # granian's main process and its child
        assert len(up.children("service worker")) == 3
        assert len(up.children("service webhooks")) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all_of_it_in_order(tmp_path, number):
    with hearts_up(tmp_path) as up, watched(children_of(up.pid)) as everyone:
        up.process.send_signal(number)

        assert up.process.wait(SECONDS) == 0
        assert all(each.ends_within(0) for each in everyone)
        assert "starting it again" not in up.process.stderr.read()


def test_the_next_start_finds_what_was_stored(tmp_path):
    with hearts_up(tmp_path) as up, store_of(tmp_path) as store:
        store.set("word", "kept")
        up.process.terminate()
        up.process.wait(SECONDS)

    with hearts_up(tmp_path), store_of(tmp_path) as store:
        assert store.get("word") == "kept"


@pytest.mark.parametrize("part", PARTS)
def test_a_killed_child_is_replaced_and_everything_goes_on(tmp_path, part):
    with hearts_up(tmp_path) as up, store_of(tmp_path) as store:
        store.set("word", "kept")
        before = up.children(part)

        with watched(before) as [first, *_]:
            first.kill()

            after = eventually(lambda: replaced(up.children(part), before, first))
        assert len(after) == len(before)
        assert up.is_live()
        assert store.get("word") == "kept"


def replaced(now, before, killed):
    return killed.pid not in now and len(now) == len(before) and now


def test_a_killed_child_of_the_api_is_replaced(tmp_path):
    with hearts_up(tmp_path) as up:
        with watched([max(up.children("service.server"))]) as [child]:
            child.kill()
            assert child.ends_within(SECONDS)

        assert up.is_live()


def test_clients_wait_while_a_killed_api_comes_back(tmp_path):
    with hearts_up(tmp_path) as up, watched(up.children("service.server")) as api:
        for process in api:
            process.kill()

        assert up.is_live()


def test_all_children_die_with_a_killed_parent(tmp_path):
    with hearts_up(tmp_path) as up, watched(children_of(up.pid)) as children:
        up.process.kill()

        assert all(child.ends_within(SECONDS) for child in children)


def test_after_a_killed_parent_the_next_start_goes_on_at_once(tmp_path):
    with hearts_up(tmp_path) as up, store_of(tmp_path) as store:
        port = up.address.rpartition(":")[2]
        store.set("word", "kept")
        up.process.kill()

        with hearts_up(tmp_path, HEARTS_PORT=port) as again, store_of(tmp_path) as same:
            assert again.is_live()
            assert same.get("word") == "kept"


def test_a_port_that_is_taken_stops_the_start_before_anything_is_made(tmp_path):
    with hearts_up(tmp_path / "one") as up:
        port = up.address.rpartition(":")[2]

        with start_up(tmp_path / "two", HEARTS_PORT=port) as second:
            said, refused = second.communicate(timeout=SECONDS)

    assert second.returncode == 1
    assert said == ""
    assert f"port {port} of 127.0.0.1 is taken" in refused
    assert not (tmp_path / "two" / "store").exists()


@pytest.mark.parametrize("is_same", [True, False], ids=["the same port", "another port"])
def test_a_data_folder_that_is_in_use_stops_the_start_and_its_user_is_named(tmp_path, is_same):
    with hearts_up(tmp_path) as up:
        port = up.address.rpartition(":")[2] if is_same else "0"
        with start_up(tmp_path, HEARTS_PORT=port) as second:
            _, refused = second.communicate(timeout=SECONDS)

        assert second.returncode == 1
        assert f"{tmp_path} runs already, as process {up.pid}, on {up.address}\n" in refused
        assert f"`kill {up.pid}`" in refused
        assert up.is_live()


def test_of_two_starts_at_the_same_instant_one_serves(tmp_path):
    with hearts_up(tmp_path / "probe") as probe:
        port = probe.address.rpartition(":")[2]
        probe.process.terminate()
        probe.process.wait(SECONDS)

    with (
        start_up(tmp_path / "one", HEARTS_PORT=port) as first,
        start_up(tmp_path / "two", HEARTS_PORT=port) as second,
    ):
        pair = [Up(first), Up(second)]
        served = [up for up in pair if up.address]

        assert len(served) == 1
        assert served[0].is_live()
        for process in (first, second):
            process.terminate()
        assert sorted([first.wait(SECONDS), second.wait(SECONDS)]) == [0, 1]


def test_a_long_data_folder_will_do(tmp_path):
    with hearts_up(tmp_path / ("x" * 150)) as up:
        assert up.is_live()


def test_a_store_of_ones_own_is_used_instead_of_the_private_one(tmp_path, redis_db):
    with hearts_up(tmp_path, HEARTS_EVENTS_URL=redis_db) as up:
        assert up.is_live()
        assert up.children("valkey-server") == []


def last_words(up):
    up.process.terminate()
    return up.process.stdout.read()


@pytest.mark.parametrize("command", ["up", "api"])
def test_a_store_that_cannot_be_reached_is_told_at_the_start(tmp_path, command):
    nowhere = {"HEARTS_EVENTS_URL": f"unix://{tmp_path}/nothing", "HEARTS_SECRET_KEYS": KEYS}

    with hearts_up(tmp_path, command=command, **nowhere) as up:
        assert up.is_live()
        assert "NOT READY: The store does not answer." in last_words(up)


def test_a_store_that_would_lose_games_is_told_at_the_start(tmp_path, own_server):
    with Redis.from_url(own_server.url) as store:
        store.config_set("appendonly", "no")

    with hearts_up(tmp_path, HEARTS_EVENTS_URL=own_server.url) as up:
        assert "NOT READY: The store keeps no file" in last_words(up)


def test_a_store_in_order_is_not_worth_a_word(tmp_path):
    with hearts_up(tmp_path) as up:
        assert "NOT READY" not in last_words(up)


def test_a_stop_during_the_start_is_a_clean_end(tmp_path):
    with start_up(tmp_path) as process:
        process.stdout.readline()

        process.terminate()

        assert process.wait(SECONDS) == 0
        assert "serving" not in process.stdout.read()


def test_an_api_that_cannot_start_leaves_nothing_running(tmp_path):
    with start_up(tmp_path, PYTHONPATH=str(broken_wsgi(tmp_path))) as process:
        said, refused = process.communicate(timeout=SECONDS)

    assert process.returncode == 1
    assert "the API ended at once" in refused
    assert "serving" not in said


def broken_wsgi(tmp_path):
    """A folder of modules in which flask cannot be imported."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "flask.py").write_text("raise ImportError('broken')")
    return tmp_path / "broken"


@pytest.fixture
def alone(tmp_path, redis_db):
    """A running `hearts api`."""
    with hearts_up(
        tmp_path, command="api", HEARTS_EVENTS_URL=redis_db, HEARTS_SECRET_KEYS=KEYS
    ) as api:
        yield api


def test_the_api_alone_serves_without_store_and_workers(alone, tmp_path):
    assert alone.is_live()
    assert all("service.server" in command for command in children_of(alone.pid).values())
    assert list(tmp_path.iterdir()) == []


def test_the_api_alone_ends_in_order(alone):
    with watched(children_of(alone.pid)) as everyone:
        alone.process.terminate()

        assert alone.process.wait(SECONDS) == 0
        assert all(each.ends_within(0) for each in everyone)
        assert "starting it again" not in alone.process.stderr.read()


def test_clients_wait_while_a_killed_api_alone_comes_back(alone):
    with watched(children_of(alone.pid)) as processes:
        for process in processes:
            process.kill()
        assert all(process.ends_within(SECONDS) for process in processes)

        assert alone.is_live()


def test_the_api_alone_dies_with_its_killed_parent(alone):
    with watched(children_of(alone.pid)) as children:
        alone.process.kill()

        assert all(child.ends_within(SECONDS) for child in children)


class Fake:
    """A process that ends when it is told to."""

    returncode = None

    def poll(self):
        return self.returncode


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr("service.supervisor.time.monotonic", lambda: Clock.now)
    return Clock


def pause_before_the_next_start(child, clock):
    """Seconds until *child*, which has ended, is started again."""
    ended, begun = child.process, clock.now
    while child.process is ended:
        child.keep_alive()
        clock.now += 0.05
    return clock.now - begun


def test_a_child_with_a_long_life_is_started_again_almost_at_once(clock):
    child = Child("a child", Fake)
    clock.now += 60
    child.process.returncode = -9

    assert pause_before_the_next_start(child, clock) < 0.3


def test_a_child_that_keeps_ending_is_started_less_and_less_often(clock):
    child = Child("a child", Fake)
    pauses = []
    for _ in range(8):
        child.process.returncode = 1
        pauses.append(pause_before_the_next_start(child, clock))

    assert pauses == sorted(pauses)
    assert 2 <= pauses[-1] < 2.3


def test_the_first_words_tell_what_to_try_next(tmp_path):
    with hearts_up(tmp_path) as up:
        up.process.terminate()
        said = up.process.stdout.read()

    assert re.search(rf"curl -s {up.address}/v1\n", said)
    assert "README" in said


@pytest.mark.parametrize(
    ("host", "named", "said"),
    [
        ("127.0.0.1", None, "off"),
        ("127.0.0.1", " ", "off"),
        ("127.0.0.1", "on", "on"),
        ("localhost", None, "off"),
        ("0.0.0.0", None, "on"),
        ("0.0.0.0", "off", "off"),
    ],
)
def test_who_serves_this_machine_alone_counts_nobody(tmp_path, monkeypatch, host, named, said):
    environ = {"HEARTS_DATA_DIR": str(tmp_path), "HEARTS_HOST": host, "HEARTS_PORT": "0"}
    if named is not None:
        environ["HEARTS_RATE_LIMITS"] = named
    monkeypatch.delenv("HEARTS_RATE_LIMITS", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    settings = load()

    with listen(settings.host, settings.port) as listener:
        found = supervisor._for_this_machine(settings, listener)

    assert supervisor._environment(found)["HEARTS_RATE_LIMITS"] == said


@pytest.mark.parametrize(("named", "count"), [("", 0), ("on", 9)])
def test_hearts_up_counts_only_where_it_is_told(tmp_path, named, count):
    with hearts_up(tmp_path, HEARTS_RATE_LIMITS=named) as up:
        limits = at(up.address).ask("GET", "/v1", status=200).json["limits"]

    assert len(limits["rate_limits"]) == count
