"""Cursors of lists: a place, and what stands for all that was asked for there.

A cursor carries no authority. It belongs to the question it was given for, so that nobody
goes on in another list without noticing.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from flask import request

from service.parameters import CursorError, Wrong
from service.store.base import Position

_PLACE: Final = re.compile(r"([0-9a-f]{16})\|([0-9]{1,14})\|([0-9a-f]{32})", re.ASCII)
_NO_PART: Final = frozenset({"limit", "cursor"})


def bound_of(query: Mapping[str, Any], app: str | None) -> str:
    """Return what stands for all that a cursor belongs to, besides a place in the list.

    *query* has the parameters as they were read, *app* is whose key was needed for them.
    """
    kept = {name: value for name, value in query.items() if name not in _NO_PART}
    text = json.dumps([app, kept], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def cursor_at(place: Position, bound: str) -> str:
    """Return the cursor that goes on after *place*, for questions with that *bound*."""
    text = f"{bound}|{place.at}|{place.game_id}"
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def place_in(cursor: str, bound: str) -> Position:
    """Return the place of *cursor*.

    Raises:
        CursorError: It is none, or was given for another question.
    """
    wrong = CursorError([Wrong("cursor", "invalid", "This is no cursor of this list.")])
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise wrong from None
    match = _PLACE.fullmatch(text)
    if match is None:
        raise wrong
    position = Position(int(match[2]), match[3])
    # Only this list, sorted and filtered in this way, has given this cursor.
    if cursor_at(position, bound) != cursor:
        raise wrong
    return position


def next_page(cursor: str) -> dict[str, str]:
    """Return the header that leads from this page of a list to the one at *cursor*."""
    kept = [(name, text) for name, text in request.args.items(multi=True) if name != "cursor"]
    query = urlencode([*kept, ("cursor", cursor)])
    return {"Link": f'<{request.path}?{query}>; rel="next"'}
