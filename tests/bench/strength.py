"""`make bench-bots`: how strong the levels are, as the tables of docs/bots.md.

Each row is a duplicate match and comes out the same on every machine. A number as argument
is the most deals a match has: fewer for a quick look, with a larger standard error.
"""

import sys
from itertools import combinations, pairwise
from typing import NamedTuple

from engine.bots import LEVELS
from tests.engine.bots.match import margin

DEALS, FEWER = 3_000, 1_000
OTHER_TABLES = (
    ("standard", 3),
    ("standard", 5),
    ("standard", 7),
    ("omnibus", 4),
    ("spot", 4),
    ("black_maria", 4),
    ("plain", 4),
)


class Match(NamedTuple):
    """A row of the table."""

    better: str
    worse: str
    preset: str
    seats: int
    deals: int


def matches():
    """Every level against each weaker one at the usual table, elsewhere against the next."""
    usual = [(better, worse) for worse, better in combinations(LEVELS, 2)]
    yield from (Match(*pair, "standard", 4, DEALS) for pair in usual)
    for worse, better in pairwise(LEVELS):
        yield from (Match(better, worse, *table, FEWER) for table in OTHER_TABLES)


def main(most=DEALS):
    print("| match | rules | seats | deals | points per seat and deal |\n|---|---|---|---|---|")
    for match in matches():
        print(row(match._replace(deals=min(match.deals, most))), flush=True)


def row(match):
    """Play *match* and return its line of the table."""
    found = margin(*match, tell=lambda played: progress(match, played))
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
    main(*map(int, sys.argv[1:2]))
