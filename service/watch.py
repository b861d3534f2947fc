"""How long nobody kept the time, so that no player pays for it.

Every worker says twice a second that it is there, in a key beside the queue. A gap between
two such signs is an outage, and stays on a list. Losing key and list makes everything that
was before an outage, so players can only gain.

Every API process says so, too, in a key that is gone after as long as a gap may be. Workers
note by their own clock when they last found it: where it was once, and is gone, nobody can
move, so nobody's time is up; and when it is back, that was an outage like any other. Where it
never was, nobody misses it.

A worker whose clock does not agree with that of the others cannot tell what time it is, and
leaves the clocks of all games to them: wherever a clock was set wrong, nothing happens early.
"""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError

_log = logging.getLogger(__name__)

GAP_MS: Final = 3_000
"""Without a sign for longer, nobody was there."""

_BEAT: Final = "hearts-jobs:beat"
_TIME: Final = "hearts-jobs:time"
_OUTAGES: Final = "hearts-jobs:outages"
_API: Final = "hearts-jobs:api"
_API_SEEN: Final = "hearts-jobs:api-seen"
_KEPT: Final = 1_000


class Watch:
    """The common watch of all workers on one queue's server."""

    def __init__(self, client: Redis, timer: Callable[[], float] = time.monotonic) -> None:
        self._client: Final = client
        self._timer = timer
        self._odd: tuple[int, float] | None = None
        self.is_unserved = False
        """Whether the last look found no API process where there was one before."""

    def serve(self) -> None:
        """Say that an API process is there; to be said again well before `GAP_MS` are over.

        Raises:
            RedisError: The server does not answer.
        """
        # With these the API's user needs no right that it has not for hints.
        with self._client.pipeline() as pipe:
            pipe.hset(_API, "is", "there")
            pipe.expire(_API, GAP_MS // 1_000)
            pipe.execute()

    def is_back(self, now: int) -> bool:
        """Say that we are there at *now* (ms); return whether this ends an outage.

        Raises:
            RedisError: The server does not answer.
        """
        with self._client.pipeline() as pipe:
            _ask(pipe)
            found, api = _signs(now, *pipe.execute())
        beat = found or 0
        is_apart = abs(now - beat) > GAP_MS
        if is_apart and beat and not self._stands_still(beat):
            return False
        self._odd, self.is_unserved = None, api.is_away
        begins = [beat] if is_apart else []
        if (gone := api.gone_since(now)) is not None:
            begins.append(gone)
        self._note(now, begins, api.seen_by(now))
        if is_apart:
            _log.info("keeping time again, after %d ms without", now - beat if beat else 0)
        elif gone is not None:
            _log.info("the API is back, after %d ms without", now - gone)
        return bool(begins)

    def _note(self, now: int, begins: list[int], api_seen: int | None) -> None:
        """Write down that we are there, and the outages that end *now*."""
        with self._client.pipeline() as pipe:
            for begin in begins:
                if begin > now:
                    # The hours that come a second time are not those of the list.
                    pipe.delete(_OUTAGES)
                else:
                    pipe.rpush(_OUTAGES, f"{begin} {now}")
                    pipe.ltrim(_OUTAGES, -_KEPT, -1)
            if api_seen is not None:
                pipe.set(_API_SEEN, api_seen)
            _beat(pipe, now)
            pipe.execute()

    def _stands_still(self, beat: int) -> bool:
        """Return whether *beat*, which is not our time, has been the same for too long."""
        if self._odd is None or self._odd[0] != beat:
            if self._odd is not None:
                _log.warning("the clock of this machine is not that of the others")
            self._odd = (beat, self._timer())
        return 1_000 * (self._timer() - self._odd[1]) > GAP_MS

    def time(self) -> int | None:
        """Return what time it is for workers (ms); None if none is there, or nobody can tell."""
        try:
            with self._client.pipeline() as pipe:
                pipe.get(_TIME)
                pipe.pttl(_TIME)
                found, left = pipe.execute()
        except RedisError:
            return None
        # How old the sign is follows from how long it has yet to live.
        return None if found is None else int(found) + GAP_MS - min(left, GAP_MS)

    def outage_ms(self, since: int, now: int) -> int | None:
        """Return how long *since* to *now* (ms) was outage; None if it is not known, or goes on.

        Raises:
            RedisError: The server does not answer.
        """
        with self._client.pipeline() as pipe:
            _ask(pipe)
            pipe.lrange(_OUTAGES, 0, -1)
            *told, found = pipe.execute()
        beat, api = _signs(now, *told)
        if beat is None or abs(now - beat) > GAP_MS or api.is_open(now):
            return None
        outages = (one.split() for one in found)
        return overlap((since, now), ((int(begin), int(end)) for begin, end in outages))


class _Api(NamedTuple):
    """What is known of API processes.

    When workers have *seen* one (ms), if ever, and how long the sign of one has yet to live
    (ms), *left*, which is negative where it is gone.
    """

    seen: int | None
    left: int

    @property
    def is_away(self) -> bool:
        """Whether there was one, and now there is none."""
        return self.seen is not None and self.left < 0

    def seen_by(self, now: int) -> int | None:
        """Return when one was seen as who looks at *now* has it."""
        # A sign is a little old. And a clock that is behind that of others takes nothing back.
        return self.seen if self.left < 0 else max(self.seen or 0, now - (GAP_MS - self.left))

    def gone_since(self, now: int) -> int | None:
        """Return since when there was none, if one is back and nobody has noted it."""
        seen = self.seen_by(now)
        if self.seen is None or seen is None or seen - self.seen <= GAP_MS:
            return None
        return self.seen

    def is_open(self, now: int) -> bool:
        """Return whether nobody can move, or could not and gets nothing back yet."""
        return self.is_away or self.gone_since(now) is not None


def _ask(pipe: Pipeline) -> None:
    pipe.get(_BEAT)
    pipe.get(_API_SEEN)
    pipe.pttl(_API)


def _signs(now: int, beat: bytes | None, seen: bytes | None, left: int) -> tuple[int | None, _Api]:
    """Return the last sign of workers, if any, and what is known of the API."""
    at = None if seen is None else int(seen)
    # Where all clocks were set back, it was seen in hours that are still to come.
    if at is not None and at - now > GAP_MS:
        at = now
    # The server's clock may be set back, too, and a sign live for longer than it should.
    return None if beat is None else int(beat), _Api(at, min(left, GAP_MS))


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
