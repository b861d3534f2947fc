"""How many games and hints there are, counted when somebody asks a process for its numbers."""

from collections.abc import Mapping
from functools import partial
from math import nan
from typing import Final

from redis.exceptions import RedisError
from rq import Queue

from engine.bots import Tempo
from engine.state import Status
from service import metrics
from service.directory import counted
from service.store.base import EventStore, StoreUnavailableError

ARCHIVED: Final = "archived"


def show(store: EventStore) -> None:
    """Let this process show how many games *store* holds, as long as it answers.

    Those that are archived are finished or aborted as well.
    """
    for status in Status:
        metrics.show(metrics.GAMES.labels(status.value), partial(_count, store, status.value))
    metrics.show(metrics.GAMES.labels(ARCHIVED), partial(_count, store, ARCHIVED))


def show_hints(queues: Mapping[Tempo, Queue]) -> None:
    """Let this process show how many hints wait in *queues*, as long as their server answers."""
    for tempo, queue in queues.items():
        metrics.show(metrics.HINTS.labels(tempo.value), partial(_waiting, queue))


def _waiting(queue: Queue) -> float:
    try:
        return queue.count
    except RedisError:
        return nan


def _count(store: EventStore, status: str) -> float:
    try:
        if status == ARCHIVED:
            return store.archived_count()
        (count,) = store.counts([counted(status)])
    except StoreUnavailableError:
        return nan  # the other numbers are to be shown all the same
    return count
