"""Counting requests: under which policy each of them falls, who pays for it, and when.

What is read is paid for before it is looked up. A move is decided first: one that is taken
costs nothing, so that nobody is ever kept from playing. What makes something new is paid for
once it turns out to be new. What is refused is paid for in the end, and a caller with nothing
left gets that for an answer.

Source: docs/limits.md.
"""

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from flask import Response, request

from service import problems
from service.addresses import client_address
from service.counters import Counters
from service.deps import Deps
from service.keyring import InvalidTokenError, RevokedKeyError
from service.quotas import (
    ANALYSIS,
    CLAIM,
    CREATE,
    HINT,
    IMPORT,
    MOVE,
    READ,
    VERIFICATION,
    Quota,
    RateLimited,
)
from service.requests import deps
from service.tolls import TOLL, Caller, Toll

POLICIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "games.create": CREATE,
        "forks.fork": CREATE,
        "rematches.rematch": CREATE,
        "seats.claim_any_seat": CLAIM,
        "seats.claim_seat": CLAIM,
        "moves.make_move": MOVE,
        "hints.take_hint": HINT,
        "imports.import_file": IMPORT,
        "verifications.verify": VERIFICATION,
        "analyses.analyse_game": ANALYSIS,
    }
)
"""The policy of each endpoint that does not count as `READ`."""

_FREE: Final = frozenset({"health", "documents"})
"""The resources that nobody pays for."""

_PAID_FIRST: Final = frozenset({READ, VERIFICATION})
_PAID_IF_NEW: Final = frozenset({CREATE, CLAIM, HINT, IMPORT, ANALYSIS})
# Whoever has many tokens would have as many games.
_NOT_BY_TOKEN: Final = frozenset({CREATE, CLAIM})
_STATE: Final = "games.get_game"
_STREAM: Final = "streams.follow_game"


class Meter:
    """Has requests counted by *counters*, as far as *quotas* go.

    *address_header* is the header in which a proxy names the client's address, or empty.
    """

    def __init__(
        self, counters: Counters, quotas: Mapping[str, Quota], address_header: str
    ) -> None:
        self._counters = counters
        self._quotas = quotas
        self._address_header = address_header

    def answer(self, ask: Callable[[], Response]) -> Response:
        """Return what *ask* answers to this request, or that its caller has nothing left."""
        endpoint = request.endpoint
        if endpoint is None or request.blueprint in _FREE or request.method == "OPTIONS":
            return ask()
        toll = self._toll(endpoint)
        request.environ[TOLL] = toll
        try:
            if toll.policy in _PAID_FIRST and not _may_be_free(endpoint):
                toll.pay()
            response = ask()
            _settle(toll, response.status_code, response)
        except RateLimited as exc:
            response = problems.answer(exc)
        _sign(toll, response)
        return response

    def _toll(self, endpoint: str) -> Toll:
        policy = POLICIES.get(endpoint, READ)
        caller, claimant = self._caller(policy, endpoint), partial(self._caller, CLAIM, endpoint)
        return Toll(self._counters, self._quotas, policy, caller, claimant)

    def _caller(self, policy: str, endpoint: str) -> Caller:
        name = _name(deps(), policy, endpoint)
        return Caller(name or f"address {client_address(self._address_header)}", name is None)


def _may_be_free(endpoint: str) -> bool:
    return endpoint == _STATE and "HTTP_IF_NONE_MATCH" in request.environ


def _settle(toll: Toll, status: int, response: Response) -> None:
    """Charge what was not charged yet, or give back what was for nothing.

    Raises:
        RateLimited: The caller has nothing left.
    """
    is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    is_for_nothing = is_ours or "Idempotency-Replayed" in response.headers
    if is_for_nothing:
        toll.give_back_token()
    if toll.is_paid:
        if is_for_nothing and toll.policy in _PAID_IF_NEW and not toll.is_kept:
            toll.give_back()
    elif is_ours or not _costs(toll.policy, status):
        toll.look()
    else:
        toll.pay()


def _costs(policy: str, status: int) -> bool:
    if policy == READ:
        return status != HTTPStatus.NOT_MODIFIED
    return status >= HTTPStatus.BAD_REQUEST


def _name(deps: Deps, policy: str, endpoint: str) -> str | None:
    """Return by which token the caller is known; None if it has none of ours.

    A token that was replaced is another caller than the one in force, which it takes nothing
    from. Who wants many has to pay for each as for a seat.
    """
    scheme, _, text = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    try:
        if scheme.lower() == "bearer" and text.startswith("hak_"):
            return f"app {deps.keyring.read_app_key(text).app}"
        if policy in _NOT_BY_TOKEN:
            return None
        if scheme.lower() == "bearer":
            credential = deps.keyring.read(text)
        elif endpoint == _STREAM and not scheme and "ticket" in request.args:
            credential, expires_at = deps.keyring.read_ticket(request.args["ticket"])
            if deps.clock() >= expires_at:
                return None
        else:
            return None
    except (InvalidTokenError, RevokedKeyError):
        return None
    return f"seat {credential.game_id} {credential.seat} {credential.grant}"


def _sign(toll: Toll, response: Response) -> None:
    standing = toll.standing
    if standing is None:
        return
    policy, quota, _, seconds = standing
    response.headers["RateLimit-Policy"] = f'"{policy}";q={quota.amount};w={quota.seconds}'
    response.headers["RateLimit"] = f'"{policy}";r={standing.left};t={seconds}'
