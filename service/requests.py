"""What belongs to one request: its id, and the parts that answer it."""

import re
import secrets
from typing import TYPE_CHECKING, Final, cast

from flask import current_app, request

from engine.shuffle import game_id_of
from service.deps import Deps
from service.game import Game
from service.keyring import fresh_nonce
from service.parameters import idempotency_key
from service.trace_context import parent_in

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

DEPS: Final = "hearts.deps"
BELL: Final = "hearts.bell"
WAITS: Final = "hearts.waits"
LINES: Final = "hearts.lines"
HEALTH: Final = "hearts.health"
QUOTAS: Final = "hearts.quotas"
HOOKS: Final = "hearts.hooks"
ORDERS: Final = "hearts.orders"
ADVISER: Final = "hearts.adviser"
"""Where the app keeps what its requests work with."""

EAR: Final = "hearts.ear"
"""Where in the environment a server puts an ear of its own, if it serves streams itself."""

STREAM: Final = "hearts.stream"
"""Where it then finds the stream, and what to send at once."""

_ID: Final = "hearts.request_id"
_OURS: Final = re.compile("[A-Za-z0-9_-]{8,64}")


def name_request(environ: "WSGIEnvironment") -> str:
    """Return the id of a request, which it keeps: the client's if it is a sound one, else new."""
    given = environ.get("HTTP_REQUEST_ID", "")
    name = given if _OURS.fullmatch(given) else secrets.token_hex(8)
    environ[_ID] = name
    return name


def trace_of(environ: "WSGIEnvironment") -> dict[str, str]:
    """Return the trace that a request belongs to, for its log lines, if its sender named one."""
    parent = parent_in(environ.get("HTTP_TRACEPARENT", ""))
    return {} if parent is None else {"trace": parent.trace}


def request_id() -> str:
    """Return the id of this request."""
    return cast("str", request.environ[_ID])


def elapsed(game: Game | None) -> int:
    """Return how long ago *game* was created, in milliseconds; never negative."""
    assert game is not None, "a game that was created"
    return max(0, deps().clock() - game.times.created_at)


def nonce_for(operation: str, parent: str | None = None, app: str | None = None) -> tuple[str, str]:
    """Return the nonce of the game that *operation* makes, and the id of the key for it.

    *parent* is the game that it is made from, *app* whose key asks for it. With an idempotency
    key that has made a game before, they are those of that game.
    """
    keyring, key = deps().keyring, idempotency_key()
    if key is None:
        return fresh_nonce(), keyring.current
    current, *older = keyring.key_ids
    for key_id in older:
        nonce = keyring.nonce(operation, key, key_id, parent, app)
        if deps().games.is_taken(game_id_of(keyring.commitment(nonce, key_id))):
            return nonce, key_id
    return keyring.nonce(operation, key, current, parent, app), current


def deps() -> Deps:
    """Return what this process works with."""
    return cast("Deps", current_app.extensions[DEPS])
