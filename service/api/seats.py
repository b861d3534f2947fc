"""Seats: claim one, speak for oneself, leave; and what the host does with them."""

import hmac
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response

from engine import bots
from engine import commands as c
from engine import events as e
from engine.errors import WrongJoinCode
from engine.seats import Seat
from service import tolls
from service.api.games import join_code, seat_token
from service.auth import (
    Forbidden,
    app_caller,
    app_of_request,
    check_app,
    seat_caller,
    seat_or_host_caller,
)
from service.bodies import read_body
from service.command_handler import handle
from service.command_request import Caller, Outcome, Request, cause_of
from service.etags import match_guard
from service.game import Game
from service.parameters import idempotency_key
from service.replies import done
from service.requests import deps, elapsed
from service.schemas import requests
from service.schemas.responses import PUBLIC, Viewer, game_path, state_data
from service.store.envelope import Actor
from service.table_plan import named_bot

bp = Blueprint("seats", __name__, url_prefix="/v1/games/<game_id:game_id>/seats")

_ANYBODY: Final = Caller(Actor("seat"), "claim")
_OF_THE_HOST: Final = frozenset({"kind", "kick", "reissue"})


@bp.post("/claim")
def claim_any_seat(game_id: str) -> Response:
    """Take any free seat."""
    return _claim(game_id, None)


@bp.post("/<number:seat>/claim")
def claim_seat(game_id: str, seat: int) -> Response:
    """Take one seat."""
    return _claim(game_id, seat)


def _claim(game_id: str, seat: int | None) -> Response:
    app = app_of_request(deps())
    body = read_body(requests.CLAIM_SEAT.load)
    ref = body.get("player_ref")
    if ref is not None and app is None:
        raise Forbidden("key_required", "Only with an application key has a player a reference.")
    cause = cause_of(_ANYBODY.scope, idempotency_key(), f"claim {seat}", body)

    def command(game: Game | None) -> c.ClaimSeat:
        assert game is not None, "a seat of a game"
        # A seat without a token would be lost to everybody.
        deps().check_secret(game)
        _pay_and_join(game, body.get("join_code"))
        if ref is not None and app is not None:
            check_app(app, game)
        return c.ClaimSeat(seat, body["name"], body.get("client_seed"), elapsed(game), ref)

    outcome = handle(deps(), game_id, Request(_ANYBODY, command, cause))
    (claimed,) = (one.event for one in outcome.events if isinstance(one.event, e.SeatClaimed))
    return _with_token(outcome, claimed.seat, HTTPStatus.CREATED)


def _pay_and_join(game: Game, given: str | None) -> None:
    wanted = join_code(game)
    if wanted is None:
        tolls.pay()
        return
    tolls.pay_to_guess()
    said = "" if given is None else given.upper()
    if not hmac.compare_digest(said.encode(), wanted.encode()):
        raise WrongJoinCode("Whoever claims a seat of this game needs its join code.")
    tolls.give_back_guess()


@bp.patch("/<number:seat>")
def update_seat(game_id: str, seat: int) -> Response:
    """Change what a seat says of itself; for the host: who sits there."""
    app = app_of_request(deps())
    caller = app_caller(app) if app else seat_or_host_caller(deps(), game_id, seat)
    body = read_body(requests.load_seat_change)
    _check_role(caller, body)
    key, change_seat = idempotency_key(), _seat_change(seat, body)

    def command(game: Game | None) -> c.Command:
        assert game is not None, "a seat of a game"
        if app is not None:
            check_app(app, game)
        return change_seat(game)

    cause = cause_of(caller.scope, key, f"update {seat}", body)
    change = Request(caller, command, cause, match_guard(), is_named=key is not None)
    outcome = handle(deps(), game_id, change)
    if "reissue" in body:
        return _with_token(outcome, seat, HTTPStatus.OK)
    viewer = Viewer(caller.seat)
    return done(outcome, state_data(outcome.game, viewer), viewer)


