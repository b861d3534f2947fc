"""Voiding deals whose cards or links somebody may have seen, and the store has lost.

A process that remembers more than the store has, or meets a token that the store knows
nothing of, voids the running deal; the next one takes a later link than any that it knows to
have been dealt.

Source: docs/fairness.md, point 8.
"""

import logging
from enum import StrEnum
from typing import Final

from engine import commands as c
from engine import reasons
from engine.errors import RuleViolation
from service.command_handler import handle
from service.command_request import Caller, Refused, Request, cause_of
from service.deps import Deps
from service.game import Game, Loss
from service.keyring import MissingKeyError
from service.store.envelope import Actor

_log = logging.getLogger(__name__)

SYSTEM: Final = Caller(Actor("system"), "system")


def watch(deps: Deps) -> Deps:
    """Let the games of *deps* void a running deal when they find their log rewound."""
    deps.games.on_loss = lambda game, loss: _void(deps, game, loss)
    return deps


class Voiding(StrEnum):
    """What became of the wish to void the running deal of a game."""

    DONE = "voided"
    BEFORE = "voided before"
    IDLE = "not running"


def void_deal(deps: Deps, game_id: str, command: c.VoidDeal, key: str, past: int = 0) -> Voiding:
    """Carry out *command*, once for each *key*, and return what became of it.

    *past* is the number of a deal whose link must not be dealt again, beyond what is skipped.

    Raises:
        GameNotFoundError: There is no such game.
        QuarantinedError: Its log makes no sense.
        MissingKeyError: Its secret is not configured.
        BusyError: Others were faster as often as we tried.
        StoreUnavailableError: The store does not answer; the outcome may be unknown.
    """

    def voiding(game: Game | None) -> c.VoidDeal:
        assert game is not None, "a game that was created"
        return c.VoidDeal(command.reason, max(command.skip, past - game.table.deals))

    cause = cause_of(SYSTEM.scope, key, "void", {"reason": command.reason, "skip": command.skip})
    try:
        outcome = handle(deps, game_id, Request(SYSTEM, voiding, cause))
    except Refused as refused:
        if isinstance(refused.reason, RuleViolation):
            return Voiding.IDLE  # it has not begun, or it is over
        raise
    if outcome.replayed:
        return Voiding.BEFORE
    _log.info("voided a deal of %s: %s", game_id, command.reason)
    return Voiding.DONE


def _void(deps: Deps, game: Game, loss: Loss) -> None:
    try:
        void_deal(deps, game.game_id, c.VoidDeal(reasons.STORE_REWOUND), loss.proof, loss.deal)
    except MissingKeyError:
        # It cannot be dealt from any more, so nothing can go on that should not; it can be read.
        _log.warning("no deal of %s can be voided, its secret is missing", game.game_id)
