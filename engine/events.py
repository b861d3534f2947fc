"""What happened, as facts: stored for ever, never changed, never derived again.

Events carry the results of rules (who took a trick, what a deal counted), so that mending
a rule never rewrites a finished game. Number, time, actor and cause belong to the
envelope. Which values are secret, and to whom, is said in `engine.view`; a new event that
says nothing there does not type-check.
"""

from dataclasses import dataclass
from typing import TypeAlias

from engine.cards import NO_CARDS, Card, CardSet
from engine.clocks import Clock, OnTimeout
from engine.commands import (
    PUBLIC,
    Advice,
    BotSeat,
    HumanSeat,
    LobbyOptions,
    Origin,
    SeedChain,
    TableOptions,
)
from engine.passing import Transfers
from engine.position import Position
from engine.rules import Direction, Rules
from engine.scoring import MoonChoice, Reason, ShotKind
from engine.seats import PerSeat, Seat


@dataclass(frozen=True, slots=True)
class GameCreated:
    """A table is set up; *nonce* and *key_id* derive its chain and are never shown.

    An import, as its *origin* says, has the *commitment* of the chain that dealt it; its own
    id comes from its *nonce*, which is then no secret but a commitment, too. Where there is a
    *seed_chain*, that has dealt it; only its commitment is ever shown. A *position* waits,
    unseen, until the start sets it.
    """

    rules: Rules
    seats: PerSeat[HumanSeat | BotSeat]
    commitment: str
    host_grant: int
    nonce: str
    key_id: str
    lobby: LobbyOptions = LobbyOptions()
    origin: Origin | None = None
    position: Position | None = None
    practice: bool = False
    visibility: str = PUBLIC
    seed_chain: SeedChain | None = None
    options: TableOptions = TableOptions()
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class OptionsChanged:
    """Other *rules* hold, and nobody is ready for them yet; or others may see the table.

    None is what stays as it was.
    """

    rules: Rules | None
    visibility: str | None = None


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """Seats can be claimed from now on, or no more."""

    is_open: bool


@dataclass(frozen=True, slots=True)
class SeatClaimed:
    """Somebody holds *seat*, with the token numbered *grant*; an app calls them *player_ref*."""

    seat: Seat
    name: str
    grant: int
    client_seed: str | None
    player_ref: str | None = None


@dataclass(frozen=True, slots=True)
class SeatUpdated:
    """A seat changed what it says of itself; *client_seed* is None if it was not given now."""

    seat: Seat
    name: str
    client_seed_given: bool
    client_seed: str | None
    ready: bool = False


@dataclass(frozen=True, slots=True)
class SeatBotAssigned:
    """A bot of *level* has the seat."""

    seat: Seat
    level: str
    name: str


@dataclass(frozen=True, slots=True)
class SeatReleased:
    """Nobody holds the seat any more, its old tokens are dead; *reason* says who gave it up."""

    seat: Seat
    grant: int
    reason: str


@dataclass(frozen=True, slots=True)
class SeatKicked:
    """The host took the seat from who held it; the old tokens are dead."""

    seat: Seat
    grant: int


@dataclass(frozen=True, slots=True)
class SeatTokenRotated:
    """The seat's token is the one numbered *grant*; older ones are dead."""

    seat: Seat
    grant: int


@dataclass(frozen=True, slots=True)
class HostTokenRotated:
    """The host's token is the one numbered *grant*; older ones are dead."""

    grant: int


@dataclass(frozen=True, slots=True)
class ControlChanged:
    """Somebody else plays the seat of a running game: a bot of *level*, or its player if None.

    Where it is `UNCHANGED`, they have done so before.
    """

    seat: Seat
    level: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The client seeds are frozen; ``-`` for a seat without one."""

    client_seeds: PerSeat[str]


@dataclass(frozen=True, slots=True)
class DealDealt:
    """Hands are dealt; *leader* is None while a pass follows.

    *direction* is None where the rules know no pass. *opening_card* is the lowest club
    that names the leader, None when a pass follows or the eldest leads. *kitty* has the
    cards that nobody was dealt.
    """

    deal: int
    dealer: Seat
    direction: Direction | None
    pass_count: int
    leader: Seat | None
    opening_card: Card | None
    hands: PerSeat[CardSet]
    kitty: CardSet = NO_CARDS


@dataclass(frozen=True, slots=True)
class PositionSet:
    """The game goes on from where another one stood, in place of its first deal."""

    position: Position


@dataclass(frozen=True, slots=True)
class CardsPassed:
    """A seat has passed; the order of *cards* says who gets which with scatter."""

    deal: int
    seat: Seat
    cards: tuple[Card, ...]
    turn_id: int
    auto: str | None


@dataclass(frozen=True, slots=True)
class PassCompleted:
    """All have passed; *received* has, for each seat, pairs of the giver and the cards."""

    deal: int
    leader: Seat
    opening_card: Card | None
    received: PerSeat[Transfers]


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A card lies on the table; *broke_hearts* if this one broke them."""

    deal: int
    trick: int
    seat: Seat
    card: Card
    turn_id: int
    broke_hearts: bool
    auto: str | None


