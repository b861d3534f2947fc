"""Text to records: forgiving about form, exact about everything else.

Forgiven are white space, the case of cards, their order where it says nothing, comments,
line ends of other systems, missing results of tricks, and ``<``, ``>``, ``^`` for
directions. Reading takes time in proportion to the text, whatever stands in it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.cards import CODES
from engine.notation.errors import NotationError
from engine.notation.facts import Facts, Tag, facts_of
from engine.notation.record import (
    NOTHING,
    POSITION,
    AbortLine,
    ControlLine,
    DealLine,
    Hand,
    KittyLine,
    Line,
    MoonLine,
    Outcome,
    PassLine,
    Record,
    ScoreLine,
    TrickLine,
    VoidLine,
    sole_versions,
    tag_names,
)
from engine.notation.words import Word, Words
from engine.rules import Direction
from engine.scoring import MoonChoice

MOST_LINES: Final = 10_000
"""More than the longest game has; a text with more is not read."""

MOST_CHARACTERS: Final = 20_000
"""More than the longest line has, which is that of the links."""

_TAG: Final = re.compile(r'\s*\[\s*([A-Za-z0-9]{1,32})\s+"((?:[^"\\]|\\["\\])*)"\s*\]\s*')
_ESCAPE: Final = re.compile(r'\\(["\\])')
_OUTCOME: Final = re.compile("=([^+-]*|-)([+-].*)?")
_SIGNED: Final = re.compile("[+-][1-9][0-9]{0,6}", re.ASCII)
_COMMENTS: Final = ("%", "{")
_ARROWS: Final = {"<": Direction.LEFT, ">": Direction.RIGHT, "^": Direction.ACROSS}
_DIRECTIONS: Final = {direction.value: direction for direction in Direction} | _ARROWS
_CHOICES: Final = {choice.value: choice for choice in MoonChoice}


@dataclass(frozen=True, slots=True)
class Reading:
    """A record, what its tags say, and the line of the text where each thing stands.

    *places* has one number for each line of the record, *end* is that of its last line.
    """

    record: Record
    facts: Facts
    tag_places: dict[str, int]
    places: tuple[int, ...]
    end: int

    @property
    def versions(self) -> dict[str, int]:
        """The version of each level of bots, where the text names one alone."""
        lines = (line for line in self.record.lines if isinstance(line, ControlLine))
        named = [*self.facts.kinds, *((line.level, line.version) for line in lines)]
        return sole_versions(named)


def read_game(text: str) -> Reading:
    """Return the one game that *text* tells.

    Raises:
        NotationError: There is none, or more than one, or it cannot be read.
    """
    games = read_games(text)
    first = next(games, None)
    if first is None:
        raise NotationError("missing_tag", 1, 1, "a game that begins with its tags")
    second = next(games, None)
    if second is not None:
        raise NotationError("more_than_one_game", first.end + 1, 1, "the end of the text")
    return first


def read_games(text: str) -> Iterator[Reading]:
    """Yield the games that *text* tells, one after the other.

    Raises:
        NotationError: It cannot be read.
    """
    lines = _lines(text)
    number = 0
    while number < len(lines):
        if _is_empty(lines[number]):
            number += 1
            continue
        reading = _Reader(lines, number).game()
        yield reading
        number = reading.end


def _lines(text: str) -> list[str]:
    lines = text.split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        raise NotationError("text_too_long", MOST_LINES, 1, "a game of fewer lines")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_CHARACTERS:
            raise NotationError("text_too_long", number, MOST_CHARACTERS, "a shorter line")
    return [line.removesuffix("\r") for line in lines]


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith(_COMMENTS)


class _Reader:
    """Reads one game, whose first line is the one numbered *start* from 0."""

    def __init__(self, lines: list[str], start: int) -> None:
        self._lines = lines
        self._next = start

    def game(self) -> Reading:
        tags = dict(self._tags())
        facts = facts_of(tags, self._next + 1)
        names = tag_names(facts.seats) + ((POSITION,) if POSITION in tags else ())
        found, places = [], []
        for number, text in self._rest():
            words = Words(number, text, facts.seats)
            found.append(_line(words))
            words.end()
            places.append(number)
        record = Record({name: _normal(name, tags[name].value) for name in names}, tuple(found))
        tag_places = {name: tags[name].line for name in names}
        return Reading(record, facts, tag_places, tuple(places), self._next)

    def _tags(self) -> Iterator[tuple[str, Tag]]:
        seen = set()
        while self._next < len(self._lines):
            text = self._lines[self._next]
            if not text.lstrip().startswith("["):
                if not _is_empty(text):
                    return
                self._next += 1
                continue
            self._next += 1
            name, tag = _tag(text, self._next)
            if name in seen:
                raise NotationError("repeated_tag", tag.line, 1, "each tag once")
            seen.add(name)
            yield name, tag

    def _rest(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that follow on the tags, each with its number, up to the star."""
        for number in range(self._next + 1, len(self._lines) + 1):
            text = self._lines[number - 1]
            if text.strip() == "*":
                self._next = number
                return
            if not _is_empty(text):
                yield number, text
        raise NotationError("missing_end", len(self._lines), 1, "`*` after the last line")


