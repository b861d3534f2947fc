"""Fixtures for every test that needs a store: a private server, one for the whole run."""

import os
from pathlib import Path

import pytest
from redis import Redis

from service.embedded import private_server


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    """The address of the run's own server; HEARTS_TEST_REDIS_BINARY names another program."""
    binary = os.environ.get("HEARTS_TEST_REDIS_BINARY")
    with private_server(
        tmp_path_factory.mktemp("redis"), binary=Path(binary) if binary else None
    ) as url:
        yield url


@pytest.fixture
def redis_db(redis_url):
    """The same address, with nothing in the store."""
    with Redis.from_url(redis_url) as client:
        client.flushall()
    return redis_url
