"""The app on the run's own server."""

import pytest

from tests.tables import Api, make_app


@pytest.fixture(scope="session")
def app(redis_url):
    """The app, on a store that is emptied between tests."""
    return make_app(redis_url)


@pytest.fixture
def api(app, redis_db):
    """The way into the app, with nothing in the store."""
    return Api(app)
