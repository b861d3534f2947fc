"""Query parameters and headers, read as strictly as bodies.

An unknown or repeated parameter is refused: a typo must not silently give the default.
"""

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from flask import request

_DIGITS: Final = re.compile("[0-9]{1,9}", re.ASCII)
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z", re.ASCII
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_KEY: Final = re.compile('"?([A-Za-z0-9_-]{22,64})"?')


class Wrong(NamedTuple):
    """A parameter that is wrong; *code* is ``unknown``, ``repeated`` or ``invalid``."""

    parameter: str
    code: str
    detail: str


class ParametersError(Exception):
    """Some parameters are wrong."""

    def __init__(self, wrong: list[Wrong]) -> None:
        super().__init__("; ".join(f"{one.parameter}: {one.detail}" for one in wrong))
        self.wrong = wrong


class CursorError(ParametersError):
    """A cursor that is not one of this list's."""


Reader: TypeAlias = Callable[[str | None], Any]
"""Reads a parameter's text, None if it is absent; raises ValueError with a sentence."""


class Many(NamedTuple):
    """A parameter that may stand more than once: what reads all its texts, one at least."""

    read: Callable[[list[str]], Any]


def read(
    more: Mapping[str, Reader] = MappingProxyType({}), /, **readers: Reader | Many
) -> dict[str, Any]:
    """Return the query parameters that *readers* read, and check `Idempotency-Key` beside them.

    A reader is named like its parameter, with a trailing underscore where that is a keyword;
    those in *more* are named as they are.

    Raises:
        ParametersError: A parameter is unknown, repeated or wrong.
    """
    named = {name.rstrip("_"): reader for name, reader in readers.items()} | dict(more)
    # Most requests have no query at all: looking into it would only cost time.
    wrong = [*(_unknown(named) if request.query_string else ()), *_wrong_key()]
    values: dict[str, Any] = {}
    for name, reader in named.items():
        given = request.args.getlist(name)
        try:
            if isinstance(reader, Many):
                values[name] = reader.read(given) if given else []
            else:
                values[name] = reader(given[0] if given else None)
        except ValueError as exc:
            wrong.append(Wrong(name, "invalid", str(exc)))
    if wrong:
        raise ParametersError(wrong)
    return values


def idempotency_key() -> str | None:
    """Return the request's `Idempotency-Key` without quotes, or None.

    Call it after `read`, which has checked it.
    """
    given = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    match = _KEY.fullmatch(given) if given is not None else None
    return None if match is None else match.group(1)


def preferred_wait(most: int) -> int:
    """Return the seconds that the header `Prefer: wait=…` asks for, *most* at the most.

    0 where it does not: a preference that cannot be read is none.

    Source: RFC 7240, sections 2 and 4.3.
    """
    for one in request.headers.get("Prefer", "").split(","):
        name, _, value = one.partition(";")[0].partition("=")
        if name.strip().lower() == "wait":
            seconds = value.strip().strip('"')
            return min(int(seconds), most) if _DIGITS.fullmatch(seconds) else 0
    return 0


def integer(least: int, most: int, default: int | None) -> Reader:
    """Return a reader of ASCII digits between *least* and *most*; without any, *default*."""

    def read_integer(text: str | None) -> int | None:
        if text is None:
            return default
        if not _DIGITS.fullmatch(text) or not least <= int(text) <= most:
            msg = f"This is not an integer from {least} to {most}."
            raise ValueError(msg)
        return int(text)

    return read_integer


def boolean(*, default: bool) -> Reader:
    """Return a reader of ``true`` and ``false``."""
    return word({"true": True, "false": False}, default=default)


def word(values: Mapping[str, Any], *, default: object) -> Reader:
    """Return a reader of the words in *values*."""

    def read_word(text: str | None) -> object:
        if text is None:
            return default
        if text not in values:
            msg = f"This is none of {', '.join(values)}."
            raise ValueError(msg)
        return values[text]

    return read_word


def words(known: Mapping[str, Any]) -> Reader:
    """Return a reader of a comma-separated list of words in *known*; None if absent."""

    def read_words(text: str | None) -> frozenset[str] | None:
        if text is None:
            return None
        given = text.split(",")
        if not known.keys() >= set(given):
            msg = f"This is no list of {', '.join(known)}."
            raise ValueError(msg)
        return frozenset(given)

    return read_words


def some_words(known: Collection[str]) -> Many:
    """Return a reader of a parameter that stands once for each of some words in *known*."""

    def read_each(texts: list[str]) -> list[str]:
        if not set(texts) <= set(known):
            msg = f"This is none of {', '.join(known)}."
            raise ValueError(msg)
        return sorted(set(texts))

    return Many(read_each)


def text(pattern: re.Pattern[str], what: str) -> Reader:
    """Return a reader of a text that *pattern* matches, which is *what*; None if absent."""

    def read_text(given: str | None) -> str | None:
        if given is not None and not pattern.fullmatch(given):
            msg = f"This is not {what}."
            raise ValueError(msg)
        return given

    return read_text


def moment(given: str | None) -> int | None:
    """Return the time that *given* names in UTC, in ms since the epoch; None if absent.

    Raises:
        ValueError: It names none.
    """
    if given is None:
        return None
    time = None
    if _MOMENT.fullmatch(given):
        with suppress(ValueError):  # there is no such day, or hour
            time = datetime.fromisoformat(given)
    if time is None:
        msg = "This is not a time like 2026-11-29T18:00:00.900Z."
        raise ValueError(msg)
    return max(0, (time - _EPOCH) // _MILLISECOND)


def _unknown(named: Mapping[str, Reader | Many]) -> list[Wrong]:
    wrong = []
    for name, values in request.args.lists():
        if name not in named:
            wrong.append(Wrong(name, "unknown", "There is no such parameter."))
        elif len(values) > 1 and not isinstance(named[name], Many):
            wrong.append(Wrong(name, "repeated", "This parameter stands more than once."))
    return wrong


def _wrong_key() -> list[Wrong]:
    given = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if given is None or request.method in {"GET", "HEAD"}:
        return []
    match = _KEY.fullmatch(given)
    if match and given in {match.group(1), f'"{match.group(1)}"'}:
        return []
    detail = "This is not 22 to 64 of A-Z, a-z, 0-9, _ and -."
    return [Wrong("Idempotency-Key", "invalid", detail)]
