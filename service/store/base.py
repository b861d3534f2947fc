"""The seam between the service and whatever keeps the streams.

A game is a list of stored events, numbered from 1 without gaps. A writer names the
version it has seen and the *head*, a hash of the last entry: after a failover a stream
may have lost its tail and grown back, so a number alone is no identity.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

NO_HEAD: Final = b""
"""The head of a game without events."""


class VersionConflict(Exception):  # noqa: N818 - a fact to act on, not a fault
    """Somebody else has appended since."""


class AnswerLost(Exception):  # noqa: N818 - a fact to act on, not a fault
    """Nobody knows whether the append happened; the log does."""


class Rewound(Exception):  # noqa: N818 - a fact to act on, not a fault
    """The stream no longer holds the version and head that were seen before."""


class Archived(Rewound):
    """The game is archived, and nobody can tell whether it had what was seen before its end."""


class Expired(Exception):  # noqa: N818 - a fact to act on, not a fault
    """The game was taken out of the store at *at*, in ms since the epoch.

    *is_private*: while it was there, only who had a token of it knew of it.
    """

    def __init__(self, game_id: str, at: int, *, is_private: bool) -> None:
        super().__init__(f"{game_id} has expired")
        self.at = at
        self.is_private = is_private


class StoreUnavailableError(Exception):
    """The store does not answer, or refuses to write."""


EVERY: Final = "*"
"""The list of the directory that a line is in if nothing else is said."""


class Row(NamedTuple):
    """A line of the directory: *summary* is the bytes last given to `Marks`.

    *at*, in milliseconds, is its place in the list that it was read from. Given without any
    bytes, it takes the game's line out.
    """

    game_id: str
    at: int
    summary: bytes


class Marks(NamedTuple):
    """What an append writes beside the events, in the same atomic step.

    *due_at* is when something must happen without a request, in milliseconds since the
    epoch, or None for never. *row* replaces the game's line of the directory; None leaves
    it as it is. *lists* names the lists that have the new line, no others have it, each with
    the line's place there in milliseconds; None is the list `EVERY`, and the row's own place.
    A name has no character below ``"``. *hooks_at* is when to look for what webhooks are to
    tell, in milliseconds since the epoch, 0 for never; None leaves that as it is.
    """

    due_at: int | None
    row: Row | None = None
    lists: Mapping[str, int] | None = None
    hooks_at: int | None = None


class Position(NamedTuple):
    """A place in a list of the directory, at or between two lines; *at* is in milliseconds."""

    at: int
    game_id: str


class Word(NamedTuple):
    """What is left of a game that expires: *at* in ms since the epoch, kept for *kept_ms*."""

    at: int
    is_private: bool
    kept_ms: int


class Due(NamedTuple):
    """A game that waits for something to happen by itself since *due_at*."""

    game_id: str
    due_at: int


def head_of(entry: bytes) -> bytes:
    """Return the head of a stream that ends in *entry*: 20 bytes."""
    return hashlib.sha1(entry, usedforsecurity=False).digest()


class EventStore(Protocol):
    """Keeps the streams of all games.

    Every method may raise `StoreUnavailableError`.
    """

    def tail(self, game_id: str, version: int, head: bytes) -> list[bytes]:
        """Return the entries after *version*, oldest first; all for version 0.

        Empty for an unknown game.

        Raises:
            Rewound: Entry *version* is not there, or does not hash to *head*.
            Archived: The game is, and *version* is not its last.
            Expired: It was there, and is no more.
            CorruptLogError: The entries are not numbered without gaps.
        """
        ...

    def entries(self, game_id: str, first: int, last: int) -> list[bytes]:
        """Return the entries numbered *first* to *last*, both included, as far as they exist."""
        ...

    def append(
        self, game_id: str, version: int, head: bytes, entries: Sequence[bytes], marks: Marks
    ) -> None:
        """Append *entries* after *version*, all or none, and write *marks* with them.

        Without entries the marks alone are written, if *version* is the last.

        Raises:
            VersionConflict: The last entry is not *version* or does not hash to *head*.
            AnswerLost: The outcome is unknown.
            CorruptLogError: Entries were taken out, so that nothing can follow.
        """
        ...

    def archive(
        self, game_id: str, version: int, head: bytes, record: bytes, ended_at: int
    ) -> None:
        """Put *record* (`store.archive`) in the place of a game that ends with *version*.

        *ended_at* is when it did, in ms since the epoch.
        From then on `tail`, `entries` and `last` read the record. Nothing can be appended.

        Raises:
            VersionConflict: The last entry is not *version* or does not hash to *head*.
            AnswerLost: The outcome is unknown.
        """
        ...

    def ended_before(self, before: int, limit: int) -> list[str]:
        """Return at most *limit* archived games that ended before *before* (ms), oldest first."""
        ...

    def expire(self, game_id: str, version: int, head: bytes, word: Word) -> None:
        """Take an archived game that ends with *version* out of the store, and leave *word*.

        From then on `tail` and `entries` raise `Expired`, until the word is gone, too.

        Raises:
            VersionConflict: There is no such game, or it is another one.
            AnswerLost: The outcome is unknown.
        """
        ...

    def streams_from(self, cursor: int) -> tuple[int, list[str]]:
        """Return some games that are not archived, and the cursor of the next call; 0 ends.

        One that is there all the while comes once at least.
        """
        ...

    def last(self, game_ids: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return version and last entry of each of *game_ids*; 0 and no bytes if there is none."""
        ...

    def game_ids(self) -> set[str]:
        """Return the ids of all games, listed or not.

        For people who run the service: it takes as long as there are games.
        """
        ...

    def overdue(self, now: int, limit: int) -> list[Due]:
        """Return at most *limit* games that have been due at *now* (ms), the oldest first."""
        ...

    def counts(self, lists: Sequence[str]) -> list[int]:
        """Return how many lines each of *lists* has; it costs the same for few and many."""
        ...

    def archived_count(self) -> int:
        """Return how many games are archived."""
        ...

    def hooks_due(self, now: int, limit: int) -> list[Due]:
        """Return at most *limit* games that webhooks wait for at *now* (ms), the oldest first."""
        ...

    def forget_hooks(self, game_id: str) -> None:
        """Look no more for what webhooks are to tell of a game that is over.

        Raises:
            AnswerLost: The outcome is unknown.
        """
        ...

    def directory(
        self,
        after: Position | None,
        limit: int,
        *,
        newest_first: bool,
        lists: Sequence[str] = (EVERY,),
        until: Position | None = None,
    ) -> list[Row]:
        """Return at most *limit* lines of *lists* by their places, then by id.

        They come after *after* and before *until*. No line may be in two of *lists*. One that
        was taken out while this was read has no bytes, but its place: fewer than *limit* are
        the end.
        """
        ...