def _tag(text: str, number: int) -> tuple[str, Tag]:
    found = _TAG.fullmatch(text)
    if found is None:
        expected = 'a tag such as [Seats "4"]'
        raise NotationError("bad_tag", number, 1, expected)
    value = _ESCAPE.sub(r"\1", found.group(2))
    return found.group(1), Tag(value, number, found.start(2) + 1)


_FREE_TEXT: Final = re.compile("Site|Seat[0-9]+")


def _normal(name: str, value: str) -> str:
    """Return the *value* of a tag with white space as it is written."""
    if _FREE_TEXT.fullmatch(name):
        return value
    return "".join(value.split()) if name == "Rules" else " ".join(value.split())


def _line(words: Words) -> Line:
    first = words.take("a line of a game")
    reader = _READERS.get(first.text[0], _trick)
    return reader(words, first)


def _deal(words: Words, first: Word) -> DealLine:
    number = words.number_of(first.without("D"))
    hands = tuple(words.hand_of(words.take("a hand")) for _ in range(words.seats))
    if words.peek() is None:
        return DealLine(number, hands)
    words.take_mark("+")
    place = words.take("a kitty")
    kitty = words.hand_of(place)
    if kitty == ():
        words.refuse("bad_hand", place.column, "at least one card in a kitty")
    return DealLine(number, hands, kitty)


def _pass(words: Words, first: Word) -> PassLine:
    _check_alone(words, first, "P")
    way = words.take("a direction")
    direction = _DIRECTIONS.get(way.text)
    if direction is None:
        words.refuse("bad_direction", way.column, f"one of {', '.join(_DIRECTIONS)}")
    passes: list[tuple[int, Hand]] = []
    while words.peek() is not None and len(passes) < words.seats:
        passes.append(_passed(words, words.take("a pass"), direction))
    return PassLine(direction, tuple(passes))


def _passed(words: Words, word: Word, direction: Direction) -> tuple[int, Hand]:
    seat, written = word.cut(":")
    if written is None:
        words.refuse("bad_pass", word.column, "a seat and its cards, such as 0:QS-KS-AS")
    cards = words.passed_of(written)
    if cards is not None and direction is not Direction.SCATTER:
        cards = tuple(sorted(cards, key=CODES.index))
    return words.seat_of(seat), cards


def _trick(words: Words, first: Word) -> TrickLine:
    number, after = first.cut(".")
    if after is None or after.text:
        words.refuse("bad_line", first.column, "D, P, K, M, S, V, C, X, a number and a dot, or *")
    trick = words.number_of(number)
    opening = words.take("a seat and its card, such as 0:2C")
    seat, card = opening.cut(":")
    if card is None:
        words.refuse("bad_lead", opening.column, "a seat and its card, such as 0:2C")
    leader, cards = words.seat_of(seat), [words.card_of(card)]
    while (text := words.peek()) is not None and text[0] != "=" and len(cards) < words.seats:
        cards.append(words.card_of(words.take("a card")))
    outcome = None if words.peek() is None else _outcome(words)
    return TrickLine(trick, leader, tuple(cards), outcome)


def _outcome(words: Words) -> Outcome:
    word = words.take("who took the trick")
    found = _OUTCOME.fullmatch(word.text)
    if found is None:
        words.refuse("bad_outcome", word.column, "who took the trick, such as =2 or =2+13")
    winner, points = found.group(1), found.group(2)
    if not winner and points == NOTHING:
        return Outcome(None, 0)
    seat = words.seat_of(Word(winner, word.column + 1))
    if points is not None and not _SIGNED.fullmatch(points):
        words.refuse("bad_points", word.column + len(winner) + 1, "points, such as +13 or -10")
    return Outcome(seat, int(points or 0))


def _kitty(words: Words, first: Word) -> KittyLine:
    return KittyLine(words.seat_of(first.without("K")))


def _moon(words: Words, first: Word) -> MoonLine:
    seat = words.seat_of(first.without("M"))
    word = words.take("a choice")
    choice = _CHOICES.get(word.text)
    if choice is None:
        words.refuse("bad_choice", word.column, f"one of {', '.join(_CHOICES)}")
    return MoonLine(seat, choice)


def _score(words: Words, first: Word) -> ScoreLine:
    _check_alone(words, first, "S")
    points = _numbers(words)
    words.take_mark("=")
    return ScoreLine(points, _numbers(words))


def _numbers(words: Words) -> tuple[int, ...]:
    return tuple(words.points_of(words.take("points")) for _ in range(words.seats))


def _void(words: Words, first: Word) -> VoidLine:
    _check_alone(words, first, "V")
    return VoidLine(words.reason_of(words.take("a reason")))


def _control(words: Words, first: Word) -> ControlLine:
    seat = words.seat_of(first.without("C"))
    level, version = words.kind_of(words.take("who plays"))
    return ControlLine(seat, level, words.reason_of(words.take("a reason")), version)


def _abort(words: Words, first: Word) -> AbortLine:
    _check_alone(words, first, "X")
    return AbortLine(words.reason_of(words.take("a reason")))


def _check_alone(words: Words, first: Word, letter: str) -> None:
    if first.text != letter:
        words.refuse("bad_line", first.column, f"`{letter}` and a blank")


_READERS: Final[dict[str, Callable[[Words, Word], Line]]] = {
    "D": _deal,
    "P": _pass,
    "K": _kitty,
    "M": _moon,
    "S": _score,
    "V": _void,
    "C": _control,
    "X": _abort,
}
