"""Which trace a request belongs to, as its sender says so.

Source: the W3C's Trace Context, `traceparent`.
"""

import re
from typing import Final, NamedTuple

# All zeros name no trace, and no span.
_HEADER: Final = re.compile("00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")


class Parent(NamedTuple):
    """What a `traceparent` names, each in hex: 32 digits, 16, and two of flags."""

    trace: str
    span: str
    flags: str


def parent_in(header: str) -> Parent | None:
    """Return what *header* names, None if it is no `traceparent`."""
    found = _HEADER.fullmatch(header)
    return None if found is None else Parent(*found.groups())


def header_of(parent: Parent) -> str:
    """Return the header that names *parent*."""
    return "-".join(("00", *parent))