@dataclass(frozen=True, slots=True)
class TrickCompleted:
    """A trick is over; *cards* in the order played, *leader* None after the last trick.

    *winner* is None where nobody won it: its cards ride to who wins the next one. *carried*
    are the cards of such tricks before it, which its winner takes too, or which ride on.
    Where its winner *takes_kitty*, the next event says so.
    """

    deal: int
    trick: int
    winner: Seat | None
    points: int
    cards: tuple[Card, ...]
    leader: Seat | None
    takes_kitty: bool = False
    carried: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class KittyTaken:
    """The kitty goes to who won the trick before."""

    deal: int
    seat: Seat
    cards: CardSet


@dataclass(frozen=True, slots=True)
class MoonShot:
    """A seat shot the moon or the sun; the game waits where *choice_required*."""

    deal: int
    seat: Seat
    kind: ShotKind
    points: int
    choice_required: bool


@dataclass(frozen=True, slots=True)
class MoonChosen:
    """The shooter said which way the points go."""

    deal: int
    seat: Seat
    choice: MoonChoice
    turn_id: int
    auto: str | None


@dataclass(frozen=True, slots=True)
class MoonScored:
    """The moon or sun of a scored deal, and which way it went."""

    seat: Seat
    kind: ShotKind
    points: int
    choice: MoonChoice


@dataclass(frozen=True, slots=True)
class Opened:
    """A deal laid open: its link as 64 hex digits, the hands as dealt, and the kitty."""

    deal: int
    seed: str
    hands: PerSeat[CardSet]
    kitty: CardSet = NO_CARDS


@dataclass(frozen=True, slots=True)
class TurnTimedOut:
    """The time of *seats* is up, for each the *consecutive* time in a row; *policy* follows."""

    turn_id: int
    seats: tuple[Seat, ...]
    consecutive: int
    policy: OnTimeout


@dataclass(frozen=True, slots=True)
class TurnExtended:
    """Whoever is to act has time until *deadline_at*, in milliseconds since the epoch."""

    turn_id: int
    deadline_at: int
    reason: str


@dataclass(frozen=True, slots=True)
class HintUsed:
    """A seat was told what to do in the turn, by a bot of *level*: for its eyes only.

    *trick* is 0 while cards are passed, and where a moon is settled.
    """

    deal: int
    trick: int
    seat: Seat
    turn_id: int
    level: str
    advice: Advice


@dataclass(frozen=True, slots=True)
class DealScored:
    """A deal is scored: *taken* counts the cards, *points* is the change of the totals.

    *opened* is None where the rules open all deals at the game's end.
    """

    deal: int
    taken: PerSeat[int]
    points: PerSeat[int]
    totals: PerSeat[int]
    moon: MoonScored | None
    opened: Opened | None


@dataclass(frozen=True, slots=True)
class DealVoided:
    """The running deal does not count; totals stay, and the next one has a later number.

    *opened* is None where the rules open all deals at the game's end.
    """

    deal: int
    reason: str
    opened: Opened | None


@dataclass(frozen=True, slots=True)
class GameFinished:
    """The game is over; *reveals* opens the deals that are not open yet."""

    totals: PerSeat[int]
    places: PerSeat[int]
    winners: tuple[Seat, ...]
    reason: Reason
    reveals: tuple[Opened, ...]


@dataclass(frozen=True, slots=True)
class GameAborted:
    """The game was stopped; *reveals* opens the deals that are not open yet."""

    reason: str
    totals: PerSeat[int]
    reveals: tuple[Opened, ...]


Event: TypeAlias = (
    CardPlayed
    | TrickCompleted
    | GameCreated
    | SeatClaimed
    | SeatUpdated
    | OptionsChanged
    | LobbyChanged
    | SeatBotAssigned
    | SeatReleased
    | SeatKicked
    | SeatTokenRotated
    | HostTokenRotated
    | ControlChanged
    | GameStarted
    | DealDealt
    | PositionSet
    | CardsPassed
    | PassCompleted
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
)
