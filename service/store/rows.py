"""Stored events, field by field: the shape of each type and how it becomes an event.

`docs/stored-form.md` describes them. A field may be added at the end with a default;
everything else is a new `v` and an upcast. The number of a type is its tag.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from engine import events as e
from engine.cards import Card
from engine.commands import BotSeat as BotPlan
from engine.commands import HumanSeat, LobbyOptions
from engine.rules import Direction
from engine.scoring import MoonChoice, Reason, ShotKind
from engine.shuffle import NO_SEED
from service.store.forms import (
    Auto,
    BotActor,
    BotSeat,
    CardNumber,
    CardNumbers,
    Count,
    Form,
    Gift,
    Grant,
    Hands,
    LinkBytes,
    Milliseconds,
    Opened,
    Points,
    PointsPerSeat,
    RulesForm,
    SeatNumber,
    Seeds,
    Shot,
    card_at,
    cards_at,
    hands_of,
    opened_of,
    unpacked,
)

HOST: Final = "host"
NOT_STORED: Final = 0
"""A turn that an entry does not name: the one that the event before it has opened."""

ActorForm: TypeAlias = SeatNumber | Literal["host"] | BotActor
CauseForm: TypeAlias = Annotated[bytes, Meta(min_length=16, max_length=16)] | None


class Row(Form, tag_field="type"):
    """A stored event of version *v* of its type."""

    v: Literal[1]
    time: Milliseconds
    actor: ActorForm
    cause: CauseForm


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
        )


class SeatClaimed(Row, tag=2):
    """Somebody holds a seat."""

    seat: SeatNumber
    name: str
    grant: Grant
    client_seed: LinkBytes | None

    def event(self) -> e.SeatClaimed:
        """Return the event stored here."""
        return e.SeatClaimed(self.seat, self.name, self.grant, _hex(self.client_seed))


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


class DealDealt(Row, tag=5):
    """Hands are dealt."""

    deal: Count
    dealer: SeatNumber
    direction: Direction | None
    pass_count: Count
    leader: SeatNumber | None
    opening_card: CardNumber | None
    hands: Hands

    def event(self) -> e.DealDealt:
        """Return the event stored here."""
        return e.DealDealt(
            self.deal,
            self.dealer,
            self.direction,
            self.pass_count,
            self.leader,
            _card(self.opening_card),
            hands_of(self.hands),
        )


class CardsPassed(Row, tag=6):
    """A seat has passed."""

    deal: Count
    seat: SeatNumber
    cards: CardNumbers
    turn_id: Count
    auto: Auto

    def event(self) -> e.CardsPassed:
        """Return the event stored here."""
        return e.CardsPassed(self.deal, self.seat, cards_at(self.cards), self.turn_id, self.auto)


class PassCompleted(Row, tag=7):
    """All have passed; *received* has the gifts to each seat."""

    deal: Count
    leader: SeatNumber
    opening_card: CardNumber | None
    received: tuple[tuple[Gift, ...], ...]

    def event(self) -> e.PassCompleted:
        """Return the event stored here."""
        received = tuple(
            tuple((gift.giver, unpacked(gift.cards)) for gift in gifts) for gifts in self.received
        )
        return e.PassCompleted(self.deal, self.leader, _card(self.opening_card), received)


class CardPlayed(Row, tag=8):
    """A card lies on the table."""

    deal: Count
    trick: Count
    seat: SeatNumber
    card: CardNumber
    turn_id: Count
    broke_hearts: bool
    auto: Auto

    def event(self) -> e.CardPlayed:
        """Return the event stored here."""
        return e.CardPlayed(
            self.deal,
            self.trick,
            self.seat,
            card_at(self.card),
            self.turn_id,
            self.broke_hearts,
            self.auto,
        )


class TrickCompleted(Row, tag=9):
    """A trick is taken."""

    deal: Count
    trick: Count
    winner: SeatNumber
    points: Points
    cards: CardNumbers
    leader: SeatNumber | None

    def event(self) -> e.TrickCompleted:
        """Return the event stored here."""
        return e.TrickCompleted(
            self.deal, self.trick, self.winner, self.points, cards_at(self.cards), self.leader
        )


class MoonShot(Row, tag=10):
    """A seat shot the moon or the sun."""

    deal: Count
    seat: SeatNumber
    kind: ShotKind
    points: Points
    choice_required: bool

    def event(self) -> e.MoonShot:
        """Return the event stored here."""
        return e.MoonShot(self.deal, self.seat, self.kind, self.points, self.choice_required)


class MoonChosen(Row, tag=11):
    """The shooter said which way the points go."""

    deal: Count
    seat: SeatNumber
    choice: MoonChoice
    auto: Auto
    turn_id: Count = NOT_STORED

    def event(self) -> e.MoonChosen:
        """Return the event stored here."""
        return e.MoonChosen(self.deal, self.seat, self.choice, self.turn_id, self.auto)


class DealScored(Row, tag=12):
    """A deal is scored."""

    deal: Count
    taken: PointsPerSeat
    points: PointsPerSeat
    totals: PointsPerSeat
    moon: Shot | None
    opened: Opened | None

    def event(self) -> e.DealScored:
        """Return the event stored here."""
        moon, opened = self.moon, self.opened
        return e.DealScored(
            deal=self.deal,
            taken=self.taken,
            points=self.points,
            totals=self.totals,
            moon=None
            if moon is None
            else e.MoonScored(moon.seat, moon.kind, moon.points, moon.choice),
            opened=None if opened is None else opened_of(opened),
        )


class GameFinished(Row, tag=13):
    """The game is over."""

    totals: PointsPerSeat
    places: PointsPerSeat
    winners: tuple[SeatNumber, ...]
    reason: Reason
    reveals: tuple[Opened, ...]

    def event(self) -> e.GameFinished:
        """Return the event stored here."""
        return e.GameFinished(
            totals=self.totals,
            places=self.places,
            winners=self.winners,
            reason=self.reason,
            reveals=tuple(opened_of(deal) for deal in self.reveals),
        )


class GameAborted(Row, tag=14):
    """The game was stopped."""

    reason: str
    totals: PointsPerSeat
    reveals: tuple[Opened, ...]

    def event(self) -> e.GameAborted:
        """Return the event stored here."""
        reveals = tuple(opened_of(deal) for deal in self.reveals)
        return e.GameAborted(self.reason, self.totals, reveals)


class OptionsChanged(Row, tag=15):
    """Other rules hold."""

    rules: RulesForm

    def event(self) -> e.OptionsChanged:
        """Return the event stored here."""
        return e.OptionsChanged(self.rules.rules())


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


AnyRow: TypeAlias = (
    GameCreated
    | SeatClaimed
    | SeatUpdated
    | GameStarted
    | DealDealt
    | CardsPassed
    | PassCompleted
    | CardPlayed
    | TrickCompleted
    | MoonShot
    | MoonChosen
    | DealScored
    | GameFinished
    | GameAborted
    | OptionsChanged
    | LobbyChanged
    | SeatBotAssigned
    | SeatReleased
    | SeatKicked
    | SeatTokenRotated
    | HostTokenRotated
    | ControlChanged
)


def _plan(seat: BotSeat | None) -> HumanSeat | BotPlan:
    return HumanSeat() if seat is None else BotPlan(seat.level, seat.name)


def _card(number: int | None) -> Card | None:
    return None if number is None else card_at(number)


def _hex(seed: bytes | None) -> str | None:
    return None if seed is None else seed.hex()
