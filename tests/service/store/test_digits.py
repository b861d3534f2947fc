"""Numbers below bounds, as bytes and back."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.store.digits import (
    DigitReader,
    DigitWriter,
    Habit,
    places_of,
    rank_of,
    read_varint,
    varint,
)


@given(
    st.lists(st.integers(1, 2**50).flatmap(lambda r: st.tuples(st.integers(0, r - 1), st.just(r))))
)
def test_digits_come_back(digits):
    writer = DigitWriter()
    for digit, radix in digits:
        writer.put(digit, radix)

    reader = DigitReader(writer.bytes())

    assert [reader.take(radix) for _, radix in digits] == [digit for digit, _ in digits]


@given(st.lists(st.integers(0, 9), max_size=500))
def test_what_is_usual_comes_back(numbers):
    writer, written, read = DigitWriter(), Habit(10), Habit(10)
    for number in numbers:
        writer.put_usual(number, written)
        writer.put(number, 11)

    reader = DigitReader(writer.bytes())

    assert [(reader.take_usual(read), reader.take(11)) for _ in numbers] == [
        (number, number) for number in numbers
    ]


def test_no_room_is_lost():
    writer, rng = DigitWriter(), random.Random(1)
    for _ in range(1_000):
        writer.put(rng.randrange(10), 10)

    # 1,000 digits of ten are 3,322 bits; a run of 128 loses one byte of bits and one of length.
    assert len(writer.bytes()) <= 3_322 / 8 + 8 * 2


def test_what_is_always_the_same_takes_hardly_any():
    writer, habit = DigitWriter(), Habit(48)
    for _ in range(1_000):
        writer.put_usual(12, habit)

    assert len(writer.bytes()) < 30


@pytest.mark.parametrize("size", range(7))
def test_sets_are_numbered_without_gaps(size):
    for count in range(size + 1):
        sets = [list(one) for one in combinations(range(size), count)]

        assert sorted(map(rank_of, sets)) == list(range(len(sets)))
        assert all(places_of(rank_of(one), count, size) == one for one in sets)


@given(st.integers(0, 2**70), st.binary())
def test_numbers_of_any_size_are_told_from_what_follows(number, more):
    raw = varint(number)

    assert read_varint(raw + more, 0) == (number, len(raw))


@pytest.mark.parametrize("raw", [b"", b"\x80", b"\xff\xff"])
def test_a_number_that_does_not_end_is_refused(raw):
    with pytest.raises(IndexError):
        read_varint(raw, 0)
