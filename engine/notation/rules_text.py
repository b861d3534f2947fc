"""The rules of a game as the one line of text in its tag ``Rules``.

Every option that is in force as ``group.field=value``, in the order in which `readable`
has them, then ``reveal``. Lists have commas, maps ``key:value``; what is empty is ``-``.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from engine.conflicts import check_rules
from engine.notation.record import NOTHING
from engine.readable import Plain, rules_data, rules_from
from engine.rules import Rules

_GROUPS: Final = ("deck", "passing", "play", "scoring", "ending")
_REVEAL: Final = "reveal"
_INTEGER: Final = re.compile("-?(0|[1-9][0-9]{0,6})", re.ASCII)
_WORDS: Final = {"true": True, "false": False}

_Read: TypeAlias = Callable[[str], Any]


def rules_text(rules: Rules) -> str:
    """Return every option of *rules* on one line."""
    return ";".join(f"{name}={_written(value)}" for name, value in _options(rules_data(rules)))


def rules_of_text(text: str, preset: str, seats: int) -> Rules:
    """Return the rules that *text* spells out for a table of *seats*.

    Raises:
        RulesConflict: They contradict themselves.
        LookupError: An option has a value that is none of its own.
        ValueError: The same, or an option is missing, unknown or out of place.
    """
    usual = dict(_options(rules_data(Rules())))
    data: Plain = {"preset": preset, "seats": seats, **{group: {} for group in _GROUPS}}
    parts = text.split(";")
    if [part.partition("=")[0] for part in parts] != list(usual):
        msg = "the options are not those of these rules, in their order"
        raise ValueError(msg)
    for part in parts:
        name, _, value = part.partition("=")
        group, _, field = name.rpartition(".")
        (data[group] if group else data)[field] = _reader_of(name, usual[name])(value)
    rules = rules_from(data)
    # Before anything is worked out: a deck of a million packs is a conflict, and large.
    check_rules(rules)
    if rules_text(rules) != text:
        msg = "a value is not written as it is written here"
        raise ValueError(msg)
    return rules


def _options(data: Plain) -> Iterator[tuple[str, Any]]:
    for group in _GROUPS:
        for field, value in data[group].items():
            yield f"{group}.{field}", value
    yield _REVEAL, data[_REVEAL]


def _written(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return ",".join(map(str, value)) or NOTHING
        case dict():
            return ",".join(f"{key}:{points}" for key, points in value.items()) or NOTHING
        case _:
            return NOTHING if value is None else str(value)


def _reader_of(name: str, usual: object) -> _Read:
    """Return what reads the option *name*, whose *usual* value tells what it mostly is."""
    if name in _SPECIAL:
        return _SPECIAL[name]
    match usual:
        case bool():
            return _WORDS.__getitem__
        case int():
            return _integer
        case list():
            return lambda text: text.split(",")
        case dict():
            return _map
        case _:
            return str


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        msg = f"{text!r} is not a whole number of at most seven digits"
        raise ValueError(msg)
    return int(text)


def _maybe_integer(text: str) -> int | None:
    return None if text == NOTHING else _integer(text)


def _map(text: str) -> dict[str, int]:
    if text == NOTHING:
        return {}
    pairs = [part.partition(":") for part in text.split(",")]
    return {key: _integer(points) for key, _, points in pairs}


def _removal(text: str) -> str | list[str]:
    if text == NOTHING:
        return []
    return text.split(",") if text[0] in "23456789TJQKA" else text


_SPECIAL: Final[dict[str, _Read]] = {
    "deck.remove": _removal,
    "scoring.hearts": lambda text: _map(text) if ":" in text or text == NOTHING else text,
    "scoring.moon_points": lambda text: text if text == "auto" else _integer(text),
    "scoring.sun_points": _maybe_integer,
    "ending.target": _maybe_integer,
    "ending.deals": _maybe_integer,
}
