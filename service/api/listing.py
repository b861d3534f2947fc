"""The list of games: what a page shows, and where the next one begins."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Blueprint, Response

from engine.commands import FORK, REMATCH
from engine.disclosure import COMMITTED, SEEDED
from engine.errors import CorruptLogError
from service import parameters
from service.marks import Line, line_in
from service.parameters import CursorError, Wrong
from service.replies import LIVE, reply
from service.requests import deps
from service.schemas.responses import line_data
from service.store.base import Position, Row
from service.store.codec import decode

bp = Blueprint("listing", __name__, url_prefix="/v1/games")

GAMES_PER_PAGE: Final = 100
_USUAL_PAGE: Final = 20
_READS: Final = 10
"""How many times a page looks further where few games are of the kind asked for."""

_SORTS: Final = {"-created_at": True, "created_at": False}
_ORIGINS: Final = (FORK, REMATCH)
_PRACTICE: Final = {"true": True, "false": False}
_DEALINGS: Final = (COMMITTED, SEEDED)
_BOUND: Final = ("sort", "origin", "practice", "dealing")
"""What a cursor belongs to, besides a place in the list."""

_PLACE: Final = re.compile(r"([0-9]{1,14})\|([0-9a-f]{32})", re.ASCII)


@bp.get("")
def list_games() -> Response:
    """List games by the time of their creation."""
    query = parameters.read(
        limit=parameters.integer(1, GAMES_PER_PAGE, _USUAL_PAGE),
        cursor=lambda text: text,
        sort=parameters.word({sort: sort for sort in _SORTS}, default="-created_at"),
        origin=parameters.word({kind: kind for kind in _ORIGINS}, default=None),
        practice=parameters.word({word: word for word in _PRACTICE}, default=None),
        dealing=parameters.word({word: word for word in _DEALINGS}, default=COMMITTED),
    )
    rows, further = _page(query)
    cursor = None if further is None else _cursor(further, query)
    headers = {}
    if cursor is not None:
        bound = {name: query[name] for name in ("limit", *_BOUND) if query[name] is not None}
        filters = "&".join(f"{name}={value}" for name, value in bound.items())
        headers["Link"] = f'</v1/games?{filters}&cursor={cursor}>; rel="next"'
    return reply({"items": _lines(rows), "next_cursor": cursor}, cache=LIVE, headers=headers)


def _page(query: Mapping[str, Any]) -> tuple[list[Row], Position | None]:
    """Return the rows of a page, and the place after which the next begins, None at the end.

    Where few games are of the kind asked for, a page is short, and may be empty.
    """
    limit, found = query["limit"], []
    after = None if query["cursor"] is None else _position(query["cursor"], query)
    for _ in range(_READS):
        rows = deps().store.directory(after, limit + 1, newest_first=_SORTS[query["sort"]])
        for row in rows[:limit]:
            after = Position(row.created_at, row.game_id)
            if _is_asked_for(line_in(row.summary), query):
                found.append(row)
            if len(found) == limit:
                return found, after if row is not rows[-1] else None
        if len(rows) <= limit:
            return found, None
    return found, after


def _is_asked_for(line: Line, query: Mapping[str, Any]) -> bool:
    kind = None if line.origin is None else line.origin[0]
    asked = query["origin"]
    # A rematch is a game like any other, and listed without being asked for.
    is_of_kind = kind == asked or (kind == REMATCH and asked is None)
    if not is_of_kind or line.dealing != query["dealing"]:
        return False
    if query["practice"] is None:
        # Most forks are for practice: who asks for forks means those, too.
        return kind == FORK or not line.practice
    return line.practice is _PRACTICE[query["practice"]]


def _lines(rows: Sequence[Row]) -> list[dict[str, Any]]:
    lasts = deps().store.last([row.game_id for row in rows])
    found = (_line(row, *last) for row, last in zip(rows, lasts, strict=True))
    return [line for line in found if line is not None]


def _line(row: Row, version: int, entry: bytes) -> dict[str, Any] | None:
    if not version:
        return None
    try:
        # The first entry brings the time of creation along, the later ones need it.
        last = decode(entry, version, None if version == 1 else row.created_at)
    except CorruptLogError as exc:
        # One game that cannot be read does not take the others off the list.
        deps().games.quarantine.tell(row.game_id, "line", str(exc))
        return None
    return line_data(row.game_id, row.created_at, line_in(row.summary), last)


def _cursor(place: Position, query: Mapping[str, Any]) -> str:
    bound = [query[name] or "" for name in _BOUND]
    text = "|".join([*bound, str(place.created_at), place.game_id])
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def _position(cursor: str, query: Mapping[str, Any]) -> Position:
    wrong = CursorError([Wrong("cursor", "invalid", "This is no cursor of this list.")])
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise wrong from None
    *_, created_at, game_id = ["", "", *text.split("|")]
    if not _PLACE.fullmatch(f"{created_at}|{game_id}"):
        raise wrong
    position = Position(int(created_at), game_id)
    # Only this list, sorted and filtered in this way, has given this cursor.
    if _cursor(position, query) != cursor:
        raise wrong
    return position
