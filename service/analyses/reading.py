"""Finding the deals of an analysis in the log of its game, a little at a time."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.analysis.decisions import DealFinder, PlayedDeal
from engine.errors import CorruptLogError
from service.analyses.records import Plan
from service.games import Games
from service.store.envelope import Stored


class Reading:
    """The game of *plan*, one of *games*, played again up to some moment.

    Raises:
        GameNotFoundError: It is gone.
        Expired: So it is, and that is known.
        CorruptLogError: Its log makes no sense.
        StoreUnavailableError: The store does not answer.
    """

    def __init__(self, plan: Plan, games: Games) -> None:
        self.plan: Final = plan
        self._left, self._batches = games.log(plan.game_id)
        self._finder = DealFinder(plan.deals)

    def deals(self, is_time_up: Callable[[], bool]) -> Sequence[PlayedDeal] | None:
        """Go on, and return the deals, in order; None if before that the time was up.

        Raises:
            CorruptLogError: The log makes no sense.
        """
        while self._left:
            self._take(next(self._batches))
            if self._left and is_time_up():
                return None
        return self._finder.deals()

    def _take(self, batch: Sequence[Stored]) -> None:
        try:
            for stored in batch:
                self._finder.take(stored.event)
        except (LookupError, TypeError, ValueError) as exc:
            msg = f"the log of {self.plan.game_id} makes no sense: {exc}"
            raise CorruptLogError(msg) from exc
        self._left -= len(batch)
