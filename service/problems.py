"""From an exception to the one form that every error has: application/problem+json.

Refusals of the game bring their code along; everything else is named here. A code never
changes, its title may.

Source: RFC 9457; openapi.yaml, schema `Problem`.
"""

import json
import logging
import secrets
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from engine.errors import (
    CorruptLogError,
    GameAlreadyStarted,
    GameNotActive,
    GameNotFinished,
    GameNotStarted,
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
from service import metrics
from service.auth import Forbidden, Unauthorized, knows_of
from service.bodies import BodyTooLargeError, InvalidBodyError, MediaTypeError
from service.etags import etag
from service.game import Game
from service.games import GameNotFoundError, QuarantinedError
from service.importing import ImportRejectedError
from service.keyring import MissingKeyError
from service.parameters import CursorError, ParametersError
from service.places import StreamCapacityError, TooManyStreamsError
from service.problem_codes import HELP, problem_type
from service.quotas import RateLimited
from service.requests import deps, request_id
from service.schemas import fields
from service.schemas.responses import (
    Viewer,
    led_suit_data,
    moves_data,
    timestamp,
    turn_data,
)
from service.schemas.verification import report_data
from service.store.base import Expired, Rewound, StoreUnavailableError
from service.strict_json import MalformedJsonError
from service.webhooks.endpoints import EndpointConflict

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
SHORT_WAIT: Final = 1
LONG_WAIT: Final = 5


class Problem(NamedTuple):
    """An error on its way out; *more* are its own members, *headers* its own headers."""

    status: HTTPStatus
    code: str
    detail: str
    more: Mapping[str, Any] = MappingProxyType({})
    headers: Mapping[str, str] = MappingProxyType({})


class NotThere(Exception):  # noqa: N818 - as HTTP calls it
    """Something inside a game or list that does not exist; *code* says what."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class NotRevealed(Exception):  # noqa: N818 - a fact about the game
    """Something that is not open to this view yet."""

    def __init__(self, revealed_version: int) -> None:
        super().__init__(f"Only versions up to {revealed_version} are open.")
        self.revealed_version = revealed_version


class NotProvable(Exception):  # noqa: N818 - a fact about the game
    """A deal that another game has dealt; *proof* is the path where that one proves it."""

    def __init__(self, proof: str) -> None:
        super().__init__("The deal was copied; the game that it came from proves it.")
        self.proof = proof


class NotAcceptable(Exception):  # noqa: N818 - as HTTP calls it
    """A form that does not exist is asked for; *available* has the media types that do."""

    def __init__(self, available: list[str]) -> None:
        super().__init__(f"This comes as {' or '.join(available)}.")
        self.available = available


def register(app: Flask) -> None:
    """Make *app* answer every exception with a problem."""
    # On the app, not on blueprints: those never see the errors of routing.
    app.register_error_handler(Exception, answer)


def answer(exc: Exception) -> Response:
    """Return the problem that *exc* stands for."""
    return respond(problem_of(exc))


def respond(problem: Problem) -> Response:
    """Return *problem* as a response."""
    body = {
        "type": problem_type(problem.code),
        "title": HELP[problem.code].title,
        "status": problem.status.value,
        "code": problem.code,
        "detail": problem.detail,
        "instance": request.path,
        "request_id": request_id(),
        **problem.more,
    }
    response = Response(json.dumps(body), problem.status, mimetype=MEDIA_TYPE)
    response.headers.update({"Cache-Control": "no-store", **problem.headers})
    return response


def problem_of(exc: Exception) -> Problem:  # noqa: C901, PLR0911, PLR0912 - one line per kind
    """Return the problem that *exc* stands for; an unknown one is logged and is ours."""
    match exc:
        case h.Refused():
            return _refused(exc)
        case RuleViolation():
            return _rule_violation(exc)
        case HTTPException():
            return _routing(exc)
        case Unauthorized() | h.TokenRevoked():
            return _unauthorized(exc)
        case Forbidden():
            return Problem(HTTPStatus.FORBIDDEN, exc.code, str(exc))
        case ParametersError() | InvalidBodyError() | MalformedJsonError():
            return _bad_request(exc)
        case BodyTooLargeError():
            return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", str(exc))
        case MediaTypeError():
            return Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", str(exc))
        case GameNotFoundError():
            return Problem(HTTPStatus.NOT_FOUND, "game_not_found", "There is no game of that id.")
        case Expired():
            return _expired(exc)
        case h.KeyReused():
            return Problem(HTTPStatus.CONFLICT, exc.code, str(exc))
        case NotThere():
            return Problem(HTTPStatus.NOT_FOUND, exc.code, str(exc))
        case EndpointConflict():
            return Problem(HTTPStatus.CONFLICT, exc.code, str(exc))
        case NotRevealed():
            more = {"revealed_version": exc.revealed_version}
            return Problem(HTTPStatus.CONFLICT, "not_revealed", str(exc), more)
        case NotProvable():
            links = {"links": {"proof": exc.proof}}
            return Problem(HTTPStatus.CONFLICT, "not_provable", str(exc), links)
        case NotAcceptable():
            return _not_acceptable(exc)
        case ImportRejectedError():
            report = {"report": report_data(exc.report, exc.form)}
            return Problem(HTTPStatus.CONFLICT, "import_rejected", str(exc), report)
        case TooManyStreamsError() | RateLimited():
            return _too_many(exc)
        case _:
            return _unavailable(exc) or _internal(exc)


def _expired(exc: Expired) -> Problem:
    game_id = (request.view_args or {}).get("game_id", "")
    if exc.is_private and not knows_of(deps(), game_id):
        return problem_of(GameNotFoundError(game_id))
    more = {"expired_at": timestamp(exc.at)}
    return Problem(HTTPStatus.GONE, "game_expired", "The game is kept no longer.", more)


def _bad_request(exc: Exception) -> Problem:
    match exc:
        case CursorError():
            return _parameters(exc, "invalid_cursor")
        case ParametersError():
            unknown = all(wrong.code == "unknown" for wrong in exc.wrong)
            return _parameters(exc, "unknown_parameter" if unknown else "invalid_parameter")
        case InvalidBodyError():
            errors = list(_field_errors(exc.messages, ""))
            more = {"errors": errors}
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            return Problem(status, "validation_failed", _summary(errors), more)
        case _:
            return Problem(HTTPStatus.BAD_REQUEST, "malformed_json", str(exc))


def _parameters(exc: ParametersError, code: str) -> Problem:
    more = {"errors": [wrong._asdict() for wrong in exc.wrong]}
    return Problem(HTTPStatus.BAD_REQUEST, code, str(exc)[:_LONGEST_DETAIL], more)


_LONGEST_DETAIL: Final = 500


def _summary(errors: list[dict[str, str]]) -> str:
    text = "; ".join(f"{error['pointer'] or 'the body'}: {error['detail']}" for error in errors)
    return text[:_LONGEST_DETAIL]


def _field_errors(messages: object, pointer: str) -> Iterator[dict[str, str]]:
    if isinstance(messages, dict):
        for name, inner in messages.items():
            # The library files what concerns the whole object under a name of its own, which
            # may also be that of a member that does not exist.
            is_whole = name == "_schema" and inner != [fields.UNKNOWN]
            yield from _field_errors(inner, pointer if is_whole else f"{pointer}/{_escaped(name)}")
        return
    for message in messages if isinstance(messages, list) else [messages]:
        yield _field_error(str(message), pointer)


def _field_error(message: str, pointer: str) -> dict[str, str]:
    sentences = {fields.REQUIRED: "This is missing.", fields.UNKNOWN: "There is no such member."}
    code = message if message in sentences else "invalid"
    return {"pointer": pointer, "code": code, "detail": sentences.get(message, message)}


def _escaped(name: object) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def _unauthorized(exc: Unauthorized | h.TokenRevoked) -> Problem:
    code = exc.code if isinstance(exc, Unauthorized) else "token_revoked"
    headers = {"WWW-Authenticate": "Bearer"}
    return Problem(HTTPStatus.UNAUTHORIZED, code, str(exc), headers=headers)


def _routing(exc: HTTPException) -> Problem:
    if isinstance(exc, MethodNotAllowed):
        allowed = sorted(exc.valid_methods or ())
        headers = {"Allow": ", ".join(allowed)}
        detail = f"Allowed are {', '.join(allowed)}."
        status = HTTPStatus.METHOD_NOT_ALLOWED
        return Problem(status, "method_not_allowed", detail, {"allowed": allowed}, headers)
    if isinstance(exc, NotFound):
        detail = "No path of this service matches."
        return Problem(HTTPStatus.NOT_FOUND, "not_found", detail)
    return _internal(exc)


def _not_acceptable(exc: NotAcceptable) -> Problem:
    more = {"available": exc.available}
    return Problem(HTTPStatus.NOT_ACCEPTABLE, "not_acceptable", str(exc), more)


def _too_many(exc: TooManyStreamsError | RateLimited) -> Problem:
    if isinstance(exc, RateLimited):
        code, policy, seconds = exc.code, exc.standing.policy, exc.retry_after
        metrics.RATE_LIMITED.labels(policy).inc()
    else:
        code, policy, seconds = "too_many_streams", exc.policy, SHORT_WAIT
    more, headers = (
        {"policy": policy, "retry_after_seconds": seconds},
        {"Retry-After": str(seconds)},
    )
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, code, str(exc), more, headers)


def _unavailable(exc: Exception) -> Problem | None:
    match exc:
        case StoreUnavailableError() | Rewound():
            return _later("store_unavailable", "store", "The store does not answer.")
        case h.BusyError():
            return _later("busy", "conflicts", "Others were faster, again and again.")
        case StreamCapacityError():
            # Drawn, so that those who are turned away do not come back as one.
            seconds = LONG_WAIT + secrets.randbelow(LONG_WAIT)
            detail = "No more can wait here now; ask for events by long poll, or without waiting."
            return _later("stream_capacity", "waits", detail, seconds)
        case QuarantinedError() | CorruptLogError():
            if isinstance(exc, CorruptLogError):  # met outside of a whole reading, which says so
                game_id = (request.view_args or {}).get("game_id", "a game")
                deps().games.quarantine.tell(game_id, "log", str(exc))
            detail = "The log of this game makes no sense; all others go on."
            return _later("game_quarantined", "log", detail, LONG_WAIT)
        case MissingKeyError():
            detail = "The game was made with a secret this service does not have."
            return _later("game_quarantined", "secret", detail, LONG_WAIT)
        case _:
            return None


def _later(code: str, reason: str, detail: str, seconds: int = SHORT_WAIT) -> Problem:
    headers = {"Retry-After": str(seconds)}
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, code, detail, {"reason": reason}, headers)


def _internal(exc: Exception) -> Problem:
    log.error("unexpected %s", type(exc).__name__, exc_info=exc)
    detail = "This is our fault; the request's id leads to it."
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", detail)


def _rule_violation(exc: RuleViolation) -> Problem:
    more = {"fields": list(exc.fields)} if isinstance(exc, RulesConflict) else {}
    return Problem(HTTPStatus.CONFLICT, exc.code, str(exc), more)


def _refused(exc: h.Refused) -> Problem:  # noqa: PLR0911 - one line per kind
    reason, game, viewer = exc.reason, exc.game, Viewer(exc.seat)
    match reason:
        case h.TokenRevoked():
            return _unauthorized(reason)
        case RateLimited():
            return _too_many(reason)
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
            return _internal(reason)


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
            return _rule_violation(reason)
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
