"""The log of deliveries of an endpoint: its pages, and what is kept of it."""

from service.webhooks import deliveries as d
from service.webhooks.deliveries import Delivery, Seen
from tests.house import NOON


def new(number, at=NOON):
    return Delivery(id=f"msg_{number}", type="webhook.test", body="{}", created_at=at, next_at=at)


def test_pages_are_the_whole_list_newest_first(hooks):
    endpoint = hooks.endpoint()
    for number in range(7):
        hooks.deliveries.record({endpoint.id: [new(number)]})

    found, place, pages = [], None, 0
    while pages == 0 or place is not None:
        page, place = hooks.deliveries.page(endpoint.id, place, 3)
        found += [one.id for one in page]
        pages += 1

    assert found == [f"msg_{number}" for number in reversed(range(7))]
    assert pages == 3


def test_the_newest_are_kept(hooks, monkeypatch):
    monkeypatch.setattr(d, "MOST_KEPT", 10)
    endpoint = hooks.endpoint()
    for number in range(0, 30, 3):
        hooks.deliveries.record({endpoint.id: [new(number + one) for one in range(3)]})

    assert [one.id for one in hooks.waiting(endpoint)] == [f"msg_{one}" for one in range(20, 30)]
    assert len(hooks.deliveries.take(endpoint.id, NOON, 100)) == 10


def test_what_is_two_weeks_old_goes(hooks):
    endpoint = hooks.endpoint()
    hooks.deliveries.record({endpoint.id: [new(1)]})

    hooks.deliveries.record({endpoint.id: [new(2, NOON + d.KEPT_MS + 1)]})

    assert [one.id for one in hooks.waiting(endpoint)] == ["msg_2"]


def test_nothing_is_kept_for_ever(hooks):
    endpoint = hooks.endpoint()
    hooks.deliveries.record({endpoint.id: [new(1)]}, ("0" * 32, Seen(7, b"head")))

    lasting = {key.decode().split(":")[2] for key in hooks.client.keys("*")}
    lasting -= {
        key.decode().split(":")[2] for key in hooks.client.keys("*") if hooks.client.pttl(key) > 0
    }
    assert lasting == {"endpoint", "app", "queue", "queues"}


def test_how_far_a_game_was_told_of_is_written_with_what_there_was_to_tell(hooks):
    endpoint = hooks.endpoint()
    assert hooks.deliveries.seen("0" * 32) is None

    hooks.deliveries.record({endpoint.id: [new(1)]}, ("0" * 32, Seen(7, b"head")))

    assert hooks.deliveries.seen("0" * 32) == Seen(7, b"head")


def test_what_is_known_stays_as_it_is(hooks):
    endpoint = hooks.endpoint()
    hooks.deliveries.record({endpoint.id: [new(1), new(2)]})

    hooks.deliveries.record({endpoint.id: [new(1, NOON + 1), new(3)]})

    found = hooks.waiting(endpoint)
    assert [(one.id, one.created_at) for one in found] == [
        ("msg_1", NOON),
        ("msg_2", NOON),
        ("msg_3", NOON),
    ]
