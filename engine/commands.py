"""What can be asked of a game. Who may ask is the caller's business, whether it is allowed ours."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from engine.cards import Card
from engine.clocks import Clock
from engine.position import Position
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
class LobbyOptions:
    """How a table fills: whether seats can be claimed, and when it starts.

    *auto_start* deals as soon as every person is there and ready. *fill_with_bots* gives
    the seats that are free at the start to bots.
    """

    is_open: bool = True
    auto_start: bool = False
    fill_with_bots: bool = False


FALLBACK: Final = "fallback"
TAKEOVER: Final = "takeover"
TIMEOUT: Final = "timeout"
AUTOMATIC: Final = frozenset({FALLBACK, TAKEOVER, TIMEOUT})
"""Marks of a move that nobody chose: no level did, a bot that plays for who has left, or the
clock."""

IMPORT: Final = "import"
"""The kind of a game that came from a file."""

FORK: Final = "fork"
"""The kind of a game that goes on from where another one stood."""

REMATCH: Final = "rematch"
"""The kind of a game of the same seats, rules and clock as one that is over."""

PUBLIC: Final = "public"
UNLISTED: Final = "unlisted"
PRIVATE: Final = "private"
"""Whether the list of games has a game, or only who knows its id, or only who has a token of it."""
VISIBILITIES: Final = (PUBLIC, UNLISTED, PRIVATE)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a table allows beside its rules, and what is written on it.

    With *spectators* anybody may watch the running game. With *knowledge* the players are told
    what they can know of the hidden cards, with *hints*, once a turn, what to do. *metadata*,
    names with their texts in the order of the names, means nothing to us. *application* is the
    name of the app whose key created the table, and no view has it.
    """

    spectators: bool = True
    knowledge: bool = True
    metadata: tuple[tuple[str, str], ...] = ()
    application: str | None = None
    hints: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a game comes from that did not begin here: its *kind*, and the id it had there.

    *version* is that at which it left the other game, None for the end.
    """

    kind: str
    game_id: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class SeedChain:
    """The chain that deals a seeded game: its *commitment*, and the *seed* that is its tip.

    Both as 64 hex digits; *seed* is None in a copy of a game, and never shown.
    """

    commitment: str
    seed: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ClaimSeat:
    """Take a human seat: *seat*, or any free one if None.

    Who is *invited* may do so in a lobby that takes nobody in.

    *elapsed*, here and in all commands that give a token, is the time since the game's
    creation in milliseconds; it keeps the numbers of grants unique even where the end of a
    log was lost. *player_ref* is what the table's app calls the player, and no view has it.
    """

    seat: Seat | None
    name: str
    client_seed: str | None = None
    elapsed: int = 0
    player_ref: str | None = None
    invited: bool = False


@dataclass(frozen=True, slots=True)
class CreateGame:
    """Open a table; *commitment* is link 0 of its chain, *nonce* and *key_id* what derives it.

    An import, as its *origin* says, has the commitment of the game that it was. Where there
    is a *seed_chain*, the deals come from that. With a *position* the game goes on from there,
    at once if nobody has to be waited for. A *practice* game has one person, and may be forked
    while it runs.
    """

    rules: Rules
    seats: PerSeat[SeatPlan]
    commitment: str
    nonce: str
    key_id: str
    claim: ClaimSeat | None = None
    lobby: LobbyOptions = LobbyOptions()
    origin: Origin | None = None
    position: Position | None = None
    practice: bool = False
    visibility: str = PUBLIC
    seed_chain: SeedChain | None = None
    options: TableOptions = TableOptions()
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class ChangeOptions:
    """Change the table before the start; None leaves a thing as it is."""

    rules: Rules | None = None
    is_open: bool | None = None
    visibility: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateSeat:
    """Change what a claimed seat says of itself before the start; None leaves it as it is."""

    seat: Seat
    name: str | None = None
    client_seed: str | None = None
    ready: bool | None = None


@dataclass(frozen=True, slots=True)
class AssignBot:
    """Give a seat to a bot before the start; who holds it leaves."""

    seat: Seat
    bot: BotSeat
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """Take a seat from its bot before the start, so that it can be claimed."""

    seat: Seat
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class ReleaseSeat:
    """Leave one's seat; in a running game a bot of *level* plays on."""

    seat: Seat
    level: str
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class KickSeat:
    """Take a seat from who holds it; in a running game a bot of *level* plays on."""

    seat: Seat
    level: str
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class HandOver:
    """Let a bot of *level* play one's own seat for a while; *reason* is what a record says."""

    seat: Seat
    level: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Play one's own seat again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class RotateSeatToken:
    """Replace the token of one's own seat."""

    seat: Seat
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class ReissueSeatToken:
    """Give a seat's player, by the host's word, a new token, and the seat back from a bot."""

    seat: Seat
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class RotateHostToken:
    """Replace the token of the host."""

    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class StartGame:
    """Deal the first deal; *filler* takes the seats that are still free, if that is allowed."""

    filler: BotSeat | None = None


@dataclass(frozen=True, slots=True)
class AbortGame:
    """Stop the game where it stands, for the *reason* that a record says, else the host's."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class VoidDeal:
    """Let the running deal not count, for *reason*; the next one comes *skip* links later."""

    reason: str
    skip: int = 0


@dataclass(frozen=True, slots=True)
class PassCards:
    """Pass *cards*; with scatter the i-th card goes to the i-th seat to the left.

    Here and in `PlayCard`, a card names its twin as well: which of the two does not matter.
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


class Advised(NamedTuple):
    """A *move*, and what it is likely to cost: *points* and their *error*, both in hundredths."""

    move: "Move"
    points: int
    error: int


@dataclass(frozen=True, slots=True)
class Advice:
    """Moves of a decision, the best first, and one *reason* why it is.

    They were tried in so many *worlds*. What the reason says of the first move is *best*, and
    *other* of the move it was compared with, in the place *against*: a share in percent, a
    place in the game, or 0 where it says nothing.
    """

    worlds: int
    ranking: tuple[Advised, ...]
    reason: str
    best: int = 0
    other: int = 0
    against: int = 0


@dataclass(frozen=True, slots=True)
class TakeHint:
    """Let one's own seat be told what to do in the turn, once.

    *advice* is what a bot of *level* found, None where only a repeat is looked for.
    """

    seat: Seat
    turn_id: int
    level: str
    advice: Advice | None = None


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The time of *seat* for the turn is up: *move* is made for it, None where the game ends."""

    seat: Seat
    turn_id: int
    move: "Move | None"


@dataclass(frozen=True, slots=True)
class ExtendTurn:
    """Give whoever is to act time until *deadline_at* (ms since the epoch), for *reason*."""

    turn_id: int
    deadline_at: int
    reason: str


@dataclass(frozen=True, slots=True)
class EndIdling:
    """No person has done anything for too long: do what the clock says."""


Move: TypeAlias = PassCards | PlayCard | ChooseMoon
LobbyCommand: TypeAlias = ClaimSeat | ChangeOptions | UpdateSeat | AssignBot | OpenSeat | StartGame
SeatCommand: TypeAlias = (
    ReleaseSeat
    | KickSeat
    | HandOver
    | TakeBack
    | RotateSeatToken
    | ReissueSeatToken
    | RotateHostToken
)
ClockCommand: TypeAlias = TimeOut | ExtendTurn | EndIdling
Command: TypeAlias = (
    CreateGame | LobbyCommand | SeatCommand | AbortGame | VoidDeal | ClockCommand | TakeHint | Move
)
