"""The Flask app: routes, the habits that all requests share, and the parts they work with."""

import logging
import time
from collections.abc import Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from flask import Flask, Response, current_app, g, request
from werkzeug.routing import BaseConverter

from service import problems
from service.api import BLUEPRINTS
from service.logs import log_context
from service.requests import BELL, DEPS, HEALTH, request_id
from service.settings import Settings
from service.wiring import make_bell, make_deps, make_health

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger(__name__)

_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, "
        "Deprecation, Sunset, Request-Id"
    ),
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
        "Prefer, Request-Id"
    ),
    "Access-Control-Max-Age": "7200",
}
_HABITS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Vary": "Authorization, Accept",
    **_CORS,
}


class _GameId(BaseConverter):
    """32 lower-case hex digits; anything else in that place is no path of ours."""

    regex = "[0-9a-f]{32}"


class _Number(BaseConverter):
    """ASCII digits, at most nine."""

    regex = "[0-9]{1,9}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class _App(Flask):
    """Flask, for which it does not matter what host a client believes to ask."""

    def wsgi_app(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer one request."""
        # No answer of ours depends on it, but the router gives up at odd ones ("a..b").
        environ["HTTP_HOST"] = "localhost"
        return super().wsgi_app(environ, start_response)


def create_app(settings: Settings) -> Flask:
    """Return the app, with its own connections to what *settings* name."""
    app = _App(__name__, static_folder=None)
    app.url_map.converters.update(game_id=_GameId, number=_Number)
    # Two slashes, or one at the end, are another path: no redirect guesses what was meant.
    app.url_map.merge_slashes = False
    deps = make_deps(settings)
    app.extensions[DEPS] = deps
    app.extensions[BELL] = make_bell(settings)
    app.extensions[HEALTH] = make_health(settings, deps)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    problems.register(app)
    app.before_request(_begin)
    app.after_request(_end)
    app.teardown_request(_forget)
    return app


def _begin() -> Response | None:
    g.began_at = time.perf_counter()
    g.context = ExitStack()
    g.context.enter_context(log_context(request=request_id(), **_game()))
    if request.method != "OPTIONS" or request.routing_exception is not None:
        return None
    response = Response(status=204)
    del response.headers["Content-Type"]
    # Of all rules with this path, not of the one that was found first.
    allowed = ", ".join(sorted(current_app.make_default_options_response().allow))
    response.headers.update({"Allow": allowed, "Access-Control-Allow-Methods": allowed})
    response.headers.update(_PREFLIGHT)
    response.headers["Cache-Control"] = "no-store"
    return response


def _game() -> dict[str, str]:
    game_id = (request.view_args or {}).get("game_id")
    return {} if game_id is None else {"game": game_id}


def _end(response: Response) -> Response:
    response.headers.update({"Request-Id": request_id(), **_HABITS})
    milliseconds = round((time.perf_counter() - g.began_at) * 1000, 1)
    with log_context(ms=milliseconds):
        # Not the query: it is where clients put tokens that do not belong there.
        log.info("%s %s %d", request.method, request.path, response.status_code)
    return response


def _forget(_: BaseException | None) -> None:
    # The next request on this thread is another one.
    g.context.close()
