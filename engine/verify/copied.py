"""A deal that another game began, played again up to where its fork goes on."""

from dataclasses import replace
from typing import Final

from engine import commands as c
from engine import events as e
from engine.cards import CardSet
from engine.dealing import given_deal
from engine.decide import decide
from engine.evolve import evolve, fold
from engine.notation.record import Start
from engine.position import Position
from engine.resuming import position_of
from engine.rules import Rules
from engine.scoring import Progress, result_of
from engine.seats import PerSeat
from engine.shuffle import NO_SEED
from engine.state import Between, State

_NO_LINK: Final = "0" * 64


class CopiedDeal:
    """The deal numbered *number*, of which *start* says how far it was copied.

    *hands* are those that were dealt. The deal is at its *position* after as many moves as
    were copied, and nowhere before.
    """

    def __init__(self, rules: Rules, start: Start, number: int, hands: PerSeat[CardSet]) -> None:
        created = e.GameCreated(rules, (c.HumanSeat(),) * rules.seats, _NO_LINK, 1, _NO_LINK, "")
        claims = [e.SeatClaimed(seat, "-", 1, None) for seat in range(rules.seats)]
        started = e.GameStarted((NO_SEED,) * rules.seats)
        before = fold(None, [created, *claims, started])
        assert isinstance(before, Between)
        table = replace(before.table, totals=start.totals, scored=start.scored, copied_deal=number)
        self.state: State = evolve(replace(before, table=table), given_deal(table, number, hands))
        self._left = start.moves
        before_it = Progress(start.scored, number - 1)
        ended = result_of(start.totals, before_it, rules) is not None
        self._is_none = ended or start.scored >= number

    def do(self, move: c.Move) -> None:
        """Make *move*, one of those that were copied.

        Raises:
            RuleViolation: The rules do not allow it now.
        """
        events = decide(self.state, move, lambda _: _NO_LINK)
        self._is_none = self._is_none or any(isinstance(one, e.DealScored) for one in events)
        state = fold(self.state, events)
        assert state is not None
        self.state = state
        self._left -= 1

    @property
    def is_whole(self) -> bool:
        """Whether as many moves have been made as were copied."""
        return self._left == 0

    @property
    def position(self) -> Position | None:
        """Where the deal stands; None if it is over, not there yet, or in no game."""
        return position_of(self.state) if self.is_whole and not self._is_none else None
