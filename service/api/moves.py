"""Moves: what a seat may do and can know, why not the rest, and doing it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response

from engine import commands as c
from engine.cards import card
from engine.errors import GameNotActive, KnowledgeDisabled
from engine.scoring import MoonChoice
from engine.seats import Seat
from engine.view import view_for
from service import parameters
from service.auth import Reader, admit, seat_caller
from service.bodies import read_body
from service.command_handler import handle
from service.command_request import Caller, Guard, Outcome, Refused, Request, cause_of
from service.game import Game
from service.parameters import idempotency_key
from service.replies import LIVE, done, reply
from service.requests import deps
from service.schemas.knowledge import knowledge_data
from service.schemas.requests import MOVES
from service.schemas.responses import (
    Viewer,
    event_data,
    game_path,
    legal_moves_data,
    turn_data,
)
from service.schemas.strict import load_variant

bp = Blueprint("moves", __name__, url_prefix="/v1/games/<game_id:game_id>")


@bp.get("/legal-moves")
def get_legal_moves(game_id: str) -> Response:
    """List what the seat may do now."""
    caller = seat_caller(deps(), game_id)
    query = parameters.read(explain=parameters.boolean(default=False))
    seat, game = _seat_and_game(caller, game_id)
    return reply(legal_moves_data(game, seat, explain=query["explain"]), cache=LIVE)


@bp.get("/knowledge")
def get_knowledge(game_id: str) -> Response:
    """Say what the seat can know of the cards that it does not see."""
    caller = seat_caller(deps(), game_id)
    parameters.read()
    seat, game = _seat_and_game(caller, game_id)
    if not game.table.options.knowledge:
        raise Refused(KnowledgeDisabled("This table keeps count without help."), game, seat)
    view = view_for(seat, game.state)
    if view.deal is None:
        raise Refused(GameNotActive("Nothing is dealt."), game, seat)
    return reply(knowledge_data(view), cache=LIVE)


def _seat_and_game(caller: Caller, game_id: str) -> tuple[Seat, Game]:
    seat, game = caller.actor.seat, deps().games.read(game_id)
    assert seat is not None, "a seat's caller has a seat"
    admit(deps(), Reader(seat, caller.grant), game)
    return seat, game


@bp.post("/moves")
def make_move(game_id: str) -> Response:
    """Pass, play, or choose which way a moon goes."""
    caller = seat_caller(deps(), game_id)
    body = read_body(lambda value: load_variant(value, "type", MOVES))
    seat = caller.actor.seat
    assert seat is not None, "a seat's caller has a seat"
    move = _move(seat, body)
    cause = cause_of(caller.scope, idempotency_key(), "move", body)
    guard = Guard(body.get("turn_id"), body.get("expected_version"))
    outcome = handle(deps(), game_id, Request(caller, lambda _: move, cause, guard))
    return _moved(outcome, Viewer(seat))


def _move(seat: Seat, body: Mapping[str, Any]) -> c.Move:
    match body["type"]:
        case "pass":
            return c.PassCards(seat, tuple(card(code) for code in body["cards"]))
        case "play":
            return c.PlayCard(seat, card(body["card"]))
        case _:
            return c.ChooseMoon(seat, MoonChoice(body["choice"]))


def _moved(outcome: Outcome, viewer: Viewer) -> Response:
    game = outcome.game
    data = {
        "version": game.version,
        "events": [event_data(one, viewer) for one in outcome.events],
        "turn": turn_data(game),
    }
    if outcome.natural:
        return done(outcome, data, viewer)
    location = f"{game_path(game.game_id)}/events/{outcome.events[0].seq}"
    return done(outcome, data, viewer, HTTPStatus.CREATED, location)
