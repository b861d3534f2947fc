"""Targets that keep a courier waiting, and who else has to wait for them."""

from service.webhooks import courier as couriers
from service.webhooks import sending
from service.webhooks.sending import Outcome
from service.webhooks.shares import AT_ONCE, OF_AN_APP
from tests.couriers import Both, Hanging, courier, state, waiting
from tests.processes import eventually


def test_a_slow_target_holds_a_few_threads_and_nobody_else(hooks):
    slow, quick = hooks.endpoint(1, url="https://slow.example.com"), hooks.endpoint(2, app="other")
    waiting(hooks, slow, *range(3 * AT_ONCE))
    sender = Both()
    one = courier(hooks, sender)
    one.round()
    for _ in range(AT_ONCE):
        assert sender.hanging.begun.acquire(timeout=30)
    waiting(hooks, quick, 1)
    one.round()
    one.round()

    assert not sender.hanging.begun.acquire(blocking=False)
    sender.hanging.go_on.set()
    one.close()
    assert [url for url, _, _ in sender.quick.sent] == [quick.url]


def test_an_app_whose_endpoints_all_hang_keeps_no_other_app_waiting(hooks):
    sender = Both()
    for number in range(10):
        slow = hooks.endpoint(number, app="other", url="https://slow.example.com")
        waiting(hooks, slow, *range(20))
    one = courier(hooks, sender)
    for _ in range(3):
        one.round()
    for _ in range(OF_AN_APP):
        assert sender.hanging.begun.acquire(timeout=30)

    quick = hooks.endpoint(99)
    hooks.house.now += 1
    waiting(hooks, quick, 1)
    one.round()

    assert not sender.hanging.begun.acquire(blocking=False)
    sender.hanging.go_on.set()
    one.close()
    assert [url for url, _, _ in sender.quick.sent] == [quick.url]


def test_what_waits_behind_many_that_wait_longer_is_looked_at_in_turn(hooks, monkeypatch):
    monkeypatch.setattr(couriers, "_LOOKED_AT", 3)
    sender = Both()
    for number in range(7):
        slow = hooks.endpoint(number, app="other", url="https://slow.example.com")
        waiting(hooks, slow, *range(9))
    hooks.house.now += 1
    quick = hooks.endpoint(99)
    waiting(hooks, quick, 1)
    one = courier(hooks, sender)

    for _ in range(3):
        one.round()

    sender.hanging.go_on.set()
    one.close()
    assert [url for url, _, _ in sender.quick.sent] == [quick.url]


def test_an_endpoint_whose_last_attempt_ran_out_of_time_gets_one_at_a_time(hooks):
    endpoint, hanging = hooks.endpoint(), Hanging()
    outcomes = iter([Outcome(error=sending.TIMEOUT)])

    class Late:
        def send(self, *more):
            return next(outcomes, None) or hanging.send(*more)

    one = courier(hooks, Late())
    waiting(hooks, endpoint, 0)
    one.round()
    eventually(lambda: state(hooks, endpoint, "msg_test-0").attempts)
    waiting(hooks, endpoint, *range(1, 9))
    eventually(lambda: one.round() or hanging.begun.acquire(blocking=False))
    for _ in range(3):
        one.round()

    assert not hanging.begun.acquire(blocking=False)
    hanging.go_on.set()
    one.close()
