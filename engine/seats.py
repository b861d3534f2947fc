"""Seats around the table: numbers from 0, clockwise; the left of ``i`` is ``i + 1``."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, TypeVar

Seat: TypeAlias = int
T = TypeVar("T")
PerSeat: TypeAlias = tuple[T, ...]
"""One value for each seat, seat 0 first."""

FEWEST_SEATS: Final = 3
MOST_SEATS: Final = 11


def left_of(seat: Seat, seats: int, places: int = 1) -> Seat:
    """Return the seat *places* to the left of *seat*; a negative number goes to the right."""
    return (seat + places) % seats


def clockwise_from(seat: Seat, seats: int) -> Iterator[Seat]:
    """Yield every seat once, beginning with *seat*."""
    for places in range(seats):
        yield (seat + places) % seats


def for_each_seat(seats: int, value: Callable[[Seat], T]) -> PerSeat[T]:
    """Return what *value* gives for each seat, seat 0 first."""
    return tuple(value(seat) for seat in range(seats))


def put(values: PerSeat[T], seat: Seat, value: T) -> PerSeat[T]:
    """Return *values* with the one of *seat* replaced.

    Raises:
        IndexError: There is no such seat.
    """
    if not 0 <= seat < len(values):
        msg = f"no seat {seat} among {len(values)}"
        raise IndexError(msg)
    return (*values[:seat], value, *values[seat + 1 :])


def dealer_of(deal: int, seats: int) -> Seat:
    """Return who deals the deal numbered *deal* from 1: the last seat first, then clockwise."""
    return (deal - 2) % seats


def eldest_of(deal: int, seats: int) -> Seat:
    """Return the seat left of the dealer of the deal numbered *deal* from 1."""
    return (deal - 1) % seats
