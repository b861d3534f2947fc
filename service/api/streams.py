"""Following a game: its stream, and tickets for clients that cannot send a token."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast

from flask import Blueprint, Response, current_app, request

from service import parameters
from service.addresses import client_address
from service.auth import Reader, follower_of, seat_caller
from service.bodies import read_body
from service.live import Ear, Rings
from service.reading import read_game
from service.replies import NO_STORE, reply
from service.requests import EAR, LINES, STREAM, deps
from service.schemas import requests
from service.schemas.responses import timestamp
from service.streams import Follower, chunks, open_stream, version_in

if TYPE_CHECKING:
    from service.streams import Lines

bp = Blueprint("streams", __name__, url_prefix="/v1/games/<game_id:game_id>")

TICKET_SECONDS: Final = 3600
_HEADERS: Final = {
    "Cache-Control": "no-store, no-transform",
    # What is between must pass every frame on at once.
    "X-Accel-Buffering": "no",
}


@bp.get("/stream")
def follow_game(game_id: str) -> Response:
    """Send what happens as it happens."""
    reader = follower_of(deps(), game_id, request.args.get("ticket"))
    query = parameters.read(after=_text, ticket=_text)
    cursor = request.headers.get("Last-Event-ID") or query["after"]
    game = read_game(game_id, reader)
    if game.is_over and version_in(cursor) == game.version:
        return Response(status=HTTPStatus.NO_CONTENT, headers={"Cache-Control": "no-store"})
    # Of a stream nobody knows the length.
    response = Response(iter(()), headers=_HEADERS, content_type="text/event-stream")
    if request.method == "HEAD":
        return response

    lines: Lines = current_app.extensions[LINES]
    ear = cast("Rings | None", request.environ.get(EAR))
    follower = Follower(reader, client_address(lines.address_header), ear or Ear())
    stream, opening = open_stream(lines, deps(), game, follower, cursor)
    if ear is None:
        response.response = chunks(stream, opening)
        response.call_on_close(stream.close)  # if nobody comes to read it
    else:
        request.environ[STREAM] = stream, opening
    return response


@bp.post("/stream-tickets")
def make_stream_ticket(game_id: str) -> Response:
    """Sign a ticket with which to follow the game as one's seat."""
    caller = seat_caller(deps(), game_id)
    read_body(requests.NOTHING.load, optional=True)
    assert caller.seat is not None, "the caller has a seat"
    assert caller.grant is not None, "and its token"
    game = read_game(game_id, Reader(caller.seat, caller.grant))
    deps().check_secret(game)
    expires_at = deps().clock() + TICKET_SECONDS * 1000
    ticket = deps().keyring.ticket(
        game_id, caller.seat, caller.grant, expires_at, game.table.key_id
    )
    data = {"ticket": ticket, "expires_at": timestamp(expires_at)}
    return reply(data, HTTPStatus.CREATED, cache=NO_STORE)


def _text(given: str | None) -> str | None:
    return given
