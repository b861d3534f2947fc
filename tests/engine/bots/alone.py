"""One seat of a level among others: every deal is played once from each seat.

In a duplicate match two seats of a level also spoil each other's moons; here they cannot.
`python -m tests.engine.bots.alone master medium standard 4 300` says by how many points a deal
the one seat of `master` stays below the mean of the three of `medium`.
"""

import sys
from math import sqrt
from statistics import fmean, stdev

from engine.events import DealScored
from tests.engine.bots.bot_games import decisions, events_of, short
from tests.engine.bots.match import OF_SEARCHES, Margin


def alone(level, others, preset, seats, deals, *, tell=lambda _: None):
    """Return by how much a seat of *level* beats *others*; *tell* gets the deals played so far."""
    gains = []
    for game, first in enumerate(range(0, deals, OF_SEARCHES)):
        rules = short(preset, seats, min(OF_SEARCHES, deals - first))
        each = [_gains(rules, level, others, seat, game) for seat in range(seats)]
        gains += [fmean(deal) for deal in zip(*each, strict=True)]
        tell(len(gains))
    return Margin(fmean(gains), stdev(gains) / sqrt(len(gains)), len(gains))


def _gains(rules, level, others, seat, game):
    levels = [level if at == seat else others for at in range(rules.seats)]
    scored = events_of(decisions(rules, *levels, game=game), DealScored)
    return [
        fmean([*deal.points[:seat], *deal.points[seat + 1 :]]) - deal.points[seat]
        for deal in scored
    ]


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    level, others, preset, seats, deals = sys.argv[1:]
    print(alone(level, others, preset, int(seats), int(deals)))  # noqa: T201 - its purpose
