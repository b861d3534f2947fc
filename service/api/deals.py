"""Deals: how each was dealt, passed, played and scored, and the proof that it was fair."""

from collections.abc import Sequence
from typing import Any, Final

from flask import Blueprint, Response

from engine.rules import MOST_DEALS
from service import parameters
from service.auth import reader_of
from service.game import Game
from service.missing import NotProvable, NotRevealed, NotThere
from service.reading import Sight, look, read_game, view
from service.replies import LIVE, fixed_cache, next_link, page_cache, reply, state_cache
from service.requests import deps
from service.schemas.history import deal_data, fairness_record, proof_data
from service.schemas.responses import PUBLIC, Answer, game_path

bp = Blueprint("deals", __name__, url_prefix="/v1/games/<game_id:game_id>")

DEALS_PER_PAGE: Final = 50
_USUAL_PAGE: Final = 20


@bp.get("/deals")
def list_deals(game_id: str) -> Response:
    """Page through the deals of a game."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(
        after=parameters.integer(0, MOST_DEALS, 0),
        limit=parameters.integer(1, DEALS_PER_PAGE, _USUAL_PAGE),
        as_=view(),
    )
    return _page(look(query["as"], reader, read_game(game_id, reader)), query)


def _page(sight: Sight, query: dict[str, Any]) -> Response:
    game, viewer, _ = sight
    after = query["after"]
    further = [number for number in sight.deals if number > after]
    numbers = further[: query["limit"]]
    next_after = numbers[-1] if numbers else after
    has_more = len(further) > len(numbers)
    items = _deals(sight, numbers)
    data = {
        "items": items,
        "after": after,
        "next_after": next_after,
        "has_more": has_more,
        "complete": game.is_over and not has_more,
    }
    is_final = has_more and items[-1]["open"]
    headers = {} if data["complete"] else next_link(next_after)
    return reply(data, cache=page_cache(game, viewer, is_final=is_final), headers=headers)


@bp.get("/deals/<number:deal>")
def get_deal(game_id: str, deal: int) -> Response:
    """Show one deal."""
    reader = reader_of(deps(), game_id)
    query = parameters.read(as_=view())
    sight = look(query["as"], reader, read_game(game_id, reader))
    game, viewer, _ = sight
    _check_deal(game, deal)
    if deal not in sight.deals:
        raise NotRevealed(game.table.revealed_version)
    (data,) = _deals(sight, [deal])
    return reply(data, cache=fixed_cache(game, viewer) if data["open"] else LIVE)


@bp.get("/deals/<number:deal>/proof")
def get_deal_proof(game_id: str, deal: int) -> Response:
    """Show what it takes to deal a deal again."""
    reader = reader_of(deps(), game_id)
    parameters.read()
    game = read_game(game_id, reader)
    _check_deal(game, deal)
    if deal == game.table.copied_deal:
        origin = game.table.origin
        assert origin is not None, "a deal is copied from somewhere"
        raise NotProvable(f"{game_path(origin.game_id)}/deals/{deal}/proof")
    link = game.link(deal)
    if link is None:
        raise NotRevealed(game.table.revealed_version)
    return reply(proof_data(game, deal, link), cache=fixed_cache(game, PUBLIC))


@bp.get("/fairness")
def get_fairness(game_id: str) -> Response:
    """Show what the game is committed to, and which links are open."""
    reader = reader_of(deps(), game_id)
    parameters.read()
    game = read_game(game_id, reader)
    return reply(fairness_record(game), cache=state_cache(game, PUBLIC))


def _check_deal(game: Game, deal: int) -> None:
    if deal in game.deals:
        return
    last = game.table.deals
    is_gap = 1 <= deal < last
    told = f"Deal {deal} was left out." if is_gap else f"The game has come to deal {last}."
    raise NotThere("deal_not_found", told)


def _deals(sight: Sight, numbers: Sequence[int]) -> list[Answer]:
    """Return the deals of those *numbers*, read in one go."""
    if not numbers:
        return []
    game, viewer, _ = sight
    spans = {number: game.span(number) for number in numbers}
    start, end = spans[numbers[0]][0], spans[numbers[-1]][1]
    stored = deps().games.events(game, start, end)
    return [
        deal_data(game, number, stored[first - start : last - start + 1], viewer)
        for number, (first, last) in spans.items()
    ]
