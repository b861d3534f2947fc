"""Stores to test: the fake and the real one, and a server that may be mistreated."""

import os
import signal
from pathlib import Path

import pytest

from service import embedded
from service.store.redis_store import RedisStore
from tests.fakes import MemoryStore


@pytest.fixture
def redis_store(redis_db):
    store = RedisStore(redis_db)
    yield store
    store.close()


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.store)])
def store(request):
    """Each store in turn, empty."""
    return MemoryStore() if request.param == "memory" else request.getfixturevalue("redis_store")


class OwnServer:
    """A server with its data in *folder*, to be frozen, killed and started again."""

    def __init__(self, folder):
        binary = os.environ.get("HEARTS_TEST_REDIS_BINARY")
        self.server = embedded.prepare(folder, "fsync", Path(binary) if binary else None)
        self.url = self.server.url
        self._lock = embedded.lock_folder(folder)
        self.process = None

    def start(self):
        self.process = self.server.start(self._lock)
        self.server.wait_until_ready(self.process)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        self._lock.close()


@pytest.fixture
def own_server(tmp_path):
    """A server of this test's own, running."""
    server = OwnServer(tmp_path / "own")
    server.start()
    yield server
    server.close()


@pytest.fixture
def own_store(own_server):
    store = RedisStore(own_server.url)
    yield store
    store.close()
