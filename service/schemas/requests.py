"""What the bodies of requests must look like. The contract says the same in its own words."""

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError, fields, validates_schema

from engine import bots
from engine.cards import MOST_PACKS, PACK_SIZE, RANKS
from engine.clocks import MOST_SECONDS, MOST_TIMEOUTS, OnAllIdle, OnTimeout
from engine.commands import VISIBILITIES
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
from engine.scoring import MoonChoice
from engine.seats import FEWEST_SEATS, MOST_SEATS
from service.names import PLAYER_REF
from service.schemas.fields import (
    CARD,
    HEX_64,
    JOIN_CODE,
    REQUIRED,
    UNKNOWN,
    Boolean,
    Either,
    Integer,
    Items,
    Metadata,
    Name,
    Points,
    Text,
    Word,
    Yes,
    card,
    words_of,
)

LARGEST_HAND: Final = 20
LARGEST_KITTY: Final = MOST_SEATS - 1
MOST_VERSION: Final = 999_999_999

_RANK: Final = re.compile(f"[{RANKS}]")


class Strict(Schema):
    """A body, or a part of one, that takes no member it does not name."""

    class Meta:
        """Unknown members are errors."""

        unknown = RAISE

    error_messages = {  # noqa: RUF012 - as the library declares it
        "unknown": UNKNOWN,
        "type": "This is not an object.",
    }

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Give every field the words by which missing values are told apart."""
        del field_name
        field_obj.error_messages = {
            **field_obj.error_messages,
            "required": REQUIRED,
            "null": "This is null.",
        }


class Variant(fields.Field[Any]):
    """An object whose member *tag* says which schema it must fit."""

    def __init__(self, tag: str, schemas: Mapping[str, Strict], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tag = tag
        self.schemas = schemas

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> object:
        del attr, data, kwargs
        return load_variant(value, self.tag, self.schemas)


def load_variant(value: object, tag: str, schemas: Mapping[str, Strict]) -> dict[str, Any]:
    """Return *value* as the schema that its member *tag* names reads it.

    Raises:
        ValidationError: It is no object, names no schema, or does not fit it.
    """
    if not isinstance(value, dict):
        raise ValidationError("This is not an object.")
    if tag not in value:
        raise ValidationError({tag: [REQUIRED]})
    named = value[tag]
    if not isinstance(named, str) or named not in schemas:
        raise ValidationError({tag: [f"This is none of {', '.join(schemas)}."]})
    loaded: dict[str, Any] = schemas[named].load(value)
    return loaded


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


class HumanSeat(Strict):
    """A seat to be claimed."""

    kind = Word(["human"], required=True)


class BotSeat(Strict):
    """A seat that a bot plays."""

    kind = Word(["bot"], required=True)
    level = Word(bots.LEVELS, required=True)
    name = Name()


SEAT_KINDS: Final[Mapping[str, Strict]] = {"human": HumanSeat(), "bot": BotSeat()}


class Committed(Strict):
    """Deals from a chain of the game's own."""

    mode = Word(["committed"], required=True)


class Seeded(Strict):
    """Deals from the chain that ends in a seed."""

    mode = Word(["seeded"], required=True)
    seed = Text(HEX_64, "64 lower-case hex digits", required=True)


class FirstClaim(Strict):
    """The seat that the creator takes."""

    seat = Integer(0, MOST_SEATS - 1, required=True)
    name = Name(required=True)


def _seconds(**kwargs: Any) -> Integer:
    return Integer(1, MOST_SECONDS, **kwargs)


class Clock(Strict):
    """How long a decision may take."""

    play_seconds = _seconds(required=True)
    pass_seconds = _seconds()
    moon_seconds = _seconds()
    on_timeout = words_of(OnTimeout)
    takeover_after = Integer(1, MOST_TIMEOUTS)
    bot_level = Word(bots.LEVELS)
    idle_seconds = _seconds(allow_none=True)
    on_all_idle = words_of(OnAllIdle)


