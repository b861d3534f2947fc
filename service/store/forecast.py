"""What the next values of a log are likely to be, from those before them.

An archive keeps only what comes otherwise. So nothing here need be right, but nothing here
may ever change: a record is read with the same forecasts that it was written with. Hence no
rule of the game is asked, and no other code.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

Values: TypeAlias = Sequence[Any]
"""The values of an event as the stored form has them, as far as they are known."""

CLAIMED: Final = 2
UPDATED: Final = 3
STARTED: Final = 4
DEALT: Final = 5
PASSED: Final = 6
RECEIVED: Final = 7
PLAYED: Final = 8
TRICK: Final = 9
CHOSEN: Final = 11
SCORED: Final = 12
VOIDED: Final = 24

_PACK: Final = 52
_SUIT: Final = 13
_HEARTS: Final = 3
_QUEEN_OF_SPADES: Final = 36
_QUEEN_POINTS: Final = 13
_TO: Final = {"left": 1, "right": -1, "left2": 2, "right2": -2}
_NEXT: Final = {"left": "right", "right": "across", "across": "hold", "hold": "left"}


class Course:
    """How a game has gone so far; *seq* is the number of the event that comes next."""

    def __init__(self) -> None:
        self.seq = 1
        self.deal, self.trick, self.turn = 0, 1, 0
        self.seats, self.dealer, self.seat = 4, 0, 0
        self.deck: list[int] = list(range(_PACK))
        self.dealt: Any = None
        self.kitty: Any = b""
        self.hands: list[set[int]] = []
        self.passed: dict[int, list[int]] = {}
        self.table: list[int] = []
        self.are_hearts_broken = False
        self.direction: Any = "hold"
        self.directions: dict[Any, Any] = dict(_NEXT)
        self.counts: dict[Any, int] = {"hold": 0}
        self.count = 0
        self.opening: Any = None
        self.taken: list[int] = []
        self.totals: list[int] = []
        self.automatic: dict[int, Any] = {}
        self.latest: dict[int, Values] = {}

    def stage(self) -> tuple[int, ...]:
        """Return what says best of which kind the next event is."""
        return len(self.table), len(self.passed), any(self.hands)

    def see(self, kind: int, values: Values) -> None:
        """Go on with an event of *kind*, whatever its *values* are."""
        watch = _WATCHED.get(kind)
        if watch is not None:
            watch(self, values)
        self.latest[kind] = values
        self.seq += 1

    def expected(self, kind: int, place: int, known: Values) -> Any:  # noqa: ANN401 - a stored value
        """Return what is likely in *place* of an event of *kind* after the values *known*."""
        expect = _EXPECTED.get((kind, place))
        if expect is not None:
            return expect(self, known)
        before = self.latest.get(kind, ())
        return before[place] if place < len(before) else _NOTHING

    def choices(self, kind: int, place: int, known: Values) -> Sequence[int]:
        """Return the numbers of which one is likely there; none where nothing is known."""
        if kind == PLAYED and place == _CARD:
            return self._playable(known[_SEAT_OF_PLAY])
        if kind == PASSED and place == _SEAT_OF_PASS:
            return [seat for seat in range(self.seats) if seat not in self.passed]
        return ()

    def hand(self, seat: int) -> list[int]:
        """Return the cards that *seat* holds, in deck order; none if that is not known."""
        return sorted(self.hands[seat]) if seat < len(self.hands) else []

    def opened(self, link: bytes) -> Values:
        """Return the running deal laid open, as dealt from *link*."""
        return [self.deal, link, self.dealt, self.kitty]

    def _playable(self, seat: int) -> list[int]:
        hand = self.hand(seat)
        if self.table:
            led = _suit(self.table[0])
            return [card for card in hand if _suit(card) == led] or hand
        if self.trick == 1 and self.opening in hand:
            return [self.opening]
        if self.are_hearts_broken:
            return hand
        return [card for card in hand if _suit(card) != _HEARTS] or hand

    def winner(self) -> int:
        """Return who has the highest card of the suit that was led."""
        led = _suit(self.table[0])
        place = max(
            range(len(self.table)),
            key=lambda one: (_suit(self.table[one]) == led, self.table[one] % _SUIT),
        )
        return (self.seat - len(self.table) + place) % self.seats

    def received(self) -> Any:  # noqa: ANN401 - a stored value
        """Return what each seat has received, if all pass the same way."""
        step = self.seats // 2 if self.direction == "across" else _TO.get(self.direction)
        if step is None or len(self.passed) != self.seats:
            return _NOTHING
        givers = [(seat - step) % self.seats for seat in range(self.seats)]
        return [[[giver, set_of(self.passed[giver])]] for giver in givers]


_NOTHING: Final = object()
_SEAT_OF_PASS: Final = 1
_SEAT_OF_PLAY: Final = 2
_CARD: Final = 3


def cards_in(form: bytes) -> list[int]:
    """Return the cards of a set in deck order."""
    number = int.from_bytes(form, "little")
    return [card for card in range(number.bit_length()) if number >> card & 1]


def set_of(cards: Sequence[int]) -> bytes:
    """Return the set of *cards* as the stored form has it."""
    number = sum(1 << card for card in cards)
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


def _suit(card: int) -> int:
    return card % _PACK // _SUIT


def _see_dealt(course: Course, values: Values) -> None:
    deal, dealer, direction, count, _, opening, hands, *kitty = values
    course.directions[course.direction] = direction
    course.counts[direction] = course.count = count
    course.deal, course.dealer, course.direction = deal, dealer, direction
    course.opening = opening if opening is not None else course.opening
    course.seats, course.turn, course.trick = len(hands), course.seq, 1
    course.dealt, course.kitty = hands, kitty[0] if kitty else b""
    course.hands = [set(cards_in(hand)) for hand in hands]
    course.deck = sorted(card for hand in course.hands for card in hand)
    course.passed, course.table, course.are_hearts_broken = {}, [], False
    course.taken = [0] * course.seats
    course.seat = values[4] if values[4] is not None else course.seat


def _see_passed(course: Course, values: Values) -> None:
    course.passed[values[_SEAT_OF_PASS]] = values[2]


def _see_received(course: Course, values: Values) -> None:
    course.seat, course.opening = values[1], values[2]
    for seat, cards in course.passed.items():
        if seat < len(course.hands):
            course.hands[seat].difference_update(cards)
    for hand, gifts in zip(course.hands, values[3], strict=False):
        for _, cards in gifts:
            hand.update(cards_in(cards))


def _see_played(course: Course, values: Values) -> None:
    course.trick, seat, card = values[1:4]
    course.automatic[seat] = values[6]
    if seat < len(course.hands):
        course.hands[seat].discard(card)
    course.table.append(card)
    course.are_hearts_broken = course.are_hearts_broken or values[5]
    course.seat = (seat + 1) % course.seats


def _see_trick(course: Course, values: Values) -> None:
    _, trick, winner, points, _, leader = values[:6]
    if winner is not None and winner < len(course.taken):
        course.taken[winner] += points
    course.trick, course.table = trick + 1, []
    course.seat = course.seat if leader is None else leader


def _see_scored(course: Course, values: Values) -> None:
    course.totals = values[3]


def _see_started(course: Course, values: Values) -> None:
    course.seats = len(values[0])
    course.totals = [0] * course.seats


_WATCHED: Final[dict[int, Callable[[Course, Values], None]]] = {
    STARTED: _see_started,
    DEALT: _see_dealt,
    PASSED: _see_passed,
    RECEIVED: _see_received,
    PLAYED: _see_played,
    TRICK: _see_trick,
    SCORED: _see_scored,
}


def _holder(course: Course, _: Values) -> int:
    """Return who leads after the passes: who has the card that opens."""
    given = {card for cards in course.passed.values() for card in cards}
    if course.opening in given:
        gifts = course.received()
        if gifts is _NOTHING:
            return 0
        return next(
            seat for seat, ((_, cards),) in enumerate(gifts) if course.opening in cards_in(cards)
        )
    return next((seat for seat, hand in enumerate(course.hands) if course.opening in hand), 0)


def _points(course: Course, _: Values) -> int:
    hearts = sum(_suit(card) == _HEARTS for card in course.table)
    queens = sum(card % _PACK == _QUEEN_OF_SPADES for card in course.table)
    return hearts + _QUEEN_POINTS * queens


def _totals(course: Course, known: Values) -> list[int]:
    return [total + points for total, points in zip(course.totals, known[2], strict=False)]


def _breaks(course: Course, known: Values) -> bool:
    card = known[_CARD]
    return not course.are_hearts_broken and (
        _suit(card) == _HEARTS or card % _PACK == _QUEEN_OF_SPADES
    )


_EXPECTED: Final[dict[tuple[int, int], Callable[[Course, Values], Any]]] = {
    (DEALT, 0): lambda course, _: course.deal + 1,
    (DEALT, 1): lambda course, _: (course.dealer + 1) % course.seats,
    (DEALT, 2): lambda course, _: course.directions.get(course.direction),
    (DEALT, 3): lambda course, known: course.counts.get(known[2], 3),
    (DEALT, 4): lambda _, known: None if known[3] else 0,
    (DEALT, 5): lambda course, known: None if known[3] else course.opening,
    (DEALT, 7): lambda course, _: course.kitty,
    (PASSED, 0): lambda course, _: course.deal,
    (PASSED, 3): lambda course, _: course.turn,
    (RECEIVED, 0): lambda course, _: course.deal,
    (RECEIVED, 1): _holder,
    (RECEIVED, 2): lambda course, _: course.opening,
    (RECEIVED, 3): lambda course, _: course.received(),
    (PLAYED, 0): lambda course, _: course.deal,
    (PLAYED, 1): lambda course, _: course.trick,
    (PLAYED, 2): lambda course, _: course.seat,
    (PLAYED, 4): lambda course, _: course.seq - 1,
    (PLAYED, 5): _breaks,
    (PLAYED, 6): lambda course, known: course.automatic.get(known[_SEAT_OF_PLAY]),
    (TRICK, 0): lambda course, _: course.deal,
    (TRICK, 1): lambda course, _: course.trick,
    (TRICK, 2): lambda course, _: course.winner() if course.table else None,
    (TRICK, 3): _points,
    (TRICK, 4): lambda course, _: course.table,
    (TRICK, 5): lambda course, known: known[2] if any(course.hands) else None,
    (SCORED, 0): lambda course, _: course.deal,
    (SCORED, 1): lambda course, _: course.taken,
    (SCORED, 2): lambda _, known: known[1],
    (SCORED, 3): _totals,
}
"""What is likely in a place of a type; elsewhere it is what stood there the last time."""
