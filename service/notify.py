"""After a commit: hints to the workers that a bot is to act, or webhooks have something to tell.

A hint may be lost, doubled or late; the due sets, written with the append, are what counts.
A job goes by its dotted name, which keeps the imports one-way.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError
from rq import Queue

from engine.bots import Tempo
from service import tracing
from service.game import Game
from service.outage import Outage
from service.tempo import tempo_of, waiting_bots

PLAY_DUE: Final = "service.jobs.play_due"
THINK_DUE: Final = "service.jobs.think_due"
ANALYSE: Final = "service.jobs.analyse"
TELL_HOOKS: Final = "service.webhook_worker.tell_hooks"
JOB_SECONDS: Final = 2
"""How much processor time a job may take. A bot needs some milliseconds; one that hangs keeps
others waiting."""

JOB_CLOCK_SECONDS: Final = 3 * JOB_SECONDS
"""How long it may take by the clock, on a machine that is busy with other things."""

ANALYSIS_SECONDS: Final = 8
"""The same for a job that judges: it ends after some milliseconds, but finishes what it is at."""

HINT_SECONDS: Final = 600
"""How long a record waits to be taken before it goes by itself; the sweeper makes new ones."""

FAILURE_SECONDS: Final = 86_400
"""How long the record of a failed job is kept. That of any other goes with the job."""

MOST_HINTS: Final = 1_000
"""So many games may wait in the queue of webhooks; the sweeper finds the others."""

_LOOK_SECONDS: Final = 5.0


class Hints:
    """Queues jobs that are called *job*, each for one game."""

    def __init__(self, queue: Queue, job: str, what: str) -> None:
        self._queue = queue
        self._job = job
        self._outage = Outage(what)

    def waiting(self) -> int:
        """Return how many jobs are queued, 0 if the queue does not say."""
        with suppress(RedisError):
            return self._queue.count
        return 0

    def hint(self, game_id: str) -> None:
        """Queue a look at the game; a queue that does not answer leaves it to the sweeper."""
        try:
            # Everything goes in one step and one round trip; no record waits unlisted.
            with self._queue.connection.pipeline() as pipe:
                self._queue.enqueue_call(
                    self._job,
                    args=(game_id,),
                    timeout=JOB_CLOCK_SECONDS,
                    ttl=HINT_SECONDS,
                    result_ttl=0,
                    failure_ttl=FAILURE_SECONDS,
                    description=self._job,
                    meta=tracing.meta(),
                    pipeline=pipe,
                )
                pipe.execute()
        except RedisError as exc:
            self._outage.begins(exc)
        else:
            self._outage.ends()


class Notify:
    """Queues a job for each game in which a bot is to act, in the queue of the bot's tempo."""

    def __init__(self, queues: Mapping[Tempo, Queue]) -> None:
        self._hints = {
            Tempo.QUICK: Hints(queues[Tempo.QUICK], PLAY_DUE, "the queue of hints"),
            Tempo.SLOW: Hints(queues[Tempo.SLOW], THINK_DUE, "the queue of hints at slow bots"),
        }

    def __call__(self, game: Game) -> None:
        """Hint that *game* has moved on, if anybody has to do something about it."""
        if waiting_bots(game):
            self.hint(game.game_id, tempo_of(game))

    def hint(self, game_id: str, tempo: Tempo = Tempo.QUICK) -> None:
        """Queue a look at the game among those of *tempo*.

        If it is not known it is the quick one: there a game of slow bots is passed on.
        """
        self._hints[tempo].hint(game_id)


class NotifyHooks(Hints):
    """Queues a job for each game of which webhooks may have something to tell."""

    def __init__(self, queue: Queue, timer: Callable[[], float] = time.monotonic) -> None:
        super().__init__(queue, TELL_HOOKS, "the queue of webhooks")
        self._timer = timer
        self._looked_at = -_LOOK_SECONDS
        self._is_full = False

    def __call__(self, game: Game) -> None:
        """Hint that *game* has moved on, if an application has created it."""
        # Where bots go on, a moment later there is more to tell, all at once.
        if game.table.options.application is None or waiting_bots(game):
            return
        # Where nobody tells webhooks nobody takes hints either; the marks are enough.
        if not self._has_many():
            self.hint(game.game_id)

    def _has_many(self) -> bool:
        if self._timer() - self._looked_at >= _LOOK_SECONDS:
            self._looked_at = self._timer()
            with suppress(RedisError):  # the hint says so
                self._is_full = self._queue.count >= MOST_HINTS
        return self._is_full
