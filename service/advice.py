"""Advice that is thought over once: for all who wait for it, and until the log has it."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakValueDictionary

from engine.analysis import advise
from engine.commands import Advice
from engine.seats import Seat
from engine.shuffle import Links
from engine.view import view_for
from service.game import Game

MOST_KEPT: Final = 64
"""So much advice is remembered; the log has nearly all of it a moment later."""


class Adviser:
    """Thinks over what seats may do, for the threads of a process."""

    def __init__(self) -> None:
        self._thoughts: Final = WeakValueDictionary[tuple[str, int, Seat], threading.Lock]()
        self._kept: Final[OrderedDict[tuple[bytes, Seat, str], Advice]] = OrderedDict()
        self._looking_up: Final = threading.Lock()

    @contextmanager
    def turn_of(self, game_id: str, turn_id: int, seat: Seat) -> Iterator[None]:
        """Be the only one who thinks over what *seat* may do in the turn: it takes a core."""
        what = (game_id, turn_id, seat)
        with self._looking_up:
            mine = self._thoughts.get(what) or self._thoughts.setdefault(what, threading.Lock())
        with mine:
            yield

    def advice(self, game: Game, seat: Seat, level: str, links: Links) -> Advice:
        """Return what *level* advises *seat*, which is to act in *game* with these *links*.

        The same moment of a game is thought over once, as long as not too many others are.

        Raises:
            KeyError: No hints are given on that level.
            MissingKeyError: The game's secret is not configured.
        """
        # By the log's last entry, not its number: that may come again after a loss, with other
        # cards.
        moment = (game.head, seat, level)
        with self._looking_up:
            if (known := self._kept.get(moment)) is not None:
                return known
        found = advise(view_for(seat, game.state), level, links(game.table.deals))
        with self._looking_up:
            self._kept[moment] = found
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found
