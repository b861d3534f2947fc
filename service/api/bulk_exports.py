"""The bulk export: the games of an application that are over, each as a line.

A page names its games before the first is read, so it may be read again, from the same
cursor, by a client that was cut off. Its lines are made one after the other as the client
takes them; meanwhile it holds a thread, which has to be given back whatever becomes of the
client.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import Blueprint, Response, current_app, request

from engine.errors import CorruptLogError
from service import cursors, parameters
from service.api.exports import document
from service.auth import key_of_request
from service.directory import OVER, ends_for
from service.games import GameNotFoundError, Games, QuarantinedError
from service.names import PLAYER_REF
from service.reading import Sight
from service.replies import LIVE
from service.requests import WAITS, deps
from service.schemas.responses import EVERYTHING
from service.store.base import Expired, Position, Rewound, StoreUnavailableError

if TYPE_CHECKING:
    from service.places import Places

_log = logging.getLogger(__name__)

bp = Blueprint("bulk_exports", __name__, url_prefix="/v1/exports")

GAMES_PER_EXPORT: Final = 500
_USUAL_EXPORT: Final = 100
EXPORTS_PER_APP: Final = 2

SETTLED_MS: Final = 10_000
"""How long after its end a game is exported.

An end can take so long to be stored, or have been timed by a clock that is so far behind;
a game that came into the list later would be missing from an export that had gone on.
"""


class Ask(NamedTuple):
    """What is asked for: of whom, how many, and those whose end lies in a span of time.

    *since* is in it and *until* is not, both in ms. *bound* stands for all but the place.
    """

    app: str
    lists: Sequence[str]
    limit: int
    since: int
    until: int
    bound: str


@bp.get("")
def export_games() -> Response:
    """Send the games of an application that are over, in the order of their ends."""
    app = key_of_request(deps())
    query = _query()
    ask = _ask(query, app)
    cursor = None if query["cursor"] is None else cursors.place_in(query["cursor"], ask.bound)
    game_ids, further = _page(ask, cursor)
    headers = {"Cache-Control": LIVE}
    if further is not None:
        headers |= cursors.next_page(cursors.cursor_at(further, ask.bound))
    response = Response(headers=headers, mimetype="application/x-ndjson")
    if request.method != "HEAD":
        places: Places = current_app.extensions[WAITS]
        leave = places.take("exports", {f"export {app}": EXPORTS_PER_APP})
        response.response = _sent(_lines(deps().games, app, game_ids), leave)
        response.call_on_close(leave)  # if nobody comes to read it
    return response


def _sent(lines: Iterator[bytes], leave: Callable[[], None]) -> Iterator[bytes]:
    try:
        yield from lines
    finally:
        leave()


def _query() -> dict[str, Any]:
    return parameters.read(
        limit=parameters.integer(1, GAMES_PER_EXPORT, _USUAL_EXPORT),
        cursor=lambda text: text,
        status=parameters.some_words(OVER),
        since=parameters.moment,
        until=parameters.moment,
        player_ref=parameters.text(PLAYER_REF, "a reference of a player"),
    )


def _ask(query: Mapping[str, Any], app: str) -> Ask:
    settled, until = deps().clock() - SETTLED_MS, query["until"]
    return Ask(
        app=app,
        lists=ends_for(app, query["player_ref"], query["status"]),
        limit=query["limit"],
        since=query["since"] or 0,
        until=settled if until is None else min(until, settled),
        bound=cursors.bound_of(query, app),
    )


def _page(ask: Ask, cursor: Position | None) -> tuple[list[str], Position | None]:
    """Return the games of a page, and the place after which the next begins, None at the end."""
    rows = deps().store.directory(
        cursor or Position(ask.since, ""),
        ask.limit + 1,
        newest_first=False,
        lists=ask.lists,
        until=Position(max(0, ask.until), ""),
    )
    page = rows[: ask.limit]
    further = Position(page[-1].at, page[-1].game_id) if len(rows) > ask.limit else None
    return [row.game_id for row in page], further


def _lines(games: Games, app: str, game_ids: Sequence[str]) -> Iterator[bytes]:
    for game_id in game_ids:
        try:
            yield from _line(games, app, game_id)
        except (StoreUnavailableError, Rewound):
            # The status was sent long ago; the line says that the page has to be read again.
            yield _unreadable(game_id, "store_unavailable", "The store does not answer.")
            return


def _line(games: Games, app: str, game_id: str) -> Iterator[bytes]:
    """Yield the line of a game, whole: half a line would take the next one along."""
    try:
        game = games.look_up(game_id)
        # The lists are only an index: what they say is not what opens a game.
        if game.is_over and game.table.options.application == app:
            sight = Sight(game, EVERYTHING, game.table.revealed_version)
            yield b"".join([*document(games, sight), b"\n"])
    except (GameNotFoundError, Expired):
        return  # it was there a moment ago, and is no more
    except (StoreUnavailableError, Rewound):
        raise
    except (QuarantinedError, CorruptLogError) as exc:
        if isinstance(exc, CorruptLogError):  # met after the reading, which says so itself
            games.quarantine.tell(game_id, "log", str(exc))
        yield _unreadable(game_id, "game_quarantined", "The log of this game makes no sense.")
    except Exception as exc:  # noqa: BLE001 - said here and in the line; the others are to follow
        _log.exception("cannot export %s: %s", game_id, type(exc).__name__)
        yield _unreadable(game_id, "internal_error", "This is our fault.")


def _unreadable(game_id: str, code: str, detail: str) -> bytes:
    told = {"game_id": game_id, "error": {"code": code, "detail": detail}}
    return msgspec.json.encode(told) + b"\n"
