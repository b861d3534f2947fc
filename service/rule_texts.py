"""The rules of a game in plain sentences, and what sets them apart from the usual ones.

The words stand in rule_texts.toml beside this file, one table for each language.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.readable import rules_data
from engine.rules import (
    Direction,
    HeartsLead,
    Leftover,
    Moon,
    Passing,
    QueenLimit,
    Rules,
    usual_cycle,
)

ENGLISH: Final = "en"

_ABOUT: Final = ("seats", "deck", "passing", "play", "scoring", "ending", "reveal")
"""The options and groups of options, in the order in which a table is told of them."""

_ANY: Final = "*"
_EMPTY: Final = "empty"


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    and_: str = msgspec.field(name="and")
    nothing: str
    card: str
    worth: str
    suits: dict[str, str]
    ranks: dict[str, str]
    words: dict[str, str]
    options: dict[str, dict[str, str]]


class Option(NamedTuple):
    """An *option*, such as ``play.queen``, its plain *value*, and one sentence about it."""

    option: str
    value: Any
    text: str


class Difference(NamedTuple):
    """An *option* with another value than the *usual* one of standard Hearts."""

    option: str
    value: Any
    usual: Any
    text: str


def _read() -> dict[str, _Words]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, _Words])


_LANGUAGES: Final = _read()


def options(rules: Rules, language: str = ENGLISH) -> list[Option]:
    """Return every option of *rules*, with a sentence in *language*."""
    words, facts = _LANGUAGES[language], _facts(rules, _LANGUAGES[language])
    return [
        Option(name, value, _sentence(name, value, facts, words))
        for name, value in _values(rules_data(rules))
    ]


def text(rules: Rules, language: str = ENGLISH) -> str:
    """Return what a player needs to know: a paragraph for each group, nothing without effect."""
    told: dict[str, list[str]] = {}
    for one in options(rules, language):
        if not _IDLE.get(one.option, _never)(rules):
            told.setdefault(one.option.partition(".")[0], []).append(one.text)
    return "\n\n".join(" ".join(sentences) for sentences in told.values())


def differences(rules: Rules, language: str = ENGLISH) -> list[Difference]:
    """Return what is not as in standard Hearts at a table of as many seats."""
    # The usual table has one pack, which not every number of seats can be dealt from.
    usual_rules = Rules(passing=Passing(cycle=usual_cycle(rules.seats)))
    usual = dict(_values({**rules_data(usual_rules), "seats": rules.seats}))
    return [
        Difference(one.option, one.value, usual[one.option], one.text)
        for one in options(rules, language)
        if one.value != usual[one.option]
    ]


def _values(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for about in _ABOUT:
        if isinstance(data[about], Mapping):
            yield from ((f"{about}.{name}", value) for name, value in data[about].items())
        else:
            yield about, data[about]


def _facts(rules: Rules, words: _Words) -> dict[str, Any]:
    derived = rules_data(rules)["derived"]
    return {"seats": rules.seats, **derived, "removed": _plain(derived["removed"], words)}


def _sentence(name: str, value: Any, facts: Mapping[str, Any], words: _Words) -> str:  # noqa: ANN401
    sentences = words.options[name]
    sentence = sentences.get(_key(value)) or sentences[_ANY]
    return sentence.format_map({**facts, "value": _plain(value, words)})


def _key(value: Any) -> str:  # noqa: ANN401 - a plain value
    match value:
        case list() | dict() if not value:
            return _EMPTY
        case [*words]:
            return ",".join(words)
        case str():
            return value
        case _:
            return msgspec.json.encode(value).decode()


def _plain(value: Any, words: _Words) -> str:  # noqa: ANN401 - a plain value
    match value:
        case list():
            return _listed([_word(one, words) for one in value], words)
        case dict():
            named = ((_word(name, words), points) for name, points in value.items())
            return _listed(
                [words.worth.format(name=name, points=points) for name, points in named], words
            )
        case _:
            return str(value)


def _word(code: str, words: _Words) -> str:
    """Return the name of a direction, of a rank, or of a card."""
    if code in words.words:
        return words.words[code]
    if code in words.ranks:
        return words.ranks[code]
    return words.card.format(rank=words.ranks[code[0]], suit=words.suits[code[1]])


def _listed(names: list[str], words: _Words) -> str:
    if not names:
        return words.nothing
    *first, last = names
    return f"{', '.join(first)} {words.and_} {last}" if first else last


def _never(_: Rules) -> bool:
    return False


def _has_no_queen(rules: Rules) -> bool:
    return rules.scoring.queen_of_spades == 0


def _breaks_nothing(rules: Rules) -> bool:
    play = rules.play
    return play.hearts_lead is HeartsLead.ANY_TIME and (
        play.queen is QueenLimit.FREE or _has_no_queen(rules)
    )


def _has_no_moon(rules: Rules) -> bool:
    return rules.scoring.moon is Moon.OFF


def _passes_nothing(rules: Rules) -> bool:
    return set(rules.passing.cycle) <= {Direction.HOLD}


_IDLE: Final[Mapping[str, Callable[[Rules], bool]]] = {
    "deck.remove": lambda rules: not rules.removed,
    "passing.count": _passes_nothing,
    "deck.leftover": lambda rules: rules.deck.leftover is Leftover.NONE,
    "deck.kitty_to": lambda rules: not rules.kitty_size,
    "play.hearts_broken_by": _breaks_nothing,
    "play.queen": _has_no_queen,
    "play.hearts_and_queen": lambda rules: (
        _has_no_queen(rules)
        or rules.play.queen is not QueenLimit.FREE
        or rules.play.hearts_lead is HeartsLead.ANY_TIME
    ),
    "scoring.extra": lambda rules: not rules.scoring.extra,
    "scoring.no_trick": lambda rules: not rules.scoring.no_trick,
    "scoring.moon_points": _has_no_moon,
    "scoring.moon_needs": _has_no_moon,
    "scoring.moon_absorbs_bonus": lambda rules: _has_no_moon(rules) or not rules.bonuses,
    "scoring.sun_points": lambda rules: rules.scoring.sun_points is None,
    "ending.target": lambda rules: rules.ending.target is None,
    "ending.deals": lambda rules: rules.ending.deals is None,
    "ending.reach": lambda rules: rules.ending.target is None,
}
"""Options → whether they are without effect, given the others, and need not be told."""
