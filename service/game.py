"""A game as the service holds it: the fold of its log, and what the envelopes add.

A `Game` is one moment of one log. Growing it makes a new one; the indexes beside the
state are shared between all of them and only ever added to, so each asks its own version
before it believes an entry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from engine import events as e
from engine import reasons
from engine.errors import CorruptLogError
from engine.evolve import evolve
from engine.seats import Seat
from engine.state import Over, State, Table, Turn, table_of, turn_of
from service.store.base import head_of
from service.store.codec import decode_all
from service.store.envelope import Stored


class Extension(NamedTuple):
    """More time for the open turn, given *at* that moment: until *deadline_at*; in ms."""

    at: int
    deadline_at: int


_NOBODY: Final[Mapping[Seat, int]] = MappingProxyType({})


class Times(NamedTuple):
    """When things happened, in milliseconds since the epoch; None if they have not.

    *people_at* is when a person last did something, or was given more time. *bots_at* has,
    for seats whose control has changed since the turn was opened, when that was.
    """

    created_at: int
    started_at: int | None
    last_event_at: int
    finished_at: int | None
    turn_opened_at: int
    voided_at: int | None = None
    people_at: int = 0
    extension: Extension | None = None
    bots_at: Mapping[Seat, int] = _NOBODY


_PEOPLE: Final = frozenset({"seat", "host"})


class Done(NamedTuple):
    """A command that is in the log: the numbers of its first and last event."""

    first: int
    last: int
    fingerprint: bytes


class Link(NamedTuple):
    """The link of a deal as the log opened it, with the event numbered *seq*."""

    seq: int
    seed: str


class Loss(NamedTuple):
    """What proves that a log has lost its end: a moment that it had, or a token from then.

    *deal* is the number of the last deal that was dealt, 0 if that is not known; *voids* are
    the versions at which the moment knew a deal voided, *proof* names it, and *elapsed* is the
    number of the token, in milliseconds since the game's creation, None if it was a moment.
    """

    proof: str
    deal: int = 0
    voids: tuple[int, ...] = ()
    elapsed: int | None = None

    def is_settled(self, game: "Game") -> bool:
        """Return whether a deal of *game* was voided since."""
        if self.elapsed is None:
            return not set(game.table.voided_versions) <= set(self.voids)
        voided_at = game.times.voided_at
        return voided_at is not None and voided_at - game.times.created_at >= self.elapsed


class Indexes(NamedTuple):
    """Where in the log something stands: commands, decisions of seats, deals and their links.

    *dealt* and *links* are keyed by the number of the deal, *hints* as decisions are.
    """

    commands: dict[bytes, Done]
    decisions: dict[tuple[Seat, int], int]
    dealt: dict[int, int]
    links: dict[int, Link]
    hints: dict[tuple[Seat, int], int]

    @classmethod
    def empty(cls) -> "Indexes":
        """Return the indexes of an empty log."""
        return cls({}, {}, {}, {}, {})


@dataclass(frozen=True, slots=True)
class Game:
    """One moment of a game; *head* stands for the last stored entry."""

    game_id: str
    state: State
    head: bytes
    times: Times
    indexes: Indexes

    @property
    def version(self) -> int:
        """The number of the last event."""
        return self.state.version

    @property
    def table(self) -> Table:
        """What lasts for the whole game."""
        return table_of(self.state)

    @property
    def turn(self) -> Turn | None:
        """The decision that is open."""
        return turn_of(self.state)

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen any more."""
        return isinstance(self.state, Over)

    def grant(self, seat: Seat | None) -> int:
        """Return the number of the last token of *seat*, or of the host if None."""
        table = self.table
        return table.host_grant if seat is None else table.players[seat].grant

    def command(self, command: bytes) -> Done | None:
        """Return where *command* stands in the log, or None."""
        done = self.indexes.commands.get(command)
        return done if done is not None and done.last <= self.version else None

    def decision(self, seat: Seat, turn_id: int) -> int | None:
        """Return the number of the event with which *seat* decided the turn, or None."""
        seq = self.indexes.decisions.get((seat, turn_id))
        return seq if seq is not None and seq <= self.version else None

    def hint(self, seat: Seat, turn_id: int) -> int | None:
        """Return the number of the event with which *seat* was advised in the turn, or None."""
        seq = self.indexes.hints.get((seat, turn_id))
        return seq if seq is not None and seq <= self.version else None

    @property
    def deals(self) -> tuple[int, ...]:
        """The numbers of the deals that were dealt; there are gaps after those voided."""
        return self.table.numbers

    @property
    def first_deal(self) -> int:
        """The number of the first deal: that of a fork is the one it goes on with."""
        return self.deals[0] if self.deals else 1

    def span(self, deal: int) -> tuple[int, int]:
        """Return the numbers of the first and the last event of *deal*, one of `deals`.

        What happens between two deals belongs to the first, the end of the game to the last.
        """
        later = self.deals[self.deals.index(deal) + 1 :]
        last = self.indexes.dealt[later[0]] - 1 if later else self.version
        return self.indexes.dealt[deal], last

    def is_open(self, deal: int) -> bool:
        """Whether everybody may read everything of *deal*, one of `deals`."""
        return self.indexes.dealt[deal] <= self.table.revealed_version

    def link(self, deal: int) -> str | None:
        """Return the link of *deal* as the log opened it, or None if it has not."""
        link = self.indexes.links.get(deal)
        return link.seed if link is not None and link.seq <= self.version else None

    def plus(self, stored: Sequence[Stored], head: bytes) -> "Game":
        """Return the game after *stored*, the events that follow on it.

        Raises:
            CorruptLogError: An event cannot follow on the one before.
        """
        state, times = _folded(self.state, self.times, stored)
        return replace(self, state=state, head=head, times=times)

    def note(self, stored: Sequence[Stored]) -> None:
        """Put *stored*, which are in the log for certain, into the indexes.

        All events of a command are appended at once, and so read and noted at once; a
        reader beside us never sees a command without its last event.
        """
        found = Indexes.empty()
        for one in stored:
            _index(found, one)
            _index_deal(found, one)
        self.indexes.commands.update(found.commands)
        self.indexes.decisions.update(found.decisions)
        self.indexes.dealt.update(found.dealt)
        self.indexes.links.update(found.links)
        self.indexes.hints.update(found.hints)


