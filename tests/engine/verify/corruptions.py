"""Texts of games with one token changed."""

import re
from typing import NamedTuple

from engine.notation.reader import read_game

WORD = re.compile(r'[^\s"\[\]]+')
DESCRIPTION = re.compile(r"\[(Date|Site|Seat\d+|Kind\d+|Preset|Origin) |C\d+ |\[[A-Za-z0-9]+$")
"""Lines that only describe: nothing in a game follows from them."""

TAKEN = re.compile(r"=.+|K\d+")
"""Who took a trick, or the kitty: it follows from the cards."""

LETTERS = "0123456789abcdefTJQKACDSH-.:=+"


class Corruption(NamedTuple):
    """A text in which the word *old* of line *line* became *new*."""

    text: str
    line: int
    old: str
    new: str

    def is_harmless(self, original):
        """Whether *original* said the same, or more of who took what, which may be missing."""
        left_out = self.new == "" and TAKEN.fullmatch(self.old)
        return left_out or read_game(self.text).record == read_game(original).record


def corrupted(text, rng):
    """Return *text* with one word changed that says something of the game."""
    lines = text.split("\n")
    while True:
        number = rng.randrange(len(lines))
        words = list(WORD.finditer(lines[number]))
        if not words or DESCRIPTION.match(lines[number]):
            continue
        word = rng.choice(words)
        new = _changed(word.group(), text, rng)
        if new.upper() == word.group().upper():
            continue
        line = lines[number]
        changed = line[: word.start()] + new + line[word.end() :]
        rest = [*lines[:number], changed, *lines[number + 1 :]]
        return Corruption("\n".join(rest), number + 1, word.group(), new)


def _changed(word, text, rng):
    """Return another word: one letter off, one of its own kind from elsewhere, or none."""
    way = rng.randrange(5)
    place = rng.randrange(len(word))
    if way == 0:
        return word[:place] + rng.choice(LETTERS) + word[place + 1 :]
    if way == 1:
        return word[:place] + word[place + 1 :]
    if way == 2:
        return word[:place] + rng.choice(LETTERS) + word[place:]
    alike = [other for other in WORD.findall(text) if _shape(other) == _shape(word)]
    return rng.choice(alike) if way == 3 else rng.choice(["", *alike])


def _shape(word):
    return re.sub(r"[0-9]+", "0", re.sub(r"[2-9TJQKA][CDSH]", "c", word))[:8]
