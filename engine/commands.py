"""What can be asked of a game. Who may ask is the caller's business, whether it is allowed ours."""

from dataclasses import dataclass
from typing import TypeAlias

from engine.cards import Card
from engine.rules import Rules
from engine.scoring import MoonChoice
from engine.seats import PerSeat, Seat


@dataclass(frozen=True, slots=True)
class BotSeat:
    """A seat that a bot of *level* plays."""

    level: str
    name: str


@dataclass(frozen=True, slots=True)
class HumanSeat:
    """A seat to be claimed."""


SeatPlan: TypeAlias = HumanSeat | BotSeat


@dataclass(frozen=True, slots=True)
class ClaimSeat:
    """Take a human seat: *seat*, or any free one if None.

    *elapsed* is the time since the game's creation in milliseconds; it keeps the numbers
    of grants unique even where the end of a log was lost.
    """

    seat: Seat | None
    name: str
    client_seed: str | None = None
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class CreateGame:
    """Open a table; *commitment* is link 0 of its chain, *nonce* and *key_id* what derives it."""

    rules: Rules
    seats: PerSeat[SeatPlan]
    commitment: str
    nonce: str
    key_id: str
    claim: ClaimSeat | None = None


@dataclass(frozen=True, slots=True)
class UpdateSeat:
    """Change what a claimed seat says of itself before the start; None leaves it as it is."""

    seat: Seat
    name: str | None = None
    client_seed: str | None = None


@dataclass(frozen=True, slots=True)
class StartGame:
    """Deal the first deal."""


@dataclass(frozen=True, slots=True)
class AbortGame:
    """Stop the game where it stands."""


@dataclass(frozen=True, slots=True)
class PassCards:
    """Pass *cards*; with scatter the i-th card goes to the i-th seat to the left.

    *auto* marks a move that was not chosen but fell back to a fixed one.
    """

    seat: Seat
    cards: tuple[Card, ...]
    auto: str | None = None


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play *card* to the trick."""

    seat: Seat
    card: Card
    auto: str | None = None


@dataclass(frozen=True, slots=True)
class ChooseMoon:
    """Say which way the points of one's own moon or sun go."""

    seat: Seat
    choice: MoonChoice
    auto: str | None = None


Move: TypeAlias = PassCards | PlayCard | ChooseMoon
Command: TypeAlias = CreateGame | ClaimSeat | UpdateSeat | StartGame | AbortGame | Move
