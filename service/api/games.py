"""Games: create, list, read, start, abort."""

import base64
import binascii
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response

from engine import commands as c
from engine import events as e
from engine.disclosure import fairness_data
from engine.errors import CorruptLogError
from engine.shuffle import game_id_of
from engine.state import Lobby, status_of
from service import parameters
from service.auth import check_reader, host_caller, reader_of
from service.bodies import read_body
from service.command_handler import create_game, handle
from service.command_request import Caller, Guard, Outcome, Request, cause_of
from service.etags import etag, is_known, match_guard
from service.game import Game
from service.marks import line_in
from service.parameters import CursorError, Wrong, idempotency_key
from service.replies import LIVE, done, not_modified, reply, state_cache
from service.requests import deps, elapsed, nonce_for
from service.schemas import requests
from service.schemas.responses import (
    PUBLIC,
    Viewer,
    game_path,
    line_data,
    state_data,
)
from service.store.base import Position, Row
from service.store.codec import decode
from service.store.envelope import Actor
from service.table_plan import default_bot, planned_table, repatched_rules

bp = Blueprint("games", __name__, url_prefix="/v1/games")

GAMES_PER_PAGE: Final = 100
_USUAL_PAGE: Final = 20
_SORTS: Final = {"-created_at": True, "created_at": False}
_PLACE: Final = re.compile(r"(-?created_at)\|([0-9]{1,14})\|([0-9a-f]{32})", re.ASCII)
_CREATOR: Final = Caller(Actor("host"), "create")


@bp.post("")
def create() -> Response:
    """Open a table."""
    body = read_body(requests.CREATE_GAME.load)
    nonce, key_id = nonce_for("create")
    commitment = deps().keyring.commitment(nonce, key_id)
    game_id, key = game_id_of(commitment), idempotency_key()
    command = _create_command(body, commitment, nonce, key_id)
    cause = cause_of(_CREATOR.scope, key, "create", body)
    outcome = create_game(deps(), game_id, Request(_CREATOR, lambda _: command, cause))
    data = _created(outcome)
    return done(outcome, data, PUBLIC, HTTPStatus.CREATED, location=game_path(game_id))


def _create_command(
    body: Mapping[str, Any], commitment: str, nonce: str, key_id: str
) -> c.CreateGame:
    rules, seats = planned_table(body)
    claim = body.get("claim")
    return c.CreateGame(
        rules=rules,
        seats=seats,
        commitment=commitment,
        nonce=nonce,
        key_id=key_id,
        claim=None if claim is None else c.ClaimSeat(claim["seat"], claim["name"]),
        lobby=c.LobbyOptions(
            is_open=body.get("lobby", "open") == "open",
            auto_start=body.get("auto_start", False),
            fill_with_bots=body.get("fill_with_bots", False),
        ),
    )


def _created(outcome: Outcome) -> dict[str, Any]:
    game = outcome.game
    claims = [one.event for one in outcome.events if isinstance(one.event, e.SeatClaimed)]
    seat = claims[0].seat if claims else None
    return {
        "id": game.game_id,
        "status": status_of(game.state).value,
        "version": game.version,
        "host_token": host_token(game),
        "seat": seat,
        "seat_token": None if seat is None else seat_token(game, seat),
        "fairness": fairness_data(game.table.commitment),
        "game": state_data(game, PUBLIC),
    }


def host_token(game: Game) -> str:
    """Return the host's token in force."""
    table = game.table
    return deps().keyring.host_token(game.game_id, table.host_grant, table.key_id)


def seat_token(game: Game, seat: int) -> str:
    """Return the token in force of a claimed *seat*."""
    table = game.table
    grant = table.players[seat].grant
    return deps().keyring.seat_token(game.game_id, seat, grant, table.key_id)


@bp.get("")
def list_games() -> Response:
    """List games by the time of their creation."""
    query = parameters.read(
        limit=parameters.integer(1, GAMES_PER_PAGE, _USUAL_PAGE),
        cursor=lambda text: text,
        sort=parameters.word({sort: sort for sort in _SORTS}, default="-created_at"),
    )
    after = None if query["cursor"] is None else _position(query["cursor"], query["sort"])
    limit, newest_first = query["limit"], _SORTS[query["sort"]]
    rows = deps().store.directory(after, limit + 1, newest_first=newest_first)
    page, more = rows[:limit], len(rows) > limit
    cursor = _cursor(page[-1], query["sort"]) if more else None
    headers = {}
    if cursor is not None:
        target = f"/v1/games?limit={limit}&sort={query['sort']}&cursor={cursor}"
        headers["Link"] = f'<{target}>; rel="next"'
    return reply({"items": _lines(page), "next_cursor": cursor}, cache=LIVE, headers=headers)


