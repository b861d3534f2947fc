"""Rematches: a new game of the same seats, rules and clock, one for each game that is over."""

from http import HTTPStatus
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response

from engine import commands as c
from engine.errors import GameNotFinished
from engine.seats import Seat
from engine.shuffle import game_id_of
from engine.state import Over, Player
from service import tolls
from service.api.games import created_data
from service.auth import Reader, admit, seat_caller
from service.bodies import read_body
from service.command_handler import create_game, handle
from service.command_request import Caller, KeyReused, Outcome, Refused, Request, cause_of
from service.game import Game
from service.replies import done
from service.requests import deps, elapsed
from service.schemas import requests
from service.schemas.responses import PUBLIC, game_path
from service.store.envelope import Actor

bp = Blueprint("rematches", __name__, url_prefix="/v1/games/<game_id:game_id>")

_FIRST: Final = Caller(Actor("host"), "rematch")
_ALWAYS: Final = "-"
"""In place of a key: a game has one rematch, whoever asks for it, and however often."""


class _Chain(NamedTuple):
    nonce: str
    key_id: str
    commitment: str


@bp.post("/rematch")
def rematch(game_id: str) -> Response:
    """Open the rematch of this game, or sit down in it."""
    caller = seat_caller(deps(), game_id)
    read_body(requests.NOTHING.load, optional=True)
    seat, game = caller.actor.seat, deps().games.read(game_id)
    assert seat is not None, "a seat's caller has a seat"
    admit(deps(), Reader(seat, caller.grant), game)
    if not isinstance(game.state, Over) or game.state.result is None:
        raise Refused(GameNotFinished("The game was not played to its end."), game, seat)
    chain = _chain_of(game_id)
    try:
        return _opened(game, seat, chain)
    except Refused as refused:
        if not isinstance(refused.reason, KeyReused):
            raise
    return _joined(game, seat, chain)


def _chain_of(game_id: str) -> _Chain:
    """Return what the rematch is dealt from: that of the secret with which it was made."""
    keyring = deps().keyring
    chains = []
    for key_id in keyring.key_ids:
        nonce = keyring.nonce("rematch", _ALWAYS, key_id, game_id)
        chains.append(_Chain(nonce, key_id, keyring.commitment(nonce, key_id)))
    for chain in chains[1:]:
        if deps().games.is_taken(game_id_of(chain.commitment)):
            return chain
    return chains[0]


def _opened(game: Game, seat: Seat, chain: _Chain) -> Response:
    """Open the rematch for *seat*, which is then its host; or find that it has done so.

    Raises:
        Refused: Another seat was first.
    """

    def command(_: Game | None) -> c.CreateGame:
        tolls.pay()
        return _creation(game, seat, chain)

    cause = cause_of(_FIRST.scope, _ALWAYS, "rematch", {"seat": seat})
    rematch_id = game_id_of(chain.commitment)
    outcome = create_game(deps(), rematch_id, Request(_FIRST, command, cause))
    return _answer(outcome, created_data(outcome), HTTPStatus.CREATED)


def _creation(game: Game, seat: Seat, chain: _Chain) -> c.CreateGame:
    table = game.table
    player = table.players[seat]
    assert player.name is not None, "whoever has a token has a name"
    return c.CreateGame(
        rules=table.rules,
        seats=tuple(map(_plan, table.players)),
        commitment=chain.commitment,
        nonce=chain.nonce,
        key_id=chain.key_id,
        claim=c.ClaimSeat(seat, player.name, player_ref=player.player_ref),
        # The seats are for those who played; the host may open the lobby to others.
        lobby=c.LobbyOptions(
            is_open=False,
            auto_start=table.lobby.auto_start,
            fill_with_bots=table.lobby.fill_with_bots,
        ),
        origin=c.Origin(c.REMATCH, game.game_id),
        practice=table.practice,
        visibility=table.visibility,
        clock=table.clock,
        options=table.options,
    )


def _plan(player: Player) -> c.SeatPlan:
    if player.level is None:
        return c.HumanSeat()
    assert player.name is not None, "a bot has a name"
    return c.BotSeat(player.level, player.name)


def _joined(game: Game, seat: Seat, chain: _Chain) -> Response:
    """Let *seat* sit down in the rematch, or find that it has done so."""
    player = game.table.players[seat]
    name, ref = player.name, player.player_ref
    assert name is not None, "whoever has a token has a name"

    def command(found: Game | None) -> c.ClaimSeat:
        assert found is not None, "a rematch that somebody has opened"
        deps().check_secret(found)
        return c.ClaimSeat(seat, name, None, elapsed(found), player_ref=ref, invited=True)

    caller = Caller(Actor("seat", seat), f"rematch:{seat}")
    cause = cause_of(caller.scope, _ALWAYS, "rematch", {})
    outcome = handle(deps(), game_id_of(chain.commitment), Request(caller, command, cause))
    data = created_data(outcome) | {"host_token": None, "join_code": None}
    return _answer(outcome, data, HTTPStatus.OK)


def _answer(outcome: Outcome, data: dict[str, Any], status: HTTPStatus) -> Response:
    location = game_path(outcome.game.game_id)
    return done(outcome, data, PUBLIC, status, location=location)
