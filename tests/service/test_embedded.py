import os
import queue
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis

from service import embedded
from service.embedded import CannotStartError, PrivateServer, lock_folder, prepare, private_server
from service.settings import private_socket
from tests.processes import SECONDS, children_of, eventually, watched

pytestmark = pytest.mark.store

HOLDER = """
import sys
from pathlib import Path
from service import embedded
from service.embedded import private_server
folder, *binary = map(Path, sys.argv[1:])
with private_server(folder, binary=binary[0] if binary else None) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


def client(url):
    return Redis.from_url(url, socket_timeout=5, decode_responses=True)


def test_the_server_is_reached_by_its_socket_and_by_nothing_else(tmp_path, redis_binary):
    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        assert redis.ping()
        assert redis.config_get("port") == {"port": "0"}

        socket = Path(url.removeprefix("unix://"))
        assert socket.stat().st_mode & 0o777 == 0o700
        assert socket.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("durability", "fsync"), [("buffered", "no"), ("fsync", "always")])
def test_every_write_goes_to_the_file_and_nothing_is_evicted(
    tmp_path, redis_binary, durability, fsync
):
    with (
        private_server(tmp_path, binary=redis_binary, durability=durability) as url,
        client(url) as redis,
    ):
        found = redis.config_get("app*", "maxmemory-policy", "save", "aof-load*", "no-append*")

    assert found["appendonly"] == "yes"
    assert found["appendfsync"] == fsync
    assert found["maxmemory-policy"] == "noeviction"
    assert found["save"] == ""
    assert found["aof-load-truncated"] == "yes"
    assert found["no-appendfsync-on-rewrite"] == "no"


def test_a_buffered_store_reaches_the_disk_every_second(tmp_path, redis_binary, monkeypatch):
    synced = queue.Queue()
    monkeypatch.setattr(
        embedded.os, "fsync", lambda fd: synced.put(str(Path(f"/dev/fd/{fd}").readlink()))
    )

    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        redis.set("word", "kept")

        names = [synced.get(timeout=10) for _ in range(2)]

    assert any(name.endswith(".aof") for name in names)


def test_a_second_start_finds_what_the_first_wrote(tmp_path, redis_binary):
    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        redis.set("word", "kept")

    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        assert redis.get("word") == "kept"


def test_a_killed_server_has_lost_nothing_that_it_answered(tmp_path, redis_binary):
    with lock_folder(tmp_path) as lock:
        server = prepare(tmp_path, "buffered", redis_binary)
        process = server.start(lock)
        server.wait_until_ready(process)
        with client(server.url) as redis:
            for number in range(1_000):
                redis.rpush("numbers", number)
        process.kill()
        process.wait()

        process = server.start(lock)
        server.wait_until_ready(process)
        with client(server.url) as redis:
            assert redis.llen("numbers") == 1_000
        server.stop(process)


def test_a_file_that_was_cut_short_is_loaded_up_to_the_cut(tmp_path, redis_binary):
    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        redis.set("first", "kept")
        redis.set("last", "cut")
    (file,) = tmp_path.glob("store/appendonlydir/*.incr.aof")
    os.truncate(file, file.stat().st_size - 3)

    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        assert redis.get("first") == "kept"
        assert redis.get("last") is None


def test_a_folder_with_a_long_or_odd_name_will_do(tmp_path, redis_binary):
    folder = tmp_path / ("o d'd%20 \"ü" + "x" * 110)

    with private_server(folder, binary=redis_binary) as url, client(url) as redis:
        assert redis.ping()
        assert len(url) < 120
        short = private_socket(folder).parent
        assert short.is_dir()

    assert not short.exists()


def test_a_killed_server_leaves_nothing_outside_of_its_folder_either(tmp_path, redis_binary):
    folder = tmp_path / ("x" * 110)
    with lock_folder(folder) as lock:
        server = prepare(folder, "buffered", redis_binary)
        process = server.start(lock)
        server.wait_until_ready(process)
        process.kill()

        server.stop(process)

    assert not server.socket.parent.exists()


def test_a_folder_is_taken_by_one_server_at_a_time(tmp_path, redis_binary):
    with (
        private_server(tmp_path, binary=redis_binary),
        pytest.raises(CannotStartError, match=f"as process {os.getpid()}\n"),
        private_server(tmp_path, binary=redis_binary),
    ):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="the death signal is Linux's")
def test_the_server_dies_with_a_killed_parent_and_frees_its_folder(tmp_path, redis_binary):
    arguments = [tmp_path, redis_binary] if redis_binary else [tmp_path]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, *arguments], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    ) as holder:
        holder.stdout.readline()
        with watched(children_of(holder.pid)) as [server]:
            holder.kill()

            with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
                assert redis.ping()
            assert server.ends_within(SECONDS)


def test_a_folder_stays_taken_while_the_server_of_a_killed_parent_lives(tmp_path, redis_binary):
    with lock_folder(tmp_path) as lock:
        server = prepare(tmp_path, "buffered", redis_binary)
        process = server.start(lock)
        server.wait_until_ready(process)
    (tmp_path / "lock").write_text(f"{process.pid}\n")

    with pytest.raises(CannotStartError, match=f"as process {process.pid}\n"):
        lock_folder(tmp_path)

    server.stop(process)
    lock_folder(tmp_path).close()


def test_a_server_that_does_not_start_is_quoted(tmp_path, redis_binary):
    server = prepare(tmp_path, "buffered", redis_binary)
    (server.folder / "appendonlydir").write_text("in the way")

    with (
        pytest.raises(CannotStartError, match=r"(?s)the store does not start:.*append"),
        private_server(tmp_path, binary=redis_binary),
    ):
        pass


def test_a_server_that_loads_is_waited_for(tmp_path, redis_binary):
    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        for first in range(0, 200_000, 10_000):
            redis.rpush("l", *range(first, first + 10_000))

    with private_server(tmp_path, binary=redis_binary) as url, client(url) as redis:
        assert redis.llen("l") == 200_000


def test_a_folder_that_is_a_link_to_somewhere_else_is_refused(tmp_path, redis_binary):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "store").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(CannotStartError, match="belongs to somebody else"):
        prepare(tmp_path / "data", "buffered", redis_binary)


def test_a_server_that_ignores_sigterm_is_killed(tmp_path, monkeypatch):
    server = PrivateServer(tmp_path, tmp_path / "socket", Path(sys.executable), "buffered")
    monkeypatch.setattr("service.embedded.STOPS_WITHIN_SECONDS", 0.1)
    program = "import signal; signal.signal(15, signal.SIG_IGN); print(); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        process.stdout.readline()

        server.stop(process)

        assert process.returncode == -signal.SIGKILL
    assert eventually(lambda: process.poll() is not None)
