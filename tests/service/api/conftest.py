"""The app on the run's own server."""

import pytest
from redis import Redis

from tests.tables import Api, make_app


@pytest.fixture(scope="session")
def app(redis_url):
    """The app, on a store that is emptied between tests."""
    return make_app(redis_url)


@pytest.fixture
def api(app, redis_db):
    """The way into the app, with nothing in the store."""
    return Api(app)


@pytest.fixture
def counts(redis_db):
    """The store in which is counted."""
    with Redis.from_url(redis_db, decode_responses=True) as client:
        yield client


@pytest.fixture
def free(redis_db):
    """The way into an app over the same store that counts nothing."""
    return Api(make_app(redis_db))
