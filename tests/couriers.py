"""Couriers over the hooks of a test, and senders that are told what to do."""

import threading

from service.webhooks.courier import Courier
from service.webhooks.deliveries import Delivery
from service.webhooks.sending import Outcome


class Sent:
    """A sender that answers what it is told to; *sent* has what came."""

    def __init__(self, *outcomes):
        self.sent = []
        self._outcomes = list(outcomes) or [Outcome(204)]

    def send(self, url, headers, body):
        self.sent.append((url, headers, body))
        return self._outcomes.pop(0) if len(self._outcomes) > 1 else self._outcomes[0]


class Hanging:
    """A sender that waits until it may go on."""

    def __init__(self):
        self.go_on, self.begun = threading.Event(), threading.Semaphore(0)

    def send(self, *_):
        self.begun.release()
        assert self.go_on.wait(30)
        return Outcome(200)


def courier(hooks, sender):
    return Courier(hooks.house.deps, hooks.endpoints, hooks.deliveries, sender, draw=lambda _: 0)


def waiting(hooks, endpoint, *numbers):
    """Write down deliveries that wait now."""
    now = hooks.house.now
    new = [
        Delivery(f"msg_test-{number}", "webhook.test", "{}", created_at=now, next_at=now)
        for number in numbers or [1]
    ]
    hooks.deliveries.record({endpoint.id: new})
    return new


def rounds(hooks, sender, count=1):
    """Let a courier of its own send what is due, as often as that."""
    for _ in range(count):
        one = courier(hooks, sender)
        one.round()
        one.close()


def state(hooks, endpoint, name="msg_test-1"):
    return hooks.deliveries.find(endpoint.id, name)


class Both:
    """A sender that hangs where the address has *slow* in it, and else sends."""

    def __init__(self):
        self.hanging, self.quick = Hanging(), Sent()

    def send(self, url, *more):
        return (self.hanging if "slow" in url else self.quick).send(url, *more)
