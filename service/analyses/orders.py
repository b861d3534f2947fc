"""Analyses that somebody waits for: their records, and hints to the workers at them.

A hint is lost with its queue; the record is not, and whoever asks for it sends another hint.
"""

from collections.abc import Callable
from contextlib import suppress

from service.analyses.records import Plan, Records
from service.store.base import StoreUnavailableError


class Orders:
    """What is to be analysed, as *records* have it; *send* queues a hint at one of them."""

    def __init__(self, records: Records, send: Callable[[str], None]) -> None:
        self.records = records
        self._send = send

    def open(self, plan: Plan) -> None:
        """Have *plan* worked at.

        Raises:
            StoreUnavailableError: It cannot be written down.
        """
        self.records.open(plan)
        self.hint(plan.id)

    def forget(self, game_id: str) -> None:
        """Take away what is known of a game that has expired; what stays goes by itself."""
        with suppress(StoreUnavailableError):
            self.records.forget(game_id)

    def hint(self, analysis_id: str) -> None:
        """Send a hint, unless somebody is at work or one waits already.

        Raises:
            StoreUnavailableError: The records cannot be asked.
        """
        if self.records.wants_hint(analysis_id):
            self._send(analysis_id)
