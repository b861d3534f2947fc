"""Whether this process lives, and whether it is of any use."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, Response, current_app

from service import parameters
from service.replies import NO_STORE, reply
from service.requests import HEALTH

if TYPE_CHECKING:
    from service.health import Health

bp = Blueprint("health", __name__, url_prefix="/health")

_RETRY_SECONDS: Final = "5"


@bp.get("/live")
def get_liveness() -> Response:
    """Say that the process answers."""
    parameters.read()
    return reply({"status": "pass"}, cache=NO_STORE)


@bp.get("/ready")
def get_readiness() -> Response:
    """Say whether requests can be served, and what stands in the way."""
    parameters.read()
    health: Health = current_app.extensions[HEALTH]
    data: dict[str, Any] = health.readiness()
    if data["status"] == "pass":
        return reply(data, cache=NO_STORE)
    status, headers = HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": _RETRY_SECONDS}
    return reply(data, status, cache=NO_STORE, headers=headers)
