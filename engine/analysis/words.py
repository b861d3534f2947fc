"""How sentences about moves call cards, and the two choices after a moon."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.cards import HEARTS, SUIT_NAMES, CardSet, codes_of
from engine.scoring import MoonChoice

_RANK_NAMES: Final = {
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}

CHOICES: Final[Mapping[MoonChoice, str]] = MappingProxyType(
    {
        MoonChoice.OTHERS_ADD: "adding the points to the others",
        MoonChoice.SELF_SUBTRACT: "subtracting the points",
    }
)


def card_words(code: str) -> str:
    """Return what the card with that *code* is called, without an article: ``queen of spades``."""
    return f"{_RANK_NAMES[code[0]]} of {SUIT_NAMES[code[1]]}"


def dearest_words(dearest: CardSet) -> str:
    """Return what to call the cards of the *dearest* penalty, all that there are."""
    codes = codes_of(dearest)
    if len(set(codes)) == 1:
        return f"{'every' if len(codes) > 1 else 'the'} {card_words(codes[0])}"
    return "every heart" if not dearest & ~HEARTS else "all the dearest cards"
