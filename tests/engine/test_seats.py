"""Seats around the table."""

import pytest

from engine.seats import clockwise_from, dealer_of, eldest_of, for_each_seat, left_of, put


@pytest.mark.parametrize(
    ("seat", "places", "expected"), [(0, 1, 1), (3, 1, 0), (0, -1, 3), (2, 2, 0), (1, 0, 1)]
)
def test_the_left_is_the_next_seat(seat, places, expected):
    assert left_of(seat, 4, places) == expected


def test_everybody_comes_once_going_round():
    assert list(clockwise_from(2, 5)) == [2, 3, 4, 0, 1]


def test_one_value_is_replaced():
    assert put((1, 2, 3), 1, 9) == (1, 9, 3)
    with pytest.raises(IndexError):
        put((1, 2, 3), 3, 9)
    assert for_each_seat(3, lambda seat: seat * seat) == (0, 1, 4)


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_the_last_seat_deals_first_and_the_deal_moves_clockwise(seats):
    assert [dealer_of(deal, seats) for deal in (1, 2, 3)] == [seats - 1, 0, 1]


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_the_eldest_sits_left_of_the_dealer(seats):
    for deal in range(1, 2 * seats + 1):
        assert eldest_of(deal, seats) == left_of(dealer_of(deal, seats), seats)
