"""An app for each test, since these tests put other stores behind it."""

import pytest

from tests.tables import Api, make_app


@pytest.fixture
def api(redis_db):
    """The way into an app on the run's own server, with nothing in the store."""
    return Api(make_app(redis_db))
