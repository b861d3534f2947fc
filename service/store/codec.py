"""Stored events as bytes, and back: one MessagePack array each, and a check.

The bytes are for ever; `docs/stored-form.md` describes them. Shapes and bounds are
checked by msgspec while it decodes, so that whatever the bytes are, one either gets an
event or a `CorruptLogError`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count
from typing import Final
from zlib import crc32

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder

from engine import events as e
from engine.errors import CorruptLogError
from service.store.envelope import Actor, Cause, Stored
from service.store.event_types import version_of
from service.store.forms import BotActor
from service.store.play_events import NOT_STORED, AnyRow, MoonChosen
from service.store.record import row_of
from service.store.table_events import HOST, KEY, SYSTEM, TIMER, ActorForm, GameCreated
from service.store.upcasts import UPCASTS, upcast

_COMMAND_BYTES: Final = 8
_CHECK_BYTES: Final = 4
_BEFORE_VALUES: Final = 5
_SEATS: Final = tuple(Actor("seat", seat) for seat in range(11))
_BY_WORD: Final = {word: Actor(word) for word in (HOST, SYSTEM, KEY, TIMER)}

_encode: Final = Encoder().encode
_decode: Final = Decoder(AnyRow).decode
_decode_any: Final = Decoder().decode


class _Front(Struct, array_like=True):
    """The first two places of an entry; what follows is not looked at."""

    type: int
    v: int


_decode_front: Final = Decoder(_Front).decode


def encode(stored: Stored, created_at: int) -> bytes:
    """Return the bytes of *stored* in the game created at *created_at* (ms since the epoch).

    Raises:
        ValueError: Something in it cannot be stored so that it can be read again.
    """
    assert stored.v == version_of(stored.event), "events are written in their last version"
    time = stored.time if stored.seq == 1 else stored.time - created_at
    cause = None if stored.cause is None else b"".join(stored.cause)
    array = _encode(row_of(stored.event, (time, _actor_form(stored.actor), cause)))
    # Read back before it is written: out of bounds is a fault now, not a game lost later.
    _decode(array)
    return checked(array, stored.seq)


def checked(array: bytes, seq: int) -> bytes:
    """Return the entry that *array* makes as event number *seq*."""
    return array + crc32(array, seq).to_bytes(_CHECK_BYTES, "little")


def decode(entry: bytes, seq: int, created_at: int | None) -> Stored:
    """Return event number *seq* of the game created at *created_at* (ms since the epoch).

    *created_at* may be None for event 1, which says it.

    Raises:
        CorruptLogError: *entry* is no event that this code knows, or none that can be there.
    """
    return decode_all((entry,), seq, created_at)[0]


def decode_all(entries: Sequence[bytes], first: int, created_at: int | None) -> list[Stored]:
    """Return the events in *entries*, numbered from *first*; otherwise as `decode`.

    Raises:
        CorruptLogError: An entry is no event that this code knows, or none that can be there.
    """
    if not entries:
        return []
    rows = _rows(entries, first)
    if first == 1:
        created_at = rows[0].time
    assert created_at is not None, "only event 1 says when the game was created"
    return [_stored(seq, row, created_at) for seq, row in enumerate(rows, first)]


def _rows(entries: Sequence[bytes], first: int) -> list[AnyRow]:
    arrays = list(map(_array, entries, count(first)))
    try:
        return list(map(_decode, arrays))
    except DecodeError:
        # One of them is old or corrupt: find out which.
        return [_row(array, seq) for seq, array in enumerate(arrays, first)]


def _array(entry: bytes, seq: int) -> bytes:
    array = entry[:-_CHECK_BYTES]
    if checked(array, seq) != entry:
        msg = f"event {seq} is not what was stored"
        raise CorruptLogError(msg)
    return array


def _row(array: bytes, seq: int) -> AnyRow:
    try:
        return _decode(array)
    except DecodeError as problem:
        try:
            return _old_row(array)
        except Exception as exc:  # an upcast may stumble over anything; it is corrupt either way
            msg = f"event {seq} cannot be read: {problem} ({exc})"
            raise CorruptLogError(msg) from exc


def _old_row(array: bytes) -> AnyRow:
    front = _decode_front(array)
    if (front.type, front.v) not in UPCASTS:
        msg = f"type {front.type} of version {front.v}"
        raise LookupError(msg)
    places = _decode_any(array)
    v, values = upcast(front.type, front.v, places[_BEFORE_VALUES:])
    return _decode(_encode([front.type, v, *places[2:_BEFORE_VALUES], *values]))


def _stored(seq: int, row: AnyRow, created_at: int) -> Stored:
    is_first = seq == 1
    if (type(row) is GameCreated) is not is_first:
        msg = f"event {seq} cannot be a {type(row).__name__}"
        raise CorruptLogError(msg)
    return Stored(
        seq,
        row.time if is_first else created_at + row.time,
        _actor(row.actor),
        _cause(row.cause),
        _chosen(row, seq) if type(row) is MoonChosen else row.event(),
        row.v,
    )


def _chosen(row: MoonChosen, seq: int) -> e.MoonChosen:
    event = row.event()
    return replace(event, turn_id=seq - 1) if event.turn_id == NOT_STORED else event


def _cause(form: bytes | None) -> Cause | None:
    return None if form is None else Cause(form[:_COMMAND_BYTES], form[_COMMAND_BYTES:])


def _actor(form: ActorForm) -> Actor:
    if isinstance(form, int):
        return _SEATS[form]
    if isinstance(form, BotActor):
        return _bot(form.seat, form.level, form.version)
    return _BY_WORD[form]


@lru_cache(256)  # a table has the same few bots at every event
def _bot(seat: int, level: str, version: int) -> Actor:
    return Actor("bot", seat, level, version)


def _actor_form(actor: Actor) -> ActorForm:
    if actor.kind == "host":
        return HOST
    if actor.kind == "system":
        return SYSTEM
    if actor.kind == "key":
        return KEY
    if actor.kind == "timer":
        return TIMER
    assert actor.seat is not None, "seats and bots have a seat"
    if actor.kind == "seat":
        return actor.seat
    assert actor.level is not None, "bots have a level"
    assert actor.version is not None, "bots have a version"
    return BotActor(actor.seat, actor.level, actor.version)
