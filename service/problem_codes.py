"""The closed list of error codes, and what to tell people about each.

The words stand in problem_codes.toml beside this file.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec


class Help(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a code means and what to do about it; *retry* is when a repeat may succeed."""

    title: str
    meaning: str
    advice: str
    retry: Literal["never", "changed", "reread", "later"]


def _read() -> dict[str, Help]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Help])


HELP: Final[Mapping[str, Help]] = _read()


def problem_type(code: str) -> str:
    """Return the path of the page about *code*, by which a problem names its type."""
    return f"/problems/{code.replace('_', '-')}"
