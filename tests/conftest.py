"""Fixtures for every test that needs a store: a private server, one for the whole run."""

import logging
import os
from pathlib import Path

import pytest
from redis import Redis

from service.embedded import private_server
from service.kernel import StaleKernelError, kernel_kind
from service.logs import LineFormatter

# Helpers assert too, and a failure is worth nothing without its values. Here, since it
# has to be said before any of them is imported, in whatever order tests are collected.
pytest.register_assert_rewrite(
    "tests.contract",
    "tests.engine",
    "tests.limits",
    "tests.processes",
    "tests.servers",
    "tests.tables",
)

from tests.servers import OwnServer  # noqa: E402 - not before it is registered


def pytest_configure():
    """Refuse to test a kernel of playouts that was compiled from another source."""
    try:
        kernel_kind()
    except StaleKernelError as exc:
        raise pytest.UsageError(str(exc)) from exc


def pytest_report_header():
    return f"the kernel of playouts is {kernel_kind()}"


@pytest.fixture(autouse=True)
def same_logging():
    """Undo what a command that runs in this process does to the logging of all others."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    if root.level != level:
        root.setLevel(level)
    own = [one for one in root.handlers if isinstance(one.formatter, LineFormatter)]
    for one in set(own) - set(handlers):
        root.removeHandler(one)


@pytest.fixture(scope="session")
def redis_binary():
    """The server program to test with: HEARTS_TEST_REDIS_BINARY, or None for the bundled one."""
    binary = os.environ.get("HEARTS_TEST_REDIS_BINARY")
    return Path(binary) if binary else None


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory, redis_binary):
    """The address of the run's own server."""
    with private_server(tmp_path_factory.mktemp("redis"), binary=redis_binary) as url:
        yield url


@pytest.fixture
def redis_db(redis_url):
    """The same address, with nothing in the store."""
    with Redis.from_url(redis_url) as client:
        client.flushall()
    return redis_url


@pytest.fixture
def own_server(tmp_path):
    """A server of this test's own, running."""
    server = OwnServer(tmp_path / "own")
    server.start()
    yield server
    server.close()
