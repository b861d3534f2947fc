"""What workers run: the moves of bots. A job is a player with no hands.

It goes through the same door as people, and believes nothing but the log. So a job that is
doubled, late or lost changes only the delay; the sweeper brings back what was lost.
"""

import logging
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.bots import LEVELS, choose, fallback_move, seed_for
from engine.commands import Move
from engine.errors import GameNotActive, NotYourTurn, WrongPhase
from engine.seats import Seat
from engine.view import View, view_for
from service.command_handler import (
    Caller,
    Guard,
    Refused,
    Request,
    StaleTurn,
    TurnAlreadyPlayed,
    cause_of,
    handle,
)
from service.deps import Deps
from service.game import Game
from service.games import GameNotFoundError, QuarantinedError
from service.keyring import MissingKeyError
from service.logs import log_context
from service.marks import waiting_bots
from service.notify import PLAY_DUE
from service.settings import Settings
from service.store.base import StoreUnavailableError
from service.store.envelope import Actor
from service.trouble import Decision, Trouble
from service.wiring import make_deps, make_trouble

_log = logging.getLogger(__name__)

LATE_MS: Final = 1_000
"""A turn that has been open for longer has been tried before."""

LATE_TRIES: Final = 2
"""How often a late turn is left to its level; then comes the fallback."""

HOPELESS_TRIES: Final = 6
"""How often a late turn is tried at all before its game is parked."""

_GAME_ID: Final = re.compile("[0-9a-f]{32}")
_SOMEBODY_WAS_FASTER: Final = (
    StaleTurn,
    TurnAlreadyPlayed,
    NotYourTurn,
    WrongPhase,
    GameNotActive,
)


class IllegalBotMoveError(Exception):
    """A level made a move that the rules forbid; the text is the code of the refusal."""


class Hands(NamedTuple):
    """What a worker plays with."""

    deps: Deps
    trouble: Trouble


def make_hands(settings: Settings) -> Hands:
    """Return what a worker with *settings* plays with."""
    return Hands(make_deps(settings), make_trouble(settings))


def play_due(hands: Hands, game_id: str) -> None:
    """Make the move that the game waits for, if it waits for a bot.

    A hint, not an order: doubled, late or lost, it changes only the delay. A game that
    cannot go on is parked.

    Raises:
        ValueError: No game has such an id.
        StoreUnavailableError: The store does not answer; the sweeper will come again.
        Exception: Whatever the level of the bot raises; the sweeper will come again.
    """
    if not _GAME_ID.fullmatch(game_id):
        raise ValueError("a hint that names no game")
    with log_context(game=game_id):
        try:
            game = hands.deps.games.read(game_id)
            waiting = waiting_bots(game)
            if waiting:
                _play_turn(hands, game, waiting[0])
        except (GameNotFoundError, QuarantinedError, MissingKeyError) as exc:
            hands.trouble.park(game_id)
            _log.error("parked, it cannot go on: %s", exc)


JOBS: Final[Mapping[str, Callable[[Hands, str], None]]] = MappingProxyType({PLAY_DUE: play_due})
"""All that a job may be, by the name in its record."""


def _play_turn(hands: Hands, game: Game, seat: Seat) -> None:
    if hands.deps.clock() - game.times.turn_opened_at <= LATE_MS:
        _move(hands.deps, game, _chosen(hands.deps, game, seat))
        return
    assert game.turn is not None, "somebody is to act"
    decision = Decision(game.game_id, game.turn.id, seat)
    with hands.trouble.attempt(decision) as count:
        if count:
            _try_again(hands, game, decision, count)


def _try_again(hands: Hands, game: Game, decision: Decision, count: int) -> None:
    if count > HOPELESS_TRIES:
        hands.trouble.park(game.game_id)
        _log.error("parked, seat %d cannot be moved at all", decision.seat)
        return
    try:
        if count > LATE_TRIES:
            move = fallback_move(view_for(decision.seat, game.state))
        else:
            move = _chosen(hands.deps, game, decision.seat)
        _move(hands.deps, game, move)
    except StoreUnavailableError:
        hands.trouble.forgive(decision)
        raise
    if count > LATE_TRIES:
        _log.warning("seat %d made a fallback move, its level failed", decision.seat)


def _chosen(deps: Deps, game: Game, seat: Seat) -> Move:
    view = view_for(seat, game.state)
    return choose(view, _level(game, seat), seed_for(view, deps.links(game)(_deal(view))))


def _move(deps: Deps, game: Game, move: Move) -> None:
    """Send *move* as the bot that sits there."""
    assert game.turn is not None, "somebody is to act"
    level, scope = _level(game, move.seat), f"bot:{move.seat}"
    request = Request(
        caller=Caller(Actor("bot", move.seat, level, LEVELS[level].version), scope),
        command=lambda _: move,
        cause=cause_of(scope, None, "move", {}),
        guard=Guard(turn_id=game.turn.id),
    )
    try:
        handle(deps, game.game_id, request)
    except Refused as exc:
        if isinstance(exc.reason, _SOMEBODY_WAS_FASTER):
            return
        # The text of the refusal may name cards that nobody else has seen; its code does not.
        code = getattr(exc.reason, "code", type(exc.reason).__name__)
        _log.error("level %s made a move that is refused: %s", level, code)
        raise IllegalBotMoveError(code) from None


def _level(game: Game, seat: Seat) -> str:
    level = game.table.players[seat].level
    assert level is not None, "a bot has a level"
    return level


def _deal(view: View) -> int:
    assert view.deal is not None, "somebody is to act"
    return view.deal.number
