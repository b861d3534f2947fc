"""Plain values of a log as what they stand for: cards and names, rules and options of a table.

They come from strangers: whatever is not what it should be is a ValueError, KeyError or
TypeError.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine import commands as c
from engine.bots import LEVELS
from engine.cards import Card, card, code_of
from engine.conflicts import check_rules
from engine.notation.rules_text import rules_of_text, rules_text
from engine.presets import preset_rules
from engine.readable import rules_from
from engine.rules import RULES_VERSION, Rules
from engine.seats import Seat
from service.names import METADATA_NAME, METADATA_TEXT, MOST_METADATA, is_name

Plain: TypeAlias = Mapping[str, Any]

HASH: Final = re.compile("[0-9a-f]{64}", re.ASCII)
_GAME_ID: Final = re.compile("[0-9a-f]{32}", re.ASCII)
_WORD: Final = re.compile("[a-z_]{1,32}", re.ASCII)


def rules_of(data: Plain) -> Rules:
    """Return the rules that *data* spells out, every value of which is checked.

    Raises:
        RulesConflict: They contradict themselves.
        ValueError: They are none.
    """
    try:
        rules = rules_from(data)
        check_rules(rules)
        preset_rules(rules.preset, rules.seats)
        again = rules_of_text(rules_text(rules), rules.preset, rules.seats)
    except (AttributeError, LookupError, TypeError) as exc:
        msg = "these are no rules"
        raise ValueError(msg) from exc
    if again != rules or rules.version != RULES_VERSION:
        msg = "these are rules that are written otherwise"
        raise ValueError(msg)
    # Not those of the data, in which true may stand for 1.
    return again


def options_of(data: Plain) -> c.TableOptions:
    """Return what a table allows beside its rules, as *data* says it.

    Raises:
        LookupError: It is not said.
        TypeError: A value is of another kind.
        ValueError: A value is none that it could be.
    """
    metadata = data["metadata"]
    if not isinstance(metadata, dict) or len(metadata) > MOST_METADATA:
        msg = "these are no metadata"
        raise ValueError(msg)
    pairs = tuple(sorted((matching(METADATA_NAME, name), text) for name, text in metadata.items()))
    return c.TableOptions(
        spectators=data["spectators"] is True,
        knowledge=one_of(("off", "on"), data["knowledge"]) == "on",
        hints=one_of(("off", "on"), data["hints"]) == "on",
        metadata=tuple((name, matching(METADATA_TEXT, text)) for name, text in pairs),
    )


def seed_chain_of(fairness: Plain) -> c.SeedChain | None:
    """Return the chain behind a seeded game as *fairness* names it, None in all others.

    Raises:
        LookupError: It is not said.
        ValueError: It is named by what is no commitment.
    """
    commitment = fairness["deals_commitment"]
    return None if commitment is None else c.SeedChain(matching(HASH, commitment))


def origin_of(data: Plain | None) -> c.Origin | None:
    """Return where a game comes from as *data* says it.

    Raises:
        LookupError: A value is missing.
        ValueError: Nothing comes from there.
    """
    if data is None:
        return None
    kind, version = one_of((c.IMPORT, c.FORK, c.REMATCH), data["kind"]), data["version"]
    if (kind == c.FORK) != (version is not None):
        msg = "a fork leaves another game in the middle, all others at its end"
        raise ValueError(msg)
    game_id = matching(_GAME_ID, data["game_id"])
    return c.Origin(kind, game_id, None if version is None else number_of(version))


def matching(pattern: re.Pattern[str], value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, a text that *pattern* matches."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        msg = f"{value!r} is not what is written here"
        raise ValueError(msg)
    return value


def name_of(value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, a name of a player."""
    if not isinstance(value, str) or not is_name(value):
        msg = f"{value!r} is no name"
        raise ValueError(msg)
    return value


def level_of(value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, a level of bots."""
    level = matching(_WORD, value)
    if level not in LEVELS:
        msg = f"there are no bots of level {level}"
        raise ValueError(msg)
    return level


def number_of(value: Any) -> int:  # noqa: ANN401 - as the file has it
    """Return *value*, a number from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        msg = f"{value!r} is no number"
        raise ValueError(msg)
    return value


def seat_of(value: Any, seats: int) -> Seat:  # noqa: ANN401 - as the file has it
    """Return *value*, one of so many *seats*."""
    if number_of(value) >= seats:
        msg = f"there is no seat {value}"
        raise ValueError(msg)
    seat: Seat = value
    return seat


def points_of(value: Any) -> int:  # noqa: ANN401 - as the file has it
    """Return *value*, a number of points of either sign."""
    if not isinstance(value, int) or isinstance(value, bool):
        msg = f"{value!r} is no number of points"
        raise TypeError(msg)
    return value


def one_of(words: Sequence[str], value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return *value*, one of *words*."""
    return words[words.index(value)]


def code_of_card(value: Any) -> str:  # noqa: ANN401 - as the file has it
    """Return the code of the card that *value* names."""
    return code_of(card_of(value))


def card_of(value: Any) -> Card:  # noqa: ANN401 - as the file has it
    """Return the card that *value* names."""
    return card(value if isinstance(value, str) else "")
