"""What becomes of deliveries: arrivals, retries, drops, and senders that die."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from service.webhooks import deliveries as d
from service.webhooks import sending, side
from service.webhooks.courier import FAILING_MS, RETRY_SECONDS, Courier
from service.webhooks.endpoints import FAILING, GONE, MOST_FORMER, ROTATION_MS
from service.webhooks.sending import Outcome
from service.webhooks.telling import Teller
from tests.couriers import Sent, courier, rounds, state, waiting
from tests.house import legal_moves

DAY = 86_400_000


def test_what_waits_is_sent_once(hooks):
    endpoint, sender = hooks.endpoint(), Sent()
    waiting(hooks, endpoint)

    rounds(hooks, sender, 3)

    ((url, headers, body),) = sender.sent
    assert (url, headers["webhook-id"], body) == (endpoint.url, "msg_test-1", "{}")
    found = state(hooks, endpoint)
    assert (found.status, found.next_at) == (d.DELIVERED, None)
    assert [(one.status, one.error) for one in found.attempts] == [(204, None)]
    hooks.house.now += DAY
    rounds(hooks, sender)
    assert hooks.deliveries.queues(hooks.house.now + DAY, 10) == []


def test_what_fails_is_tried_again_at_the_times_of_the_standard_and_then_given_up(hooks):
    endpoint, sender = hooks.endpoint(), Sent(Outcome(500))
    waiting(hooks, endpoint)
    times = []

    while (found := state(hooks, endpoint)).status == d.PENDING:
        hooks.house.now = found.next_at
        times.append(found.next_at)
        rounds(hooks, sender)

    waits = [(after - before) // 1_000 for before, after in pairwise(times)]
    assert waits == list(RETRY_SECONDS)
    assert found.status == d.FAILED
    assert len(sender.sent) == len(RETRY_SECONDS) + 1
    assert len({headers["webhook-id"] for _, headers, _ in sender.sent}) == 1


def test_a_wait_is_made_longer_at_random_and_never_shorter(hooks):
    endpoint = hooks.endpoint()
    one = Courier(
        hooks.house.deps, hooks.endpoints, hooks.deliveries, Sent(Outcome(500)), lambda most: most
    )
    waiting(hooks, endpoint)

    one.round()
    one.close()

    assert state(hooks, endpoint).next_at == hooks.house.now + 6_000


def test_the_other_side_may_ask_for_more_time(hooks):
    endpoint = hooks.endpoint()
    waiting(hooks, endpoint)

    rounds(hooks, Sent(Outcome(429, None, 3_600)))

    assert state(hooks, endpoint).next_at == hooks.house.now + 3_600_000


def test_410_disables_the_endpoint_and_drops_what_waits(hooks):
    endpoint, sender = hooks.endpoint(), Sent(Outcome(410))
    waiting(hooks, endpoint, 1)
    rounds(hooks, sender)

    assert hooks.endpoints.find(endpoint.id).disabled == GONE
    assert state(hooks, endpoint).status == d.FAILED
    waiting(hooks, endpoint, 2)
    rounds(hooks, sender)
    dropped = state(hooks, endpoint, "msg_test-2")
    assert (dropped.status, dropped.reason) == (d.DROPPED, d.DISABLED)
    assert len(sender.sent) == 1


def test_an_endpoint_that_fails_for_days_is_disabled_unless_something_comes_through(hooks):
    endpoint, bad = hooks.endpoint(), Sent(Outcome(error=sending.TIMEOUT))
    began = hooks.house.now
    for number, (day, sender) in enumerate([(0, bad), (4, Sent()), (6, bad), (8, bad)]):
        hooks.house.now = began + day * DAY
        waiting(hooks, endpoint, number)
        rounds(hooks, sender)
        assert hooks.endpoints.find(endpoint.id).disabled is None

    hooks.house.now = began + 6 * DAY + FAILING_MS
    waiting(hooks, endpoint, 9)
    rounds(hooks, bad)

    assert hooks.endpoints.find(endpoint.id).disabled == FAILING


def test_a_turn_that_is_over_is_told_to_nobody(hooks):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    teller = Teller(hooks.house.deps, hooks.endpoints, hooks.deliveries)
    teller.tell(game_id)
    hooks.house.ask(game_id, legal_moves(hooks.house.read(game_id), 1)[0])
    sender = Sent()

    rounds(hooks, sender, 2)

    found = {one.seat: (one.status, one.reason) for one in hooks.waiting(endpoint) if one.turn_id}
    assert found == {
        0: (d.DELIVERED, None),
        1: (d.DROPPED, d.TURN_OVER),
        2: (d.DELIVERED, None),
    }


def test_what_is_asked_for_by_hand_is_sent_though_the_turn_is_over(hooks):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    Teller(hooks.house.deps, hooks.endpoints, hooks.deliveries).tell(game_id)
    turn_id = hooks.house.read(game_id).turn.id
    hooks.house.ask(game_id, legal_moves(hooks.house.read(game_id), 1)[0])
    rounds(hooks, Sent(), 2)
    dropped = state(hooks, endpoint, f"msg_{game_id}-{turn_id}-opened-1")
    hooks.deliveries.retry(endpoint.id, dropped.id, hooks.house.now, None)

    rounds(hooks, Sent())

    assert state(hooks, endpoint, dropped.id).status == d.DELIVERED


@pytest.mark.parametrize("outcome", [Outcome(500), Outcome(204), Outcome(410)])
def test_what_is_asked_for_during_an_attempt_is_sent_once_more(hooks, outcome):
    endpoint, now = hooks.endpoint(), hooks.house.now
    waiting(hooks, endpoint)

    class Asking:
        def send(self, *_):
            hooks.deliveries.retry(endpoint.id, "msg_test-1", now, "the request")
            return outcome

    rounds(hooks, Asking())

    found = state(hooks, endpoint)
    assert (found.status, found.next_at, found.tries) == (d.PENDING, now, 0)
    assert [one.status for one in found.attempts] == [outcome.status]
    assert hooks.deliveries.retry(endpoint.id, "msg_test-1", now, "the request") == (found, True)
    hooks.endpoints.change(endpoint.id, lambda one: replace(one, disabled=None))
    rounds(hooks, Sent())
    found = state(hooks, endpoint)
    assert (found.status, len(found.attempts)) == (d.DELIVERED, 2)


def test_what_the_log_has_dropped_during_an_attempt_stays_away(hooks, monkeypatch):
    monkeypatch.setattr(d, "MOST_KEPT", 3)
    endpoint = hooks.endpoint()
    waiting(hooks, endpoint)

    class Busy:
        def send(self, *_):
            waiting(hooks, endpoint, 2, 3, 4)
            return Outcome(500)

    rounds(hooks, Busy())

    assert state(hooks, endpoint) is None
    assert hooks.client.hlen(side.key("deliveries", endpoint.id)) == 3
    assert hooks.client.zcard(side.key("queue", endpoint.id)) == 3
    hooks.house.now += DAY
    sender = Sent()
    rounds(hooks, sender)
    assert {headers["webhook-id"] for _, headers, _ in sender.sent} == {
        f"msg_test-{number}" for number in (2, 3, 4)
    }


def rotate(hooks, endpoint, key_id=None):
    now = hooks.house.now
    given = key_id or endpoint.key_id
    return hooks.endpoints.change(endpoint.id, lambda one: one.rotated(now, given, None))


def signatures(sender):
    return [headers["webhook-signature"].split() for _, headers, _ in sender.sent]


def test_every_former_key_signs_for_a_day_after_its_own_rotation(hooks):
    endpoint, sender = hooks.endpoint(), Sent()
    began = hooks.house.now
    hour = DAY // 24
    moments = [-1, 0, hour, ROTATION_MS - 1, ROTATION_MS, ROTATION_MS + hour]
    for number, moment in enumerate(moments):
        hooks.house.now = began + moment
        if moment in {0, hour}:
            rotate(hooks, endpoint)
        waiting(hooks, endpoint, number)
        rounds(hooks, sender)

    assert [len(some) for some in signatures(sender)] == [1, 2, 3, 3, 2, 1]


def test_so_many_former_keys_sign_and_no_more(hooks):
    endpoint, sender = hooks.endpoint(), Sent()
    for _ in range(MOST_FORMER + 3):
        rotate(hooks, endpoint)
    waiting(hooks, endpoint)

    rounds(hooks, sender)

    assert [len(some) for some in signatures(sender)] == [MOST_FORMER + 1]
    assert len(hooks.endpoints.find(endpoint.id).former) == MOST_FORMER


def test_a_rotation_helps_at_once_where_the_former_key_is_lost(hooks):
    endpoint, sender = hooks.endpoint(key_id="00000000"), Sent()
    rotate(hooks, endpoint, hooks.house.deps.keyring.current)
    waiting(hooks, endpoint)

    rounds(hooks, sender)

    assert [len(some) for some in signatures(sender)] == [1]
    assert state(hooks, endpoint).status == d.DELIVERED


def test_a_key_whose_secret_is_gone_is_said_and_tried_again(hooks):
    endpoint, sender = hooks.endpoint(key_id="00000000"), Sent()
    waiting(hooks, endpoint)

    rounds(hooks, sender)

    found = state(hooks, endpoint)
    assert (found.status, found.attempts[0].error) == (d.PENDING, sending.NO_KEY)
    assert sender.sent == []


def test_a_sender_that_dies_leaves_it_to_another(hooks):
    endpoint, sender = hooks.endpoint(), Sent()
    waiting(hooks, endpoint)
    (taken,) = hooks.deliveries.take(endpoint.id, hooks.house.now, 10)
    hooks.deliveries.look_later(endpoint.id)

    rounds(hooks, sender)
    assert sender.sent == []

    hooks.house.now += d.LEASE_MS
    hooks.client.delete(*hooks.client.keys("*lease*"))
    rounds(hooks, sender)
    assert [headers["webhook-id"] for _, headers, _ in sender.sent] == [taken.id]


def test_two_senders_do_not_take_the_same(hooks):
    endpoint = hooks.endpoint()
    waiting(hooks, endpoint, *range(20))

    both = [hooks.deliveries.take(endpoint.id, hooks.house.now, 15) for _ in range(2)]

    taken = [one.id for some in both for one in some]
    assert len(taken) == len(set(taken)) == 20


def test_an_endpoint_that_was_deleted_stays_so(hooks):
    endpoint = hooks.endpoint()
    waiting(hooks, endpoint, 1, 2)
    (taken, _) = hooks.deliveries.take(endpoint.id, hooks.house.now, 2)

    hooks.endpoints.remove(endpoint)
    courier(hooks, Sent()).attempt(endpoint.id, taken)
    hooks.deliveries.settle(endpoint.id, replace(taken, next_at=hooks.house.now))

    assert hooks.endpoints.find(endpoint.id) is None
    left = {key for key in hooks.client.keys("*") if b"lease" not in key}
    assert left == set()


def test_what_was_written_down_after_the_end_of_an_endpoint_goes_away(hooks):
    endpoint, sender = hooks.endpoint(), Sent()
    hooks.endpoints.remove(endpoint)
    waiting(hooks, endpoint)

    rounds(hooks, sender, 2)

    assert sender.sent == []
    assert hooks.deliveries.queues(hooks.house.now, 10) == []


def test_what_has_arrived_and_is_written_down_again_is_not_sent_again(hooks):
    endpoint, sender = hooks.endpoint(), Sent()
    waiting(hooks, endpoint)
    rounds(hooks, sender)

    waiting(hooks, endpoint)
    hooks.client.delete(*hooks.client.keys("*lease*") or ["none"])
    rounds(hooks, sender, 2)

    assert len(sender.sent) == 1
    assert state(hooks, endpoint).status == d.DELIVERED


def test_no_line_of_the_log_has_an_address_or_a_key(hooks, caplog):
    endpoint = hooks.endpoint(url="https://a.example.com/hook?token=hidden")
    waiting(hooks, endpoint)
    caplog.set_level("DEBUG")

    rounds(hooks, Sent(Outcome(410)))

    assert endpoint.id in caplog.text
    assert "hidden" not in caplog.text
    assert "example.com" not in caplog.text
    keyring = hooks.house.deps.keyring
    secret = keyring.webhook_secret(endpoint.id, endpoint.created_at, 1, endpoint.key_id)
    assert secret.hex() not in caplog.text


@pytest.mark.parametrize("down", ["find", "settle"])
def test_a_server_that_is_down_loses_nothing(hooks, down, monkeypatch):
    endpoint, sender = hooks.endpoint(), Sent()
    waiting(hooks, endpoint)

    def fails(*_):
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(hooks.endpoints if down == "find" else hooks.deliveries, down, fails)
        rounds(hooks, sender)
    hooks.house.now += d.LEASE_MS
    hooks.client.delete(*hooks.client.keys("*lease*"))
    rounds(hooks, sender, 2)

    assert state(hooks, endpoint).status == d.DELIVERED
    assert len(sender.sent) == (1 if down == "find" else 2)
