"""The games that have no stream any more: those archived, and the word that is left of others."""

from collections.abc import Sequence
from typing import Final

from service.store.archive import last_of, unpack
from service.store.base import Archived, Expired, Rewound, VersionConflict, Word, head_of
from service.store.keys import (
    KEYS,
    SHARDS,
    archive_key,
    ends_key,
    shard_of,
    stream_key,
    word_key,
)
from service.store.merging import Parts, scored_moments
from service.store.scripts import Script, script, sha1
from service.store.wire import Command, Wire

_ARCHIVE: Final = script("archive.lua")
_EXPIRE: Final = script("expire.lua")


class Records:
    """The archive behind *wire*; its methods are those of an `EventStore`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def put(self, game_id: str, version: int, head: bytes, record: bytes, ended_at: int) -> None:
        """Put *record* in the place of the game's stream, as `EventStore.archive` says."""
        shard = shard_of(game_id)
        keys = (stream_key(game_id), KEYS[shard].due, archive_key(game_id), ends_key(shard))
        self._change(_ARCHIVE, keys, (version, head.hex(), game_id, record, ended_at), game_id)

    def expire(self, game_id: str, version: int, head: bytes, word: Word) -> None:
        """Take a game out of the store, as `EventStore` says."""
        (record,) = self._read([game_id])
        last, entry = _last(record)
        if record is None or (last, head_of(entry)) != (version, head):
            msg = f"{game_id} is not archived with the version {version}"
            raise VersionConflict(msg)
        shard = shard_of(game_id)
        keys = (stream_key(game_id), *KEYS[shard], archive_key(game_id), ends_key(shard))
        values = (game_id, sha1(record), f"{word.at}|{int(word.is_private)}", word.kept_ms)
        self._change(_EXPIRE, (*keys, word_key(game_id)), values, game_id)

    def ended_before(self, before: int, limit: int) -> list[str]:
        """Return at most *limit* games that ended before *before*, as `EventStore` says."""

        def ask(shard: str, count: int) -> Command:
            span = ("-inf", f"({before}", "BYSCORE", "LIMIT", 0, count)
            return ("ZRANGE", ends_key(shard), *span, "WITHSCORES")

        found = Parts(self._wire, ask, scored_moments).first(SHARDS, limit, newest_first=False)
        return [game_id for _, game_id in found]

    def entries(self, game_id: str) -> list[bytes]:
        """Return the entries of a game; none for one that never was here.

        Raises:
            Expired: It was.
            CorruptLogError: Its record makes no sense.
        """
        record = self._record(game_id)
        return [] if record is None else unpack(record)

    def last(self, game_ids: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return version and last entry of each game; 0 and no bytes if there is none."""
        return [_last(record) for record in self._read(game_ids)]

    def count(self) -> int:
        """Return how many games are here."""
        found: list[int] = self._wire.read([("HLEN", archive_key(shard)) for shard in SHARDS])
        return sum(found)

    def check(self, game_id: str, version: int, head: bytes) -> None:
        """Make sure that a game ends with *version* and *head*.

        Raises:
            Archived: It ends later.
            Rewound: It does not.
            Expired: It was here, and is no more.
        """
        last, entry = _last(self._record(game_id))
        if version < last:
            msg = f"{game_id} is archived, and ends later than version {version}"
            raise Archived(msg)
        if version > last or head_of(entry) != head:
            msg = f"{game_id} no longer has the version {version} that was seen"
            raise Rewound(msg)

    def _record(self, game_id: str) -> bytes | None:
        asked = ("HGET", archive_key(game_id), game_id), ("GET", word_key(game_id))
        record: bytes | None
        record, word = self._wire.read(asked)
        if record is None and word is not None:
            at, _, is_private = word.partition(b"|")
            raise Expired(game_id, int(at), is_private=is_private == b"1")
        return record

    def _read(self, game_ids: Sequence[str]) -> list[bytes | None]:
        return self._wire.read([("HGET", archive_key(one), one) for one in game_ids])

    def _change(
        self, change: Script, keys: Sequence[str], values: Sequence[str | bytes | int], game_id: str
    ) -> None:
        command = ("EVALSHA", change.name, len(keys), *keys, *values)
        if not self._wire.write(command, before=change.load):
            msg = f"{game_id} is not as it was read any more"
            raise VersionConflict(msg)


def _last(record: bytes | None) -> tuple[int, bytes]:
    return (0, b"") if record is None else last_of(record)
