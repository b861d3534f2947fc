"""The one way to change a game: load, fold, decide, append, notify.

A command may be decided on the cached state: the append compares version and head, so a
stale cache can only be refused. Before a refusal is believed the log is read. A repeat is
recognised in the log itself, and so is our own write when its answer was lost.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

from engine import commands as c
from engine import events as e
from engine.cards import named
from engine.decide import decide
from engine.errors import HintLimit, RuleViolation
from engine.lobby import said_again
from engine.passing import direction_of
from engine.rules import Direction
from service import metrics
from service.command_request import (
    UNKNOWN,
    BusyError,
    Caller,
    Guard,
    KeyReused,
    Outcome,
    PreconditionFailed,
    Refused,
    Request,
    StaleTurn,
    TokenRevoked,
    TurnAlreadyPlayed,
    VersionMoved,
)
from service.deps import Deps
from service.game import Done, Game, opened_game
from service.marks import marks_for
from service.quotas import RateLimited
from service.store.base import NO_HEAD, AnswerLost, Expired, Rewound, VersionConflict, head_of
from service.store.codec import encode
from service.store.envelope import Actor, Cause, Stored, nameless
from service.store.event_types import type_of

_TRIES_BEYOND_SEATS: Final = 4
_CAPITAL: Final = re.compile("(?<!^)(?=[A-Z])")
_MOST_BEFORE: Final = 2
"""How many events a command may have before its decision."""

_REFUSALS: Final = (
    RuleViolation,
    StaleTurn,
    TurnAlreadyPlayed,
    VersionMoved,
    PreconditionFailed,
    RateLimited,
)
"""What can be said against a command, and is believed once the log has been read."""


def create_game(deps: Deps, game_id: str, request: Request) -> Outcome:
    """Create the game *game_id*, or find that the same request created it before.

    Raises:
        RulesConflict: The rules contradict themselves.
        Refused: Another request created it with the same key.
        KeyReused: The game that was created with it has expired.
        BusyError: Others were faster as often as we tried.
        StoreUnavailableError: The store does not answer; the outcome may be unknown.
    """

    def created() -> tuple[Stored, ...]:
        create = request.command(None)
        assert isinstance(create, c.CreateGame), "a game begins with its creation"
        links = deps.chain_links(create.nonce, create.key_id, create.commitment, create.seed_chain)
        return _sealed(decide(None, create, links), 0, deps.clock(), request)

    return found_game(deps, game_id, request.cause, created)


def found_game(
    deps: Deps, game_id: str, cause: Cause, events: Callable[[], Sequence[Stored]]
) -> Outcome:
    """Store what *events* gives as the game *game_id*, or find that *cause* has done so before.

    Raises:
        Refused: Another request made the game with the same key.
        KeyReused: The game that was made with it has expired.
        BusyError: Others were faster as often as we tried.
        CorruptLogError: The events are no log of that game.
        StoreUnavailableError: The store does not answer; the outcome may be unknown.
    """
    ours = False
    for _ in range(_TRIES_BEYOND_SEATS):
        try:
            game = deps.games.find(game_id)
            if game is not None:
                return _repeated(deps, game, cause, ours=ours)
            return _founded(deps, game_id, events())
        except (VersionConflict, Rewound):
            metrics.CONFLICTS.inc()
            continue
        except AnswerLost:
            ours = True
        except Expired:
            raise KeyReused("The key made a game that has expired.") from None
    raise BusyError(game_id)


def handle(deps: Deps, game_id: str, request: Request) -> Outcome:
    """Carry out *request*, or find that it was carried out before.

    Raises:
        GameNotFoundError: There is no such game.
        QuarantinedError: Its log makes no sense.
        Refused: The game does not allow it; nothing has changed.
        BusyError: Others were faster as often as we tried.
        StoreUnavailableError: The store does not answer; the outcome may be unknown.
    """
    ours = False
    for game, is_current in _moments(deps, game_id):
        try:
            outcome = _attempt(deps, game, request, ours=ours)
        except Refused as refused:
            if is_current:
                _doubt(deps, game, request.caller, refused)
                metrics.count_command(refused.kind, getattr(refused.reason, "code", UNKNOWN))
                raise
        except (VersionConflict, Rewound):
            metrics.CONFLICTS.inc()
            continue
        except AnswerLost:
            ours = True
        else:
            # "Nothing to change" is a kind of refusal, and a repeat is for a token in force:
            # only the log itself can say so.
            if is_current or (outcome.events and not outcome.replayed):
                return outcome
    raise BusyError(game_id)


def _doubt(deps: Deps, game: Game, caller: Caller, refused: Refused) -> None:
    if isinstance(refused.reason, TokenRevoked) and caller.grant is not None:
        deps.games.doubt(game, caller.actor.seat, caller.grant)


def _moments(deps: Deps, game_id: str) -> Iterator[tuple[Game, bool]]:
    """Yield the game as it is remembered, then as the log has it, and whether it is the latter."""
    game = deps.games.cached(game_id)
    if game is not None:
        yield game, False
    game = deps.games.read(game_id)
    yield game, True
    for _ in range(game.table.rules.seats + _TRIES_BEYOND_SEATS):
        yield deps.games.read(game_id), True


def _attempt(deps: Deps, game: Game, request: Request, *, ours: bool) -> Outcome:
    seat = request.caller.seat
    if not _grant_holds(game, request.caller) and not _died_of_this(deps, game, request):
        raise Refused(TokenRevoked("The token is no longer valid."), game, seat)
    if game.command(request.cause.command) is not None:
        return _repeated(deps, game, request.cause, ours=ours)
    kind = UNKNOWN
    try:
        command = _command(game, request)
        kind = _kind(type(command).__name__)
        earlier = _same_decision(deps, game, command, request.guard)
        if earlier is not None:
            return _outcome_of(deps, game, earlier)._replace(natural=True)
        _check_guard(game, command, request.guard)
        events = decide(game.state, command, deps.links(game))
    except _REFUSALS as exc:
        raise Refused(exc, game, seat, kind) from exc
    if not events:
        if not request.is_named:
            return Outcome(game, ())
        # Only an event remembers the key: what was answered once is answered so for ever.
        assert isinstance(command, c.LobbyCommand | c.SeatCommand), "all others change something"
        events = [said_again(game.state, command)]
    outcome = _append(deps, game, events, request)
    metrics.count_command(kind, metrics.ACCEPTED)
    return outcome


def _grant_holds(game: Game, caller: Caller) -> bool:
    if caller.grant is None:
        return True
    seat = caller.actor.seat
    if seat is None:
        return caller.grant == game.table.host_grant
    players = game.table.players
    return seat < len(players) and players[seat].has_token(caller.grant)


def _died_of_this(deps: Deps, game: Game, request: Request) -> bool:
    """Return whether the caller's token died of this very command, which may be repeated."""
    done, caller = game.command(request.cause.command), request.caller
    if done is None or done.fingerprint != request.cause.fingerprint:
        return False
    before, after = (deps.games.at(game, version) for version in (done.first - 1, done.last))
    return _grant_holds(before, caller) and not _grant_holds(after, caller)


