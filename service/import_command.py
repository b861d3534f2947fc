"""`hearts import`: sending the file of a game to a service, which keeps a copy."""

import json
import secrets
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Final

from service.answers import refusal_of, whole
from service.sources import NoGameThereError, names_a_game
from service.verify_command import form_of

_ANSWERS_WITHIN_SECONDS: Final = 60
_MOST_BYTES: Final = 1024 * 1024
_NO_SENSE: Final = (AttributeError, LookupError, TypeError, ValueError, RecursionError)


class NotTakenError(Exception):
    """The service does not take the file; the message is what it says."""


def send_file(raw: bytes, service: str) -> str:
    """Return the address of the copy of *raw* that *service* keeps from now on.

    Raises:
        NotTakenError: It refuses the file.
        NoGameThereError: Nobody answers there.
    """
    address = f"{service.rstrip('/')}/v1/imports"
    headers = {
        "Content-Type": form_of(raw).media_type,
        "Idempotency-Key": secrets.token_urlsafe(24),
    }
    try:
        request = urllib.request.Request(address, raw, headers)  # noqa: S310 - refused below
        if request.type not in {"http", "https"}:
            raise NoGameThereError(f"{address} is no address of a service")
        with urllib.request.urlopen(  # noqa: S310 - http and https only
            request, timeout=_ANSWERS_WITHIN_SECONDS
        ) as answer:
            game_id = _made(whole(answer, _MOST_BYTES))
    except urllib.error.HTTPError as refusal:
        raise NotTakenError(_said(refusal)) from refusal
    except (OSError, HTTPException, ValueError) as exc:
        raise NoGameThereError(f"{address}: {exc}") from exc
    return f"{service.rstrip('/')}/v1/games/{game_id}"


def _made(raw: bytes) -> str:
    """Return the id of the game that the service says it has made.

    Raises:
        ValueError: It says no such thing.
    """
    try:
        game_id: str = json.loads(raw)["id"]
        if names_a_game(game_id):
            return game_id
    except _NO_SENSE:
        pass
    msg = "what answers there keeps no games"
    raise ValueError(msg)


def _said(refusal: urllib.error.HTTPError) -> str:
    """Return what a problem says, with the first error of its report if it has one."""
    raw = refusal_of(refusal, _MOST_BYTES)
    try:
        problem: dict[str, Any] = json.loads(raw)
        error = problem.get("report", {}).get("first_error")
        place = "" if error is None else f" {json.dumps(error)}"
        return f"{problem['detail']}{place}"
    except _NO_SENSE:
        return f"{refusal.code} {raw[:500].decode(errors='replace')}".rstrip()
