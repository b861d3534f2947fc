"""The events of a log as columns of what the forecast did not say, and back.

An event is an array as `codec` stores it: type, version, time, actor, cause, values. Writer and
reader go over the same forecast, each with what is known up to there.
"""

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec.msgpack import Decoder, Encoder, Ext

from service.store.digits import (
    DigitReader,
    DigitWriter,
    Habit,
    places_of,
    rank_of,
    read_varint,
    varint,
)
from service.store.envelope import nameless
from service.store.forecast import (
    CHOSEN,
    CLAIMED,
    DEALT,
    PASSED,
    PLAYED,
    SCORED,
    UPDATED,
    VOIDED,
    Course,
    cards_in,
    set_of,
)
from service.store.links import LINK_BYTES, thickened, thinned

Row: TypeAlias = list[Any]
"""An event: type, version, time, actor, cause, and its values."""

_LINK: Final = Ext(1, b"")
_HANDS: Final = 6
_CARDS: Final = 2
_OPENED_AT: Final = {SCORED: 5, VOIDED: 2}
_SEAT_AT: Final = {CLAIMED: 0, UPDATED: 0, PASSED: 1, PLAYED: 2, CHOSEN: 1}
_WIDEST: Final = 48
"""More bits than a time has."""

_encode: Final = Encoder().encode
_decode: Final = Decoder().decode


class Columns(NamedTuple):
    """A log but for its last event: *parts* are worth compressing, *rest* is not."""

    parts: tuple[bytes, ...]
    rest: tuple[bytes, ...]


class NotInColumnsError(Exception):
    """The log is of a kind that has no such form."""


def columns_of(rows: Sequence[Row]) -> Columns:
    """Return *rows*, from event 1 on, as columns.

    Raises:
        NotInColumnsError: They cannot be written so.
    """
    writer = _Writer()
    for row in rows:
        writer.add(row)
    return writer.columns()


def rows_in(columns: Columns, count: int) -> Iterator[Row]:
    """Yield the *count* rows in *columns*, each with a name for its command that says nothing.

    Raises, or anything that indexing or decoding raises:
        ValueError: There are no such columns.
    """
    reader = _Reader(columns)
    for _ in range(count):
        yield reader.row()


class _Shape(NamedTuple):
    """What events have in common; *follows* is at the very time of the one before."""

    type: int
    v: int
    size: int
    begins: bool
    follows: bool


class _Followers:
    """Which shape came the last time after the same one at the same stage."""

    def __init__(self) -> None:
        self._after: dict[tuple[int, ...], int] = {}
        self._before = -1

    def expected(self, stage: tuple[int, ...]) -> int:
        return self._after.get((self._before, *stage), -1)

    def see(self, number: int, stage: tuple[int, ...]) -> None:
        self._after[(self._before, *stage)] = number
        self._before = number


class _Actors:
    """Who is likely to be behind an event."""

    def __init__(self) -> None:
        self._seats: dict[int, Any] = {}
        self._kinds: dict[int, Any] = {}
        self._before: Any = None

    def expected(self, shape: _Shape, values: Sequence[Any]) -> Any:  # noqa: ANN401 - a stored value
        if shape.follows:
            return self._before
        seat = _mover(shape, values)
        return self._kinds.get(shape.type) if seat is None else self._seats.get(seat, seat)

    def see(self, shape: _Shape, values: Sequence[Any], actor: Any) -> None:  # noqa: ANN401
        seat = _mover(shape, values)
        if seat is not None:
            self._seats[seat] = actor
        self._kinds[shape.type] = self._before = actor


def _mover(shape: _Shape, values: Sequence[Any]) -> int | None:
    place = _SEAT_AT.get(shape.type)
    return None if place is None else values[place]


