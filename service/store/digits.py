"""Numbers below given bounds as bytes, with no bit lost between them.

A run of them is one large number in a mixed radix. Runs are short, since dividing a large
number takes as long as it is wide. A number that is often the same takes less room: what was
frequent up to now has a wider share of the radix (an asymmetric numeral system).
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Final

_RUN: Final = 128
_SEVEN_BITS: Final = 7
_STEP: Final = 24
"""How much a number gains on the others each time."""


class Habit:
    """How frequent each number below *size* was so far; writer and reader have one each."""

    def __init__(self, size: int) -> None:
        self._weights = [1] * size
        self.total = size

    def share(self, number: int) -> tuple[int, int]:
        """Return where the share of *number* in the total begins, and how wide it is."""
        return sum(self._weights[:number]), self._weights[number]

    def number_at(self, place: int) -> int:
        """Return the number whose share has *place* in it, from 0 to less than the total."""
        for number, weight in enumerate(self._weights):
            if place < weight:
                return number
            place -= weight
        raise IndexError(place)

    def see(self, number: int) -> None:
        """Count *number* once more."""
        self._weights[number] += _STEP
        self.total += _STEP


class DigitWriter:
    """Gathers numbers; `bytes` has all of them."""

    def __init__(self) -> None:
        self._shares: list[tuple[int, int, int]] = []

    def put(self, digit: int, radix: int) -> None:
        """Add *digit*, at least 0 and less than *radix*; the reader must know *radix*."""
        assert 0 <= digit < radix, "a digit is less than its radix"
        if radix > 1:
            self._shares.append((digit, 1, radix))

    def put_usual(self, number: int, habit: Habit) -> None:
        """Add *number*, of which *habit* says how frequent it is."""
        self._shares.append((*habit.share(number), habit.total))
        habit.see(number)

    def bytes(self) -> bytes:
        """Return the bytes of all numbers, each run behind its length."""
        out = bytearray()
        for first in range(0, len(self._shares), _RUN):
            number = 0
            for begin, width, radix in reversed(self._shares[first : first + _RUN]):
                more, rest = divmod(number, width)
                number = more * radix + begin + rest
            size = (number.bit_length() + 7) // 8
            out += varint(size) + number.to_bytes(size, "little")
        return bytes(out)


class DigitReader:
    """Reads in the same order what a `DigitWriter` was given.

    Raises from every method:
        IndexError: Nothing is left.
    """

    def __init__(self, raw: bytes) -> None:
        self._raw, self._place = raw, 0
        self._number, self._left = 0, 0

    def take(self, radix: int) -> int:
        """Return the next number, which was put with *radix*."""
        if radix <= 1:
            return 0
        self._begin()
        self._number, digit = divmod(self._number, radix)
        return digit

    def take_usual(self, habit: Habit) -> int:
        """Return the next number, which was put with *habit* as it stands."""
        self._begin()
        more, place = divmod(self._number, habit.total)
        number = habit.number_at(place)
        begin, width = habit.share(number)
        self._number = more * width + place - begin
        habit.see(number)
        return number

    def _begin(self) -> None:
        if not self._left:
            self._next_run()
        self._left -= 1

    def _next_run(self) -> None:
        size, place = read_varint(self._raw, self._place)
        self._place = place + size
        self._number = int.from_bytes(self._raw[place : self._place], "little")
        self._left = _RUN


def varint(number: int) -> bytes:
    """Return *number*, at least 0, in groups of seven bits, the least significant first."""
    out = bytearray()
    while number >> _SEVEN_BITS:
        out.append(number & 0x7F | 0x80)
        number >>= _SEVEN_BITS
    out.append(number)
    return bytes(out)


def read_varint(raw: bytes, place: int) -> tuple[int, int]:
    """Return the number at *place* of *raw*, and the place after it.

    Raises:
        IndexError: It does not end.
    """
    number = shift = 0
    while raw[place] & 0x80:
        number |= (raw[place] & 0x7F) << shift
        shift += _SEVEN_BITS
        place += 1
    return number | raw[place] << shift, place + 1


def rank_of(places: Sequence[int]) -> int:
    """Return the number of the set of *places*, ascending, among all sets of as many."""
    return sum(comb(place, count) for count, place in enumerate(places, 1))


def places_of(rank: int, count: int, size: int) -> list[int]:
    """Return the *count* places below *size*, ascending, of which `rank_of` gives *rank*."""
    places = []
    for many in range(count, 0, -1):
        place = bisect_right(_column(many, size), rank) - 1
        places.append(place)
        rank -= comb(place, many)
    return places[::-1]


@lru_cache(512)
def _column(count: int, size: int) -> tuple[int, ...]:
    return tuple(comb(place, count) for place in range(size))
