"""What belongs to one request: its id, and the parts that answer it."""

import re
import secrets
from typing import TYPE_CHECKING, Final, cast

from flask import current_app, request

from service.deps import Deps
from service.game import Game

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

DEPS: Final = "hearts.deps"
BELL: Final = "hearts.bell"
HEALTH: Final = "hearts.health"
"""Where the app keeps what its requests work with."""

_ID: Final = "hearts.request_id"
_OURS: Final = re.compile("[A-Za-z0-9_-]{8,64}")


def name_request(environ: "WSGIEnvironment") -> str:
    """Return the id of a request, which it keeps: the client's if it is a sound one, else new."""
    given = environ.get("HTTP_REQUEST_ID", "")
    name = given if _OURS.fullmatch(given) else secrets.token_hex(8)
    environ[_ID] = name
    return name


def request_id() -> str:
    """Return the id of this request."""
    return cast("str", request.environ[_ID])


def elapsed(game: Game | None) -> int:
    """Return how long ago *game* was created, in milliseconds; never negative."""
    assert game is not None, "a game that was created"
    return max(0, deps().clock() - game.times.created_at)


def deps() -> Deps:
    """Return what this process works with."""
    return cast("Deps", current_app.extensions[DEPS])
