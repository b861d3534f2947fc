"""Cards, and sets of cards, as bits of an int.

A card *is* a set of exactly one card, so an index is never mistaken for a mask.
Suits are blocks of 13 bits in the order clubs, diamonds, spades, hearts, each
from two to ace, so within a suit of one pack the larger int is the higher card.
A second pack is 52 further bits. The suit constants cover both packs, so the same
operations serve one pack and two. The two cards of one code, *twins*, stay distinct in
here, so that sets of cards can be joined; the readable form writes both as that code, and
nobody is told which is which.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

CardSet: TypeAlias = int
Card: TypeAlias = CardSet

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDSH"
PACK_SIZE: Final = 52
MOST_PACKS: Final = 2

NO_CARDS: Final[CardSet] = 0
_FIRST_PACK: Final = (1 << PACK_SIZE) - 1
_BOTH_PACKS: Final = 1 | 1 << PACK_SIZE

CLUBS: Final[CardSet] = 0x1FFF * _BOTH_PACKS
DIAMONDS: Final[CardSet] = CLUBS << 13
SPADES: Final[CardSet] = CLUBS << 26
HEARTS: Final[CardSet] = CLUBS << 39

CODES: Final[Sequence[str]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 codes in deck order: ``2C`` … ``AC``, diamonds, spades, hearts."""

_CODE_OF: Final[Mapping[Card, str]] = {
    1 << pack * PACK_SIZE + place: code
    for pack in range(MOST_PACKS)
    for place, code in enumerate(CODES)
}
_CARD_OF: Final[Mapping[str, Card]] = {code: 1 << place for place, code in enumerate(CODES)}
_SUIT_SETS: Final = (CLUBS, DIAMONDS, SPADES, HEARTS)

QUEEN_OF_SPADES: Final[CardSet] = _CARD_OF["QS"] * _BOTH_PACKS

SUIT_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
)


def card(code: str) -> Card:
    """Return the card of the first pack that *code* names.

    Raises:
        ValueError: *code* is not two characters, a rank and a suit.
    """
    try:
        return _CARD_OF[code]
    except KeyError:
        msg = f"{code!r} is not a card"
        raise ValueError(msg) from None


def cards(codes: str) -> CardSet:
    """Return the set that *codes*, separated by blanks, names: ``"QS 2H"``.

    Raises:
        ValueError: A code is unknown.
    """
    return union(card(code) for code in codes.split())


def code_of(one: Card) -> str:
    """Return the two characters that name *one*."""
    return _CODE_OF[one]


def union(sets: Iterable[CardSet]) -> CardSet:
    """Return the cards that are in any of *sets*."""
    result = NO_CARDS
    for some in sets:
        result |= some
    return result


def each(some: CardSet) -> Iterator[Card]:
    """Yield the cards of *some* one by one, lowest bit first."""
    while some:
        lowest = some & -some
        yield lowest
        some ^= lowest


def in_deck_order(some: CardSet) -> Iterator[Card]:
    """Yield the cards of *some* one by one in deck order, twins side by side."""
    if some >> PACK_SIZE:
        return iter(sorted(each(some), key=_place))
    return each(some)


def codes_of(some: CardSet) -> list[str]:
    """Return the codes of *some* in deck order, of twins both."""
    return [_CODE_OF[one] for one in in_deck_order(some)]


def named(one: Card) -> Card:
    """Return the card of the first pack that has the code of *one*."""
    return one >> PACK_SIZE or one


def twins(some: CardSet) -> CardSet:
    """Return every card that has the code of one of *some*, in both packs."""
    return ((some | some >> PACK_SIZE) & _FIRST_PACK) * _BOTH_PACKS


def one_of_each(some: CardSet) -> CardSet:
    """Return *some* with one of two twins left out."""
    return some & ~((some & _FIRST_PACK) << PACK_SIZE)


def held(one: Card, hand: CardSet) -> Card:
    """Return the card of *hand* that has the code of *one*, or the empty set."""
    if one & hand:
        return one
    return twins(one) & hand


def below(one: Card) -> CardSet:
    """Return the lower cards of the suit of *one*, in both packs."""
    return _BELOW[one]


def above(one: Card) -> CardSet:
    """Return the higher cards of the suit of *one*, in both packs."""
    return _ABOVE[one]


def _place(one: Card) -> int:
    return (one.bit_length() - 1) % PACK_SIZE


def suit_of(one: Card) -> CardSet:
    """Return every card of the suit of *one*."""
    try:
        return _SUIT_OF[one]
    except KeyError:
        msg = f"{one} is not a card"
        raise AssertionError(msg) from None


def rank_of(one: Card) -> int:
    """Return the place of *one* in its suit, 0 for a two to 12 for an ace."""
    return _RANK_OF[one]


def lowest(some: CardSet) -> Card:
    """Return a card of *some* that stands first in deck order, or the empty set."""
    if some >> PACK_SIZE:
        return next(in_deck_order(some))
    return some & -some


# Asked for at every card, so looked up.
_SUIT_OF: Final = {one: suit for suit in _SUIT_SETS for one in each(suit)}
_RANK_OF: Final = {one: _place(one) % len(RANKS) for one in _SUIT_OF}
_BELOW: Final = {one: suit & (named(one) - 1) * _BOTH_PACKS for one, suit in _SUIT_OF.items()}
_ABOVE: Final = {one: suit & ~_BELOW[one] & ~twins(one) for one, suit in _SUIT_OF.items()}