class _Writer:
    def __init__(self) -> None:
        self._course, self._followers, self._actors = Course(), _Followers(), _Actors()
        self._shapes: dict[_Shape, int] = {}
        self._digits = DigitWriter()
        self._literals: list[Any] = []
        self._links: list[bytes] = []
        self._kinds, self._missed = bytearray(), bytearray()
        self._widths = {True: Habit(_WIDEST), False: Habit(_WIDEST)}
        self._time = 0

    def add(self, row: Row) -> None:
        kind, v, time, actor, cause, *values = row
        begins = cause is not None
        shape = _Shape(kind, v, len(values), begins, not begins and time == self._time)
        self._add_shape(shape)
        missed = 0
        for place, value in enumerate(values):
            if not self._add(kind, place, values):
                missed |= 1 << place
                self._literals.append(self._without_links(value))
        if actor != self._actors.expected(shape, values):
            missed |= 1 << shape.size
            self._literals.append(actor)
        self._missed += varint(missed)
        self._add_time(shape, time, actor)
        self._actors.see(shape, values, actor)
        self._course.see(kind, values)

    def columns(self) -> Columns:
        derived, kept = thinned(self._links)
        shapes = [list(shape) for shape in self._shapes]
        return Columns(
            (
                _encode([shapes, self._literals]),
                derived,
                bytes(self._kinds),
                bytes(self._missed),
            ),
            (kept, self._digits.bytes()),
        )

    def _add_shape(self, shape: _Shape) -> None:
        number, stage = self._shapes.setdefault(shape, len(self._shapes)), self._course.stage()
        self._kinds.append(0 if number == self._followers.expected(stage) else number + 1)
        self._followers.see(number, stage)

    def _add_time(self, shape: _Shape, time: int, actor: Any) -> None:  # noqa: ANN401
        if self._course.seq == 1:
            self._literals.append(time)
            return
        wait, self._time = time - self._time, time
        if wait < 0:
            raise NotInColumnsError("times go back")
        if not shape.follows:
            width = wait.bit_length()
            self._digits.put_usual(width, self._widths[isinstance(actor, list)])
            if wait:
                self._digits.put(wait - _least(width), _least(width))

    def _add(self, kind: int, place: int, values: list[Any]) -> bool:
        """Write a value that is likely, or else return False."""
        course, value = self._course, values[place]
        choices = course.choices(kind, place, values)
        if choices:
            return self._add_choice(value, choices)
        if kind == DEALT and place == _HANDS:
            return self._add_hands(value)
        if kind == PASSED and place == _CARDS:
            return self._add_pass(value, values[1])
        if _OPENED_AT.get(kind) == place:
            return self._add_opened(value)
        expected = course.expected(kind, place, values)
        return type(expected) is type(value) and expected == value

    def _add_choice(self, value: Any, choices: Sequence[int]) -> bool:  # noqa: ANN401
        if value not in choices:
            return False
        self._digits.put(choices.index(value), len(choices))
        return True

    def _add_hands(self, value: list[bytes]) -> bool:
        hands, deck = list(map(cards_in, value)), self._course.deck
        size = len(deck) // len(hands)
        are_even = all(len(hand) == size for hand in hands)
        if not are_even or sorted(card for hand in hands for card in hand) != deck:
            return False
        left = deck
        for hand in hands:
            self._digits.put(rank_of([left.index(card) for card in hand]), comb(len(left), size))
            left = _but(left, hand)
        return True

    def _add_pass(self, cards: list[int], seat: int) -> bool:
        hand = self._course.hand(seat)
        if len(cards) != self._course.count or len({*cards} & {*hand}) != len(cards):
            return False
        for card in cards:
            self._digits.put(hand.index(card), len(hand))
            hand.remove(card)
        return True

    def _add_opened(self, value: Any) -> bool:  # noqa: ANN401 - a stored value
        if value is None or value != self._course.opened(value[1]):
            return False
        self._links.append(value[1])
        return True

    def _without_links(self, value: Any) -> Any:  # noqa: ANN401 - a stored value
        if isinstance(value, bytes) and len(value) == LINK_BYTES:
            self._links.append(value)
            return _LINK
        if isinstance(value, list):
            return [self._without_links(one) for one in value]
        return value


class _Reader:
    def __init__(self, columns: Columns) -> None:
        literals, derived, self._kinds, self._missed = columns.parts
        kept, digits = columns.rest
        self._course, self._followers, self._actors = Course(), _Followers(), _Actors()
        shapes, values = _decode(literals)
        self._shapes = [_Shape(*shape) for shape in shapes]
        self._literals = iter(values)
        self._links = iter(thickened(derived, kept))
        self._digits = DigitReader(digits)
        self._widths = {True: Habit(_WIDEST), False: Habit(_WIDEST)}
        self._place = self._time = 0

    def row(self) -> Row:
        shape, course = self._shape(), self._course
        missed, self._place = read_varint(self._missed, self._place)
        values: list[Any] = []
        for place in range(shape.size):
            if missed >> place & 1:
                values.append(self._with_links(next(self._literals)))
            else:
                values.append(self._value(shape.type, place, values))
        if missed >> shape.size & 1:
            actor = next(self._literals)
        else:
            actor = self._actors.expected(shape, values)
        time = self._next_time(shape, actor)
        name = b"".join(nameless(course.seq)) if shape.begins else None
        self._actors.see(shape, values, actor)
        course.see(shape.type, values)
        return [shape.type, shape.v, time, actor, name, *values]

    def _shape(self) -> _Shape:
        code, stage = self._kinds[self._course.seq - 1], self._course.stage()
        number = code - 1 if code else self._followers.expected(stage)
        self._followers.see(number, stage)
        return self._shapes[number]

    def _next_time(self, shape: _Shape, actor: Any) -> int:  # noqa: ANN401 - a stored value
        if self._course.seq == 1:
            created_at: int = next(self._literals)
            return created_at
        if not shape.follows:
            least = _least(self._digits.take_usual(self._widths[isinstance(actor, list)]))
            self._time += least + self._digits.take(least)
        return self._time

    def _value(self, kind: int, place: int, known: list[Any]) -> Any:  # noqa: ANN401 - a stored value
        course = self._course
        choices = course.choices(kind, place, known)
        if choices:
            return choices[self._digits.take(len(choices))]
        if kind == DEALT and place == _HANDS:
            return self._hands()
        if kind == PASSED and place == _CARDS:
            return self._pass(known[1])
        if _OPENED_AT.get(kind) == place:
            return course.opened(next(self._links))
        return course.expected(kind, place, known)

    def _hands(self) -> list[bytes]:
        left, seats = self._course.deck, self._course.seats
        size, hands = len(left) // seats, []
        for _ in range(seats):
            rank = self._digits.take(comb(len(left), size))
            hand = [left[place] for place in places_of(rank, size, len(left))]
            hands.append(set_of(hand))
            left = _but(left, hand)
        return hands

    def _pass(self, seat: int) -> list[int]:
        hand = self._course.hand(seat)
        return [hand.pop(self._digits.take(len(hand))) for _ in range(self._course.count)]

    def _with_links(self, value: Any) -> Any:  # noqa: ANN401 - a stored value
        if isinstance(value, Ext):
            return next(self._links)
        if isinstance(value, list):
            return [self._with_links(one) for one in value]
        return value


def _least(width: int) -> int:
    """Return the least number of *width* bits, which is how many there are of them."""
    return 1 << width - 1 if width else 0


def _but(cards: Sequence[int], gone: Sequence[int]) -> list[int]:
    held = set(gone)
    return [card for card in cards if card not in held]
