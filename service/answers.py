"""What a server answers to a command: all of it or nothing, and not without end."""

import urllib.error
from http.client import HTTPException, HTTPResponse, IncompleteRead


def whole(answer: HTTPResponse, most: int) -> bytes:
    """Return the body of *answer*; of a longer one the first *most* bytes, and one more.

    Raises:
        HTTPException: It breaks off.
        OSError: So does the connection.
    """
    body = answer.read(most + 1)
    # A body that is read piece by piece may end too early without an error. What comes by
    # another protocol, after a redirect, has no length.
    missing = getattr(answer, "length", None)
    if missing and len(body) <= most:
        raise IncompleteRead(body, missing)
    return body


def refusal_of(refusal: urllib.error.HTTPError, most: int) -> bytes:
    """Return the first *most* bytes of what *refusal* says; none where it breaks off."""
    try:
        with refusal:
            return refusal.read(most)
    except (OSError, HTTPException):
        return b""
