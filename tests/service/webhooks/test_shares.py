"""How the threads that send are divided."""

import pytest

from service.webhooks.endpoints import Endpoint
from service.webhooks.shares import AT_ONCE, OF_AN_APP, OF_THE_SLOW, THREADS, Shares


@pytest.fixture
def shares():
    return Shares()


def endpoint(app="shop", number=1):
    fixed = {"prefix": None, "signing": "hmac", "key_id": "", "created_at": 0, "made_with": ""}
    return Endpoint(id=f"whe_{app}_{number}", app=app, url="", events=(), **fixed)


def begin(shares, one, count=1):
    for _ in range(count):
        shares.begins(one)


def test_whoever_waits_alone_has_as_many_as_an_endpoint_may_have(shares):
    assert shares.free_for(endpoint(), 1) == AT_ONCE


def test_where_many_wait_each_begins_with_one(shares):
    assert shares.free_for(endpoint(), THREADS) == 1
    assert shares.free_for(endpoint(), 100 * THREADS) == 1


def test_all_endpoints_of_an_app_share_its_bound(shares):
    for number in range(OF_AN_APP):
        assert shares.free_for(endpoint(number=number), 99) == 1
        begin(shares, endpoint(number=number))

    assert shares.free_for(endpoint(number=99), 1) == 0
    assert shares.free_for(endpoint("other"), 1) == AT_ONCE


def test_no_more_begin_than_there_are_threads(shares):
    for number in range(THREADS // OF_AN_APP):
        begin(shares, endpoint(f"app{number}"), OF_AN_APP)

    assert shares.free_for(endpoint("other"), 1) == 0
    shares.ends(endpoint("app0"))
    assert shares.free_for(endpoint("other"), 1) == 1


def test_who_was_slow_gets_one_at_a_time_until_it_is_quick(shares):
    one = endpoint()
    shares.judge(one.id, is_slow=True)

    assert shares.free_for(one, 1) == 1
    begin(shares, one)
    assert shares.free_for(one, 1) == 0
    shares.judge(one.id, is_slow=False)
    assert shares.free_for(one, 1) == AT_ONCE - 1


def test_all_that_were_slow_have_half_of_the_threads(shares):
    slow = [endpoint(f"app{number}") for number in range(THREADS)]
    for one in slow:
        shares.judge(one.id, is_slow=True)
        begin(shares, one, shares.free_for(one, 1))

    assert shares.free_for(endpoint("other"), 1) == AT_ONCE
    assert [shares.free_for(one, 1) for one in slow] == [0] * THREADS
    shares.ends(slow[0])
    assert shares.free_for(slow[-1], 1) == 1
    assert OF_THE_SLOW == 8


def test_who_has_the_fewest_under_way_comes_first_and_then_who_waits_longest(shares):
    busy, same_app, old, new = endpoint(), endpoint(number=2), endpoint("a"), endpoint("b")
    begin(shares, busy)

    assert shares.in_turn([busy, same_app, old, new]) == [old, new, same_app, busy]
