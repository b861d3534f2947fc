"""Working at an analysis, a little at a time, so that nobody's bot waits for it.

Each decision that is judged is written down at once. Whoever is killed loses one decision;
whoever comes next goes on with what is missing.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.analysis.decisions import PlayedDeal
from engine.analysis.outset import outset
from engine.analysis.review import DealReview, Verdict, judge
from engine.errors import CorruptLogError
from service.analyses.orders import Orders
from service.analyses.reading import Reading
from service.analyses.records import Judged, Plan
from service.analyses.results import result_data
from service.games import GameNotFoundError, Games
from service.store.base import Expired

_log = logging.getLogger(__name__)

SLICE_SECONDS: Final = 0.05
"""After so long at one analysis whatever waits comes first; what is begun is finished."""

MOST_OPEN: Final = 8
"""So many analyses lie open; a further one puts away what was not worked at for longest.

As many more may be read a little at a time; a further one waits until there is room.
"""

MOST_TRIES: Final = 5
"""So often in a row work may end in vain: without a decision judged, or the log read on."""


class Desk:
    """Works at what is on *orders*, of the games in *games*."""

    def __init__(
        self, games: Games, orders: Orders, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._games = games
        self._orders = orders
        self._records = orders.records
        self._timer = timer
        self._open: OrderedDict[str, Sequence[PlayedDeal]] = OrderedDict()
        self._begun: dict[str, Reading] = {}

    def work(self, analysis_id: str) -> None:
        """Judge some decisions of the analysis, and queue a job for the others.

        Raises:
            StoreUnavailableError: The store does not answer; the sweeper will come again.
            Exception: Whatever a level of review raises; so many times in a row, it has failed.
        """
        record = self._records.find(analysis_id)
        if record is None or record.is_settled:
            return
        with self._records.lease(analysis_id) as tries:
            if tries < 0:
                return
            is_done = self._is_done(record.plan, tries)
        if not is_done:
            self._orders.hint(analysis_id)

    def _is_done(self, plan: Plan, tries: int) -> bool:
        try:
            if tries < MOST_TRIES:
                return self._judge_some(plan)
            _log.error("gave up an analysis of %s", plan.game_id)
        except (GameNotFoundError, Expired):
            self._records.forget(plan.game_id)
            return True
        except CorruptLogError as exc:
            _log.warning("%s cannot be analysed: %s", plan.game_id, exc)
        self._records.fail(plan.id)
        return True

    def _judge_some(self, plan: Plan) -> bool:
        """Judge what is missing until the time is up; return whether nothing is missing."""
        until = self._timer() + SLICE_SECONDS

        def is_time_up() -> bool:
            return self._timer() >= until

        deals = self._deals(plan, is_time_up)
        if deals is None:
            self._records.excuse(plan.id)
            return False
        judged = self._records.judged(plan.id)
        for deal in deals:
            for found in _missing(plan, deal, judged):
                self._records.keep(plan.id, found)
                if is_time_up():
                    return False
        self._open.pop(plan.id, None)
        self._records.finish(plan.id, result_data(deals, self._records.judged(plan.id)))
        return True

    def _deals(self, plan: Plan, is_time_up: Callable[[], bool]) -> Sequence[PlayedDeal] | None:
        """Return the deals of *plan*, None if the time was up before they were found.

        They lie here as long as few others come between. To find the beginning of a deal its
        whole game is played again, which takes many slices where there are hundreds before it;
        the next job goes on with that.
        """
        found = self._open.pop(plan.id, None)
        if found is None:
            reading = self._begun.pop(plan.id, None) or Reading(plan, self._games)
            found = reading.deals(is_time_up)
            if found is None:
                self._put_by(reading)
                return None
        self._open[plan.id] = found
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return found

    def _put_by(self, reading: Reading) -> None:
        """Keep *reading*, if there is room: where each pushed out another, none came to its end."""
        if len(self._begun) == MOST_OPEN:
            self._begun = {one: begun for one, begun in self._begun.items() if self._waits(one)}
        if len(self._begun) < MOST_OPEN:
            self._begun[reading.plan.id] = reading

    def _waits(self, analysis_id: str) -> bool:
        record = self._records.find(analysis_id)
        return record is not None and not record.is_settled


def _missing(plan: Plan, deal: PlayedDeal, judged: Judged) -> Iterator[Verdict | DealReview]:
    """Yield what was not judged yet of *deal*, each once it is."""
    if deal.number not in judged.deals:
        yield DealReview(deal.number, deal.points, outset(deal))
    for decision in deal.decisions:
        if decision.seq not in judged.verdicts:
            yield judge(deal, decision, plan.level)