def _command(game: Game, request: Request) -> c.Command:
    try:
        return request.command(game)
    except RuleViolation:
        # What a change would come to matters only at the version that it was meant for.
        _check_precondition(game, request.guard)
        raise


def _check_precondition(game: Game, guard: Guard) -> None:
    if guard.match is not None and not guard.match(game.version):
        raise PreconditionFailed("The game has moved on.")


def _check_guard(game: Game, command: c.Command, guard: Guard) -> None:
    _check_precondition(game, guard)
    if guard.expected_version not in {None, game.version}:
        msg = f"The game is at version {game.version}, not {guard.expected_version}."
        raise VersionMoved(msg)
    turn = game.turn
    if isinstance(command, c.Move) and turn is not None and guard.turn_id not in {None, turn.id}:
        msg = f"The open turn is {turn.id}, not {guard.turn_id}."
        raise StaleTurn(msg)


def _same_decision(deps: Deps, game: Game, command: c.Command, guard: Guard) -> Done | None:
    """Return where the caller made the same move before; None if it has not decided the turn.

    Raises:
        TurnAlreadyPlayed: It decided otherwise.
        HintLimit: It had a hint of another level.
    """
    if isinstance(command, c.TakeHint):
        return _same_hint(deps, game, command)
    if guard.turn_id is None or not isinstance(command, c.Move):
        return None
    seq = game.decision(command.seat, guard.turn_id)
    if seq is None:
        return None
    # Before it in its command stands at most how the seat came to decide.
    decision, *before = reversed(deps.games.events(game, seq - _MOST_BEFORE, seq))
    if not _is_same(decision.event, command, game) or _is_the_clocks(decision.event):
        msg = f"Seat {command.seat} has played turn {guard.turn_id}."
        raise TurnAlreadyPlayed(msg)
    cause = next(one.cause for one in (decision, *before) if one.cause is not None)
    return game.command(cause.command)


