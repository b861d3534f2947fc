"""`make bench-bots`: how strong the levels are, as the tables of docs/bots.md.

Each row is a duplicate match and comes out the same on every machine. A number as argument
is the most deals a match has: fewer for a quick look, with a larger standard error. A file as
second argument keeps every game that was played: what was interrupted goes on from there.
"""

import json
import sys
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

from engine.bots import LEVELS
from tests.engine.bots.bot_games import BY_RULES
from tests.engine.bots.match import margin

DEALS, FEWER, FEW = 3_000, 1_000, 100
OTHER_TABLES = (
    ("standard", 3),
    ("standard", 5),
    ("standard", 7),
    ("omnibus", 4),
    ("spot", 4),
    ("black_maria", 4),
    ("plain", 4),
)
SEARCH_TABLES = (*OTHER_TABLES, ("standard", 6), ("cancellation", 6))


class Match(NamedTuple):
    """A row of the table."""

    better: str
    worse: str
    preset: str
    seats: int
    deals: int


class Kept(dict):
    """Games in a file, one a line: the match and the number of the game, and the gains."""

    def __init__(self, path):
        self.path = Path(path)
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        super().__init__((tuple(key), gains) for key, gains in map(json.loads, lines))

    def __setitem__(self, key, gains):
        super().__setitem__(key, gains)
        with self.path.open("a") as file:
            file.write(json.dumps([key, gains]) + "\n")


def matches():
    """Every level against weaker ones at the usual table, elsewhere against the next.

    A level that searches takes much longer: it plays no level below `medium`, the strongest
    that does not, and elsewhere `expert` alone plays it, over fewer deals.
    """
    *weaker, medium = BY_RULES
    for worse, better in combinations(LEVELS, 2):
        if better in BY_RULES or worse not in weaker:
            yield Match(better, worse, "standard", 4, DEALS)
    for worse, better in pairwise(BY_RULES):
        yield from (Match(better, worse, *table, FEWER) for table in OTHER_TABLES)
    # What plays better still plays as `expert` at most of these.
    yield from (Match("expert", medium, *table, FEW) for table in SEARCH_TABLES)


def main(most=DEALS, path=None):
    kept = Kept(path) if path else {}
    print("| match | rules | seats | deals | points per seat and deal |\n|---|---|---|---|---|")
    for match in matches():
        print(row(match._replace(deals=min(match.deals, int(most))), kept), flush=True)


def row(match, kept):
    """Play *match* and return its line of the table."""
    found = margin(*match, tell=lambda played: progress(match, played), kept=kept)
    pair = f"`{match.better}` against `{match.worse}`"
    points = f"{found.mean:.2f} ± {found.error:.2f}"
    return f"| {pair} | `{match.preset}` | {match.seats} | {found.deals:,} | {points} |"


def progress(match, played):
    """Say on a terminal how far *match* is, in a line that is wiped at its end."""
    if sys.stderr.isatty():
        text = f"{match.better} against {match.worse}, {match.preset}: {played} of {match.deals}"
        line = f"\r{text:70}" if played < match.deals else f"\r{'':70}\r"
        print(line, end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
