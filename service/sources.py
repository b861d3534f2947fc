"""Where the command line finds a game: in a file, or at an address."""

import json
import re
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Final

from service.answers import refusal_of, whole

USUAL_ADDRESS: Final = "http://127.0.0.1:8000"

_ADDRESS: Final = re.compile("https?://.+")
_GAME: Final = re.compile("[0-9a-f]{32}")
_OF_A_GAME: Final = re.compile(r"(?P<game>https?://[^?#]+/games/[0-9a-f]{32})/?")
_ANSWERS_WITHIN_SECONDS: Final = 60
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_BYTES_OF_A_REFUSAL: Final = 2_000


def plain(text: str) -> str:
    """Return *text* of a stranger without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def shown(text: str, encoding: str | None = None) -> str:
    """Return *text*, which may have several lines, each of them `plain`.

    What the *encoding* of a terminal or file does not have becomes a question mark, too.
    """
    lines = "\n".join(map(plain, text.split("\n")))
    return lines if encoding is None else lines.encode(encoding, "replace").decode(encoding)


class NoGameThereError(Exception):
    """There is nothing to read there; the message says why."""


class UnfitFileError(Exception):
    """What was read does not say, or not yet, what is asked of it; the message says why."""


def names_a_game(source: str) -> bool:
    """Return whether *source* looks like the id of a game."""
    return _GAME.fullmatch(source) is not None


def read_source(source: str, form: str) -> bytes:
    """Return what is in the file, or at the address, that *source* names.

    At the address of a game it is its export in *form*.

    Raises:
        NoGameThereError: It cannot be read.
    """
    if _ADDRESS.fullmatch(source):
        return _fetched(export_address(source, form))
    try:
        with Path(source).open("rb") as file:
            return _bounded(file.read(_MOST_BYTES + 1), source)
    except OSError as exc:
        raise NoGameThereError(f"{source}: {exc.strerror}") from exc


def read_game_file(source: str, form: str, service: str) -> bytes:
    """Return the same as `read_source`; an id is that of a game of *service*.

    Raises:
        NoGameThereError: It cannot be read.
    """
    return read_source(
        export_address(source, form, service) if _GAME.fullmatch(source) else source, form
    )


def export_address(source: str, form: str, service: str = USUAL_ADDRESS) -> str:
    """Return the address of the export in *form* of the game that *source* names.

    That is an id of a game of *service*, or an address; one that is not a game's stays as
    it is.

    Raises:
        NoGameThereError: It is neither.
    """
    if _GAME.fullmatch(source):
        source = f"{service.rstrip('/')}/v1/games/{source}"
    if not _ADDRESS.fullmatch(source):
        raise NoGameThereError(f"{source} is neither a game's id nor an address")
    found = _OF_A_GAME.fullmatch(source)
    return source if found is None else f"{found['game']}/export?format={form}"


def fetch_export(source: str, form: str, service: str) -> bytes:
    """Return the export in *form* of the game that *source* names.

    Raises:
        NoGameThereError: There is none, or nobody answers.
    """
    return _fetched(export_address(source, form, service))


def _fetched(address: str) -> bytes:
    try:
        with urllib.request.urlopen(  # noqa: S310 - http and https only, see above
            address, timeout=_ANSWERS_WITHIN_SECONDS
        ) as answer:
            return _bounded(whole(answer, _MOST_BYTES), address)
    except urllib.error.HTTPError as refusal:
        said = _said_in(refusal_of(refusal, _MOST_BYTES_OF_A_REFUSAL))
        raise NoGameThereError(f"{address}: {refusal.code} {plain(said)}") from refusal
    except (OSError, HTTPException, ValueError) as exc:
        raise NoGameThereError(f"{address}: {exc}") from exc


def _said_in(refusal: bytes) -> str:
    """Return the code and the words of a problem document; of anything else, all of it."""
    text = refusal.decode(errors="replace")
    try:
        problem = json.loads(text)
        return f"{problem['code']}: {problem['detail']}"
    except (ValueError, LookupError, TypeError, RecursionError):
        return text


def _bounded(raw: bytes, source: str) -> bytes:
    if len(raw) > _MOST_BYTES:
        raise NoGameThereError(f"{source} is too long for a game")
    return raw
