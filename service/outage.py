"""Something that is down is said once, and once that it is back; not at every try between."""

import logging
import time
from typing import Final

_log = logging.getLogger(__name__)


class Outage:
    """Whether *what* is down, as one thread sees it."""

    def __init__(self, what: str) -> None:
        self._what: Final = what
        self._since: float | None = None

    def begins(self, exc: Exception) -> None:
        """Say that it is down, unless that is known."""
        if self._since is None:
            self._since = time.monotonic()
            _log.warning("%s is down: %s", self._what, exc)

    def ends(self) -> None:
        """Say that it is back, if it was down."""
        if self._since is not None:
            _log.info("%s is back after %.1f s", self._what, time.monotonic() - self._since)
            self._since = None