def opened_game(game_id: str, stored: Sequence[Stored], head: bytes) -> Game:
    """Return the game that begins with *stored*, at least one event.

    Raises:
        CorruptLogError: No log begins so, or it is the log of another game.
    """
    created = stored[0].time
    times = Times(created, None, created, None, created)
    state, times = _folded(None, times, stored)
    if table_of(state).game_id != game_id:
        msg = f"the log of {game_id} has another commitment"
        raise CorruptLogError(msg)
    game = Game(game_id, state, head, times, Indexes.empty())
    game.note(stored)
    return game


def grown(game_id: str, game: Game | None, entries: Sequence[bytes]) -> Game | None:
    """Return *game* with *entries* after it; None if there is no game and no entry.

    Raises:
        CorruptLogError: The log makes no sense.
    """
    if not entries:
        return game
    head = head_of(entries[-1])
    if game is None:
        return opened_game(game_id, decode_all(entries, 1, None), head)
    stored = decode_all(entries, game.version + 1, game.times.created_at)
    game.note(stored)
    return game.plus(stored, head)


def _folded(state: State | None, times: Times, stored: Sequence[Stored]) -> tuple[State, Times]:
    for one in stored:
        state = _evolved(state, one)
        times = _timed(times, state, one)
    assert state is not None, "a fold needs a state or an event"
    return state, times


def _evolved(state: State | None, stored: Stored) -> State:
    try:
        return evolve(state, stored.event)
    except (LookupError, TypeError, ValueError) as exc:
        # A log that was tampered with can name seats and cards that no table has.
        msg = f"event {stored.seq} makes no sense: {exc}"
        raise CorruptLogError(msg) from exc


def _index(indexes: Indexes, stored: Stored) -> None:
    commands, event = indexes.commands, stored.event
    if stored.cause is not None:
        commands[stored.cause.command] = Done(stored.seq, stored.seq, stored.cause.fingerprint)
    elif commands:
        command, done = commands.popitem()
        commands[command] = done._replace(last=stored.seq)
    match event:
        case e.CardPlayed() | e.CardsPassed() | e.MoonChosen():
            indexes.decisions[event.seat, event.turn_id] = stored.seq
        case e.HintUsed():
            indexes.hints[event.seat, event.turn_id] = stored.seq
        case _:
            pass


def _index_deal(indexes: Indexes, stored: Stored) -> None:
    match stored.event:
        case e.DealDealt(deal=deal):
            indexes.dealt[deal] = stored.seq
        case e.PositionSet(position=position):
            indexes.dealt[position.deal] = stored.seq
        case e.DealScored(opened=e.Opened() as opened) | e.DealVoided(opened=e.Opened() as opened):
            indexes.links[opened.deal] = Link(stored.seq, opened.seed)
        case e.GameFinished(reveals=reveals) | e.GameAborted(reveals=reveals):
            for opened in reveals:
                indexes.links[opened.deal] = Link(stored.seq, opened.seed)
        case _:
            pass


def _timed(times: Times, state: State, stored: Stored) -> Times:
    turn = turn_of(state)
    opened = turn is not None and turn.id == stored.seq
    started = isinstance(stored.event, e.GameStarted)
    extension = None if opened else times.extension
    if isinstance(stored.event, e.TurnExtended):
        extension = Extension(stored.time, stored.event.deadline_at)
    is_of_people = stored.actor.kind in _PEOPLE or isinstance(stored.event, e.TurnExtended)
    return Times(
        created_at=times.created_at,
        started_at=stored.time if started else times.started_at,
        last_event_at=stored.time,
        finished_at=stored.time if isinstance(state, Over) else None,
        turn_opened_at=stored.time if opened else times.turn_opened_at,
        voided_at=stored.time if isinstance(stored.event, e.DealVoided) else times.voided_at,
        people_at=stored.time if is_of_people else times.people_at,
        extension=extension,
        bots_at=_NOBODY if opened else _bots_at(times.bots_at, stored),
    )


def _bots_at(bots_at: Mapping[Seat, int], stored: Stored) -> Mapping[Seat, int]:
    match stored.event:
        case e.ControlChanged(seat=seat, reason=reason) if reason != reasons.UNCHANGED:
            return {**bots_at, seat: stored.time}
        case _:
            return bots_at
