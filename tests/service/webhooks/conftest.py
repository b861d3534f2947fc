"""A house whose games an application has created, and its endpoints on the run's own server."""

import pytest
from redis import Redis

from engine import commands as c
from service.webhooks.deliveries import Deliveries
from service.webhooks.endpoints import Endpoint, Endpoints
from service.webhooks.messages import TYPES
from tests.fakes import MemoryStore
from tests.house import NOON, House

APP = c.TableOptions(application="shop")


class Hooks:
    """Endpoints and deliveries over *client*, and a *house* of games."""

    def __init__(self, client):
        self.client = client
        self.endpoints = Endpoints(client)
        self.deliveries = Deliveries(client)
        self.house = House(MemoryStore())

    def endpoint(self, number=1, **more):
        """Make an endpoint."""
        given = {"prefix": None, "app": "shop", "events": TYPES, "url": "https://a.example.com"}
        fixed = {"signing": "ed25519", "created_at": NOON, "made_with": ""}
        fixed |= {"id": f"whe_{number:032x}", "key_id": self.house.deps.keyring.current}
        return self.endpoints.add(Endpoint(**(given | fixed | more)))

    def started(self, *seats, **more):
        """Start a game of the application."""
        return self.house.started(*seats, options=APP, **more)

    def waiting(self, endpoint):
        """Return the deliveries to *endpoint*, the oldest first."""
        page, _ = self.deliveries.page(endpoint.id, None, 5_000)
        return page[::-1]


@pytest.fixture
def hooks(redis_db):
    with Redis.from_url(redis_db) as client:
        yield Hooks(client)
