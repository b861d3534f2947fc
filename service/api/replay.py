"""Replay: the events of a game, each with the state after it."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from flask import Blueprint, Response

from engine import events as e
from service import parameters
from service.auth import reader_of
from service.game import Game
from service.reading import AFTER, Sight, look, read_game, view
from service.replies import next_link, page_cache, reply
from service.requests import deps
from service.schemas.history import frame_data
from service.store.envelope import Stored

bp = Blueprint("replay", __name__, url_prefix="/v1/games/<game_id:game_id>")

FRAMES_PER_PAGE: Final = 100
_USUAL_PAGE: Final = 50
_BROKEN_OFF: Final = (e.DealVoided, e.GameFinished, e.GameAborted)
_STEPS: Final[Mapping[str, tuple[type[e.Event], ...] | None]] = {
    "event": None,
    "trick": (e.TrickCompleted, *_BROKEN_OFF),
    "deal": (e.DealScored, *_BROKEN_OFF),
}
"""Where each step stops; None for every event."""


@bp.get("/replay")
def get_replay(game_id: str) -> Response:
    """Page through the frames of a game."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(
        after=AFTER,
        limit=parameters.integer(1, FRAMES_PER_PAGE, _USUAL_PAGE),
        step=parameters.word(_STEPS, default=None),
        state=parameters.word({"full": True, "none": False}, default=True),
        as_=view(),
    )
    return _page(look(query["as"], reader, read_game(game_id, reader)), query)


def _page(sight: Sight, query: dict[str, Any]) -> Response:
    game, viewer, end = sight
    # One more than the page holds tells whether there is another page.
    found = list(islice(_stops(sight, query), query["limit"] + 1))
    has_more, page = len(found) > query["limit"], found[: query["limit"]]
    next_after = page[-1][0].seq if has_more else max(query["after"], end)
    data = {
        "items": [frame_data(stored, moment, viewer) for stored, moment in page],
        "after": query["after"],
        "next_after": next_after,
        "has_more": has_more,
        "complete": game.is_over and next_after >= game.version,
    }
    headers = {} if data["complete"] else next_link(next_after)
    return reply(data, cache=page_cache(game, viewer, is_final=has_more), headers=headers)


def _stops(sight: Sight, query: dict[str, Any]) -> Iterator[tuple[Stored, Game | None]]:
    for stored, moment in _frames(sight, query):
        if query["step"] is None or isinstance(stored.event, query["step"]):
            yield stored, moment


def _frames(sight: Sight, query: dict[str, Any]) -> Iterator[tuple[Stored, Game | None]]:
    games, first, last = deps().games, query["after"] + 1, sight.end
    if query["step"] is None:
        last = min(last, first + query["limit"])
    if query["state"]:
        return games.moments(sight.game, first, last)
    batches = games.batches(sight.game, first, last)
    return ((stored, None) for batch in batches for stored in batch)
