"""Forks: a new game from where another one stood."""

from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response

from engine import commands as c
from engine.shuffle import game_id_of
from service import tolls
from service.api.games import created_data
from service.auth import reader_of
from service.bodies import read_body
from service.command_handler import create_game
from service.command_request import Caller, Request, cause_of
from service.forking import Chain, check_forkable, fork_command, moment_at
from service.game import Game
from service.missing import NotThere
from service.parameters import idempotency_key
from service.reading import read_game
from service.replies import done
from service.requests import deps, nonce_for
from service.schemas import requests
from service.schemas.responses import PUBLIC, game_path
from service.store.envelope import Actor

bp = Blueprint("forks", __name__, url_prefix="/v1/games/<game_id:game_id>")

_FORKER: Final = Caller(Actor("host"), "fork")


@bp.post("/forks")
def fork(game_id: str) -> Response:
    """Open a table that goes on from a version of this game."""
    reader = reader_of(deps(), game_id)
    body = read_body(requests.FORK_GAME.load)
    game = read_game(game_id, reader)
    nonce, key_id = nonce_for("fork", game_id)
    chain = Chain(deps().keyring.commitment(nonce, key_id), nonce, key_id)

    def command(_: Game | None) -> c.CreateGame:
        # A repeat finds the game that it made: what became of the origin is no news then.
        tolls.pay()
        check_forkable(game, reader.seat, is_ours=reader.grant is not None)
        if body["at_version"] > game.version:
            msg = f"The game has come to version {game.version}."
            raise NotThere("version_not_found", msg)
        return fork_command(moment_at(deps().games, game, body["at_version"]), chain, body)

    fork_id = game_id_of(chain.commitment)
    cause = cause_of(_FORKER.scope, idempotency_key(), f"fork {game_id}", body)
    outcome = create_game(deps(), fork_id, Request(_FORKER, command, cause))
    location = game_path(fork_id)
    return done(outcome, created_data(outcome), PUBLIC, HTTPStatus.CREATED, location=location)
