"""One line of a text, read word by word, which are parted by any white space."""

import re
from typing import Final, NamedTuple, NoReturn

from engine.cards import CODES, RANKS, SUITS
from engine.notation.errors import NotationError
from engine.notation.record import BOT_PREFIX, HUMAN, NOTHING, Codes, Hand
from engine.notation.writer import HIDDEN

_BETWEEN_BLANKS: Final = re.compile(r"\S+")
POINTS: Final = re.compile("0|-?[1-9][0-9]{0,6}", re.ASCII)
WORD: Final = re.compile("[a-z][a-z0-9_]{0,31}", re.ASCII)
_BOT: Final = re.compile(f"{BOT_PREFIX}({WORD.pattern})(?:/([1-9][0-9]{{0,3}}))?", re.ASCII)
_NUMBER: Final = re.compile("[1-9][0-9]{0,3}", re.ASCII)
_SEAT: Final = re.compile("0|[1-9][0-9]?", re.ASCII)
_CODES: Final = frozenset(CODES)
_RANK_PLACES: Final = {rank: place for place, rank in enumerate(RANKS)}


class Kind(NamedTuple):
    """Who plays: a bot of *level*, with its *version* if that is said; a person if None."""

    level: str | None
    version: int | None = None


def kind_in(text: str) -> Kind | None:
    """Return who plays, as *text* says; None if it does not."""
    if text == HUMAN:
        return Kind(None)
    found = _BOT.fullmatch(text)
    if found is None:
        return None
    level, version = found.groups()
    return Kind(level, None if version is None else int(version))


class Word(NamedTuple):
    """A word and the column where it begins."""

    text: str
    column: int

    def without(self, prefix: str) -> "Word":
        """Return what follows on *prefix*, with which the word begins."""
        return Word(self.text.removeprefix(prefix), self.column + len(prefix))

    def cut(self, mark: str) -> tuple["Word", "Word | None"]:
        """Return what stands before the first *mark*, and after it, None if there is none."""
        before, found, after = self.text.partition(mark)
        column = self.column + len(before) + len(mark)
        return Word(before, self.column), Word(after, column) if found else None


class Words:
    """The words of the line numbered *number* of a game of *seats*."""

    def __init__(self, number: int, text: str, seats: int) -> None:
        self.number = number
        self.seats = seats
        self._words = [
            Word(found.group(), found.start() + 1) for found in _BETWEEN_BLANKS.finditer(text)
        ]
        self._end = len(text) + 1
        self._next = 0

    def refuse(self, code: str, column: int, expected: str) -> NoReturn:
        """Say what was *expected* at *column*."""
        raise NotationError(code, self.number, column, expected)

    def peek(self) -> str | None:
        """Return the text of the next word, None at the end."""
        return self._words[self._next].text if self._next < len(self._words) else None

    def take(self, expected: str) -> Word:
        """Return the next word.

        Raises:
            NotationError: The line ends before it.
        """
        if self._next == len(self._words):
            self.refuse("line_too_short", self._end, expected)
        self._next += 1
        return self._words[self._next - 1]

    def take_mark(self, mark: str) -> None:
        """Take the word *mark*."""
        word = self.take(f"`{mark}`")
        if word.text != mark:
            self.refuse("bad_mark", word.column, f"`{mark}`")

    def end(self) -> None:
        """Refuse a line that goes on."""
        if self._next < len(self._words):
            self.refuse("line_too_long", self._words[self._next].column, "the end of the line")

    def number_of(self, word: Word) -> int:
        """Return the number, from 1, that *word* is."""
        if not _NUMBER.fullmatch(word.text):
            self.refuse("bad_number", word.column, "a number from 1")
        return int(word.text)

    def seat_of(self, word: Word) -> int:
        """Return the seat that *word* is."""
        if not _SEAT.fullmatch(word.text) or int(word.text) >= self.seats:
            self.refuse("bad_seat", word.column, f"a seat from 0 to {self.seats - 1}")
        return int(word.text)

    def points_of(self, word: Word) -> int:
        """Return the points that *word* is."""
        if not POINTS.fullmatch(word.text):
            self.refuse("bad_points", word.column, "points, such as 13 or -26")
        return int(word.text)

    def reason_of(self, word: Word) -> str:
        """Return the reason that *word* is."""
        if not WORD.fullmatch(word.text):
            self.refuse("bad_reason", word.column, "a reason in lower-case letters")
        return word.text

    def kind_of(self, word: Word) -> Kind:
        """Return who plays, as *word* says."""
        kind = kind_in(word.text)
        if kind is None:
            self.refuse("bad_kind", word.column, f"`{HUMAN}` or `{BOT_PREFIX}` and a level")
        return kind

    def card_of(self, word: Word) -> str:
        """Return the code that *word* is, in any case."""
        code = word.text.upper()
        if code not in _CODES:
            self.refuse("bad_card", word.column, "a card such as QS")
        return code

    def passed_of(self, word: Word) -> Hand:
        """Return the cards of a pass, None where they are hidden."""
        if word.text == HIDDEN:
            return None
        codes, column = [], word.column
        for code in word.text.split("-"):
            codes.append(self.card_of(Word(code, column)))
            column += len(code) + 1
        return tuple(codes)

    def hand_of(self, word: Word) -> Hand:
        """Return the hand that *word* spells out, None where it is hidden."""
        if word.text == HIDDEN:
            return None
        suits = word.text.split(".")
        if len(suits) != len(SUITS):
            self.refuse("bad_hand", word.column, "clubs, diamonds, spades and hearts with dots")
        codes: list[str] = []
        column = word.column
        for ranks, suit in zip(suits, SUITS, strict=True):
            codes += self._suit(Word(ranks.upper(), column), suit)
            column += len(ranks) + 1
        return tuple(codes)

    def _suit(self, word: Word, suit: str) -> Codes:
        if word.text == NOTHING:
            return ()
        places = [_RANK_PLACES.get(rank, -1) for rank in word.text]
        if not places or -1 in places or places != sorted(places):
            self.refuse("bad_hand", word.column, "ranks from 2 to A in ascending order, or -")
        return tuple(rank + suit for rank in word.text)
