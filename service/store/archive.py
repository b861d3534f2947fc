"""A finished game as one record of few bytes, and back.

Names of commands are left out, but not which events belong to one command. Before a record is
given away it is read, and must be the game to the last byte. `docs/stored-form.md` describes it.
"""

import zlib
from collections.abc import Sequence
from typing import Final

from msgspec.msgpack import Decoder, Encoder

from engine.errors import CorruptLogError
from service.store.codec import checked
from service.store.columns import Columns, columns_of, rows_in
from service.store.digits import read_varint, varint
from service.store.envelope import nameless
from service.store.samples import SAMPLE

FORM: Final = 1
_CHECK_BYTES: Final = 4
_CAUSE: Final = 4
_PARTS: Final = 4

_encode: Final = Encoder().encode
_decode: Final = Decoder().decode


class CannotArchiveError(Exception):
    """The game would not come back from a record as it is, so it has to stay."""


def without_names(entries: Sequence[bytes]) -> list[bytes]:
    """Return *entries*, a whole log, as an archive gives them back.

    Each name of a command is replaced by one that says nothing, but not that of the last
    event: other processes know the game by its hash.
    """
    found = []
    for seq, entry in enumerate(entries[:-1], 1):
        row = _decode(entry[:-_CHECK_BYTES])
        if row[_CAUSE] is not None:
            row[_CAUSE] = b"".join(nameless(seq))
        found.append(checked(_encode(row), seq))
    return [*found, *entries[-1:]]


def pack(entries: Sequence[bytes]) -> bytes:
    """Return the record of the game with these *entries*, one at least.

    Raises:
        CannotArchiveError: It would not come back as it is.
    """
    try:
        record = _packed(entries)
        is_whole = unpack(record) == without_names(entries)
    except Exception as exc:  # whatever log it is, it has to stay then
        msg = f"{type(exc).__name__}: {exc}"
        raise CannotArchiveError(msg) from exc
    if not is_whole:
        msg = "its record reads as another game"
        raise CannotArchiveError(msg)
    return record


def unpack(record: bytes) -> list[bytes]:
    """Return the entries of the game in *record*.

    Raises:
        CorruptLogError: It is no record, or a damaged one.
    """
    version, entry, body = _opened(record)
    try:
        rows = rows_in(_columns(body), version - 1)
        return [*(checked(_encode(row), seq) for seq, row in enumerate(rows, 1)), entry]
    except Exception as exc:  # a forecast may stumble over anything; it is corrupt either way
        msg = f"the archive makes no sense: {exc}"
        raise CorruptLogError(msg) from exc


def last_of(record: bytes) -> tuple[int, bytes]:
    """Return version and last entry of the game in *record*, and leave the others unread.

    Raises:
        CorruptLogError: It is no record, or a damaged one.
    """
    return _opened(record)[:2]


def _packed(entries: Sequence[bytes]) -> bytes:
    last = entries[-1]
    parts, rest = columns_of([_decode(entry[:-_CHECK_BYTES]) for entry in entries[:-1]])
    squeeze = zlib.compressobj(9, wbits=-15, zdict=SAMPLE)
    small = squeeze.compress(_joined(parts)) + squeeze.flush()
    body = varint(len(entries)) + _joined((last, small, rest[0])) + rest[1]
    return bytes([FORM]) + zlib.crc32(body).to_bytes(_CHECK_BYTES, "little") + body


def _opened(record: bytes) -> tuple[int, bytes, bytes]:
    front, rest = record[: 1 + _CHECK_BYTES], record[1 + _CHECK_BYTES :]
    if front != bytes([FORM]) + zlib.crc32(rest).to_bytes(_CHECK_BYTES, "little"):
        msg = "the archive is damaged, or of a form that is not known"
        raise CorruptLogError(msg)
    version, place = read_varint(rest, 0)
    (entry,), body = _split(rest[place:], 1)
    return version, entry, body


def _columns(body: bytes) -> Columns:
    (small, kept), digits = _split(body, 2)
    text = zlib.decompressobj(wbits=-15, zdict=SAMPLE).decompress(small)
    parts, _ = _split(text, _PARTS)
    return Columns(parts, (kept, digits))


def _joined(parts: Sequence[bytes]) -> bytes:
    return b"".join(varint(len(part)) + part for part in parts)


def _split(raw: bytes, count: int) -> tuple[tuple[bytes, ...], bytes]:
    """Return the first *count* parts that `_joined` put into *raw*, and what follows."""
    parts, place = [], 0
    for _ in range(count):
        size, place = read_varint(raw, place)
        parts.append(raw[place : place + size])
        place += size
    return tuple(parts), raw[place:]
