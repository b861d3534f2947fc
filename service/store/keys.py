"""Names of keys and channels. All keys of one game lie in one slot, by their tag."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.store.base import Position

BELL: Final = "hearts:bell"
"""The channel that carries ``<game id> <version>`` after every append."""

SHARDS: Final[Sequence[str]] = tuple(f"{number:02x}" for number in range(256))
_TIME_DIGITS: Final = 12


class Keys(NamedTuple):
    """The keys of one shard; every append to one of its games writes to them."""

    due: str
    games: str
    rows: str
    hooks: str


KEYS: Final = {
    shard: Keys(*(f"hearts:{{{shard}}}:{name}" for name in Keys._fields)) for shard in SHARDS
}
"""Shard → its keys."""


def shard_of(game_id: str) -> str:
    """Return the shard of a game: the first two hex digits of its id."""
    return game_id[:2]


def stream_key(game_id: str) -> str:
    """Return the key of a game's stream."""
    return f"hearts:{{{game_id[:2]}}}:game:{game_id}"


def archive_key(game_id: str) -> str:
    """Return the key of the archive that a game is put into, with others of its shard."""
    return f"hearts:{{{game_id[:2]}}}:archive"


def ends_key(shard: str) -> str:
    """Return the key of the set that says when the archived games of a shard have ended."""
    return f"hearts:{{{shard}}}:ends"


def word_key(game_id: str) -> str:
    """Return the key of the word that is left, for some time, of a game that has expired."""
    return f"hearts:{{{game_id[:2]}}}:expired:{game_id}"


STREAMS: Final = "hearts:{??}:game:*"
"""Matches the keys of all streams."""


def game_in(key: str) -> str:
    """Return the id of the game whose stream has that *key*."""
    return key.rpartition(":")[2]


def member_of(place: Position) -> str:
    """Return the end of the directory's members at *place*: they sort as places do."""
    return f"{place.at:0{_TIME_DIGITS}x}{place.game_id}"


def place_of(member: str) -> Position:
    """Return the place that a *member* of the directory, list and end, stands for."""
    end = member.rpartition(" ")[2]
    return Position(int(end[:_TIME_DIGITS], 16), end[_TIME_DIGITS:])
