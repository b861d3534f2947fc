"""Exports: a whole game as a file; a long one is sent in pieces as it is read."""

import hashlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, NamedTuple

import msgspec
from flask import Blueprint, Response

from engine.notation.record import sole_versions
from engine.notation.recorder import Eyes, Header, record_of
from engine.notation.writer import write_game
from service import parameters
from service.auth import reader_of
from service.games import Games
from service.missing import NotAcceptable
from service.reading import ALL, OWN, Sight, look, read_game, view
from service.replies import preferred, state_cache
from service.requests import deps
from service.schemas.history import deal_data, header_data
from service.schemas.responses import PUBLIC, Answer, date_of, event_data, state_data

bp = Blueprint("exports", __name__, url_prefix="/v1/games/<game_id:game_id>")

SITE: Final = "hearts-api"
_SHORT_BYTES: Final = 1 << 20


def _lines(games: Games, sight: Sight) -> Iterator[bytes]:
    """Yield a header, the events, and the hash of all that."""
    digest = hashlib.sha256()
    for piece in _log(games, sight):
        digest.update(piece)
        yield piece
    yield _line({"sha256": digest.hexdigest()})


def _log(games: Games, sight: Sight) -> Iterator[bytes]:
    game, viewer, end = sight
    yield _line(header_data(game, viewer, end))
    for batch in games.batches(game, 1, end):
        yield b"".join(_line(event_data(one, viewer)) for one in batch)


def _line(data: Answer) -> bytes:
    return msgspec.json.encode(data) + b"\n"


def document(games: Games, sight: Sight) -> Iterator[bytes]:
    """Yield header, rules, result and deals as one object, in pieces of one line."""
    game, viewer, end = sight
    header, public = header_data(game, viewer, end), state_data(game, PUBLIC)
    front = {"header": header, "rules": public["rules"], "result": public["result"]}
    yield msgspec.json.encode(front)[:-1] + b',"deals":['
    for place, number in enumerate(sight.deals):
        stored = games.events(game, *game.span(number))
        deal = msgspec.json.encode(deal_data(game, number, stored, viewer))
        yield b"," + deal if place else deal
    yield b"]}"


def _notation(games: Games, sight: Sight) -> Iterator[bytes]:
    """Yield the game in Hearts Game Notation."""
    game, viewer, end = sight
    eyes = Eyes(viewer.seat, viewer.everything, game.table.revealed_version)
    stored = list(chain.from_iterable(games.batches(game, 1, end)))
    versions = sole_versions((one.actor.level, one.actor.version) for one in stored)
    header = Header(date_of(game.times.created_at), SITE, versions)
    events = (one.event for one in stored)
    yield write_game(record_of(game.table, events, eyes, header)).encode()


class _Form(NamedTuple):
    """A form of the file; *write* yields its pieces, outside of the request that asked."""

    media_type: str
    write: Callable[[Games, Sight], Iterator[bytes]]


_FORMS: Final = {
    "jsonl": _Form("application/x-ndjson", _lines),
    "json": _Form("application/json", document),
    "hgn": _Form("text/x-hgn", _notation),
}


@bp.get("/export")
def export_game(game_id: str) -> Response:
    """Send a game as a file."""
    reader = reader_of(deps(), game_id)
    formats = parameters.word({name: name for name in _FORMS}, default=None)
    query = parameters.read(format=formats, as_=view(None))
    name = query["format"] or _accepted()
    game = read_game(game_id, reader)
    widest = ALL if game.is_over else OWN
    return _file(look(query["as"] or widest, reader, game), name)


def _accepted() -> str:
    """Return the form that the client prefers; any will do if it does not say."""
    names = {form.media_type: name for name, form in _FORMS.items()}
    best = preferred([*names])
    if best is None:
        raise NotAcceptable([*names])
    return names[best]


def _file(sight: Sight, name: str) -> Response:
    form, game = _FORMS[name], sight.game
    body = _body(form.write(deps().games, sight))
    response = Response(body, mimetype=form.media_type)
    response.headers["Cache-Control"] = state_cache(game, sight.viewer)
    response.headers["Content-Disposition"] = f'attachment; filename="{game.game_id}.{name}"'
    return response


def _body(pieces: Iterator[bytes]) -> bytes | Iterator[bytes]:
    """Return the file, whole if it is short.

    While a long one is on its way it holds a thread, for as long as the client takes to
    read it; and what goes wrong then can only break the file off.
    """
    ready, size = [], 0
    for piece in pieces:
        ready.append(piece)
        size += len(piece)
        if size > _SHORT_BYTES:
            return chain(ready, pieces)
    return b"".join(ready)
