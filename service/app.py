"""The Flask app: routes, the habits that all requests share, and the parts they work with."""

import logging
import re
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from flask import Flask, Response, has_request_context, request
from werkzeug.routing import BaseConverter

from service import metrics, problems, tracing
from service.advice import Adviser
from service.api import BLUEPRINTS
from service.logs import FIELDS, log_context
from service.metering import Meter
from service.places import Places
from service.requests import (
    ADVISER,
    BELL,
    DEPS,
    HEALTH,
    HOOKS,
    LINES,
    ORDERS,
    QUOTAS,
    WAITS,
    name_request,
    trace_of,
)
from service.settings import Settings
from service.wiring import (
    make_bell,
    make_counters,
    make_deps,
    make_health,
    make_hooks,
    make_lines,
    make_orders,
    make_waits,
)

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
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
_HABITS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Vary", "Authorization, Accept"),
    *_CORS.items(),
)
_LOOKING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OF_A_GAME: Final = re.compile("/v1/games/([0-9a-f]{32})(?:/|$)")


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
    """Flask, and around it what all requests share: id, log line and constant headers.

    Around it, not in its hooks: hooks look everything up anew, which costs more than
    what is done with it.
    """

    def wsgi_app(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer one request."""
        began, name = time.perf_counter(), name_request(environ)
        # No answer of ours depends on it, but the router gives up at odd ones ("a..b").
        environ["HTTP_HOST"] = "localhost"

        def start(
            status: str, headers: list[tuple[str, str]], exc_info: "OptExcInfo | None" = None, /
        ) -> Callable[[bytes], object]:
            route = _route() or metrics.NO_ROUTE
            metrics.time_request(route, status[:3], time.perf_counter() - began)
            _write_line(environ, status, began)
            return start_response(status, [*headers, ("Request-Id", name), *_HABITS], exc_info)

        with log_context(request=name, **trace_of(environ), **_game(environ["PATH_INFO"])):
            return super().wsgi_app(environ, start)

    def make_default_options_response(self) -> Response:
        """Answer OPTIONS, on every path and to everybody."""
        # Of all rules with this path, not of the one that was found first.
        allowed = ", ".join(sorted(super().make_default_options_response().allow))
        response = Response(status=HTTPStatus.NO_CONTENT)
        del response.headers["Content-Type"]
        response.headers.update({"Allow": allowed, "Access-Control-Allow-Methods": allowed})
        response.headers.update(_PREFLIGHT)
        response.headers["Cache-Control"] = "no-store"
        return response


class _MeteredApp(_App):
    """The same, where it is counted who asks how often; without limits this does not exist."""

    meter: Meter

    def full_dispatch_request(self) -> Response:
        """Answer the request that is being handled, unless its caller has no more of them."""
        return self.meter.answer(super().full_dispatch_request)


def _route() -> str | None:
    # Where routing failed there is a request, and no rule.
    rule = request.url_rule if has_request_context() else None
    return None if rule is None else rule.rule


def _game(path: str) -> dict[str, str]:
    found = _OF_A_GAME.match(path)
    return {} if found is None else {"game": found[1]}


def _write_line(environ: "WSGIEnvironment", status: str, began: float) -> None:
    # What only looks and finds what it looks for is not worth a line of every log.
    quiet = environ["REQUEST_METHOD"] in _LOOKING and status < "4"
    level = logging.DEBUG if quiet else logging.INFO
    if not log.isEnabledFor(level):
        return
    milliseconds = round((time.perf_counter() - began) * 1000, 1)
    # Not the query: it is where clients put tokens that do not belong there.
    words = environ["REQUEST_METHOD"], environ["PATH_INFO"], status[:3]
    log.log(level, "%s %s %s", *words, extra={FIELDS: {"ms": milliseconds}})


def _new_app(settings: Settings) -> Flask:
    if settings.rate_limits == "off":
        app = _App(__name__, static_folder=None)
        app.extensions[QUOTAS] = {}
        return app
    metered = _MeteredApp(__name__, static_folder=None)
    counters = make_counters(settings)
    metered.meter = Meter(counters, settings.quotas, settings.address_header)
    metered.extensions[QUOTAS] = settings.quotas
    return metered


def create_app(settings: Settings, *, threadless_streams: bool = False) -> Flask:
    """Return the app, with its own connections to what *settings* name.

    *threadless_streams*: its server keeps streams without a thread for each, so that there
    is room for as many as *settings* say, beside the requests that wait.
    """
    app = _new_app(settings)
    app.url_map.converters.update(game_id=_GameId, number=_Number)
    # Two slashes, or one at the end, are another path: no redirect guesses what was meant.
    app.url_map.merge_slashes = False
    deps = make_deps(settings)
    app.extensions[DEPS] = deps
    app.extensions[BELL] = bell = make_bell(settings)
    app.extensions[WAITS] = waits = make_waits(settings)
    places = Places(settings.streams) if threadless_streams else waits
    app.extensions[LINES] = make_lines(settings, bell, places, threadless=threadless_streams)
    metrics.show(metrics.STREAMS_OPEN, lambda: sum(one.count for one in {waits, places}))
    metrics.show(metrics.QUARANTINED, lambda: len(deps.games.quarantine))
    app.extensions[HEALTH] = make_health(settings, deps)
    app.extensions[HOOKS] = make_hooks(settings)
    app.extensions[ORDERS] = make_orders(settings)
    app.extensions[ADVISER] = Adviser()
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    problems.register(app)
    # Around all the rest, so that what is not traced is not asked about it.
    app.wsgi_app = tracing.around(app.wsgi_app, _route)  # type: ignore[assignment]  # as Flask says to
    return app
