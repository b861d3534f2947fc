"""Advice that is thought over once: for all who wait for it, and until the log has it.

It follows from what the seat sees of the cards, its deal's link and the level, and from
nothing else. So what others do at the table meanwhile makes nobody think again.
"""

import threading
from collections import OrderedDict
from typing import Final, NamedTuple

from engine.analysis import advise, basis_of, hint_seed
from engine.commands import Advice
from engine.seats import Seat
from engine.shuffle import Links
from engine.view import View, view_for
from service.game import Game
from service.one_by_one import OneByOne

MOST_KEPT: Final = 64
"""So much advice is remembered; the log has nearly all of it a moment later."""


class Question(NamedTuple):
    """All that advice follows from: its *basis*, the *level*, and the *link* of the deal."""

    basis: View
    level: str
    link: str


def question_of(game: Game, seat: Seat, level: str, links: Links) -> Question:
    """Return what *seat*, which is to act in *game* with these *links*, would ask *level*.

    Raises:
        MissingKeyError: The game's secret is not configured.
    """
    return Question(basis_of(view_for(seat, game.state)), level, links(game.table.deals))


class Adviser:
    """Thinks over what seats may do, for the threads of a process.

    *turns* are those of a game in which a seat is advised: thinking takes a core.
    """

    def __init__(self) -> None:
        self.turns: Final = OneByOne[tuple[str, int, Seat]]()
        self._kept: Final[OrderedDict[tuple[bytes, str], tuple[Question, Advice]]] = OrderedDict()
        self._keeping: Final = threading.Lock()

    def known(self, question: Question) -> Advice | None:
        """Return the advice if *question* was thought over, None if not, or too long ago."""
        with self._keeping:
            found = self._kept.get(_decision(question))
        # After a loss the same decision of a deal may come again, with other cards.
        return found[1] if found is not None and found[0] == question else None

    def think(self, question: Question) -> Advice:
        """Return the advice, and remember it.

        Raises:
            KeyError: No hints are given on that level.
        """
        found = advise(*question)
        with self._keeping:
            self._kept[_decision(question)] = question, found
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found


def _decision(question: Question) -> tuple[bytes, str]:
    return hint_seed(question.basis, question.link), question.level
