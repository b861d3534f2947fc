"""After a commit: a hint to the workers that a bot is to act.

A hint may be lost, doubled or late; the due set, written with the append, is what counts.
The job goes by its dotted name, which keeps the imports one-way.
"""

import logging
from typing import Final

from redis.exceptions import RedisError
from rq import Queue

from service.game import Game
from service.marks import waiting_bots

log = logging.getLogger(__name__)

PLAY_DUE: Final = "service.jobs.play_due"
JOB_SECONDS: Final = 10
RESULT_SECONDS: Final = 60
FAILURE_SECONDS: Final = 86_400


class Notify:
    """Queues a job for each game in which a bot is to act."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def __call__(self, game: Game) -> None:
        """Hint that *game* has moved on, if anybody has to do something about it."""
        if waiting_bots(game):
            self.hint(game.game_id)

    def hint(self, game_id: str) -> None:
        """Queue a look at the game; a queue that does not answer leaves it to the sweeper."""
        try:
            self._queue.enqueue_call(
                PLAY_DUE,
                args=(game_id,),
                timeout=JOB_SECONDS,
                result_ttl=RESULT_SECONDS,
                failure_ttl=FAILURE_SECONDS,
                description=PLAY_DUE,
            )
        except RedisError as exc:
            log.warning("no hint for %s, the sweeper will find it: %s", game_id, exc)
