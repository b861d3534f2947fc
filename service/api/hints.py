"""Hints: what a bot would advise a seat to do, from what that seat sees."""

from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, current_app

from engine import commands as c
from engine import events as e
from engine.hints import open_turn_for
from engine.seats import Seat
from service import tolls
from service.auth import seat_caller
from service.bodies import read_body
from service.command_handler import handle
from service.command_request import Guard, Request, StaleTurn, cause_of
from service.game import Game
from service.parameters import idempotency_key
from service.replies import done
from service.requests import ADVISER, deps
from service.schemas import requests
from service.schemas.hints import hint_data
from service.schemas.responses import Viewer, game_path
from service.store.base import VersionConflict

if TYPE_CHECKING:
    from service.advice import Adviser

bp = Blueprint("hints", __name__, url_prefix="/v1/games/<game_id:game_id>")


@bp.post("/hints")
def take_hint(game_id: str) -> Response:
    """Advise the seat, once a turn, before all eyes."""
    caller = seat_caller(deps(), game_id)
    body = read_body(requests.TAKE_HINT.load)
    seat = caller.actor.seat
    assert seat is not None, "a seat's caller has a seat"
    level, turn_id = body["level"], body.get("turn_id")
    cause = cause_of(caller.scope, idempotency_key(), "hint", body)

    def command(game: Game | None) -> c.TakeHint:
        assert game is not None, "a seat of a game"
        is_late = guard.expected_version not in {None, game.version}
        return _hint(game, seat, level, turn_id, is_late=is_late)

    guard = Guard(expected_version=body.get("expected_version"))
    outcome = handle(deps(), game_id, Request(caller, command, cause, guard))
    (stored,) = outcome.events
    assert isinstance(stored.event, e.HintUsed), "a hint is one event"
    data = hint_data(stored.event, outcome.game)
    if outcome.natural:
        return done(outcome, data, Viewer(seat))
    location = f"{game_path(game_id)}/events/{stored.seq}"
    return done(outcome, data, Viewer(seat), HTTPStatus.CREATED, location)


def _hint(game: Game, seat: Seat, level: str, turn_id: int | None, *, is_late: bool) -> c.TakeHint:
    """Return the command that advises *seat*, thought over only if it can come to something.

    Raises:
        RuleViolation: It may be given none.
        StaleTurn: The turn that it means is not open.
        VersionConflict: The game has moved on since it was read.
        RateLimited: Its caller has nothing left.
    """
    turn = game.turn
    if turn_id is None and turn is not None:
        turn_id = turn.id
    if turn_id is not None and game.hint(seat, turn_id) is not None:
        return c.TakeHint(seat, turn_id, level)
    if turn is not None and turn.id != turn_id and game.table.options.hints:
        msg = f"The open turn is {turn.id}, not {turn_id}."
        raise StaleTurn(msg)
    turn = open_turn_for(seat, game.state)
    if is_late:
        return c.TakeHint(seat, turn.id, level)
    adviser = cast("Adviser", current_app.extensions[ADVISER])
    with adviser.turn_of(game.game_id, turn.id, seat):
        # Whoever waited here for another request finds its advice in the log.
        if deps().games.read(game.game_id).head != game.head:
            raise VersionConflict
        tolls.pay()
        advice = adviser.advice(game, seat, level, deps().links(game))
        return c.TakeHint(seat, turn.id, level, advice)
