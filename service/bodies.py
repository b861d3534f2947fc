"""Reading a request's body, in the one order of checks that the contract names.

Size and media type, then JSON, then parameters, then the schema with all fields at once.
"""

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, Final, TypeAlias

from flask import request
from marshmallow import ValidationError
from werkzeug.http import parse_options_header

from service import parameters, strict_json

Load: TypeAlias = Callable[[Any], dict[str, Any]]
"""Reads a value of JSON by its schema, or raises ValidationError."""

_JSON: Final = "application/json"
BODY_BYTES: Final = 16 * 1024
FILE_BYTES: Final = 1024 * 1024


class BodyTooLargeError(Exception):
    """The body is larger than *most*, the bytes that it may have."""

    def __init__(self, most: int) -> None:
        super().__init__(f"A body may have {most // 1024} KiB.")


class MediaTypeError(Exception):
    """The body is said to be something else than what is read here, in UTF-8."""

    def __init__(self, media_types: Collection[str]) -> None:
        super().__init__(f"Send {' or '.join(media_types)} in UTF-8.")


class ContentCodingError(MediaTypeError):
    """The body is compressed, or coded in another way."""

    def __init__(self) -> None:
        Exception.__init__(self, "Send the body as it is, without a Content-Encoding.")


class InvalidBodyError(Exception):
    """The body does not fit its schema; *messages* nests like the body, with lists of texts."""

    def __init__(self, messages: object) -> None:
        super().__init__("The body does not fit its schema.")
        self.messages = messages


def read_body(load: Load, *, optional: bool = False) -> dict[str, Any]:
    """Return the body as *load* reads it, an absent *optional* one as if it were ``{}``.

    Raises:
        BodyTooLargeError: It is too large, whatever length it claims.
        MediaTypeError: It is not JSON, or compressed.
        MalformedJsonError: It cannot be read as JSON.
        ParametersError: A query parameter or header is wrong.
        InvalidBodyError: It does not fit.
    """
    raw = _raw()
    if raw is not None:
        _check_media_type()
    elif not optional:
        _check_media_type()
        raise strict_json.MalformedJsonError("The body is missing.")
    body: object = {} if raw is None else strict_json.read(raw)
    parameters.read()
    try:
        return load(body)
    except ValidationError as exc:
        raise InvalidBodyError(exc.messages) from exc


def read_file(media_types: Collection[str]) -> tuple[str, bytes]:
    """Return the media type of the body, one of *media_types*, and its bytes.

    An absent body is an empty file.

    Raises:
        BodyTooLargeError: It is too large, whatever length it claims.
        MediaTypeError: It is something else, or compressed.
        MalformedJsonError: It was cut off.
        ParametersError: A query parameter or header is wrong.
    """
    raw = _raw(FILE_BYTES)
    media_type = _check_media_type(media_types)
    parameters.read()
    return media_type, b"" if raw is None else raw


def _raw(most: int = BODY_BYTES) -> bytes | None:
    """Return the body's bytes, at most *most*, None if the request announces none."""
    length, environ = request.content_length, request.environ
    chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
    if not chunked and not length:
        return None
    if length is not None and length > most:
        raise BodyTooLargeError(most)
    # Not the framework's stream: it takes a body without a length for no body.
    raw: bytes = environ["wsgi.input"].read(most + 1 if chunked else length)
    if len(raw) > most:
        raise BodyTooLargeError(most)
    if (length is not None and len(raw) < length) or not raw:
        # A body that was cut off must not pass for a shorter or an absent one.
        raise strict_json.MalformedJsonError("The body ended before its time.")
    return raw


def _check_media_type(known: Collection[str] = (_JSON,)) -> str:
    environ = request.environ
    if environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() != "identity":
        raise ContentCodingError
    media_type = _media_type(environ.get("CONTENT_TYPE", ""))
    if media_type not in known:
        raise MediaTypeError(known)
    return media_type


@lru_cache(maxsize=64)
def _media_type(content_type: str) -> str:
    """Return the media type that a header names, none if not in UTF-8 or with more beside it."""
    media_type, parameters = parse_options_header(content_type)
    charset = parameters.pop("charset", "utf-8").lower()
    return "" if parameters or charset != "utf-8" else media_type.lower()
