"""Which games this process has found closed: each is said once, not at every request for it."""

import logging
import threading
from collections import OrderedDict
from typing import Final, Literal, TypeAlias

_log = logging.getLogger(__name__)

What: TypeAlias = Literal["log", "secret", "line"]
"""What is wrong: the game's log, the secret of its deals, or its line in the list of games."""

_KEPT: Final = 4096


class Quarantine:
    """What was said of which game; the oldest of very many is said again."""

    def __init__(self) -> None:
        self._said: OrderedDict[tuple[str, What], str] = OrderedDict()
        self._lock = threading.Lock()

    def tell(self, game_id: str, what: What, reason: str) -> None:
        """Say that the game is closed for *reason*, unless that was the last that was said."""
        with self._lock:
            is_news = self._said.get((game_id, what)) != reason
            self._said[game_id, what] = reason
            self._said.move_to_end((game_id, what))
            if len(self._said) > _KEPT:
                self._said.popitem(last=False)
        if is_news:
            _log.error("quarantined %s (%s): %s", game_id, what, reason)

    def __len__(self) -> int:
        """Return how many games are closed."""
        with self._lock:
            return len({game_id for game_id, _ in self._said})

    def lift(self, game_id: str, what: What) -> None:
        """Say that *what* is well again, if something else was said of it."""
        with self._lock:
            was_closed = self._said.pop((game_id, what), None) is not None
        if was_closed:
            _log.info("no longer quarantined: %s (%s)", game_id, what)
