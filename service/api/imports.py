"""Imports: a game that was played elsewhere, or here, as a copy that can only be read."""

import hashlib
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response

from engine.shuffle import game_id_of
from engine.state import status_of
from engine.table_data import (
    origin_data,
)
from service import tolls
from service.bodies import read_file
from service.command_handler import found_game
from service.command_request import Outcome, cause_of
from service.importing import Own, check_import, log_of
from service.parameters import idempotency_key
from service.replies import done
from service.requests import deps, nonce_for
from service.schemas.responses import PUBLIC, game_path, state_data
from service.store.envelope import Stored
from service.verification import FORMS

bp = Blueprint("imports", __name__, url_prefix="/v1")

_BY_MEDIA_TYPE = {form.media_type: form for form in FORMS}


@bp.post("/imports")
def import_file() -> Response:
    """Store the game in the body, if it is over, right and proved."""
    media_type, raw = read_file(_BY_MEDIA_TYPE)
    form = _BY_MEDIA_TYPE[media_type]
    nonce, key_id = nonce_for("import")
    own = Own(deps().keyring.commitment(nonce, key_id), key_id)
    body = {"media_type": media_type, "sha256": hashlib.sha256(raw).hexdigest()}
    cause = cause_of("import", idempotency_key(), "import", body)

    def stored() -> Sequence[Stored]:
        # Playing a game again is the work: neither for a repeat nor for who has nothing left.
        tolls.pay()
        examined = form.examine(raw)
        check_import(examined, form.name)
        return log_of(examined, own, cause, form.name, deps().clock())

    game_id = game_id_of(own.commitment)
    outcome = found_game(deps(), game_id, cause, stored)
    path = game_path(game_id)
    return done(outcome, _imported(outcome), PUBLIC, HTTPStatus.CREATED, location=path)


def _imported(outcome: Outcome) -> dict[str, Any]:
    game = outcome.game
    return {
        "id": game.game_id,
        "status": status_of(game.state).value,
        "version": game.version,
        "origin": origin_data(game.table.origin),
        "game": state_data(game, PUBLIC),
    }
