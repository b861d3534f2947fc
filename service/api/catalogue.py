"""What the service is: limits, presets, levels, the time."""

from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, Response, current_app

from engine import bots
from engine.errors import RulesConflict
from engine.presets import PRESETS, preset_rules
from engine.rules import MOST_DEALS, RULES_VERSION
from engine.seats import FEWEST_SEATS, MOST_SEATS
from service import VERSION, parameters, places, strict_json
from service.api.bulk_exports import EXPORTS_PER_APP, GAMES_PER_EXPORT
from service.api.deals import DEALS_PER_PAGE
from service.api.listing import GAMES_PER_PAGE
from service.api.log import EVENTS_PER_PAGE, LONGEST_WAIT
from service.api.replay import FRAMES_PER_PAGE
from service.api.webhooks import DELIVERIES_PER_PAGE
from service.bodies import BODY_BYTES, FILE_BYTES, read_body
from service.contract import rules_schema
from service.missing import NotThere
from service.names import NAME_CHARACTERS
from service.replies import NO_STORE, reply
from service.requests import LINES, QUOTAS, deps
from service.schemas import requests
from service.schemas.responses import explained_data, preset_data, timestamp
from service.table_plan import planned_table
from service.webhooks.endpoints import MOST_ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.quotas import Quota
    from service.streams import Lines

bp = Blueprint("catalogue", __name__, url_prefix="/v1")

_KEEP_A_DAY: Final = "public, max-age=86400"
FEATURES: Final = [
    "analysis",
    "bulk_export",
    "client_seeds",
    "deals",
    "explain",
    "export",
    "forks",
    "hints",
    "idempotency",
    "import",
    "knowledge",
    "long_poll",
    "metadata",
    "past_states",
    "practice",
    "private_games",
    "proofs",
    "replay",
    "rule_checks",
    "stream_tickets",
    "streams",
    "verification",
    "webhooks",
]
"""What this version can do beyond playing, in the words of the contract."""

_LIMITS: Final = {
    "body_bytes": BODY_BYTES,
    "file_bytes": FILE_BYTES,
    "json_depth": strict_json.DEPTH,
    "json_members": strict_json.MEMBERS,
    "string_characters": strict_json.STRING_CHARACTERS,
    "integer_digits": strict_json.INTEGER_DIGITS,
    "name_characters": NAME_CHARACTERS,
    "events_per_page": EVENTS_PER_PAGE,
    "games_per_page": GAMES_PER_PAGE,
    "games_per_export": GAMES_PER_EXPORT,
    "exports_per_app": EXPORTS_PER_APP,
    "frames_per_page": FRAMES_PER_PAGE,
    "deals_per_page": DEALS_PER_PAGE,
    "deals_per_analysis": requests.DEALS_PER_ANALYSIS,
    "webhook_endpoints": MOST_ENDPOINTS,
    "webhook_deliveries_per_page": DELIVERIES_PER_PAGE,
    "wait_seconds": LONGEST_WAIT,
    "waits_per_token": places.WAITS_PER_TOKEN,
    "seats_min": FEWEST_SEATS,
    "seats_max": MOST_SEATS,
    "deals_per_game": MOST_DEALS,
}
_LINKS: Final = {
    "time": "/v1/time",
    "presets": "/v1/presets",
    "rules_schema": "/v1/rules/schema",
    "bot_levels": "/v1/bot-levels",
    "games": "/v1/games",
    "openapi": "/openapi.yaml",
    "docs": "/docs",
    "problems": "/problems",
}


@bp.get("")
def get_service() -> Response:
    """Say what this service can do and where things are."""
    parameters.read()
    data = {
        "name": "hearts-api",
        "version": VERSION,
        "rules_version": RULES_VERSION,
        "limits": {**_LIMITS, **_stream_limits(), "rate_limits": _quotas()},
        "features": FEATURES,
        "links": _LINKS,
    }
    return reply(data, cache=_KEEP_A_DAY)


def _stream_limits() -> dict[str, int]:
    lines: Lines = current_app.extensions[LINES]
    return {
        "streams_per_token": lines.bounds.token,
        "streams_per_address": lines.bounds.address,
    }


def _quotas() -> list[dict[str, Any]]:
    quotas: Mapping[str, Quota] = current_app.extensions[QUOTAS]
    return [
        {"policy": policy, "quota": quota.amount, "window_seconds": quota.seconds}
        for policy, quota in quotas.items()
    ]


@bp.get("/time")
def get_time() -> Response:
    """Say what time it is here."""
    parameters.read()
    return reply({"now": timestamp(deps().clock())}, cache=NO_STORE)


@bp.get("/presets")
def list_presets() -> Response:
    """List the presets."""
    parameters.read()
    items = [preset_data(name, preset.summary, preset.seats) for name, preset in PRESETS.items()]
    return reply({"items": items}, cache=_KEEP_A_DAY)


@bp.get("/presets/<name>")
def get_preset(name: str) -> Response:
    """Spell every option of a preset out."""
    query = parameters.read(seats=parameters.integer(FEWEST_SEATS, MOST_SEATS, None))
    if name not in PRESETS:
        raise NotThere("preset_not_found", "There is no preset of that name.")
    seats = PRESETS[name].usual_seats if query["seats"] is None else query["seats"]
    return reply(_preset(name, seats), cache=_KEEP_A_DAY)


def _preset(name: str, seats: int) -> dict[str, Any]:
    preset = PRESETS[name]
    try:
        rules = preset_rules(name, seats)
    except RulesConflict as exc:
        raise RulesConflict(str(exc), ("/name", "/seats")) from exc
    return preset_data(name, preset.summary, preset.seats, rules)


@bp.post("/rule-checks")
def check_rules() -> Response:
    """Spell a rule set out, and explain it, without a game."""
    body = read_body(requests.CHECK_RULES.load)
    rules, _ = planned_table(body)
    return reply(explained_data(rules), cache=NO_STORE)


@bp.get("/rules/schema")
def get_rules_schema() -> Response:
    """Show what a rule set must look like, as JSON Schema."""
    parameters.read()
    response = reply(rules_schema(), cache=_KEEP_A_DAY)
    response.content_type = "application/schema+json"
    return response


@bp.get("/bot-levels")
def list_bot_levels() -> Response:
    """List the levels of bots, the weakest first."""
    parameters.read()
    return reply({"items": [level._asdict() for level in bots.describe()]}, cache=_KEEP_A_DAY)
