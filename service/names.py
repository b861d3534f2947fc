"""Names of players and metadata: which there are, for requests and for files alike."""

import re
import unicodedata
from typing import Final

NAME_CHARACTERS: Final = 32
_NO_BLANK: Final = (
    r"\u0000-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F"
    r"\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uE000-\uF8FF\uFDD0-\uFDEF"
    r"\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFF\U00013430-\U00013455\U0001BCA0-\U0001BCA3"
    r"\U0001D159\U0001D173-\U0001D17A\U00040000-\U0010FFFF"
)
_NO_START: Final = (
    r" \u0300-\u036F\u0483-\u0489\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\u3099\u309A\uFE20-\uFE2F"
)
NAME: Final = re.compile(f"^ *[^{_NO_START}{_NO_BLANK}][^{_NO_BLANK}]*$")
"""A name as it may be sent; the contract has the same pattern."""

_UNFIT: Final = re.compile(f"[{_NO_BLANK}]")

MOST_METADATA: Final = 16
METADATA_CHARACTERS: Final = 128
METADATA_NAME: Final = re.compile("[a-z0-9_]{1,32}", re.ASCII)
METADATA_TEXT: Final = re.compile(rf"[^\u0000-\u001F\u007F]{{0,{METADATA_CHARACTERS}}}")

PLAYER_REF: Final = re.compile("[!-~]{1,64}")
"""What an application calls a player."""


def is_name(text: str) -> bool:
    """Return whether *text* is a name as it is kept: trimmed and in NFC."""
    return (
        len(text) <= NAME_CHARACTERS
        and NAME.fullmatch(text) is not None
        and text == unicodedata.normalize("NFC", text.strip(" "))
    )


def unfit_character(text: str) -> str | None:
    """Return the first character of *text* that no name may have: ``U+200D ZERO WIDTH JOINER``.

    By its number, with its name if it has one, since it may well be invisible; None if each is
    fit for a name.
    """
    found = _UNFIT.search(text)
    if found is None:
        return None
    return f"U+{ord(found[0]):04X} {unicodedata.name(found[0], '')}".rstrip()
