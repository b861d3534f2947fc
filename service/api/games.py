"""Games: create, read, start, abort."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response

from engine import bots
from engine import commands as c
from engine import events as e
from engine.clocks import clock_from
from engine.shuffle import game_id_of
from engine.state import Lobby, status_of
from engine.table_data import (
    fairness_data,
    origin_data,
)
from service import parameters, tolls
from service.auth import admit, app_of_request, host_caller, reader_of
from service.bodies import read_body
from service.command_handler import create_game, handle
from service.command_request import Caller, Guard, Outcome, Request, cause_of
from service.etags import etag, is_known, match_guard
from service.game import Game
from service.parameters import idempotency_key
from service.replies import done, not_modified, reply, state_cache
from service.requests import deps, elapsed, nonce_for
from service.schemas import requests
from service.schemas.responses import (
    PUBLIC,
    Viewer,
    game_path,
    state_data,
)
from service.store.envelope import Actor
from service.table_plan import default_bot, planned_table, repatched_rules

bp = Blueprint("games", __name__, url_prefix="/v1/games")

_CREATOR: Final = Caller(Actor("host"), "create")


@bp.post("")
def create() -> Response:
    """Open a table."""
    app = app_of_request(deps())
    body = read_body(requests.CREATE_GAME.load)
    nonce, key_id = nonce_for("create", app=app)
    commitment = deps().keyring.commitment(nonce, key_id)
    game_id, key = game_id_of(commitment), idempotency_key()
    seed = body.get("dealing", {}).get("seed")
    command = replace(
        _create_command(body, commitment, nonce, key_id),
        seed_chain=None if seed is None else deps().keyring.seed_chain(seed),
        options=_table_options(body, app),
    )
    cause = cause_of(_CREATOR.scope, key, "create", body)

    def paid_command(_: Game | None) -> c.CreateGame:
        tolls.pay()
        return command

    outcome = create_game(deps(), game_id, Request(_CREATOR, paid_command, cause))
    data = created_data(outcome)
    return done(outcome, data, PUBLIC, HTTPStatus.CREATED, location=game_path(game_id))


def _create_command(
    body: Mapping[str, Any], commitment: str, nonce: str, key_id: str
) -> c.CreateGame:
    rules, seats = planned_table(body)
    claim, practice = body.get("claim"), body.get("practice", False)
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
        practice=practice,
        visibility=body.get("visibility", c.UNLISTED if practice else c.PUBLIC),
        clock=clock_from(body.get("clock"), bots.DEFAULT_LEVEL),
    )


def _table_options(body: Mapping[str, Any], app: str | None) -> c.TableOptions:
    return c.TableOptions(
        spectators=body.get("spectators", True),
        knowledge=body.get("knowledge", "on") == "on",
        hints=body.get("hints", "off") == "on",
        metadata=tuple(sorted(body.get("metadata", {}).items())),
        application=app,
    )


def created_data(outcome: Outcome) -> dict[str, Any]:
    """Return what whoever made the game of *outcome* gets: its tokens, and how it stands."""
    game = outcome.game
    claims = [one.event for one in outcome.events if isinstance(one.event, e.SeatClaimed)]
    seat = claims[0].seat if claims else None
    return {
        "id": game.game_id,
        "status": status_of(game.state).value,
        "version": game.version,
        "origin": origin_data(game.table.origin),
        "host_token": host_token(game),
        "seat": seat,
        "seat_token": None if seat is None else seat_token(game, seat),
        "join_code": join_code(game),
        "fairness": fairness_data(game.table.commitment, game.table.deals_commitment),
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


def join_code(game: Game) -> str | None:
    """Return what has to be known to claim a seat, None where nothing has."""
    if game.table.visibility != c.PRIVATE:
        return None
    return deps().keyring.join_code(game.game_id, game.table.key_id)


@bp.get("/<game_id:game_id>")
def get_game(game_id: str) -> Response:
    """Show the state to whoever asks."""
    reader = reader_of(deps(), game_id)
    parameters.read()
    game, viewer = deps().games.read(game_id), Viewer(reader.seat)
    admit(deps(), reader, game)
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
            visibility=body.get("visibility"),
        )

    change = Request(caller, command, cause, match_guard(), is_named=key is not None)
    outcome = handle(deps(), game_id, change)
    data, code = state_data(outcome.game, PUBLIC), join_code(outcome.game)
    return done(outcome, data if code is None else {**data, "join_code": code}, PUBLIC)


@bp.post("/<game_id:game_id>/host/rotate-token")
def rotate_host_token(game_id: str) -> Response:
    """Replace the host's token."""
    caller = host_caller(deps(), game_id)
    body = read_body(requests.NOTHING.load, optional=True)
    cause = cause_of(caller.scope, idempotency_key(), "rotate host", body)

    def command(game: Game | None) -> c.RotateHostToken:
        tolls.pay_for_token()
        return c.RotateHostToken(elapsed(game))

    outcome = handle(deps(), game_id, Request(caller, command, cause))
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
