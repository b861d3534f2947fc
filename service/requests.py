"""What belongs to one request: its id, and the parts that answer it."""

import re
import secrets
from typing import Final, cast

from flask import current_app, g, request

from service.deps import Deps

DEPS: Final = "hearts.deps"
BELL: Final = "hearts.bell"
HEALTH: Final = "hearts.health"
"""Where the app keeps what its requests work with."""

_OURS: Final = re.compile("[A-Za-z0-9_-]{8,64}")


def request_id() -> str:
    """Return the id of this request: the client's if it is a sound one, else a new one."""
    if "request_id" not in g:
        given = request.headers.get("Request-Id", "")
        g.request_id = given if _OURS.fullmatch(given) else secrets.token_hex(8)
    return cast("str", g.request_id)


def deps() -> Deps:
    """Return what this process works with."""
    return cast("Deps", current_app.extensions[DEPS])
