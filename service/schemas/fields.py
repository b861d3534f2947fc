"""Fields that take exactly what the contract says, and coerce nothing.

The library's own fields read ``"4"`` and 1.9 as integers and ``"yes"`` as a boolean.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from marshmallow import ValidationError, fields

from service.names import (
    METADATA_CHARACTERS,
    METADATA_NAME,
    METADATA_TEXT,
    MOST_METADATA,
    NAME,
    NAME_CHARACTERS,
    unfit_character,
)

REQUIRED: Final = "required"
UNKNOWN: Final = "unknown"

CARD: Final = re.compile("[2-9TJQKA][CDHS]")
HEX_64: Final = re.compile("[0-9a-f]{64}")
JOIN_CODE: Final = re.compile(r".{1,32}", re.DOTALL)
"""Any text: whether it is the right one is not for the schema to say."""


class Integer(fields.Field[int]):
    """An integer as JSON Schema knows it: 4 and 4.0, but neither ``"4"`` nor true."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least = least
        self.most = most

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> int:
        del attr, data, kwargs
        return self.read(value)

    def read(self, value: object) -> int:
        """Return *value* as the integer it is."""
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            raise ValidationError("This is not an integer.")
        if not self.least <= value <= self.most:
            raise ValidationError(f"This is not between {self.least} and {self.most}.")
        return int(value)


class Boolean(fields.Field[bool]):
    """True or false and nothing that looks like it."""

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> bool:
        del attr, data, kwargs
        if not isinstance(value, bool):
            raise ValidationError("This is neither true nor false.")
        return value


class Yes(Boolean):
    """True, where asking is all there is to say."""

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> bool:
        if not super()._deserialize(value, attr, data, **kwargs):
            raise ValidationError("This is not true.")
        return True


class Text(fields.Field[str]):
    """A string that *pattern* matches from its first to its last character."""

    def __init__(self, pattern: re.Pattern[str], what: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pattern = pattern
        self.what = what

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> str:
        del attr, data, kwargs
        if not isinstance(value, str) or not self.pattern.fullmatch(value):
            raise ValidationError(f"This is not {self.what}.")
        return value


class Name(Text):
    """A player's name, 1 to 32 visible characters; read trimmed and in NFC."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, f"a name of 1 to {NAME_CHARACTERS} visible characters", **kwargs)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> str:
        if isinstance(value, str) and (unfit := unfit_character(value)) is not None:
            raise ValidationError(f"This has {unfit}, which no name may have.")
        name = super()._deserialize(value, attr, data, **kwargs)
        if len(name) > NAME_CHARACTERS:
            raise ValidationError(f"This is longer than {NAME_CHARACTERS} characters.")
        return unicodedata.normalize("NFC", name.strip(" "))


class Word(fields.Field[str]):
    """One of some words."""

    def __init__(self, words: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.words = tuple(str(word) for word in words)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> str:
        del attr, data, kwargs
        if not isinstance(value, str) or value not in self.words:
            raise ValidationError(f"This is none of {', '.join(self.words)}.")
        return value


class Either(fields.Field[Any]):
    """What one of several fields takes, tried in order."""

    def __init__(self, *choices: fields.Field[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.choices = choices

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> object:
        refusals = []
        for choice in self.choices:
            try:
                return choice.deserialize(value, attr, data, **kwargs)
            except ValidationError as exc:
                refusals.append(exc)
        raise refusals[-1]


class Items(fields.List[Any]):
    """A list of *most* items or fewer, each taken once where they must be *unique*."""

    def __init__(
        self,
        item: fields.Field[Any],
        *,
        least: int = 0,
        most: int,
        unique: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(item, **kwargs)
        self.least = least
        self.most = most
        self.unique = unique

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> list[Any]:
        if not isinstance(value, list):
            raise ValidationError("This is not a list.")
        if not self.least <= len(value) <= self.most:
            raise ValidationError(f"This has not {self.least} to {self.most} items.")
        items = super()._deserialize(value, attr, data, **kwargs)
        if self.unique and len(set(items)) != len(items):
            raise ValidationError("An item stands twice.")
        return items


class Points(fields.Field[dict[str, int]]):
    """A map from what *names* matches to points between *least* and *most*."""

    def __init__(self, names: re.Pattern[str], least: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.names = names
        self.points = Integer(least, most)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> dict[str, int]:
        del attr, data, kwargs
        if not isinstance(value, dict):
            raise ValidationError("This is not an object.")
        errors: dict[str, list[str]] = {}
        read: dict[str, int] = {}
        for name, points in value.items():
            if not self.names.fullmatch(name):
                errors[name] = [UNKNOWN]
                continue
            try:
                read[name] = self.points.read(points)
            except ValidationError as exc:
                errors[name] = list(exc.messages)
        if errors:
            raise ValidationError(errors)
        return read


class Metadata(fields.Field[dict[str, str]]):
    """Up to `MOST_METADATA` names, each with a text."""

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> dict[str, str]:
        del attr, data, kwargs
        if not isinstance(value, dict):
            raise ValidationError("This is not an object.")
        if len(value) > MOST_METADATA:
            raise ValidationError(f"These are more than {MOST_METADATA}.")
        errors = {name: [wrong] for name, text in value.items() if (wrong := _wrong(name, text))}
        if errors:
            raise ValidationError(errors)
        return value


def _wrong(name: str, text: object) -> str | None:
    if not METADATA_NAME.fullmatch(name):
        return UNKNOWN
    if isinstance(text, str) and METADATA_TEXT.fullmatch(text):
        return None
    return f"This is not a text of at most {METADATA_CHARACTERS} characters."


def card() -> Text:
    """Return a field for one card."""
    return Text(CARD, "a card like QS")


def words_of(enum: type[StrEnum], **kwargs: Any) -> Word:
    """Return a field for the words of *enum*."""
    return Word(enum, **kwargs)
