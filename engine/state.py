"""What a game is between two events: one frozen class per phase.

Every state knows its *version*, the number of events behind it. What changes at every
card is small; what changes once a deal or less stands in `Table` and `Deal` and is shared.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from engine.cards import Card, CardSet
from engine.clocks import Clock
from engine.commands import IMPORT, PUBLIC, LobbyOptions, Origin, SeedChain, TableOptions
from engine.passing import Transfers
from engine.playing import Situation, Tricks
from engine.position import Position
from engine.rules import Direction, Rules
from engine.scoring import MoonChoice, Result, Shot
from engine.seats import PerSeat, Seat, left_of, put
from engine.shuffle import game_id_of


class Player(NamedTuple):
    """Who sits where: a bot of *level*, or a person if *claimed*.

    *grant* numbers the seat's last token: it never falls, and acts only while the seat is
    claimed. *stand_in* is the level of the bot that plays on for a person who has left, or who
    *may_return*: then the token still acts, and with the next move the seat is its player's.
    *timeouts* counts those in a row.
    """

    level: str | None = None
    name: str | None = None
    claimed: bool = False
    grant: int = 0
    client_seed: str | None = None
    ready: bool = False
    stand_in: str | None = None
    player_ref: str | None = None
    may_return: bool = False
    timeouts: int = 0

    @property
    def is_bot(self) -> bool:
        """Whether the seat is a bot's."""
        return self.level is not None

    @property
    def playing_level(self) -> str | None:
        """The level of the bot that makes the seat's moves, None for a person."""
        return self.level or self.stand_in

    @property
    def is_changing_hands(self) -> bool:
        """Whether nobody moves for the seat of a running game, or both its player and a bot."""
        is_odd = self.claimed is (self.stand_in is not None)
        return is_odd and not self.is_bot and not self.may_return

    def has_token(self, grant: int) -> bool:
        """Return whether the token numbered *grant* acts for the seat."""
        return self.claimed and self.grant == grant

    @property
    def is_free(self) -> bool:
        """Whether the seat waits for a person."""
        return self.level is None and not self.claimed


@dataclass(frozen=True, slots=True)
class Table:
    """What lasts for the whole game.

    *client_seeds* is empty before the start. *dealt* has the hands of each deal so far, the
    first deal first, *kitties* what was left of each, and *numbers* their numbers, which have
    gaps only after a deal that was voided; in a fork the first one is that numbered
    *copied_deal*, which waits as its *position* until it is set. *scored* counts the deals that
    were played to their end, *ended* is the number of the last that is over, and
    *voided_versions* has the versions at which one was voided. Up to *revealed_version*
    everything may be read by everybody. While it is *handing_over*, one seat of a running game
    changes hands, which takes two events of one command, or its player is back or the time is
    up, and the move follows. *hints* are those that were used, as pairs of turn and seat; none
    of earlier turns once another one is used.
    """

    rules: Rules
    players: PerSeat[Player]
    commitment: str
    nonce: str
    key_id: str
    host_grant: int
    lobby: LobbyOptions
    client_seeds: PerSeat[str]
    totals: PerSeat[int]
    dealt: tuple[PerSeat[CardSet], ...]
    kitties: tuple[CardSet, ...]
    scored: int
    revealed_version: int
    handing_over: bool = False
    origin: Origin | None = None
    position: Position | None = None
    copied_deal: int | None = None
    practice: bool = False
    visibility: str = PUBLIC
    seed_chain: SeedChain | None = None
    options: TableOptions = TableOptions()
    numbers: tuple[int, ...] = ()
    ended: int = 0
    voided_versions: tuple[int, ...] = ()
    clock: Clock | None = None
    hints: tuple[tuple[int, Seat], ...] = ()

    @property
    def deals(self) -> int:
        """The number of the last deal; before the first, one less than that of the first."""
        return self.numbers[-1] if self.numbers else (self.copied_deal or 1) - 1

    @property
    def deals_commitment(self) -> str | None:
        """The commitment of the chain that deals a seeded game, None in all others."""
        return None if self.seed_chain is None else self.seed_chain.commitment

    @property
    def chain_commitment(self) -> str:
        """The commitment of the chain that the deals come from; its first half is mixed in."""
        return self.deals_commitment or self.commitment

    @property
    def game_id(self) -> str:
        """The game's id, half of its own commitment: of an import that is its *nonce*."""
        imported = self.origin is not None and self.origin.kind == IMPORT
        return game_id_of(self.nonce if imported else self.commitment)


@dataclass(frozen=True, slots=True)
class Deal:
    """What changes once a deal at most.

    *passes* and *received* are empty where nobody passed. *opening_card* is the club that
    names the leader, None where the eldest leads. While *kitty_due*, a trick was won with
    which the kitty goes, and the next event gives it to its *kitty_taker*; *kitty_trick* is the
    number of that trick.
    """

    number: int
    dealer: Seat
    direction: Direction | None
    pass_count: int
    opening_card: Card | None
    passes: PerSeat[tuple[Card, ...]]
    received: PerSeat[Transfers]
    kitty_due: bool = False
    kitty_taker: Seat | None = None
    kitty_trick: int | None = None


