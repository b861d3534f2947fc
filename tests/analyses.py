"""Analyses without workers: games that take next to nothing to judge, and who judges them here."""

from engine.cards import CODES
from service.analyses.desk import Desk
from service.analyses.orders import Orders
from service.analyses.records import Records
from service.requests import ORDERS
from tests.table import rules

TINY_RULES = {
    "deck": {"remove": list(CODES[12:])},
    "passing": {"count": 1, "cycle": ["left"]},
    "scoring": {"hearts": {}, "queen_of_spades": 0, "extra": {"2C": 5, "7C": 3}, "moon": "off"},
    "ending": {"target": None, "deals": 2, "tie": "share"},
}
"""Two deals of three cards a seat, at four seats: sixteen decisions each."""

TINY = rules(**TINY_RULES)


class Hinted:
    """Orders kept at *client*, whose hints nobody takes but `work`."""

    def __init__(self, client):
        self.sent = []
        self.orders = Orders(Records(client), self.sent.append)

    def work(self, games, timer=lambda: 0.0):
        """Do what the hints say, until there are none."""
        desk = Desk(games, self.orders, timer)
        while self.sent:
            desk.work(self.sent.pop(0))


def hinted(api, client):
    """Let the app of *api* keep its orders at *client*, and return who works at them."""
    found = Hinted(client)
    api.app.extensions[ORDERS] = found.orders
    return found


class Ticking:
    """A clock that goes on by *step* seconds whenever it is looked at."""

    def __init__(self, step):
        self._now, self._step = 0.0, step

    def __call__(self):
        self._now += self._step
        return self._now
