"""Duplicate matches: every deal is played twice, with the sides swapped.

Run as a program it prints a row of the table in docs/bots.md:
`python -m tests.engine.bots.match medium random standard 4 3000`.
"""

import sys
from itertools import cycle, islice
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from engine.events import DealScored
from tests.engine.bots.bot_games import SEARCHING, decisions, events_of, short

DEALS_PER_GAME = 200
OF_SEARCHES = 20


class Margin(NamedTuple):
    """By how many points per seat and deal one level beats another, and the standard error."""

    mean: float
    error: float
    deals: int

    def __str__(self):
        return f"{self.mean:+.2f} ± {self.error:.2f} points per seat and deal, {self.deals} deals"


def margin(better, worse, preset, seats, deals, *, tell=lambda _: None, kept=None):
    """Return by how much *better* beats *worse*, who sit alternately; positive if it does.

    *tell* is called with the number of deals played so far, *kept* takes games, and has
    those played before.
    """
    gains, kept = [], {} if kept is None else kept
    for game, played in enumerate(_sizes(deals, {better, worse})):
        key = (better, worse, preset, seats, game, played)
        if key not in kept:
            kept[key] = _both_plays(better, worse, short(preset, seats, played), game)
        gains += kept[key]
        tell(len(gains))
    return Margin(fmean(gains), stdev(gains) / sqrt(len(gains)), len(gains))


def _sizes(deals, levels):
    size = OF_SEARCHES if levels & set(SEARCHING) else DEALS_PER_GAME
    return [min(size, deals - done) for done in range(0, deals, size)]


def _both_plays(better, worse, rules, game):
    both = [_gains(rules, pair, better, game) for pair in ((better, worse), (worse, better))]
    return [fmean(pair) for pair in zip(*both, strict=True)]


def _gains(rules, pair, better, game):
    """Return, deal by deal, the mean points of the other side less those of *better*."""
    seated = list(islice(cycle(pair), rules.seats))
    scored = events_of(decisions(rules, *pair, game=game), DealScored)
    return [_gain(deal.points, seated, better) for deal in scored]


def _gain(points, seated, better):
    own = [some for some, level in zip(points, seated, strict=True) if level == better]
    others = [some for some, level in zip(points, seated, strict=True) if level != better]
    return fmean(others) - fmean(own)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    better, worse, preset, seats, deals = sys.argv[1:]
    print(margin(better, worse, preset, int(seats), int(deals)))  # noqa: T201 - its purpose
