"""Stored events, field by field: the shape of each type and how it becomes an event.

The events of the play stand here, those of the table in `table_events`. `docs/stored-form.md`
describes them all. A field may be added at the end with a default; everything else is a new
`v` and an upcast. The number of a type is its tag.
"""

from typing import Final, TypeAlias

from engine import events as e
from engine.cards import Card
from engine.clocks import OnTimeout
from engine.rules import Direction
from engine.scoring import MoonChoice, Reason, ShotKind
from service.store.advice_forms import AdviceForm
from service.store.forms import (
    Auto,
    CardBytes,
    CardNumber,
    CardNumbers,
    Count,
    Gift,
    Hands,
    Milliseconds,
    Opened,
    Points,
    PointsPerSeat,
    SeatNumber,
    Shot,
    card_at,
    cards_at,
    hands_of,
    opened_of,
    unpacked,
)
from service.store.positions import PositionForm
from service.store.table_events import (
    ControlChanged,
    GameCreated,
    GameStarted,
    HostTokenRotated,
    LobbyChanged,
    OptionsChanged,
    Row,
    SeatBotAssigned,
    SeatClaimed,
    SeatKicked,
    SeatReleased,
    SeatTokenRotated,
    SeatUpdated,
)

NOT_STORED: Final = 0
"""A turn that an entry does not name: the one that the event before it has opened."""


class DealDealt(Row, tag=5):
    """Hands are dealt."""

    deal: Count
    dealer: SeatNumber
    direction: Direction | None
    pass_count: Count
    leader: SeatNumber | None
    opening_card: CardNumber | None
    hands: Hands
    kitty: CardBytes = b""

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
            unpacked(self.kitty),
        )


class PositionSet(Row, tag=25):
    """The game goes on from where another one stood."""

    position: PositionForm

    def event(self) -> e.PositionSet:
        """Return the event stored here."""
        return e.PositionSet(self.position.position())


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
    winner: SeatNumber | None
    points: Points
    cards: CardNumbers
    leader: SeatNumber | None
    takes_kitty: bool = False
    carried: CardNumbers = ()

    def event(self) -> e.TrickCompleted:
        """Return the event stored here."""
        return e.TrickCompleted(
            self.deal,
            self.trick,
            self.winner,
            self.points,
            cards_at(self.cards),
            self.leader,
            self.takes_kitty,
            cards_at(self.carried) if self.carried else (),
        )


class KittyTaken(Row, tag=23):
    """The kitty goes to who won the trick before."""

    deal: Count
    seat: SeatNumber
    cards: CardBytes

    def event(self) -> e.KittyTaken:
        """Return the event stored here."""
        return e.KittyTaken(self.deal, self.seat, unpacked(self.cards))


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


class TurnTimedOut(Row, tag=26):
    """Somebody's time is up."""

    turn_id: Count
    seats: tuple[SeatNumber, ...]
    consecutive: Count
    policy: OnTimeout

    def event(self) -> e.TurnTimedOut:
        """Return the event stored here."""
        return e.TurnTimedOut(self.turn_id, self.seats, self.consecutive, self.policy)


class TurnExtended(Row, tag=27):
    """There is more time."""

    turn_id: Count
    deadline_at: Milliseconds
    reason: str

    def event(self) -> e.TurnExtended:
        """Return the event stored here."""
        return e.TurnExtended(self.turn_id, self.deadline_at, self.reason)


class HintUsed(Row, tag=28):
    """A seat was told what to do."""

    deal: Count
    trick: Count
    seat: SeatNumber
    turn_id: Count
    level: str
    advice: AdviceForm

    def event(self) -> e.HintUsed:
        """Return the event stored here."""
        advice = self.advice.advice(self.seat)
        return e.HintUsed(self.deal, self.trick, self.seat, self.turn_id, self.level, advice)


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


class DealVoided(Row, tag=24):
    """A deal does not count."""

    deal: Count
    reason: str
    opened: Opened | None

    def event(self) -> e.DealVoided:
        """Return the event stored here."""
        opened = None if self.opened is None else opened_of(self.opened)
        return e.DealVoided(self.deal, self.reason, opened)


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


AnyRow: TypeAlias = (
    GameCreated
    | SeatClaimed
    | SeatUpdated
    | GameStarted
    | DealDealt
    | PositionSet
    | CardsPassed
    | PassCompleted
    | CardPlayed
    | TrickCompleted
    | KittyTaken
    | MoonShot
    | MoonChosen
    | TurnTimedOut
    | TurnExtended
    | HintUsed
    | DealScored
    | DealVoided
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


def _card(number: int | None) -> Card | None:
    return None if number is None else card_at(number)
