"""The list of who is there: seats whose streams are open, written down by their processes.

It lies beside the queue. A line is good for a while and is renewed while the stream is
open, so the lines of a process that was killed go by themselves. All times are those of the
list's server: the clocks of its readers and writers need not agree. Losing all of it costs
nothing that the next renewal does not bring back.
"""

import secrets
from collections.abc import Sequence
from typing import Final, NamedTuple

from redis import Redis

from engine.seats import Seat

CHANNEL: Final = "hearts:presence"
"""The channel that carries the id of each game in which a line came or went."""

_UNUSED_SECONDS: Final = 3_600


class Lines(NamedTuple):
    """What a process says of one game: the seats that are *here*, and those that are *gone*.

    *is_news*: others should look at once.
    """

    game_id: str
    here: frozenset[Seat]
    gone: frozenset[Seat]
    is_news: bool


class Attendance:
    """The list as one process writes and reads it; what it writes is good for *good_ms*."""

    def __init__(self, client: Redis, good_ms: int) -> None:
        self._client = client
        self._good_ms = good_ms
        self._process = secrets.token_hex(8)

    def exchange(self, games: Sequence[Lines]) -> list[frozenset[Seat]]:
        """Write the lines of *games*; return for each the seats that are there, in any process.

        Raises:
            RedisError: The server does not answer; the lines may be written.
        """
        now = self._now()
        with self._client.pipeline(transaction=False) as pipe:
            for game_id, here, gone, is_news in games:
                key = f"hearts-presence:{game_id}"
                if here:
                    pipe.zadd(key, dict.fromkeys(self._members(here), now + self._good_ms))
                    pipe.zremrangebyscore(key, "-inf", now)
                    pipe.expire(key, _UNUSED_SECONDS)
                if gone:
                    pipe.zrem(key, *self._members(gone))
                if is_news:
                    pipe.publish(CHANNEL, game_id)
                pipe.zrange(key, now, "+inf", byscore=True)
            answers = pipe.execute()
        return [_seats(found) for found in answers if isinstance(found, list)]

    def _now(self) -> int:
        seconds, microseconds = self._client.time()
        return seconds * 1_000 + microseconds // 1_000

    def _members(self, seats: frozenset[Seat]) -> list[str]:
        # Two processes may have streams of one seat, and the other's line is not ours to take.
        return [f"{seat} {self._process}" for seat in seats]


def _seats(members: list[bytes]) -> frozenset[Seat]:
    return frozenset(int(member.partition(b" ")[0]) for member in members)
