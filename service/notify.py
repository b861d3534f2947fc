"""After a commit: a hint to the workers that a bot is to act.

A hint may be lost, doubled or late; the due set, written with the append, is what counts.
The job goes by its dotted name, which keeps the imports one-way.
"""

from typing import Final

from redis.exceptions import RedisError
from rq import Queue

from service.game import Game
from service.marks import waiting_bots
from service.outage import Outage

PLAY_DUE: Final = "service.jobs.play_due"
JOB_SECONDS: Final = 2
"""How long a job may take. A bot needs some milliseconds; one that hangs keeps others waiting."""

HINT_SECONDS: Final = 600
"""How long a record waits to be taken before it goes by itself; the sweeper makes new ones."""

FAILURE_SECONDS: Final = 86_400
"""How long the record of a failed job is kept. That of any other goes with the job."""


class Notify:
    """Queues a job for each game in which a bot is to act."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._outage = Outage("the queue of hints")

    def __call__(self, game: Game) -> None:
        """Hint that *game* has moved on, if anybody has to do something about it."""
        if waiting_bots(game):
            self.hint(game.game_id)

    def hint(self, game_id: str) -> None:
        """Queue a look at the game; a queue that does not answer leaves it to the sweeper."""
        try:
            # Everything goes in one step and one round trip; no record waits unlisted.
            with self._queue.connection.pipeline() as pipe:
                self._queue.enqueue_call(
                    PLAY_DUE,
                    args=(game_id,),
                    timeout=JOB_SECONDS,
                    ttl=HINT_SECONDS,
                    result_ttl=0,
                    failure_ttl=FAILURE_SECONDS,
                    description=PLAY_DUE,
                    pipeline=pipe,
                )
                pipe.execute()
        except RedisError as exc:
            self._outage.begins(exc)
        else:
            self._outage.ends()
