"""What happens when somebody's time is up, for workers to do.

An outage of the service is not charged: who was to act while nobody kept the time gets it
back, and a little more. A time-out is an append like any other: it or the late move is in
the log, never both.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.bots import choose, fallback_move, seed_for
from engine.clocks import MILLISECONDS, Clock, OnTimeout
from engine.errors import GameAlreadyStarted, GameNotActive, NotYourTurn, WrongPhase
from engine.seats import Seat
from engine.state import TurnType
from engine.view import view_for
from service import metrics
from service.command_handler import handle
from service.command_request import Caller, Refused, Request, StaleTurn, cause_of
from service.deadlines import (
    GRACE_MS,
    deadline_of,
    idle_until,
    late_seats,
    lobby_until,
    next_deadline,
)
from service.deps import Deps
from service.game import Game
from service.store.envelope import Actor
from service.watch import Watch

TIMER: Final = Caller(Actor("timer"), "timer")
LEVEL_FAILS_MS: Final = 10_000
"""After so long the level of the clock has failed, and the fallback makes the move."""

_SOMEBODY_WAS_FASTER: Final = (
    *(StaleTurn, NotYourTurn, WrongPhase),
    *(GameNotActive, GameAlreadyStarted),
)


def keep_time(deps: Deps, watch: Watch, game: Game) -> Game | None:
    """Return *game* after what its clock does now; None if that is nothing, or others do it.

    Raises:
        StoreUnavailableError: The store does not answer; the sweeper will come again.
        RedisError: The queue's server does not say how the service has been.
        BusyError: Others were faster as often as we tried.
    """
    now, since = deps.clock(), _since(game)
    # Where our clock and that of the others do not agree, who is right cannot be told from here.
    due_at = next_deadline(game, deps.waits.lobby_ms)
    if due_at is None or (lost := watch.outage_ms(since, now)) is None:
        return None
    command = _due(deps, game, lost, now)
    done = None if command is None else _handled(deps, game, command)
    if done is not None and not lost:
        metrics.LATE_CLOCK.observe((now - due_at) / MILLISECONDS)
    return done


_Made: TypeAlias = Callable[[Game], c.Command]


def _due(deps: Deps, game: Game, lost: int, now: int) -> _Made | None:
    """Return what makes the command that is due at *now*, after an outage of *lost* ms."""
    lobby, deadline = lobby_until(game, deps.waits.lobby_ms), deadline_of(game)
    if lobby is not None and lobby <= now:
        return lambda _: c.AbortGame(reasons.LOBBY_EXPIRED)
    if deadline is None:
        return None
    if lost:
        return lambda seen: _extension(seen, game, lost)
    idle = idle_until(game)
    if idle is not None and idle <= now:
        return lambda seen: _if_idle(seen, now)
    if deadline <= now:
        seat = late_seats(game)[0]
        return lambda seen: _time_out(deps, seen, seat, now)
    return None


def _since(game: Game) -> int:
    """Return since when an outage has not been made up for."""
    extension = game.times.extension
    return game.times.turn_opened_at if extension is None else extension.at


def _handled(deps: Deps, game: Game, command: _Made) -> Game | None:
    def made(seen: Game | None) -> c.Command:
        assert seen is not None, "a game that was created"
        return command(seen)

    request = Request(TIMER, made, cause_of(TIMER.scope, None, "clock", {}))
    try:
        outcome = handle(deps, game.game_id, request)
    except Refused as refused:
        if isinstance(refused.reason, _SOMEBODY_WAS_FASTER):
            return None
        raise
    timed_out = (isinstance(one.event, e.TurnTimedOut) for one in outcome.events)
    metrics.TIMEOUTS.inc(sum(timed_out))
    return outcome.game


def _extension(seen: Game, game: Game, lost: int) -> c.ExtendTurn:
    deadline = deadline_of(seen)
    if deadline is None or seen.version != game.version or seen.turn is None:
        raise StaleTurn("Somebody did something meanwhile.")
    return c.ExtendTurn(seen.turn.id, deadline + lost + GRACE_MS, reasons.OUTAGE)


def _if_idle(seen: Game, now: int) -> c.EndIdling:
    idle = idle_until(seen)
    if idle is None or idle > now:
        raise StaleTurn("Somebody is back.")
    return c.EndIdling()


def _time_out(deps: Deps, seen: Game, seat: Seat, now: int) -> c.TimeOut:
    deadline, turn, clock = deadline_of(seen), seen.turn, seen.table.clock
    if turn is None or clock is None or deadline is None or deadline > now:
        raise StaleTurn("There is time left.")
    if seat not in late_seats(seen):
        raise StaleTurn("The seat has decided.")
    if clock.on_timeout is OnTimeout.ABORT:
        return c.TimeOut(seat, turn.id, None)
    return c.TimeOut(seat, turn.id, _move(deps, seen, seat, clock, late=now - deadline))


def _move(deps: Deps, seen: Game, seat: Seat, clock: Clock, late: int) -> c.Move:
    view = view_for(seat, seen.state)
    assert view.deal is not None, "somebody is to act"
    assert view.turn is not None, "somebody is to act"
    # A moon goes as the option `safety` says, whatever the level would choose.
    if view.turn.type is TurnType.MOON or late > LEVEL_FAILS_MS:
        return replace(fallback_move(view), auto=c.TIMEOUT)
    seed = seed_for(view, deps.links(seen)(view.deal.number))
    return replace(choose(view, clock.bot_level, seed), auto=c.TIMEOUT)
