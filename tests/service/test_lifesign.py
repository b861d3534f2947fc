"""An API process says that it is there, whatever the queue's server does."""

import logging

from redis.exceptions import ConnectionError as LostConnectionError

from service.lifesign import LifeSign


class Answers:
    """A watch at which *raised* comes first, one a call; it counts who got through."""

    def __init__(self, *raised):
        self._raised = list(raised)
        self.served = 0

    def serve(self):
        if self._raised:
            raise self._raised.pop(0)
        self.served += 1


def test_a_server_that_is_away_is_said_once_and_survived(caplog):
    watch = Answers(*[LostConnectionError("away")] * 3)
    sign = LifeSign(watch)

    with caplog.at_level(logging.INFO):
        for _ in range(5):
            sign.round()

    first, last = caplog.messages
    assert first == "the sign that the API is there is down: away"
    assert "is back" in last
    assert watch.served == 2