def _same_hint(deps: Deps, game: Game, command: c.TakeHint) -> Done | None:
    seq = game.hint(command.seat, command.turn_id)
    if seq is None:
        return None
    (stored,) = deps.games.events(game, seq, seq)
    assert isinstance(stored.event, e.HintUsed), "the index leads to hints"
    assert stored.cause is not None, "a hint is a command of its own"
    if stored.event.level != command.level:
        msg = f"Seat {command.seat} has had its hint for turn {command.turn_id}."
        raise HintLimit(msg)
    return game.command(stored.cause.command)


def _is_the_clocks(event: e.Event) -> bool:
    # Whoever was late has not made it, though it be the same.
    moves = e.CardPlayed | e.MoonChosen | e.CardsPassed
    return isinstance(event, moves) and event.auto == c.TIMEOUT


def _is_same(event: e.Event, command: c.Move, game: Game) -> bool:
    match event, command:
        case e.CardPlayed(card=played), c.PlayCard(card=card):
            return named(played) == named(card)
        case e.MoonChosen(choice=chosen), c.ChooseMoon(choice=choice):
            return chosen is choice
        case e.CardsPassed(cards=passed), c.PassCards(cards=cards):
            by_order = direction_of(game.table.rules, event.deal) is Direction.SCATTER
            done, asked = list(map(named, passed)), list(map(named, cards))
            return done == asked if by_order else sorted(done) == sorted(asked)
        case _:
            return False


def _repeated(deps: Deps, game: Game, cause: Cause, *, ours: bool) -> Outcome:
    done = game.command(cause.command)
    if done is None or done.fingerprint != cause.fingerprint:
        raise Refused(KeyReused("The key was used for another request."), game, None)
    outcome = _outcome_of(deps, game, done)
    if outcome.events[0].cause not in {cause, nameless(done.first)}:
        # Remembered here, but the log has lost it and gone on without it.
        deps.games.lose(game)
        msg = f"{game.game_id} has another event {done.first} than was seen"
        raise Rewound(msg)
    if not ours:
        metrics.REPLAYS.inc()
    else:
        # Our own write, whose answer was lost: nobody has been told yet.
        deps.notify(game)
    return outcome._replace(replayed=not ours)


def _outcome_of(deps: Deps, game: Game, done: Done) -> Outcome:
    events = tuple(deps.games.events(game, done.first, done.last))
    return Outcome(deps.games.at(game, done.last), events, replayed=True)


def _founded(deps: Deps, game_id: str, stored: Sequence[Stored]) -> Outcome:
    entries = [encode(one, stored[0].time) for one in stored]
    game = opened_game(game_id, stored, head_of(entries[-1]))
    deps.store.append(
        game_id, 0, NO_HEAD, entries, marks_for(game, stored, deps.clock(), deps.waits)
    )
    deps.games.keep(game)
    deps.notify(game)
    metrics.count_command(_kind(c.CreateGame.__name__), metrics.ACCEPTED)
    _count_events(stored)
    return Outcome(game, tuple(stored))


def _append(deps: Deps, game: Game, events: Sequence[e.Event], request: Request) -> Outcome:
    now = deps.clock()
    # Times never go back, whatever the clock of this machine says.
    stored = _sealed(events, game.version, max(now, game.times.last_event_at), request)
    entries = [encode(one, game.times.created_at) for one in stored]
    after = game.plus(stored, head_of(entries[-1]))
    marks = marks_for(after, stored, now, deps.waits, since=game.times.last_event_at)
    deps.store.append(game.game_id, game.version, game.head, entries, marks)
    after.note(stored)
    deps.games.keep(after)
    deps.notify(after)
    _count_events(stored)
    return Outcome(after, stored)


@cache
def _kind(name: str) -> str:
    return _CAPITAL.sub("_", name).lower()


def _count_events(stored: Sequence[Stored]) -> None:
    for one in stored:
        metrics.count_event(type_of(one.event))


def _sealed(
    events: Sequence[e.Event], version: int, now: int, request: Request
) -> tuple[Stored, ...]:
    return tuple(
        Stored(
            seq=seq,
            time=now,
            actor=_actor(request.caller, event),
            cause=request.cause if seq == version + 1 else None,
            event=event,
        )
        for seq, event in enumerate(events, version + 1)
    )


def _actor(caller: Caller, event: e.Event) -> Actor:
    # Whoever claims a seat acts for it from that event on.
    return Actor("seat", event.seat) if isinstance(event, e.SeatClaimed) else caller.actor
