"""The options of rules in requests."""

import re
from typing import Any, Final

from marshmallow import fields

from engine.cards import MOST_PACKS, PACK_SIZE, RANKS
from engine.conflicts import LONGEST_CYCLE, MOST_POINTS, MOST_TARGET
from engine.presets import PRESETS
from engine.rules import (
    MOST_DEALS,
    BrokenBy,
    Direction,
    FirstTrickPoints,
    HeartPoints,
    HeartsAndQueen,
    HeartsLead,
    KittyTo,
    Leftover,
    Moon,
    MoonNeeds,
    OpeningLead,
    QueenLimit,
    Reach,
    Removal,
    Reveal,
    Tie,
)
from engine.seats import FEWEST_SEATS, MOST_SEATS
from service.schemas.fields import (
    CARD,
    Boolean,
    Either,
    Integer,
    Items,
    Points,
    Text,
    Word,
    card,
    words_of,
)
from service.schemas.strict import Strict

LARGEST_HAND: Final = 20
LARGEST_KITTY: Final = MOST_SEATS - 1
MOST_VERSION: Final = 999_999_999

_RANK: Final = re.compile(f"[{RANKS}]")


def _points(least: int = -MOST_POINTS, most: int = MOST_POINTS, **kwargs: Any) -> Integer:
    return Integer(least, most, **kwargs)


class DeckOptions(Strict):
    """Which cards are in play."""

    packs = Integer(1, MOST_PACKS)
    remove = Either(
        Items(card(), most=PACK_SIZE, unique=True),
        words_of(Removal),
    )
    leftover = words_of(Leftover)
    kitty_to = words_of(KittyTo)


class PassingOptions(Strict):
    """How many cards go where."""

    count = Integer(0, LARGEST_HAND)
    cycle = Items(words_of(Direction), least=1, most=LONGEST_CYCLE)


class PlayOptions(Strict):
    """What may be led and played."""

    opening_lead = words_of(OpeningLead)
    first_trick_points = words_of(FirstTrickPoints)
    hearts_lead = words_of(HeartsLead)
    hearts_broken_by = words_of(BrokenBy)
    queen = words_of(QueenLimit)
    hearts_and_queen = words_of(HeartsAndQueen)
    cancel_pairs = Boolean()


class ScoringOptions(Strict):
    """What cards and moons count."""

    hearts = Either(words_of(HeartPoints), Points(_RANK, -MOST_POINTS, MOST_POINTS))
    queen_of_spades = _points(least=0)
    extra = Points(CARD, -MOST_POINTS, MOST_POINTS)
    no_trick = _points(most=0)
    moon = words_of(Moon)
    moon_points = Either(Word(["auto"]), _points())
    moon_needs = words_of(MoonNeeds)
    moon_absorbs_bonus = Boolean()
    sun_points = _points(allow_none=True)


class EndingOptions(Strict):
    """When the game is over."""

    target = Integer(1, MOST_TARGET, allow_none=True)
    deals = Integer(1, MOST_DEALS, allow_none=True)
    reach = words_of(Reach)
    tie = words_of(Tie)


class DerivedOptions(Strict):
    """What follows from the options, sent back as it was read."""

    deck_size = Integer(0, MOST_PACKS * PACK_SIZE)
    hand_size = Integer(0, LARGEST_HAND)
    kitty_size = Integer(0, LARGEST_KITTY)
    removed = Items(card(), most=PACK_SIZE, unique=True)
    opening_card = Text(CARD, "a card like 2C", allow_none=True)
    penalty_points = Integer(0, 999_999)


class Rules(Strict):
    """What differs from a preset."""

    preset = Word(PRESETS)
    version = Integer(1, MOST_VERSION)
    seats = Integer(FEWEST_SEATS, MOST_SEATS)
    reveal = words_of(Reveal)
    deck = fields.Nested(DeckOptions)
    passing = fields.Nested(PassingOptions)
    play = fields.Nested(PlayOptions)
    scoring = fields.Nested(ScoringOptions)
    ending = fields.Nested(EndingOptions)
    derived = fields.Nested(DerivedOptions)
