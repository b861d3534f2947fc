"""Analyses that somebody waits for: their records, and hints to the workers at them.

A hint is lost with its queue or its worker; the record is not, and whoever sweeps sends another.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from service.analyses.records import Plan, Records
from service.one_by_one import OneByOne
from service.store.base import StoreUnavailableError

_log = logging.getLogger(__name__)

LOOKED_AT: Final = 100
"""How many analyses a sweep looks at."""


class Orders:
    """What is to be analysed, as *records* have it.

    *send* queues a hint at one of them, behind so many that are *waiting*. *openings* are the
    ids of those that are about to be opened.
    """

    def __init__(
        self,
        records: Records,
        send: Callable[[str], None],
        waiting: Callable[[], int] = lambda: 0,
    ) -> None:
        self.records = records
        self._send = send
        self._waiting = waiting
        self.openings: Final = OneByOne[str]()

    def open(self, plan: Plan) -> bool:
        """Have *plan* worked at, and return whether nobody had that done before.

        Raises:
            StoreUnavailableError: It cannot be written down.
        """
        if not self.records.open(plan):
            return False
        self.hint(plan.id)
        return True

    def forget(self, game_id: str) -> None:
        """Take away what is known of a game that has expired; what stays goes by itself."""
        with suppress(StoreUnavailableError):
            self.records.forget(game_id)

    def hint(self, analysis_id: str) -> None:
        """Send a hint, unless somebody is at work or one waits already.

        Raises:
            StoreUnavailableError: The records cannot be asked.
        """
        if self.records.wants_hint(analysis_id, self._waiting()):
            self._send(analysis_id)

    def sweep(self) -> None:
        """Send a hint at whatever has waited for too long, whatever became of its job.

        Raises:
            StoreUnavailableError: The records cannot be asked.
        """
        for lost in self.records.idle(LOOKED_AT):
            self.hint(lost)
            _log.info("hinted again at the analysis %s", lost)
