"""How many games the store holds, counted when somebody asks a process for its numbers."""

from functools import partial
from math import nan
from typing import Final

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


def _count(store: EventStore, status: str) -> float:
    try:
        if status == ARCHIVED:
            return store.archived_count()
        (count,) = store.counts([counted(status)])
    except StoreUnavailableError:
        return nan  # the other numbers are to be shown all the same
    return count
