"""What workers run: the moves of bots and of the clock, and analyses.

A job is a player with no hands. It goes through the same door as people, and believes nothing
but the log. So a job that is doubled, late or lost changes only the delay; the sweeper brings
back what was lost. Where bots sit side by side, one job moves them all: each move costs less
than a job.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeAlias

from engine.bots import LEVELS, Tempo, choose, fallback_move, seed_for
from engine.clocks import MILLISECONDS
from engine.commands import TAKEOVER, Move
from engine.errors import CorruptLogError, GameNotActive, NotYourTurn, WrongPhase
from engine.seats import Seat
from engine.view import View, view_for
from service import metrics, tracing
from service.analyses.desk import Desk
from service.command_handler import handle
from service.command_request import (
    BusyError,
    Caller,
    Guard,
    Refused,
    Request,
    StaleTurn,
    TurnAlreadyPlayed,
    cause_of,
)
from service.deps import Deps
from service.game import Game
from service.games import GameNotFoundError, QuarantinedError
from service.held import Held
from service.keyring import MissingKeyError
from service.logs import log_context
from service.marks import marks_for
from service.notify import ANALYSE, PLAY_DUE, THINK_DUE, Notify, NotifyHooks
from service.settings import Settings
from service.steady import SteadyClock
from service.store.base import AnswerLost, Expired, StoreUnavailableError, VersionConflict
from service.store.envelope import Actor
from service.sweeper import GRACE_MS, GRACE_PER_HINT_MS
from service.tempo import delay_of, due_of, opened_at, tempo_of, waiting_bots
from service.timekeeper import keep_time
from service.trouble import Decision, Trouble
from service.watch import Watch
from service.wiring import (
    make_deps,
    make_hooks_queue,
    make_orders,
    make_queues,
    make_trouble,
    make_watch,
)

_log = logging.getLogger(__name__)

AT_A_TABLE_SECONDS: Final = GRACE_PER_HINT_MS / 1_000
"""After so long at one table, the other games come first."""

LATE_MS: Final = 1_000
"""A turn that nobody has made for longer after its time has been tried before."""

LATE_TRIES: Final = 2
"""How often a late turn is left to its level; then comes the fallback."""

HOPELESS_TRIES: Final = 6
"""How often a late turn is tried at all before its game is parked."""

Tempos: TypeAlias = frozenset[Tempo]

_LATE: Final = MappingProxyType({Tempo.QUICK: metrics.LATE_BOT, Tempo.SLOW: metrics.LATE_SLOW_BOT})
_ID: Final = re.compile("[0-9a-f]{32}")
_SOMEBODY_WAS_FASTER: Final = (
    StaleTurn,
    TurnAlreadyPlayed,
    NotYourTurn,
    WrongPhase,
    GameNotActive,
)


class IllegalBotMoveError(Exception):
    """A level made a move that the rules forbid; the text is the code of the refusal."""


class Hint(Protocol):
    """Queues a look at a game, behind all others."""

    def __call__(self, game_id: str, tempo: Tempo = Tempo.QUICK) -> None:
        """Queue it among those of *tempo*; if it is not known, of the quick."""
        ...


class Hands(NamedTuple):
    """What a worker plays with; *hold* does something after so many seconds.

    *desk* has analyses to work at, None where nobody does.
    """

    deps: Deps
    trouble: Trouble
    hint: Hint
    watch: Watch
    hold: Callable[[float, Callable[[], None]], None]
    timer: Callable[[], float] = time.monotonic
    desk: Desk | None = None


def make_hands(settings: Settings) -> Hands:
    """Return what a worker with *settings* plays with."""
    hint = Notify(make_queues(settings)).hint
    # Whoever moves a bot looks after the next one, so a commit need not hint at it.
    # And whoever keeps the time goes by nobody else's.
    hooks = NotifyHooks(make_hooks_queue(settings))
    deps = replace(make_deps(settings), notify=hooks, clock=SteadyClock())
    desk = Desk(deps.games, make_orders(settings))
    trouble, watch = make_trouble(settings), make_watch(settings)
    return Hands(deps, trouble, hint, watch, Held(), desk=desk)


def play_due(hands: Hands, game_id: str) -> None:
    """Make the moves that the game waits for, as long as it waits for quick bots or the clock.

    A hint, not an order: doubled, late or lost, it changes only the delay. A game that
    waits for a slow bot is passed on to where those wait, and one that cannot go on is parked.

    Raises:
        ValueError: No game has such an id.
        StoreUnavailableError: The store does not answer; the sweeper will come again.
        BusyError: Others were faster as often as we tried; they or the sweeper go on.
        Exception: Whatever the level of the bot raises; the sweeper will come again.
    """
    _look_at(hands, game_id, frozenset({Tempo.QUICK}))


def think_due(hands: Hands, game_id: str) -> None:
    """Do as `play_due`, whether the game waits for quick bots or for slow ones.

    Raises:
        Exception: As `play_due`.
    """
    _look_at(hands, game_id, frozenset(Tempo))


def _look_at(hands: Hands, game_id: str, tempos: Tempos) -> None:
    if not _ID.fullmatch(game_id):
        raise ValueError("a hint that names no game")
    with log_context(game=game_id):
        try:
            _play(hands, game_id, tempos)
        except Expired:
            return  # it was over long ago
        except (GameNotFoundError, QuarantinedError, CorruptLogError, MissingKeyError) as exc:
            hands.trouble.park(game_id)
            if isinstance(exc, GameNotFoundError | CorruptLogError):
                hands.deps.games.quarantine.tell(game_id, "log", str(exc))
            # Why it is closed was said as an error, once; this comes again every few minutes.
            _log.info("parked, it cannot go on: %s", exc)


def analyse(hands: Hands, analysis_id: str) -> None:
    """Judge some decisions of an analysis, and queue a job for the others.

    A hint, not an order: doubled, late or lost, it changes only the delay.

    Raises:
        ValueError: No analysis has such an id.
        StoreUnavailableError: The store does not answer; the sweeper will come again.
        Exception: Whatever the review raises; so often in a row, the analysis has failed.
    """
    if not _ID.fullmatch(analysis_id):
        raise ValueError("a hint that names no analysis")
    assert hands.desk is not None, "a worker has a desk"
    hands.desk.work(analysis_id)


JOBS: Final[Mapping[str, Callable[[Hands, str], None]]] = MappingProxyType(
    {PLAY_DUE: play_due, THINK_DUE: think_due, ANALYSE: analyse}
)
"""All that a job may be, by the name in its record."""


def _play(hands: Hands, game_id: str, tempos: Tempos) -> None:
    until = hands.timer() + AT_A_TABLE_SECONDS
    game: Game | None = hands.deps.games.read(game_id)
    assert game is not None, "it was read"
    if not waiting_bots(game):
        _put_right(hands.deps, game)
    elif tempo_of(game) in tempos:
        _tell_lateness(hands.deps, game, waiting_bots(game)[0])
    while game is not None:
        if tempo_of(game) not in tempos:
            hands.hint(game_id, tempo_of(game))
            return
        game = _step(hands, game)
        if game is not None and hands.timer() > until:
            if _goes_on(game):
                hands.hint(game_id, tempo_of(game))
            return


def _goes_on(game: Game) -> bool:
    """Return whether something may be left to do at once: for a bot, or for the clock."""
    return bool(waiting_bots(game)) or game.table.clock is not None


def _tell_lateness(deps: Deps, game: Game, seat: Seat) -> None:
    late_ms = deps.clock() - opened_at(game, seat, deps.waits.bot_delay_ms)
    late_ms -= delay_of(game, seat, deps.waits.bot_delay_ms)
    if late_ms >= 0:  # else there is time, and it is told when that has come
        _LATE[tempo_of(game)].observe(late_ms / MILLISECONDS)


def _step(hands: Hands, game: Game) -> Game | None:
    """Return *game* after what it waits for, None if that is nothing that we do now."""
    waiting = waiting_bots(game)
    if not waiting:
        return keep_time(hands.deps, hands.watch, game)
    for seat in waiting:
        until = _early_ms(hands.deps, game, seat)
        if until <= 0:
            return _play_turn(hands, game, seat)
        if _prepare(hands, game, seat, until):
            return game if seat != waiting[-1] else None
    return None


def _early_ms(deps: Deps, game: Game, seat: Seat) -> int:
    """Return how long it is until *seat* may move, in ms; not positive if it may."""
    now, delay_ms = deps.clock(), deps.waits.bot_delay_ms
    if opened_at(game, seat, delay_ms) - now > LATE_MS:
        return 0
    return due_of(game, seat, delay_ms, now) - now


def _prepare(hands: Hands, game: Game, seat: Seat, early_ms: int) -> bool:
    """Choose the move of *seat* for when its time has come, if nobody else does."""
    assert game.turn is not None, "somebody is to act"
    until = hands.timer() + early_ms / MILLISECONDS
    decision = Decision(game.game_id, game.turn.id, seat)
    since = _charged_at(hands.deps, game, seat)
    # If we die, it is free again before the sweeper comes.
    if not hands.trouble.reserve(decision, since, early_ms + GRACE_MS // 2):
        return False
    move = _chosen(hands.deps, game, seat)
    hands.hold(until - hands.timer(), partial(_make_held, hands, game, move))
    return True


def _make_held(hands: Hands, game: Game, move: Move) -> None:
    """Make *move*, chosen for *game* before its time had come."""
    with log_context(game=game.game_id), tracing.job("held_move", None):
        _tell_lateness(hands.deps, game, move.seat)
        after = _move(hands.deps, game, move, _charged_at(hands.deps, game, move.seat))
        if after is not None and _goes_on(after):
            hands.hint(game.game_id, tempo_of(after))


def _put_right(deps: Deps, game: Game) -> None:
    """Put the line of *game*, which waits for no bot, in the due set right, as it mostly is."""
    # Otherwise a line that should not be there would be swept, and alarm, for ever.
    with suppress(VersionConflict, AnswerLost):
        deps.store.append(
            game.game_id,
            game.version,
            game.head,
            (),
            marks_for(game, (), deps.clock(), deps.waits),
        )


def _play_turn(hands: Hands, game: Game, seat: Seat) -> Game | None:
    """Return the game after the move of *seat*; None if others see to it."""
    delay_ms = hands.deps.waits.bot_delay_ms
    due_at = opened_at(game, seat, delay_ms) + delay_of(game, seat, delay_ms)
    # A turn that opens in the future was written by another clock: be careful with it, too.
    if abs(hands.deps.clock() - due_at) <= LATE_MS:
        return _move(hands.deps, game, _chosen(hands.deps, game, seat))
    assert game.turn is not None, "somebody is to act"
    decision = Decision(game.game_id, game.turn.id, seat)
    with hands.trouble.attempt(decision) as count:
        return _try_again(hands, game, decision, count) if count else None


def _try_again(hands: Hands, game: Game, decision: Decision, count: int) -> Game | None:
    if count > HOPELESS_TRIES:
        hands.trouble.park(game.game_id)
        _log.error("parked, seat %d cannot be moved at all", decision.seat)
        return None
    try:
        if count <= LATE_TRIES:
            return _move(hands.deps, game, _chosen(hands.deps, game, decision.seat))
        _log.warning("seat %d makes a fallback move, its level failed", decision.seat)
        return _move(hands.deps, game, fallback_move(view_for(decision.seat, game.state)))
    except (StoreUnavailableError, BusyError):
        hands.trouble.forgive(decision)
        raise


def _chosen(deps: Deps, game: Game, seat: Seat) -> Move:
    view, level = view_for(seat, game.state), _level(game, seat)
    seed = seed_for(view, deps.links(game)(_deal(view)))
    with metrics.BOT_MOVE.labels(level).time():
        return choose(view, level, seed)


def _charged_at(deps: Deps, game: Game, seat: Seat) -> int:
    """Return since when the bot of *seat* has had to decide, in ms since the epoch."""
    return opened_at(game, seat, deps.waits.bot_delay_ms)


def _move(deps: Deps, game: Game, move: Move, since: int | None = None) -> Game | None:
    """Return the game after *move* of the bot that sits there; None if others were faster.

    Where it is to be the bot that has had to decide *since* that moment, whoever was put in
    charge of the seat later is another one.
    """
    assert game.turn is not None, "somebody is to act"
    level, scope = _level(game, move.seat), f"bot:{move.seat}"
    request = Request(
        caller=Caller(Actor("bot", move.seat, level, LEVELS[level].version), scope),
        command=lambda now: _still(deps, now, move, level, since),
        cause=cause_of(scope, None, "move", {}),
        guard=Guard(turn_id=game.turn.id),
    )
    try:
        outcome = handle(deps, game.game_id, request)
    except Refused as exc:
        if isinstance(exc.reason, _SOMEBODY_WAS_FASTER):
            return None
        # The text of the refusal may name cards that nobody else has seen; its code does not.
        code = getattr(exc.reason, "code", type(exc.reason).__name__)
        _log.error("level %s made a move that is refused: %s", level, code)
        raise IllegalBotMoveError(code) from None
    return None if outcome.replayed else outcome.game


def _level(game: Game, seat: Seat) -> str:
    level = game.table.players[seat].playing_level
    assert level is not None, "a bot has a level"
    return level


def _still(deps: Deps, game: Game | None, move: Move, level: str, since: int | None) -> Move:
    """Return *move* as it goes into the log, if *level* is still in charge of the seat.

    Raises:
        StaleTurn: Its player is back, or was and has gone again.
    """
    assert game is not None, "a move needs a game"
    player = game.table.players[move.seat]
    if player.playing_level != level:
        raise StaleTurn("Somebody else plays the seat.")
    is_running = game.turn is not None
    if is_running and since not in {None, _charged_at(deps, game, move.seat)}:
        raise StaleTurn("The seat has changed hands.")
    return replace(move, auto=TAKEOVER) if player.stand_in and move.auto is None else move


def _deal(view: View) -> int:
    assert view.deal is not None, "somebody is to act"
    return view.deal.number
