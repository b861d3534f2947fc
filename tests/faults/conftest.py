"""The app on the run's own server."""

import pytest

# It asserts, and a failure is worth nothing without its values.
pytest.register_assert_rewrite("tests.tables")

from tests.tables import Api, make_app  # noqa: E402 - not before it is registered


@pytest.fixture(scope="session")
def app(redis_url):
    """The app, on a store that is emptied between tests."""
    return make_app(redis_url)


@pytest.fixture
def api(app, redis_db):
    """The way into the app, with nothing in the store."""
    return Api(app)
