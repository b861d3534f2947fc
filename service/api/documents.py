"""The contract itself, as it was written."""

from flask import Blueprint, Response

from service import parameters
from service.contract import openapi_bytes

bp = Blueprint("documents", __name__)


@bp.get("/openapi.yaml")
def get_openapi() -> Response:
    """Send the contract."""
    parameters.read()
    response = Response(openapi_bytes(), mimetype="application/yaml")
    response.headers["Cache-Control"] = "public, max-age=86400"
    return response
