"""An app for each test, since these tests put other stores behind it."""

import pytest

# They assert, and a failure is worth nothing without its values.
pytest.register_assert_rewrite("tests.tables")

from tests.tables import Api, make_app  # noqa: E402 - not before it is registered


@pytest.fixture
def api(redis_db):
    """The way into an app on the run's own server, with nothing in the store."""
    return Api(make_app(redis_db))
