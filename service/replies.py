"""Responses: JSON with the headers that belong to it."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec
from flask import Response, request
from werkzeug.datastructures import Headers, MIMEAccept

from engine.commands import PRIVATE
from service.command_request import Outcome
from service.etags import etag
from service.game import Game
from service.schemas.responses import Viewer

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

NO_STORE: Final = "no-store"
LIVE: Final = "private, no-cache"
OVER: Final = "public, max-age=86400"
_FOR_EVER: Final = "max-age=31536000, immutable"


class _Whole(Response):
    """A response that has all of its headers: the library need not copy, check and add any."""

    default_mimetype = None

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers as they are."""
        del environ
        return self.headers


def reply(
    data: Mapping[str, Any],
    status: HTTPStatus = HTTPStatus.OK,
    *,
    cache: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return *data* as JSON that may be kept as *cache* says."""
    body = msgspec.json.encode(data)
    named = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", cache),
        *(headers or {}).items(),
    ]
    return _Whole(body, status.value, named)


def done(
    outcome: Outcome,
    data: Mapping[str, Any],
    viewer: Viewer,
    status: HTTPStatus = HTTPStatus.OK,
    location: str | None = None,
) -> Response:
    """Return what a command has done, or had done before; only a new move has *status* alone."""
    headers = {"ETag": etag(outcome.game, viewer)}
    if location is not None:
        headers["Location"] = location
    if outcome.replayed:
        headers["Idempotency-Replayed"] = "true"
    return reply(data, status, cache=NO_STORE, headers=headers)


def state_cache(game: Game, viewer: Viewer) -> str:
    """Return how long the current state of *game* may be kept."""
    return OVER if game.is_over and _is_for_all(game, viewer) else LIVE


def fixed_cache(game: Game, viewer: Viewer) -> str:
    """Return how long something of *game* that never changes may be kept."""
    return f"{'public' if _is_for_all(game, viewer) else 'private'}, {_FOR_EVER}"


def _is_for_all(game: Game, viewer: Viewer) -> bool:
    # What needs a token must not stay where somebody without one is answered.
    table = game.table
    return viewer.seat is None and table.visibility != PRIVATE and table.options.spectators


def page_cache(game: Game, viewer: Viewer, *, is_final: bool) -> str:
    """Return how long a page of *game* may be kept; *is_final*, nothing on it will change."""
    return fixed_cache(game, viewer) if is_final else state_cache(game, viewer)


def next_link(after: int) -> dict[str, str]:
    """Return the header that leads from this page to the one that begins *after*."""
    kept = [f"{name}={value}" for name, value in request.args.items() if name != "after"]
    query = "&".join([f"after={after}", *kept])
    return {"Link": f'<{request.path}?{query}>; rel="next"'}


def preferred(media_types: Sequence[str]) -> str | None:
    """Return which of *media_types* the client likes best, the first if it does not say.

    None if it takes none of them. Parameters of a type are not looked at.
    """
    given = [(value.partition(";")[0], quality) for value, quality in request.accept_mimetypes]
    return MIMEAccept(given).best_match(media_types) if given else media_types[0]


def not_modified(tag: str, cache: str) -> Response:
    """Return the answer to somebody who has *tag*."""
    headers = [("ETag", tag), ("Cache-Control", cache)]
    return _Whole(status=HTTPStatus.NOT_MODIFIED.value, headers=headers)