def _check_role(caller: Caller, body: Mapping[str, Any]) -> None:
    of_the_host = bool(_OF_THE_HOST & body.keys())
    if caller.actor.kind == "key" and "reissue" not in body:
        raise Forbidden("host_only", "An application key makes another token, and nothing else.")
    if of_the_host and caller.seat is not None:
        raise Forbidden("host_only", "Only the host decides who sits where.")
    if not of_the_host and caller.seat is None:
        raise Forbidden("seat_token_required", "A seat speaks for itself.")


def _seat_change(seat: Seat, body: Mapping[str, Any]) -> Callable[[Game | None], c.Command]:
    match body:
        case {"kind": "bot", "level": level}:
            bot = named_bot(level, body.get("name"))
            return lambda game: c.AssignBot(seat, bot, elapsed(game))
        case {"kind": "human"}:
            return lambda game: c.OpenSeat(seat, elapsed(game))
        case {"kick": True}:
            return lambda game: c.KickSeat(seat, bots.DEFAULT_LEVEL, elapsed(game))
        case {"reissue": True}:
            return lambda game: _reissue(seat, game)
        case _:
            command = c.UpdateSeat(
                seat, body.get("name"), body.get("client_seed"), body.get("ready")
            )
            return lambda _: command


def _reissue(seat: Seat, game: Game | None) -> c.ReissueSeatToken:
    tolls.pay_for_token()
    return c.ReissueSeatToken(seat, elapsed(game))


@bp.post("/<number:seat>/release")
def release_seat(game_id: str, seat: int) -> Response:
    """Leave; in a running game a bot plays on."""

    def command(game: Game | None) -> c.ReleaseSeat:
        return c.ReleaseSeat(seat, bots.DEFAULT_LEVEL, elapsed(game))

    outcome = _by_holder(game_id, seat, "release", command)
    return done(outcome, state_data(outcome.game, PUBLIC), PUBLIC)


@bp.put("/<number:seat>/control")
def change_control(game_id: str, seat: int) -> Response:
    """Let a bot play the own seat, or play it again."""
    caller = _holder(game_id, seat)
    body = read_body(requests.CHANGE_CONTROL.load)
    is_back, key = body["controller"] == "human", idempotency_key()

    def command(game: Game | None) -> c.TakeBack | c.HandOver:
        assert game is not None, "a seat of a game"
        return c.TakeBack(seat) if is_back else c.HandOver(seat, _stand_in_of(game))

    cause = cause_of(caller.scope, key, "control", body)
    change = Request(caller, command, cause, is_named=key is not None)
    outcome = handle(deps(), game_id, change)
    viewer = Viewer(seat)
    return done(outcome, state_data(outcome.game, viewer), viewer)


@bp.post("/<number:seat>/rotate-token")
def rotate_seat_token(game_id: str, seat: int) -> Response:
    """Replace one's own token."""

    def command(game: Game | None) -> c.RotateSeatToken:
        tolls.pay_for_token()
        return c.RotateSeatToken(seat, elapsed(game))

    return _with_token(_by_holder(game_id, seat, "rotate", command), seat, HTTPStatus.CREATED)


def _by_holder(
    game_id: str, seat: Seat, operation: str, command: Callable[[Game | None], c.Command]
) -> Outcome:
    caller = _holder(game_id, seat)
    body = read_body(requests.NOTHING.load, optional=True)
    cause = cause_of(caller.scope, idempotency_key(), operation, body)
    return handle(deps(), game_id, Request(caller, command, cause))


def _stand_in_of(game: Game) -> str:
    clock = game.table.clock
    return bots.DEFAULT_LEVEL if clock is None else clock.bot_level


def _holder(game_id: str, seat: Seat) -> Caller:
    caller = seat_caller(deps(), game_id)
    if caller.seat != seat:
        raise Forbidden("wrong_seat", "The token is for another seat.")
    return caller


def _with_token(outcome: Outcome, seat: Seat, status: HTTPStatus) -> Response:
    path = game_path(outcome.game.game_id)
    data = {
        "game_id": outcome.game.game_id,
        "seat": seat,
        "seat_token": seat_token(outcome.game, seat),
        "version": outcome.game.version,
        "links": {"game": path, "events": f"{path}/events"},
    }
    return done(outcome, data, Viewer(seat), status)