def _lines(rows: list[Row]) -> list[dict[str, Any]]:
    lasts = deps().store.last([row.game_id for row in rows])
    found = (_line(row, *last) for row, last in zip(rows, lasts, strict=True))
    return [line for line in found if line is not None]


def _line(row: Row, version: int, entry: bytes) -> dict[str, Any] | None:
    if not version:
        return None
    try:
        # The first entry brings the time of creation along, the later ones need it.
        last = decode(entry, version, None if version == 1 else row.created_at)
    except CorruptLogError as exc:
        # One game that cannot be read does not take the others off the list.
        deps().games.quarantine.tell(row.game_id, "line", str(exc))
        return None
    return line_data(row.game_id, row.created_at, line_in(row.summary), last)


def _cursor(row: Row, sort: str) -> str:
    text = f"{sort}|{row.created_at}|{row.game_id}"
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def _position(cursor: str, sort: str) -> Position:
    wrong = CursorError([Wrong("cursor", "invalid", "This is no cursor of this list.")])
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise wrong from None
    place = _PLACE.fullmatch(text)
    if place is None or place[1] != sort:
        raise wrong
    position = Position(int(place[2]), place[3])
    if _cursor(Row(position.game_id, position.created_at, b""), sort) != cursor:
        raise wrong
    return position


@bp.get("/<game_id:game_id>")
def get_game(game_id: str) -> Response:
    """Show the state to whoever asks."""
    reader = reader_of(deps(), game_id)
    parameters.read()
    game, viewer = deps().games.read(game_id), Viewer(reader.seat)
    check_reader(reader, game)
    tag, cache = etag(game, viewer), state_cache(game, viewer)
    if is_known(tag):
        return not_modified(tag, cache)
    return reply(state_data(game, viewer), cache=cache, headers={"ETag": tag})


@bp.patch("/<game_id:game_id>")
def update_game(game_id: str) -> Response:
    """Change rules and lobby before the start."""
    caller = host_caller(deps(), game_id)
    body = read_body(requests.UPDATE_GAME.load)
    key = idempotency_key()
    cause = cause_of(caller.scope, key, "update", body)

    def command(game: Game | None) -> c.ChangeOptions:
        assert game is not None, "a game that was created"
        if not isinstance(game.state, Lobby):
            # Too late for any rules: what these would come to is no news.
            return c.ChangeOptions()
        given, lobby = body.get("rules"), body.get("lobby")
        return c.ChangeOptions(
            rules=None if given is None else repatched_rules(game.table.rules, given),
            is_open=None if lobby is None else lobby == "open",
        )

    change = Request(caller, command, cause, match_guard(), is_named=key is not None)
    outcome = handle(deps(), game_id, change)
    return done(outcome, state_data(outcome.game, PUBLIC), PUBLIC)


@bp.post("/<game_id:game_id>/host/rotate-token")
def rotate_host_token(game_id: str) -> Response:
    """Replace the host's token."""
    caller = host_caller(deps(), game_id)
    body = read_body(requests.NOTHING.load, optional=True)
    cause = cause_of(caller.scope, idempotency_key(), "rotate host", body)
    rotate = Request(caller, lambda game: c.RotateHostToken(elapsed(game)), cause)
    outcome = handle(deps(), game_id, rotate)
    path = game_path(game_id)
    data = {
        "game_id": game_id,
        "host_token": host_token(outcome.game),
        "version": outcome.game.version,
        "links": {"game": path, "events": f"{path}/events"},
    }
    return done(outcome, data, PUBLIC, HTTPStatus.CREATED)


@bp.post("/<game_id:game_id>/start")
def start(game_id: str) -> Response:
    """Deal the first deal."""
    return _by_host(game_id, "start", c.StartGame(filler=default_bot()))


@bp.post("/<game_id:game_id>/abort")
def abort(game_id: str) -> Response:
    """Stop the game where it stands."""
    return _by_host(game_id, "abort", c.AbortGame())


def _by_host(game_id: str, operation: str, command: c.Command) -> Response:
    caller = host_caller(deps(), game_id)
    body = read_body(requests.EXPECTATION.load, optional=True)
    cause = cause_of(caller.scope, idempotency_key(), operation, body)
    guard = Guard(expected_version=body.get("expected_version"))
    outcome = handle(deps(), game_id, Request(caller, lambda _: command, cause, guard))
    return done(outcome, state_data(outcome.game, PUBLIC), PUBLIC)
