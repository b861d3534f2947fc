"""Reading JSON as bytes from strangers: one strict reader for every body.

What the standard reader lets through (NaN, duplicate keys, UTF-16, lone surrogates,
numbers and nestings without end) is refused here, before anything looks at a value.

Source: openapi.yaml, `info`, paragraph on JSON.
"""

import json
import math
import re
from collections.abc import Iterable
from functools import cache, partial
from typing import Any, Final, NoReturn

DEPTH: Final = 8
MEMBERS: Final = 64
STRING_CHARACTERS: Final = 256
INTEGER_DIGITS: Final = 9

# A string, or a bracket outside of strings; linear, since each character starts one branch.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


class MalformedJsonError(ValueError):
    """Bytes that are not JSON as this service reads it; the message says why."""


def read(raw: bytes, *, digits: int = INTEGER_DIGITS) -> object:
    """Return the value that *raw* spells out; no integer has more than *digits*.

    Raises:
        MalformedJsonError: It is not UTF-8, not JSON, ambiguous, or beyond a limit.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedJsonError("The body is not UTF-8.") from None
    _check_depth(text)
    try:
        value = _decoder(digits).decode(text)
    except MalformedJsonError:
        raise
    except (ValueError, RecursionError) as exc:
        raise MalformedJsonError(f"The body is not JSON: {_reason(exc)}.") from None
    _check_strings(value)
    return value


@cache
def _decoder(digits: int) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_members,
        parse_int=partial(_integer, most=digits),
        parse_float=_number,
        parse_constant=_constant,
    )


def _reason(exc: Exception) -> str:
    if isinstance(exc, json.JSONDecodeError):
        # Some of the reader's own messages already end with the word.
        what = exc.msg.removesuffix(" at")
        return f"{what} at line {exc.lineno}, column {exc.colno}"
    return "it is too deep"


def _check_depth(text: str) -> None:
    if text.count("{") + text.count("[") <= DEPTH:
        return  # wherever they stand; nearly all bodies have few
    depth = 0
    for token in _TOKEN.finditer(text):
        match token.group()[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
        if depth > DEPTH:
            raise MalformedJsonError(f"The body is deeper than {DEPTH}.")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedJsonError("A member stands twice in one object.")
    if len(members) > MEMBERS:
        raise MalformedJsonError(f"An object has more than {MEMBERS} members.")
    return members


def _integer(digits: str, most: int) -> int:
    if len(digits.lstrip("-")) > most:
        raise MalformedJsonError(f"An integer has more than {most} digits.")
    return int(digits)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise MalformedJsonError("A number is too large.")
    return number


def _constant(word: str) -> NoReturn:
    raise MalformedJsonError(f"{word} is not JSON.")


def _check_strings(value: object) -> None:
    for text in _strings(value):
        if len(text) > STRING_CHARACTERS:
            raise MalformedJsonError(f"A string is longer than {STRING_CHARACTERS} characters.")
        if not _is_encodable(text):
            raise MalformedJsonError("A string holds half of a surrogate pair.")


def _strings(value: object) -> Iterable[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for name, item in value.items():
                yield name
                yield from _strings(item)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
