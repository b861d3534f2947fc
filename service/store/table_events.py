"""Stored events of a table, field by field: its rules, who sits where, who holds which token.

Those of the play stand in `play_events`, which says what may change in either. Here is also what
stands before the values of every event.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from engine import events as e
from engine.commands import BotSeat as BotPlan
from engine.commands import HumanSeat, LobbyOptions, TableOptions
from engine.shuffle import NO_SEED
from service.store.clock_forms import ClockForm
from service.store.forms import (
    BotActor,
    BotSeat,
    Form,
    Grant,
    LinkBytes,
    Milliseconds,
    OriginForm,
    RulesForm,
    SeatNumber,
    SeedChainForm,
    Seeds,
    Visibility,
)
from service.store.positions import PositionForm

HOST: Final = "host"
SYSTEM: Final = "system"
TIMER: Final = "timer"
KEY: Final = "key"


ActorForm: TypeAlias = SeatNumber | Literal["host", "system", "key", "timer"] | BotActor
CauseForm: TypeAlias = Annotated[bytes, Meta(min_length=16, max_length=16)] | None


class Row(Form, tag_field="type"):
    """A stored event of version *v* of its type."""

    v: Literal[1]
    time: Milliseconds
    actor: ActorForm
    cause: CauseForm


class OptionsForm(Form):
    """What a table allows beside its rules; a later value gets a default."""

    spectators: bool
    knowledge: bool
    metadata: dict[str, str]
    application: str | None = None
    hints: bool = False

    def options(self) -> TableOptions:
        """Return it as the engine has it."""
        metadata = tuple(self.metadata.items())
        return TableOptions(self.spectators, self.knowledge, metadata, self.application, self.hints)


class GameCreated(Row, tag=1):
    """A table is open; a seat is None for a person."""

    rules: RulesForm
    seats: tuple[BotSeat | None, ...]
    commitment: LinkBytes
    host_grant: Grant
    nonce: bytes
    key_id: str
    is_open: bool = True
    auto_start: bool = False
    fill_with_bots: bool = False
    origin: OriginForm | None = None
    position: PositionForm | None = None
    practice: bool = False
    visibility: Visibility = "public"
    seed_chain: SeedChainForm | None = None
    options: OptionsForm | None = None
    clock: ClockForm | None = None

    def event(self) -> e.GameCreated:
        """Return the event stored here."""
        return e.GameCreated(
            rules=self.rules.rules(),
            seats=tuple(_plan(seat) for seat in self.seats),
            commitment=self.commitment.hex(),
            host_grant=self.host_grant,
            nonce=self.nonce.hex(),
            key_id=self.key_id,
            lobby=LobbyOptions(self.is_open, self.auto_start, self.fill_with_bots),
            origin=None if self.origin is None else self.origin.origin(),
            position=None if self.position is None else self.position.position(),
            practice=self.practice,
            visibility=self.visibility,
            seed_chain=None if self.seed_chain is None else self.seed_chain.chain(),
            options=TableOptions() if self.options is None else self.options.options(),
            clock=None if self.clock is None else self.clock.clock(),
        )


class SeatClaimed(Row, tag=2):
    """Somebody holds a seat."""

    seat: SeatNumber
    name: str
    grant: Grant
    client_seed: LinkBytes | None
    player_ref: str | None = None

    def event(self) -> e.SeatClaimed:
        """Return the event stored here."""
        seed = _hex(self.client_seed)
        return e.SeatClaimed(self.seat, self.name, self.grant, seed, self.player_ref)


class SeatUpdated(Row, tag=3):
    """A seat changed its name or gave its client seed."""

    seat: SeatNumber
    name: str
    client_seed_given: bool
    client_seed: LinkBytes | None
    ready: bool = False

    def event(self) -> e.SeatUpdated:
        """Return the event stored here."""
        seed = _hex(self.client_seed)
        return e.SeatUpdated(self.seat, self.name, self.client_seed_given, seed, self.ready)


class GameStarted(Row, tag=4):
    """The client seeds are frozen; None for a seat without one."""

    client_seeds: Seeds

    def event(self) -> e.GameStarted:
        """Return the event stored here."""
        return e.GameStarted(tuple(_hex(seed) or NO_SEED for seed in self.client_seeds))


class OptionsChanged(Row, tag=15):
    """Other rules hold, or others may see the table."""

    rules: RulesForm | None
    visibility: Visibility | None = None

    def event(self) -> e.OptionsChanged:
        """Return the event stored here."""
        rules = None if self.rules is None else self.rules.rules()
        return e.OptionsChanged(rules, self.visibility)


class LobbyChanged(Row, tag=16):
    """Seats can be claimed from now on, or no more."""

    is_open: bool

    def event(self) -> e.LobbyChanged:
        """Return the event stored here."""
        return e.LobbyChanged(self.is_open)


class SeatBotAssigned(Row, tag=17):
    """A bot has the seat."""

    seat: SeatNumber
    level: str
    name: str

    def event(self) -> e.SeatBotAssigned:
        """Return the event stored here."""
        return e.SeatBotAssigned(self.seat, self.level, self.name)


class SeatReleased(Row, tag=18):
    """Nobody holds the seat any more."""

    seat: SeatNumber
    grant: Grant
    reason: str

    def event(self) -> e.SeatReleased:
        """Return the event stored here."""
        return e.SeatReleased(self.seat, self.grant, self.reason)


class SeatKicked(Row, tag=19):
    """The host took the seat."""

    seat: SeatNumber
    grant: Grant

    def event(self) -> e.SeatKicked:
        """Return the event stored here."""
        return e.SeatKicked(self.seat, self.grant)


class SeatTokenRotated(Row, tag=20):
    """The seat has another token."""

    seat: SeatNumber
    grant: Grant

    def event(self) -> e.SeatTokenRotated:
        """Return the event stored here."""
        return e.SeatTokenRotated(self.seat, self.grant)


class HostTokenRotated(Row, tag=21):
    """The host has another token."""

    grant: Grant

    def event(self) -> e.HostTokenRotated:
        """Return the event stored here."""
        return e.HostTokenRotated(self.grant)


class ControlChanged(Row, tag=22):
    """A bot plays the seat, or its player if *level* is None."""

    seat: SeatNumber
    level: str | None
    reason: str

    def event(self) -> e.ControlChanged:
        """Return the event stored here."""
        return e.ControlChanged(self.seat, self.level, self.reason)


def _plan(seat: BotSeat | None) -> HumanSeat | BotPlan:
    return HumanSeat() if seat is None else BotPlan(seat.level, seat.name)


def _hex(seed: bytes | None) -> str | None:
    return None if seed is None else seed.hex()
