"""Seats: claim one, and say something of oneself before the start."""

import re
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, request

from engine import commands as c
from engine import events as e
from service.api.games import seat_token
from service.auth import Forbidden, seat_caller
from service.bodies import read_body
from service.command_handler import Caller, Guard, Request, cause_of, handle
from service.game import Game
from service.parameters import idempotency_key
from service.replies import done
from service.requests import deps
from service.schemas import requests
from service.schemas.responses import Viewer, game_path, state_data
from service.store.envelope import Actor

bp = Blueprint("seats", __name__, url_prefix="/v1/games/<game_id:game_id>/seats")

_ANYBODY: Final = Caller(Actor("seat"), "claim")
_TAG: Final = re.compile(r'(?:W/)?"([0-9]{1,9})-(?:p|s[0-9])"', re.ASCII)


@bp.post("/claim")
def claim_any_seat(game_id: str) -> Response:
    """Take any free seat."""
    return _claim(game_id, None)


@bp.post("/<number:seat>/claim")
def claim_seat(game_id: str, seat: int) -> Response:
    """Take one seat."""
    return _claim(game_id, seat)


def _claim(game_id: str, seat: int | None) -> Response:
    body = read_body(requests.CLAIM_SEAT.load)
    cause = cause_of(_ANYBODY.scope, idempotency_key(), f"claim {seat}", body)

    def command(game: Game | None) -> c.ClaimSeat:
        assert game is not None, "a claim needs a game"
        elapsed = max(0, deps().clock() - game.times.created_at)
        return c.ClaimSeat(seat, body["name"], body.get("client_seed"), elapsed)

    outcome = handle(deps(), game_id, Request(_ANYBODY, command, cause))
    (claimed,) = (one.event for one in outcome.events if isinstance(one.event, e.SeatClaimed))
    return done(
        outcome, _claimed(outcome.game, claimed.seat), Viewer(claimed.seat), HTTPStatus.CREATED
    )


def _claimed(game: Game, seat: int) -> dict[str, Any]:
    path = game_path(game.game_id)
    return {
        "game_id": game.game_id,
        "seat": seat,
        "seat_token": seat_token(game, seat),
        "version": game.version,
        "links": {"game": path, "events": f"{path}/events"},
    }


@bp.patch("/<number:seat>")
def update_seat(game_id: str, seat: int) -> Response:
    """Change one's name, or give one's client seed."""
    caller = seat_caller(deps(), game_id)
    if caller.seat != seat:
        raise Forbidden("wrong_seat", "The token is for another seat.")
    body = read_body(requests.UPDATE_SEAT.load)
    command = c.UpdateSeat(seat, body.get("name"), body.get("client_seed"))
    cause = cause_of(caller.scope, idempotency_key(), f"update {seat}", body)
    guard = Guard(match=_matches if "If-Match" in request.headers else None)
    outcome = handle(deps(), game_id, Request(caller, lambda _: command, cause, guard))
    viewer = Viewer(seat)
    return done(outcome, state_data(outcome.game, viewer), viewer)


def _matches(version: int) -> bool:
    given = request.headers["If-Match"]
    tags = [tag.strip() for tag in given.split(",")]
    # Only the number in a tag is compared: the view it was read through does not matter.
    found = [match.group(1) for match in map(_TAG.fullmatch, tags) if match]
    return "*" in tags or str(version) in found