class CreateGame(Strict):
    """A new table."""

    rules = fields.Nested(Rules)
    seats = Items(
        Variant("kind", {"human": HumanSeat(), "bot": BotSeat()}),
        least=FEWEST_SEATS,
        most=MOST_SEATS,
    )
    claim = fields.Nested(FirstClaim)
    lobby = Word(["open", "closed"])
    auto_start = Boolean()
    fill_with_bots = Boolean()
    practice = Boolean()
    visibility = Word(VISIBILITIES)
    spectators = Boolean()
    knowledge = Word(["on", "off"])
    metadata = Metadata()
    dealing = Variant("mode", {"committed": Committed(), "seeded": Seeded()})
    clock = fields.Nested(Clock, allow_none=True)


class ForkGame(Strict):
    """A table that goes on from where a game stood."""

    at_version = Integer(1, MOST_VERSION, required=True)
    seats = Items(
        Variant("kind", {"human": HumanSeat(), "bot": BotSeat()}),
        least=FEWEST_SEATS,
        most=MOST_SEATS,
    )
    claim = fields.Nested(FirstClaim)
    visibility = Word(VISIBILITIES)


class _Change(Strict):
    @validates_schema(skip_on_field_errors=True)
    def _changes_something(self, data: Mapping[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("Nothing is to be changed.")


class UpdateGame(_Change):
    """What the host changes before the start."""

    rules = fields.Nested(Rules)
    lobby = Word(["open", "closed"])
    visibility = Word(VISIBILITIES)


class CheckRules(Strict):
    """Rules to be looked at, without a game."""

    rules = fields.Nested(Rules, required=True)


class ClaimSeat(Strict):
    """Who takes a seat."""

    name = Name(required=True)
    client_seed = Text(HEX_64, "64 lower-case hex digits", allow_none=True)
    join_code = Text(JOIN_CODE, "a text of 1 to 32 characters", allow_none=True)
    player_ref = Text(PLAYER_REF, "a reference of 1 to 64 visible characters", allow_none=True)


class UpdateSeat(_Change):
    """What a seat says of itself."""

    name = Name()
    client_seed = Text(HEX_64, "64 lower-case hex digits")
    ready = Boolean()


class KickSeat(Strict):
    """Who holds the seat has to leave."""

    kick = Yes(required=True)


class ReissueSeat(Strict):
    """Who holds the seat has lost the token."""

    reissue = Yes(required=True)


class ChangeControl(Strict):
    """Who is to play the seat."""

    controller = Word(["human", "bot"], required=True)


class Nothing(Strict):
    """No members at all."""


class Expectation(Strict):
    """The version at which a command is meant."""

    expected_version = Integer(1, MOST_VERSION)


class _Move(Expectation):
    turn_id = Integer(1, MOST_VERSION)


class Pass(_Move):
    """Cards to pass."""

    type = Word(["pass"], required=True)
    cards = Items(card(), most=LARGEST_HAND, required=True)


class Play(_Move):
    """A card to play."""

    type = Word(["play"], required=True)
    card = Text(CARD, "a card like QS", required=True)


class ChooseMoon(_Move):
    """Which way a moon or sun goes."""

    type = Word(["moon"], required=True)
    choice = words_of(MoonChoice, required=True)


# Made once: building a schema costs more than reading a body with it.
CREATE_GAME: Final = CreateGame()
FORK_GAME: Final = ForkGame()
CHECK_RULES: Final = CheckRules()
CLAIM_SEAT: Final = ClaimSeat()
UPDATE_GAME: Final = UpdateGame()
UPDATE_SEAT: Final = UpdateSeat()
KICK_SEAT: Final = KickSeat()
REISSUE_SEAT: Final = ReissueSeat()
CHANGE_CONTROL: Final = ChangeControl()
NOTHING: Final = Nothing()
EXPECTATION: Final = Expectation()
MOVES: Final[Mapping[str, Strict]] = {"pass": Pass(), "play": Play(), "moon": ChooseMoon()}


def load_seat_change(value: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever JSON holds
    """Return *value* as the one of the changes of a seat that its members speak of.

    Raises:
        ValidationError: It is none of them, or more than one.
    """
    members = value.keys() if isinstance(value, dict) else ()
    if "kind" in members:
        return load_variant(value, "kind", SEAT_KINDS)
    schema = KICK_SEAT if "kick" in members else UPDATE_SEAT
    loaded: dict[str, Any] = (REISSUE_SEAT if "reissue" in members else schema).load(value)
    return loaded
