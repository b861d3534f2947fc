"""How long nobody kept the time, so that no player pays for it.

Every worker says twice a second that it is there, in a key beside the queue. A gap between
two such signs is an outage, and stays on a list. Losing key and list makes everything that
was before an outage, so players can only gain.

A worker whose clock does not agree with that of the others cannot tell what time it is, and
leaves the clocks of all games to them: wherever a clock was set wrong, nothing happens early.
"""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Final

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError

_log = logging.getLogger(__name__)

GAP_MS: Final = 3_000
"""Without a sign for longer, nobody was there."""

_BEAT: Final = "hearts-jobs:beat"
_TIME: Final = "hearts-jobs:time"
_OUTAGES: Final = "hearts-jobs:outages"
_KEPT: Final = 1_000


class Watch:
    """The common watch of all workers on one queue's server."""

    def __init__(self, client: Redis, timer: Callable[[], float] = time.monotonic) -> None:
        self._client: Final = client
        self._timer = timer
        self._odd: tuple[int, float] | None = None

    def is_back(self, now: int) -> bool:
        """Say that we are there at *now* (ms); return whether this ends an outage.

        Raises:
            RedisError: The server does not answer.
        """
        found = self._client.get(_BEAT)
        beat = 0 if found is None else int(found)
        if abs(now - beat) <= GAP_MS:
            self._odd = None
            with self._client.pipeline() as pipe:
                _beat(pipe, now)
                pipe.execute()
            return False
        if beat and not self._stands_still(beat):
            return False
        self._odd = None
        with self._client.pipeline() as pipe:
            if beat > now:
                # The hours that come a second time are not those of the list.
                pipe.delete(_OUTAGES)
            else:
                pipe.rpush(_OUTAGES, f"{beat} {now}")
                pipe.ltrim(_OUTAGES, -_KEPT, -1)
            _beat(pipe, now)
            pipe.execute()
        _log.info("keeping time again, after %d ms without", now - beat if beat else 0)
        return True

    def _stands_still(self, beat: int) -> bool:
        """Return whether *beat*, which is not our time, has been the same for too long."""
        if self._odd is None or self._odd[0] != beat:
            if self._odd is not None:
                _log.warning("the clock of this machine is not that of the others")
            self._odd = (beat, self._timer())
        return 1_000 * (self._timer() - self._odd[1]) > GAP_MS

    def time(self) -> int | None:
        """Return what time it is for workers (ms), up to `GAP_MS` ago; None if none is there."""
        try:
            found = self._client.get(_TIME)
        except RedisError:
            return None
        return None if found is None else int(found)

    def outage_ms(self, since: int, now: int) -> int | None:
        """Return how long nobody was there from *since* to *now* (ms); None if it is not known.

        Raises:
            RedisError: The server does not answer.
        """
        with self._client.pipeline() as pipe:
            pipe.get(_BEAT)
            pipe.lrange(_OUTAGES, 0, -1)
            beat, found = pipe.execute()
        if beat is None or abs(now - int(beat)) > GAP_MS:
            return None
        outages = (one.split() for one in found)
        return overlap((since, now), ((int(begin), int(end)) for begin, end in outages))


def _beat(pipe: Pipeline, now: int) -> None:
    pipe.set(_BEAT, now)
    pipe.set(_TIME, now, px=GAP_MS)  # gone as soon as it is too old to go by


def overlap(span: tuple[int, int], gaps: Iterable[tuple[int, int]]) -> int:
    """Return how much of *span* lies in *gaps*, which may lie over each other."""
    total, (since, until) = 0, span
    for begin, end in sorted(gaps):
        since = max(since, begin)
        if since < min(end, until):
            total += min(end, until) - since
            since = min(end, until)
    return total
