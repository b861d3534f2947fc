"""An error on its way out, and the two that come from more than one place.

Source: RFC 9457; openapi.yaml, schema `Problem`.
"""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from service import metrics
from service.auth import Unauthorized
from service.command_request import TokenRevoked
from service.places import TooManyStreamsError
from service.quotas import RateLimited

SHORT_WAIT: Final = 1
LONG_WAIT: Final = 5


class Problem(NamedTuple):
    """An error on its way out; *more* are its own members, *headers* its own headers."""

    status: HTTPStatus
    code: str
    detail: str
    more: Mapping[str, Any] = MappingProxyType({})
    headers: Mapping[str, str] = MappingProxyType({})


def unauthorized(exc: Unauthorized | TokenRevoked) -> Problem:
    """Return the problem of who shows no token in force."""
    code = exc.code if isinstance(exc, Unauthorized) else "token_revoked"
    headers = {"WWW-Authenticate": "Bearer"}
    return Problem(HTTPStatus.UNAUTHORIZED, code, str(exc), headers=headers)


def too_many(exc: TooManyStreamsError | RateLimited) -> Problem:
    """Return the problem of who asks for more than there is for it, and count it."""
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
