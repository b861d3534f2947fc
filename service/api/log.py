"""The log of a game: pages, single events, waiting for the next one, and past states."""

import time
from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, Response, current_app, request

from engine.seats import MOST_SEATS
from service import parameters, stopping
from service.auth import Reader, check_reader, reader_of
from service.game import Game
from service.parameters import ParametersError, Wrong
from service.problems import NotRevealed, NotThere
from service.replies import LIVE, OVER, fixed_cache, reply
from service.requests import BELL, deps
from service.schemas.responses import Viewer, event_data, game_path, state_data
from service.store.event_types import TYPE_NAMES, type_of

if TYPE_CHECKING:
    from service.live import Bell

bp = Blueprint("log", __name__, url_prefix="/v1/games/<game_id:game_id>")

EVENTS_PER_PAGE: Final = 500
LONGEST_WAIT: Final = 25
_USUAL_PAGE: Final = 100
_MOST_VERSION: Final = 999_999_999
# A bell can be lost: this is how long that may delay a waiting client.
_LOOK_AGAIN_SECONDS: Final = 5.0

_OWN: Final = "own"
_ALL: Final = "all"
_VIEWS: Final = (_OWN, "public", _ALL, *(f"seat:{seat}" for seat in range(MOST_SEATS)))
_AS: Final = parameters.word({name: name for name in _VIEWS}, default=_OWN)


@bp.get("/events")
def list_events(game_id: str) -> Response:
    """Page through the log, or wait for what comes next."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(
        after=parameters.integer(0, _MOST_VERSION, 0),
        limit=parameters.integer(1, EVENTS_PER_PAGE, _USUAL_PAGE),
        types=parameters.words(dict.fromkeys(TYPE_NAMES)),
        wait=parameters.integer(0, LONGEST_WAIT, 0),
        as_=_AS,
    )
    game = _read(game_id, reader)
    viewer, end = _viewer(query["as"], reader, game)
    if query["wait"] and game.version <= query["after"] and not game.is_over:
        game = _awaited(game, reader, query["after"], query["wait"])
        viewer, end = _viewer(query["as"], reader, game)
    return _page(game, viewer, end, query)


def _page(game: Game, viewer: Viewer, end: int, query: dict[str, Any]) -> Response:
    after, types = query["after"], query["types"]
    last = min(after + query["limit"], end)
    events = deps().games.events(game, after + 1, last)
    next_after, has_more = max(after, last), last < end and after < end
    data = {
        "items": [
            event_data(one, viewer)
            for one in events
            if types is None or type_of(one.event) in types
        ],
        "after": after,
        "next_after": next_after,
        "version": game.version,
        "revealed_version": game.table.revealed_version,
        "has_more": has_more,
        "complete": game.is_over and next_after >= game.version,
    }
    headers = {} if data["complete"] else {"Link": _next_link(game, next_after)}
    return reply(data, cache=_page_cache(game, viewer, has_more=has_more), headers=headers)


def _next_link(game: Game, after: int) -> str:
    return f'<{game_path(game.game_id)}/events?{_next_query(after)}>; rel="next"'


def _next_query(after: int) -> str:
    kept = [f"{name}={value}" for name, value in request.args.items() if name != "after"]
    return "&".join([f"after={after}", *kept])


def _page_cache(game: Game, viewer: Viewer, *, has_more: bool) -> str:
    if has_more:
        return fixed_cache(viewer)
    return OVER if game.is_over and viewer.seat is None else LIVE


@bp.get("/events/<number:seq>")
def get_event(game_id: str, seq: int) -> Response:
    """Show one event."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(as_=_AS)
    game = _read(game_id, reader)
    viewer, end = _viewer(query["as"], reader, game)
    if not 1 <= seq <= game.version:
        raise NotThere("event_not_found", f"The last event is {game.version}.")
    if seq > end:
        raise NotRevealed(game.table.revealed_version)
    (stored,) = deps().games.events(game, seq, seq)
    return reply(event_data(stored, viewer), cache=fixed_cache(viewer))


@bp.get("/states/<number:version>")
def get_state(game_id: str, version: int) -> Response:
    """Show the state as it was served at a version."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(as_=_AS)
    game = _read(game_id, reader)
    viewer, end = _viewer(query["as"], reader, game)
    if not 1 <= version <= game.version:
        raise NotThere("version_not_found", f"The game is at version {game.version}.")
    if version > end:
        raise NotRevealed(game.table.revealed_version)
    return reply(state_data(deps().games.at(game, version), viewer), cache=fixed_cache(viewer))


def _read(game_id: str, reader: Reader) -> Game:
    game = deps().games.read(game_id)
    check_reader(reader, game)
    return game


def _viewer(name: str, reader: Reader, game: Game) -> tuple[Viewer, int]:
    """Return the view of that *name*, and the last version it may see."""
    if name == _OWN:
        return Viewer(reader.seat), game.version
    if name == _ALL:
        return Viewer(everything=True), game.table.revealed_version
    if not name.startswith("seat:"):
        return Viewer(), game.version
    seat = int(name.removeprefix("seat:"))
    if seat >= len(game.table.players):
        wrong = Wrong("as", "invalid", "The table has no such seat.")
        raise ParametersError([wrong])
    own = reader.seat == seat
    return Viewer(seat), game.version if own else game.table.revealed_version


def _awaited(game: Game, reader: Reader, after: int, seconds: int) -> Game:
    """Return the game once it is past *after*, is over, or *seconds* have passed."""
    bell: Bell = current_app.extensions[BELL]
    until = time.monotonic() + seconds
    with bell.listening(game.game_id, _key(game, reader)) as ear:
        while True:
            # Read after the ear is open: what happens in between rings the bell.
            game = _read(game.game_id, reader)
            left = until - time.monotonic()
            if game.version > after or game.is_over or left <= 0 or stopping.is_stopping():
                return game
            ear.wait(min(left, _LOOK_AGAIN_SECONDS))


def _key(game: Game, reader: Reader) -> str | None:
    if reader.grant is None:
        return None
    return f"{game.game_id}|{reader.seat}|{reader.grant}"
