"""Documents for people and tools: the contract, the reference in a browser, the problems."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, Response, render_template

from service import parameters
from service.contract import openapi_bytes, openapi_json
from service.missing import NotThere
from service.problem_codes import HELP, problem_type
from service.replies import preferred, reply

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

bp = Blueprint("documents", __name__)

_KEEP_A_DAY: Final = "public, max-age=86400"
_HTML: Final = "text/html"
_JSON: Final = "application/json"

# Nothing from elsewhere, nothing inside the page. The icons of the reference are data: URLs.
_PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_REFERENCE_POLICY: Final = f"{_PAGE_POLICY}; script-src 'self'; connect-src 'self'"

_OURS: Final = files("service") / "assets"
_SWAGGER_UI: Final = files("flask_swagger_ui") / "dist"
_FILES: Final[Mapping[str, tuple["Traversable", str]]] = {
    "docs.js": (_OURS, "text/javascript"),
    "page.css": (_OURS, "text/css"),
    "swagger-ui-bundle.js": (_SWAGGER_UI, "text/javascript"),
    "swagger-ui.css": (_SWAGGER_UI, "text/css"),
}

AGAIN: Final = {
    "never": "No: the same request will be refused each time.",
    "changed": "Yes, with a request that is mended.",
    "reread": "Yes, after reading the game and deciding anew.",
    "later": "Yes, the same request, after Retry-After seconds if the answer names them.",
}
"""Whether to ask again, for each word of `HELP`."""


@bp.get("/openapi.yaml")
def get_openapi() -> Response:
    """Send the contract as it was written."""
    parameters.read()
    return _document(openapi_bytes(), "application/yaml")


@bp.get("/openapi.json")
def get_openapi_json() -> Response:
    """Send the contract as JSON."""
    parameters.read()
    return _document(openapi_json(), _JSON)


@bp.get("/docs")
def get_docs() -> Response:
    """Send the page that shows the contract."""
    parameters.read()
    return _page(_REFERENCE_POLICY, "docs.html")


@bp.get("/docs/<file>")
def get_docs_file(file: str) -> Response:
    """Send what the pages load."""
    parameters.read()
    if file not in _FILES:
        raise NotThere("not_found", "The pages have no such file.")
    return _document(_bytes_of(file), _FILES[file][1])


@bp.get("/problems")
def list_problems() -> Response:
    """List all error codes."""
    parameters.read()
    if _prefers_json():
        return _data({"items": [_help_data(code) for code in HELP]})
    problems = [(problem_type(code), code, one) for code, one in HELP.items()]
    return _page(_PAGE_POLICY, "problems.html", problems=problems)


@bp.get("/problems/<slug>")
def get_problem(slug: str) -> Response:
    """Explain one error code."""
    parameters.read()
    code = slug.replace("-", "_")
    if code not in HELP or "_" in slug:
        raise NotThere("not_found", "There is no such problem.")
    if _prefers_json():
        return _data(_help_data(code))
    again = AGAIN[HELP[code].retry]
    return _page(_PAGE_POLICY, "problem.html", code=code, help=HELP[code], again=again)


def _prefers_json() -> bool:
    return preferred([_HTML, _JSON]) == _JSON


def _data(data: dict[str, Any]) -> Response:
    return reply(data, cache=_KEEP_A_DAY, headers={"Content-Security-Policy": _PAGE_POLICY})


def _help_data(code: str) -> dict[str, Any]:
    about = HELP[code]
    return {
        "type": problem_type(code),
        "code": code,
        "title": about.title,
        "meaning": about.meaning,
        "advice": about.advice,
        "retry": about.retry,
    }


def _page(policy: str, template: str, **values: Any) -> Response:
    response = _document(render_template(template, **values).encode(), _HTML)
    response.headers["Content-Security-Policy"] = policy
    return response


def _document(content: bytes, media_type: str) -> Response:
    response = Response(content, mimetype=media_type)
    response.headers["Cache-Control"] = _KEEP_A_DAY
    return response


@cache
def _bytes_of(file: str) -> bytes:
    folder, _ = _FILES[file]
    return (folder / file).read_bytes()