@dataclass(frozen=True, slots=True)
class Lobby:
    """Seats are being claimed."""

    version: int
    table: Table


@dataclass(frozen=True, slots=True)
class Between:
    """A deal is over, or none was dealt yet, and the next event follows at once.

    *last* is the deal just scored or *voided*, None before the first.
    """

    version: int
    table: Table
    last: "Passing | Playing | None"
    voided: bool = False


@dataclass(frozen=True, slots=True)
class Passing:
    """Every seat passes; *passed* has None for a seat that still has to."""

    version: int
    table: Table
    deal: Deal
    hands: PerSeat[CardSet]
    passed: PerSeat[tuple[Card, ...] | None]
    turn_id: int


@dataclass(frozen=True, slots=True)
class Playing:
    """Tricks are being played.

    *trick* lies on the table and is the one numbered *number*; its leader is None after
    the last trick. *taken* are the cards each seat took before all eyes, so without the
    kitty; *tricks* the tricks so far.
    """

    version: int
    table: Table
    deal: Deal
    hands: PerSeat[CardSet]
    leader: Seat | None
    trick: tuple[Card, ...]
    number: int
    taken: PerSeat[CardSet]
    won: PerSeat[int]
    tricks: Tricks
    hearts_broken: bool
    turn_id: int


@dataclass(frozen=True, slots=True)
class Shooting:
    """A moon or sun was shot in *played*; *choice* is None until it is made or due.

    *choice_required* says whether the game waits for the shooter.
    """

    version: int
    played: Playing
    shot: Shot
    choice_required: bool
    choice: MoonChoice | None
    turn_id: int


@dataclass(frozen=True, slots=True)
class Over:
    """The game has ended; *result* is None if it was aborted."""

    version: int
    table: Table
    result: Result | None


State: TypeAlias = Lobby | Between | Passing | Playing | Shooting | Over


class TurnType(StrEnum):
    """What the table waits for."""

    PASS = "pass"  # noqa: S105 - a pass of cards
    PLAY = "play"
    MOON = "moon"


class Turn(NamedTuple):
    """A decision that is open; *id* is the version at which it opened."""

    id: int
    type: TurnType
    seats: tuple[Seat, ...]


class Status(StrEnum):
    """How far a game has come."""

    LOBBY = "lobby"
    ACTIVE = "active"
    FINISHED = "finished"
    ABORTED = "aborted"


def table_of(state: State) -> Table:
    """Return the lasting part of *state*."""
    return state.played.table if isinstance(state, Shooting) else state.table


def status_of(state: State) -> Status:
    """Return how far the game has come."""
    if isinstance(state, Over):
        return Status.ABORTED if state.result is None else Status.FINISHED
    return Status.LOBBY if isinstance(state, Lobby) else Status.ACTIVE


def turn_of(state: State) -> Turn | None:
    """Return the decision that is open; None in the lobby, at the end, and inside a command."""
    # Asked several times for every card, and a `match` on classes takes three times as long.
    if isinstance(state, Playing):
        leader, lying, seats = state.leader, len(state.trick), len(state.hands)
        if leader is None or lying == seats or state.deal.kitty_due or state.table.handing_over:
            return None
        return Turn(state.turn_id, TurnType.PLAY, (left_of(leader, seats, lying),))
    if isinstance(state, Passing):
        waiting = tuple(seat for seat, cards in enumerate(state.passed) if cards is None)
        is_open = waiting and not state.table.handing_over
        return Turn(state.turn_id, TurnType.PASS, waiting) if is_open else None
    if isinstance(state, Shooting) and state.choice_required and state.choice is None:
        is_open = not state.played.table.handing_over
        return Turn(state.turn_id, TurnType.MOON, (state.shot.seat,)) if is_open else None
    return None


def shown_deal(state: State) -> Passing | Playing | None:
    """Return the deal to look at: the running one, or the one just scored or voided."""
    match state:
        case Passing() | Playing():
            return state
        case Shooting(played=played):
            return played
        case Between(last=last):
            return last
        case Lobby() | Over():
            return None


def all_taken(game: Playing) -> PerSeat[CardSet]:
    """Return the cards each seat took, the kitty among those of its taker."""
    taker = game.deal.kitty_taker
    if taker is None:
        return game.taken
    return put(game.taken, taker, game.taken[taker] | game.table.kitties[-1])


def kitty_lies(game: Playing) -> bool:
    """Return whether there is a kitty that nobody has taken."""
    return game.deal.kitty_taker is None and bool(game.table.kitties[-1])


def situation(game: Playing, seat: Seat) -> Situation:
    """Return what decides which cards *seat* may play if it is to act."""
    return Situation(
        hand=game.hands[seat],
        trick=game.trick,
        limits=game.table.rules.limits,
        first_trick=game.number == 1,
        hearts_broken=game.hearts_broken,
        opening_card=game.deal.opening_card,
    )
