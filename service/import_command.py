"""`hearts import`: sending the file of a game to a service, which keeps a copy."""

import json
import secrets
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Final

from service.sources import NoGameThereError
from service.verify_command import form_of

_ANSWERS_WITHIN_SECONDS: Final = 60


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
            made = json.load(answer)
    except urllib.error.HTTPError as refusal:
        with refusal:
            raise NotTakenError(_said(refusal.read())) from refusal
    except (OSError, HTTPException, ValueError) as exc:
        raise NoGameThereError(f"{address}: {exc}") from exc
    return f"{service.rstrip('/')}/v1/games/{made['id']}"


def _said(raw: bytes) -> str:
    """Return what a problem says, with the first error of its report if it has one."""
    try:
        problem: dict[str, Any] = json.loads(raw)
        error = problem.get("report", {}).get("first_error")
        place = "" if error is None else f" {json.dumps(error)}"
        return f"{problem['detail']}{place}"
    except (AttributeError, KeyError, TypeError, ValueError):
        return raw[:500].decode(errors="replace")
