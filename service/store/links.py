"""Links of a chain, of which each is the hash of the one after it: only the last is kept.

Values of other kinds go along as they are; one that comes twice is kept once.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from service.store.digits import read_varint, varint

LINK_BYTES: Final = 32
_HASHES: Final = 8
"""How far two links of one chain may be apart."""


def thinned(links: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Return how each of *links*, 32 bytes each, follows from a later one, and which do not."""
    derived, kept = bytearray(), bytearray()
    known: dict[bytes, tuple[int, int]] = {}
    for place, link in reversed(list(enumerate(links))):
        later, times = known.get(link, (place, 0))
        derived += varint((later - place) * (_HASHES + 1) + times)
        if later == place:
            kept += link
        value = link
        for hashes in range(_HASHES + 1):
            known.setdefault(value, (place, hashes))
            value = sha256(value).digest()
    return bytes(derived), bytes(kept)


def thickened(derived: bytes, kept: bytes) -> list[bytes]:
    """Return the links of which `thinned` made *derived* and *kept*.

    Raises:
        IndexError: They do not fit together.
    """
    links: list[bytes] = []  # the last one first
    place = taken = 0
    while place < len(derived):
        code, place = read_varint(derived, place)
        later, times = divmod(code, _HASHES + 1)
        if later:
            link = links[-later]
            for _ in range(times):
                link = sha256(link).digest()
        else:
            link = kept[taken : taken + LINK_BYTES]
            taken += LINK_BYTES
        links.append(link)
    return links[::-1]
