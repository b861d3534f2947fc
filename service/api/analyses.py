"""Analyses of games that are over: asked for, and read."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from flask import Blueprint, Response, current_app

from engine import events as e
from engine.errors import GameNotFinished
from service import parameters, tolls
from service.analyses.records import DONE, FAILED, Plan, Record
from service.auth import Reader, reader_of
from service.bodies import read_body
from service.command_request import Refused
from service.game import Game
from service.missing import NotThere
from service.reading import read_game
from service.replies import NO_STORE, fixed_cache, reply
from service.requests import ORDERS, deps
from service.schemas import requests
from service.schemas.responses import PUBLIC, game_path

if TYPE_CHECKING:
    from service.analyses.orders import Orders

bp = Blueprint("analyses", __name__, url_prefix="/v1/games/<game_id:game_id>/analyses")

_AGAIN_SECONDS: Final = 1
_DECISIONS: Final = (e.CardsPassed, e.CardPlayed, e.MoonChosen)


@bp.post("")
def analyse_game(game_id: str) -> Response:
    """Have the decisions of a game judged, or find that they are."""
    reader = reader_of(deps(), game_id)
    body = read_body(requests.ANALYSE_GAME.load)
    tolls.pay_to_read()
    game = read_game(game_id, reader)
    plan = _plan(game, reader, body)
    opened, record = False, _known(plan)
    if record is None:
        with _orders().openings.only(plan.id):
            opened = _known(plan) is None and _opened(plan)
        record = _orders().records.find(plan.id)
    assert record is not None, "it was written down"
    return _ordered(game, record, HTTPStatus.ACCEPTED if opened else HTTPStatus.OK)


@bp.get("/<game_id:analysis_id>")
def get_analysis(game_id: str, analysis_id: str) -> Response:
    """Show how far an analysis is, and what came of it."""
    reader = reader_of(deps(), game_id)
    parameters.read()
    game = read_game(game_id, reader)
    record = _orders().records.find(analysis_id)
    if record is None or record.plan.game_id != game_id:
        msg = "There is no such analysis of the game, or it is kept no longer; ask for it again."
        raise NotThere("analysis_not_found", msg)
    cache = fixed_cache(game, PUBLIC) if record.status == DONE else NO_STORE
    return reply(_data(record), cache=cache, headers=_later(record))


def _orders() -> "Orders":
    return cast("Orders", current_app.extensions[ORDERS])


def _known(plan: Plan) -> Record | None:
    """Return the analysis that *plan* asks for, None if nobody has asked or it has failed."""
    record = _orders().records.find(plan.id)
    return None if record is None or record.status == FAILED else record


def _opened(plan: Plan) -> bool:
    """Return whether this request begins with *plan*; another process may be faster, and pays.

    Raises:
        RateLimited: Its caller has nothing left.
    """
    tolls.pay()
    opened = _orders().open(plan)
    if not opened:
        tolls.give_back()
    return opened


def _plan(game: Game, reader: Reader, body: dict[str, Any]) -> Plan:
    if not game.is_over:
        raise Refused(GameNotFinished("The game is not over."), game, reader.seat)
    stored = [one.event for one in deps().games.events(game, 1, game.version)]
    played = [one.deal for one in stored if isinstance(one, e.DealScored)]
    if not played:
        raise NotThere("deal_not_found", "No deal of the game was played to its end.")
    wanted = body.get("deals", played[: requests.DEALS_PER_ANALYSIS])
    for deal in wanted:
        if deal not in played:
            raise NotThere("deal_not_found", f"Deal {deal} was not played to its end.")
    deals = tuple(sorted(wanted))
    return Plan(game.game_id, body["level"], deals, _count(stored, deals))


def _count(events: Sequence[e.Event], deals: Sequence[int]) -> int:
    return sum(isinstance(one, _DECISIONS) and one.deal in deals for one in events)


def _ordered(game: Game, record: Record, status: HTTPStatus) -> Response:
    location = f"{game_path(game.game_id)}/analyses/{record.plan.id}"
    headers = {"Location": location, **_later(record)}
    return reply(_data(record), status, cache=NO_STORE, headers=headers)


def _later(record: Record) -> dict[str, str]:
    return {} if record.is_settled else {"Retry-After": str(_AGAIN_SECONDS)}


def _data(record: Record) -> dict[str, Any]:
    plan, result = record.plan, record.result
    return {
        "id": plan.id,
        "status": record.status,
        "level": plan.level,
        "method": plan.method,
        "deals": plan.deals,
        "progress": {"done": record.done, "all": plan.decisions},
        "result": None if result is None else msgspec.Raw(result),
    }
