"""The log of a game: pages, single events, waiting for the next one, and past states."""

import time
from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, Response, current_app

from service import parameters, stopping
from service.auth import Reader, reader_of
from service.game import Game
from service.missing import NotRevealed, NotThere
from service.places import WAITS_PER_TOKEN
from service.reading import AFTER, Sight, look, read_game, view
from service.replies import fixed_cache, next_link, page_cache, reply
from service.requests import BELL, WAITS, deps
from service.schemas.responses import event_data, state_data
from service.store.event_types import TYPE_NAMES, type_of

if TYPE_CHECKING:
    from service.live import Bell
    from service.places import Places

bp = Blueprint("log", __name__, url_prefix="/v1/games/<game_id:game_id>")

EVENTS_PER_PAGE: Final = 500
LONGEST_WAIT: Final = 25
_USUAL_PAGE: Final = 100
# A bell can be lost: this is how long that may delay a waiting client.
_LOOK_AGAIN_SECONDS: Final = 5.0


@bp.get("/events")
def list_events(game_id: str) -> Response:
    """Page through the log, or wait for what comes next."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(
        after=AFTER,
        limit=parameters.integer(1, EVENTS_PER_PAGE, _USUAL_PAGE),
        types=parameters.words(dict.fromkeys(TYPE_NAMES)),
        wait=parameters.integer(0, LONGEST_WAIT, None),
        as_=view(),
    )
    game = read_game(game_id, reader)
    sight = look(query["as"], reader, game)
    if game.version <= query["after"] and not game.is_over and (wait := _wait(query["wait"])):
        game = _awaited(game, reader, query["after"], wait)
        sight = look(query["as"], reader, game)
    return _page(sight, query)


def _wait(given: int | None) -> int:
    return parameters.preferred_wait(LONGEST_WAIT) if given is None else given


def _page(sight: Sight, query: dict[str, Any]) -> Response:
    game, viewer, end = sight
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
    headers = {} if data["complete"] else next_link(next_after)
    cache = page_cache(game, viewer, is_final=has_more)
    return reply(data, cache=cache, headers=headers)


@bp.get("/events/<number:seq>")
def get_event(game_id: str, seq: int) -> Response:
    """Show one event."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(as_=view())
    game, viewer, end = look(query["as"], reader, read_game(game_id, reader))
    if not 1 <= seq <= game.version:
        raise NotThere("event_not_found", f"The last event is {game.version}.")
    if seq > end:
        raise NotRevealed(game.table.revealed_version)
    (stored,) = deps().games.events(game, seq, seq)
    return reply(event_data(stored, viewer), cache=fixed_cache(game, viewer))


@bp.get("/states/<number:version>")
def get_state(game_id: str, version: int) -> Response:
    """Show the state as it was served at a version."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(as_=view())
    game, viewer, end = look(query["as"], reader, read_game(game_id, reader))
    if not 1 <= version <= game.version:
        raise NotThere("version_not_found", f"The game is at version {game.version}.")
    if version > end:
        raise NotRevealed(game.table.revealed_version)
    return reply(
        state_data(deps().games.at(game, version), viewer), cache=fixed_cache(game, viewer)
    )


def _awaited(game: Game, reader: Reader, after: int, seconds: int) -> Game:
    """Return the game once it is past *after*, is over, or *seconds* have passed."""
    bell: Bell = current_app.extensions[BELL]
    waits: Places = current_app.extensions[WAITS]
    until = time.monotonic() + seconds
    with waits.taken("waits", _names(game, reader)), bell.listening(game.game_id) as ear:
        while True:
            # Read after the ear is open: what happens in between rings the bell.
            game = read_game(game.game_id, reader)
            left = until - time.monotonic()
            if game.version > after or game.is_over or left <= 0 or stopping.is_stopping():
                return game
            ear.wait(min(left, _LOOK_AGAIN_SECONDS))


def _names(game: Game, reader: Reader) -> dict[str, int]:
    if reader.grant is None:
        return {}
    return {f"wait {game.game_id} {reader.seat} {reader.grant}": WAITS_PER_TOKEN}
