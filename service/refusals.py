"""What a game refuses, as a problem: with all that its player needs to do better.

Source: openapi.yaml, schema `Problem`.
"""

from http import HTTPStatus
from typing import Any, Final

from engine.errors import (
    GameAlreadyStarted,
    GameNotActive,
    GameNotFinished,
    GameNotStarted,
    HintsDisabled,
    IllegalMove,
    KnowledgeDisabled,
    LobbyRefusal,
    NoSuchSeat,
    NothingToPlay,
    NotYourTurn,
    RulesConflict,
    RuleViolation,
    WrongPhase,
)
from engine.state import status_of
from engine.view import view_for
from service import command_request as h
from service.etags import etag
from service.game import Game
from service.problem import Problem, too_many, unauthorized
from service.quotas import RateLimited
from service.schemas.responses import Viewer, led_suit_data, moves_data, turn_data


def refusal_of(exc: h.Refused) -> Problem | None:  # noqa: PLR0911 - one line per kind
    """Return the problem of a command that the game refuses, None if it is none of its own."""
    reason, game, viewer = exc.reason, exc.game, Viewer(exc.seat)
    match reason:
        case h.TokenRevoked():
            return unauthorized(reason)
        case RateLimited():
            return too_many(reason)
        case h.KeyReused():
            return Problem(HTTPStatus.CONFLICT, reason.code, str(reason))
        case h.PreconditionFailed():
            return _precondition(reason, game, viewer)
        case h.StaleTurn():
            return _turn_conflict(reason.code, reason, game, viewer)
        case h.TurnAlreadyPlayed():
            return _turn_conflict(reason.code, reason, game, viewer)
        case h.VersionMoved():
            return _turn_conflict(reason.code, reason, game, viewer)
        case RuleViolation():
            return _against_the_rules(reason, game, viewer)
        case _:
            return None


def _precondition(reason: h.PreconditionFailed, game: Game, viewer: Viewer) -> Problem:
    more, headers = {"current_version": game.version}, {"ETag": etag(game, viewer)}
    status = HTTPStatus.PRECONDITION_FAILED
    return Problem(status, reason.code, str(reason), more, headers)


def _against_the_rules(reason: RuleViolation, game: Game, viewer: Viewer) -> Problem:
    match reason:
        case NoSuchSeat():
            return Problem(HTTPStatus.NOT_FOUND, reason.code, str(reason))
        case (
            GameAlreadyStarted()
            | GameNotStarted()
            | GameNotActive()
            | GameNotFinished()
            | NothingToPlay()
            | KnowledgeDisabled()
            | HintsDisabled()
        ):
            more: dict[str, Any] = {"game_status": status_of(game.state).value}
        case LobbyRefusal():
            more = _open_seats(reason, game)
        case NotYourTurn() | WrongPhase():
            return _turn_conflict(reason.code, reason, game, viewer)
        case IllegalMove():
            view = view_for(viewer.seat, game.state)
            more = {
                "current_version": game.version,
                "led_suit": led_suit_data(view),
                "legal_moves": moves_data(view),
            }
        case _:
            return rule_violation(reason)
    return Problem(HTTPStatus.CONFLICT, reason.code, str(reason), more)


_OF_NO_SEAT: Final = frozenset({"client_seed_given", "wrong_join_code"})
"""Refusals that say nothing of the seats."""


def _open_seats(reason: LobbyRefusal, game: Game) -> dict[str, Any]:
    if reason.code in _OF_NO_SEAT:
        return {}
    players = enumerate(game.table.players)
    return {"open_seats": [seat for seat, player in players if player.is_free]}


def _turn_conflict(code: str, reason: Exception, game: Game, viewer: Viewer) -> Problem:
    more = {
        "current_version": game.version,
        "turn": turn_data(game),
        "legal_moves": moves_data(view_for(viewer.seat, game.state)),
    }
    return Problem(HTTPStatus.CONFLICT, code, str(reason), more)


def rule_violation(exc: RuleViolation) -> Problem:
    """Return the problem of what no rules allow, whatever the game."""
    more = {"fields": list(exc.fields)} if isinstance(exc, RulesConflict) else {}
    return Problem(HTTPStatus.CONFLICT, exc.code, str(exc), more)
