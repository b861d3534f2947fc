"""The streams in Redis or Valkey.

`append.lua` writes them, `archive.lua` puts records in their place, `expire.lua` takes those away.

Keys and what they hold are described in `docs/stored-form.md`.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any, Final, NamedTuple

from redis import Redis

from engine.errors import CorruptLogError
from service.store.base import (
    EVERY,
    Due,
    Marks,
    Position,
    Rewound,
    Row,
    StoreUnavailableError,
    VersionConflict,
    Word,
    head_of,
)
from service.store.keys import (
    BELL,
    KEYS,
    SHARDS,
    STREAMS,
    Keys,
    archive_key,
    game_in,
    member_of,
    place_of,
    shard_of,
    stream_key,
)
from service.store.merging import Moment, Parts, scored_moments
from service.store.records import Records
from service.store.scripts import script
from service.store.wire import Command, Wire

_APPEND: Final = script("append.lua")
_KEY_COUNT: Final = 1 + len(Keys._fields)
_NO_MEMBERS: Final = "\n"
_SCANNED_AT_ONCE: Final = 1_000
# What the server says if it is well and a key is not.
_NO_STREAM: Final = "WRONGTYPE"
_HAS_HAD_LATER_ENTRIES: Final = "smaller than the target stream top item"


class Health(NamedTuple):
    """How the server is: *ms* is how long it took to say so.

    A store that evicts, or keeps no file, loses games: *eviction* must be ``noeviction``
    and *aof* true. *last_write_ok* is whether it could write its file the last time.
    """

    ms: float
    eviction: str
    aof: bool
    last_write_ok: bool


class RedisStore:
    """An `EventStore` on one server, reached by a ``redis://``, ``rediss://`` or ``unix://`` URL.

    Every method answers or raises within some two seconds, whatever the server does.
    """

    def __init__(self, url: str) -> None:
        self._wire = Wire(url)
        self._records = Records(self._wire)

    def tail(self, game_id: str, version: int, head: bytes) -> list[bytes]:
        """Return the entries after *version*, as `EventStore` says."""
        if not version:
            return self._range(game_id, 1, "-", "+") or self._records.entries(game_id)
        entries = self._range(game_id, version, f"{version}-0", "+")
        if not entries:
            self._records.check(game_id, version, head)
            return []
        if head_of(entries[0]) != head:
            msg = f"{game_id} no longer has the version {version} that was seen"
            raise Rewound(msg)
        return entries[1:]

    def entries(self, game_id: str, first: int, last: int) -> list[bytes]:
        """Return the entries numbered *first* to *last*, as `EventStore` says."""
        found = self._range(game_id, first, f"{first}-0", f"{last}-0")
        return found or self._records.entries(game_id)[first - 1 : last]

    def append(
        self, game_id: str, version: int, head: bytes, entries: Sequence[bytes], marks: Marks
    ) -> None:
        """Append *entries* after *version* with *marks*, as `EventStore` says."""
        keys, row = KEYS[shard_of(game_id)], marks.row
        command = (
            "EVALSHA",
            _APPEND.name,
            _KEY_COUNT,
            stream_key(game_id),
            *keys,
            version,
            head.hex(),
            "" if marks.due_at is None else marks.due_at,
            game_id,
            BELL,
            "" if row is None else _members(row, marks.lists),
            b"" if row is None else row.summary,
            "" if marks.hooks_at is None else marks.hooks_at,
            *entries,
        )
        with _corrupt_if(_HAS_HAD_LATER_ENTRIES):
            is_done = self._wire.write(command, before=_APPEND.load)
        if not is_done:
            msg = f"{game_id} is not at version {version} any more"
            raise VersionConflict(msg)

    def archive(
        self, game_id: str, version: int, head: bytes, record: bytes, ended_at: int
    ) -> None:
        """Put *record* in the place of the game's stream, as `EventStore` says."""
        self._records.put(game_id, version, head, record, ended_at)

    def ended_before(self, before: int, limit: int) -> list[str]:
        """Return at most *limit* archived games by their ends, as `EventStore` says."""
        return self._records.ended_before(before, limit)

    def expire(self, game_id: str, version: int, head: bytes, word: Word) -> None:
        """Take an archived game out of the store, as `EventStore` says."""
        self._records.expire(game_id, version, head, word)

    def streams_from(self, cursor: int) -> tuple[int, list[str]]:
        """Return some games that are not archived, as `EventStore` says."""
        scan = ("SCAN", cursor, "MATCH", STREAMS, "COUNT", _SCANNED_AT_ONCE)
        ((following, keys),) = self._wire.read([scan])
        return int(following), [game_in(key.decode()) for key in keys]

    def last(self, game_ids: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return version and last entry of each of *game_ids*, as `EventStore` says."""
        found = self._last_of_streams(game_ids)
        gone = [
            game_id for game_id, (version, _) in zip(game_ids, found, strict=True) if not version
        ]
        if not gone:
            return found
        archived = dict(zip(gone, self._records.last(gone), strict=True))
        return [
            one if one[0] else archived[game_id]
            for game_id, one in zip(game_ids, found, strict=True)
        ]

    def _last_of_streams(self, game_ids: Sequence[str]) -> list[tuple[int, bytes]]:
        asked = [("XREVRANGE", stream_key(one), "+", "-", "COUNT", 1) for one in game_ids]
        try:
            with _corrupt_if(_NO_STREAM):
                return [_last(found) for found in self._wire.read(asked)]
        except CorruptLogError:
            if len(game_ids) == 1:
                return [_last([])]
            # One that cannot be read does not take the others along.
            return [self._last_of_streams([game_id])[0] for game_id in game_ids]

    def game_ids(self) -> set[str]:
        """Return the ids of all games, as `EventStore` says."""
        # Streams first: what is archived meanwhile is found in the archive then.
        cursor, some = self.streams_from(0)
        found = set(some)
        while cursor:
            cursor, some = self.streams_from(cursor)
            found.update(some)
        for archived in self._wire.read([("HKEYS", archive_key(shard)) for shard in SHARDS]):
            found.update(game_id.decode() for game_id in archived)
        return found

    def overdue(self, now: int, limit: int) -> list[Due]:
        """Return at most *limit* games due at *now*, as `EventStore` says."""
        return self._due(lambda keys: keys.due, now, limit)

    def hooks_due(self, now: int, limit: int) -> list[Due]:
        """Return at most *limit* games that webhooks wait for, as `EventStore` says."""
        return self._due(lambda keys: keys.hooks, now, limit)

    def forget_hooks(self, game_id: str) -> None:
        """Look no more for webhooks of the game, as `EventStore` says."""
        command = ("ZREM", KEYS[shard_of(game_id)].hooks, game_id)
        self._wire.write(command, before=_APPEND.load)

    def _due(self, of: Callable[[Keys], str], now: int, limit: int) -> list[Due]:
        def ask(shard: str, count: int) -> Command:
            span = ("-inf", now, "BYSCORE", "LIMIT", 0, count)
            return ("ZRANGE", of(KEYS[shard]), *span, "WITHSCORES")

        found = Parts(self._wire, ask, scored_moments).first(SHARDS, limit, newest_first=False)
        return [Due(game_id, due_at) for due_at, game_id in found]

    def directory(
        self,
        after: Position | None,
        limit: int,
        *,
        newest_first: bool,
        lists: Sequence[str] = (EVERY,),
        until: Position | None = None,
    ) -> list[Row]:
        """Return at most *limit* lines of *lists* between two places, as `EventStore` says."""
        low, high = (until, after) if newest_first else (after, until)

        def ask(part: tuple[str, str], count: int) -> Command:
            shard, name = part
            # A space ends the name; the character after it in ASCII ends the list.
            least = f"({name} {member_of(low)}" if low else f"({name} "
            most = f"({name} {member_of(high)}" if high else f"({name}!"
            span = (most, least, "BYLEX", "REV") if newest_first else (least, most, "BYLEX")
            return ("ZRANGE", KEYS[shard].games, *span, "LIMIT", 0, count)

        parts = list(product(SHARDS, lists))
        found = Parts(self._wire, ask, _listed_moments).first(
            parts, limit, newest_first=newest_first
        )
        asked = [("HGET", KEYS[shard_of(game_id)].rows, game_id) for _, game_id in found]
        return [
            Row(game_id, at, summary or b"")
            for (at, game_id), summary in zip(found, self._wire.read(asked), strict=True)
        ]

    def counts(self, lists: Sequence[str]) -> list[int]:
        """Return how many lines each of *lists* has, as `EventStore` says."""
        asked = [
            ("ZLEXCOUNT", KEYS[shard].games, f"({name} ", f"({name}!")
            for name in lists
            for shard in SHARDS
        ]
        found: list[int] = self._wire.read(asked)
        return [sum(found[at : at + len(SHARDS)]) for at in range(0, len(found), len(SHARDS))]

    def archived_count(self) -> int:
        """Return how many games are archived."""
        return self._records.count()

    def health(self) -> Health:
        """Return how the server is.

        Raises:
            StoreUnavailableError: It does not say.
        """
        began = time.perf_counter()
        text: bytes = self._wire.read([("INFO", "memory", "persistence")])[0]
        told = dict(line.split(":", 1) for line in text.decode().splitlines() if ":" in line)
        return Health(
            ms=(time.perf_counter() - began) * 1_000,
            eviction=told["maxmemory_policy"],
            aof=told["aof_enabled"] == "1",
            last_write_ok=told["aof_last_write_status"] == "ok",
        )

    def client(self) -> Redis:
        """Return a client for a listener to the bell, the channel `keys.BELL`.

        Its messages are ``<game id> <version>``, those of all games. What rings while the
        connection is broken is lost: listen first, then read.
        """
        return self._wire.client()

    def close(self) -> None:
        """Close all connections but those of `client`."""
        self._wire.close()

    def _range(self, game_id: str, first: int, begin: str, end: str) -> list[bytes]:
        with _corrupt_if(_NO_STREAM):
            found = self._wire.read([("XRANGE", stream_key(game_id), begin, end)])[0]
        return [_entry(one, number) for number, one in enumerate(found, first)]


def _members(row: Row, lists: Mapping[str, int] | None) -> str:
    if not row.summary:
        return _NO_MEMBERS
    places = {EVERY: row.at} if lists is None else lists
    return "\n".join(
        f"{name} {member_of(Position(at, row.game_id))}" for name, at in places.items()
    )


@contextmanager
def _corrupt_if(text: str) -> Iterator[None]:
    """Lay a refusal that says *text* on the one game, not on the server."""
    try:
        yield
    except StoreUnavailableError as exc:
        if text not in str(exc):
            raise
        raise CorruptLogError(str(exc)) from exc


def _entry(found: list[Any], number: int) -> bytes:
    name, fields = found
    if name != b"%d-0" % number or len(fields) != 2 or fields[0] != b"e":  # noqa: PLR2004 - a pair
        msg = f"entry {name!r} stands where event {number} belongs"
        raise CorruptLogError(msg)
    entry: bytes = fields[1]
    return entry


def _last(found: list[Any]) -> tuple[int, bytes]:
    if not found:
        return 0, b""
    name, fields = found[0]
    return int(name.partition(b"-")[0]), fields[1]


def _listed_moments(answer: list[bytes]) -> list[Moment]:
    return [place_of(member.decode()) for member in answer]
