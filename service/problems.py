"""From an exception to the one form that every error has: application/problem+json.

Refusals of the game bring their code along; everything else is named here. A code never
changes, its title may.

Source: RFC 9457; openapi.yaml, schema `Problem`.
"""

import json
import logging
import secrets
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from engine.errors import CorruptLogError, RuleViolation
from service import command_request as h
from service.auth import Forbidden, Unauthorized, knows_of
from service.bodies import BodyTooLargeError, InvalidBodyError, MediaTypeError
from service.games import GameNotFoundError, QuarantinedError
from service.importing import ImportRejectedError
from service.keyring import MissingKeyError
from service.missing import NotAcceptable, NotProvable, NotRevealed, NotThere
from service.parameters import CursorError, ParametersError
from service.places import StreamCapacityError, TooManyStreamsError
from service.problem import LONG_WAIT, SHORT_WAIT, Problem, too_many, unauthorized
from service.problem_codes import HELP, problem_type
from service.quotas import RateLimited
from service.refusals import refusal_of, rule_violation
from service.requests import deps, request_id
from service.schemas import fields
from service.schemas.responses import timestamp
from service.schemas.verification import report_data
from service.store.base import Expired, Rewound, StoreUnavailableError
from service.strict_json import MalformedJsonError
from service.webhooks.endpoints import EndpointConflict

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"


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
            return refusal_of(exc) or _internal(exc.reason)
        case RuleViolation():
            return rule_violation(exc)
        case HTTPException():
            return _routing(exc)
        case Unauthorized() | h.TokenRevoked():
            return unauthorized(exc)
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
            return too_many(exc)
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
