"""Hints: what a bot would advise a seat to do, from what that seat sees."""

from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, current_app

from engine import commands as c
from engine import events as e
from engine.hints import open_turn_for
from engine.seats import Seat
from service import tolls
from service.advice import question_of
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
        nonlocal turn_id
        assert game is not None, "a seat of a game"
        is_late = guard.expected_version not in {None, game.version}
        hint = _hint(game, seat, level, turn_id, is_late=is_late)
        if hint.advice is not None:
            # What was thought over is what was meant, whatever is open when it can be noted.
            turn_id = hint.turn_id
        return hint

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
    return c.TakeHint(seat, turn.id, level, _advice(game, seat, level, turn.id))


def _advice(game: Game, seat: Seat, level: str, turn_id: int) -> c.Advice:
    """Return what *level* advises *seat* in the open turn, thought over if it is not known.

    Raises:
        VersionConflict: The turn has passed, or the log has its hint by now.
        RateLimited: Thinking has a price, and its caller has nothing left.
    """
    adviser = cast("Adviser", current_app.extensions[ADVISER])
    question = question_of(game, seat, level, deps().links(game))
    if (known := adviser.known(question)) is not None:
        return known
    with adviser.turns.only((game.game_id, turn_id, seat)):
        # Whoever waited here for another request finds its advice here, or in the log.
        if (known := adviser.known(question)) is not None:
            return known
        if not _is_wanted(deps().games.read(game.game_id), seat, turn_id):
            raise VersionConflict
        tolls.pay()
        tolls.keep()
        return adviser.think(question)


def _is_wanted(game: Game, seat: Seat, turn_id: int) -> bool:
    turn = game.turn
    is_open = turn is not None and turn.id == turn_id and seat in turn.seats
    return is_open and game.hint(seat, turn_id) is None
