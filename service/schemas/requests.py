"""What the bodies of requests must look like. The contract says the same in its own words."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields, validates_schema

from engine import bots
from engine.analysis import HINT_BUDGETS
from engine.analysis.review import EFFORTS
from engine.clocks import MOST_SECONDS, MOST_TIMEOUTS, OnAllIdle, OnTimeout
from engine.commands import VISIBILITIES
from engine.rules import MOST_DEALS
from engine.scoring import MoonChoice
from engine.seats import FEWEST_SEATS, MOST_SEATS
from service.names import PLAYER_REF
from service.schemas.fields import (
    CARD,
    HEX_64,
    JOIN_CODE,
    Boolean,
    Integer,
    Items,
    Metadata,
    Name,
    Text,
    Word,
    Yes,
    card,
    words_of,
)
from service.schemas.rules import LARGEST_HAND, MOST_VERSION, Rules
from service.schemas.strict import Strict, Variant, load_variant

DEALS_PER_ANALYSIS: Final = 16
"""So many deals are judged in one go; an answer about more would be too long."""


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
    hints = Word(["on", "off"])
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
    hints = Word(["on", "off"])


class AnalyseGame(Strict):
    """Which deals of a game that is over are to be judged, and how thoroughly."""

    level = Word(EFFORTS, required=True)
    deals = Items(Integer(1, MOST_DEALS), least=1, most=DEALS_PER_ANALYSIS, unique=True)


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


class TakeHint(_Move):
    """Who is to advise."""

    level = Word(HINT_BUDGETS, required=True)


# Made once: building a schema costs more than reading a body with it.
CREATE_GAME: Final = CreateGame()
FORK_GAME: Final = ForkGame()
ANALYSE_GAME: Final = AnalyseGame()
CHECK_RULES: Final = CheckRules()
CLAIM_SEAT: Final = ClaimSeat()
UPDATE_GAME: Final = UpdateGame()
UPDATE_SEAT: Final = UpdateSeat()
KICK_SEAT: Final = KickSeat()
REISSUE_SEAT: Final = ReissueSeat()
CHANGE_CONTROL: Final = ChangeControl()
NOTHING: Final = Nothing()
EXPECTATION: Final = Expectation()
TAKE_HINT: Final = TakeHint()
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
