"""Stores to test: the fake and the real one."""

import pytest

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


@pytest.fixture
def own_store(own_server):
    store = RedisStore(own_server.url)
    yield store
    store.close()
