"""What each level answers in fixed positions, as one digest a version: `make bot-choices`.

The command records the versions that are not recorded yet, and refuses an answer that has
changed under a version that is. Levels that are named are taken again, for a version that
nobody has played with yet.
"""

import hashlib
import json
import sys
from functools import cache
from pathlib import Path

from engine.bots import LEVELS, choose
from engine.presets import PRESETS
from tests.engine.bots.bot_games import SEARCHING, decisions, short
from tests.table import rules

RECORDED = Path(__file__).with_name("choices.json")


def tables():
    """Return a table of each preset, one at which a moon is chosen for, and one near its end."""
    largest = [short(name, preset.seats[-1], 1) for name, preset in PRESETS.items()]
    moon = rules(scoring={"hearts": {}}, ending={"target": None, "deals": 1, "tie": "share"})
    return [*largest, short("standard", 4, 1), moon, rules(ending={"target": 40})]


@cache
def positions():
    """Return the decisions of a game by chance at each table, of the last deal alone."""
    return [_last_deal(table, number) for number, table in enumerate(tables())]


def _last_deal(table, number):
    game = list(decisions(table, "random", game=number))
    return [one for one in game if one.view.deal.number == game[-1].view.deal.number]


@cache
def digest(level):
    """Return a hash of what *level* answers."""
    moves = [
        repr(choose(one.view, level, one.seed))
        for number, some in enumerate(positions())
        for one in (_few(some, number) if level in SEARCHING else some)
    ]
    return hashlib.sha256("\n".join(moves).encode()).hexdigest()


def _few(some, number):
    """Return two positions for a level that searches, and the first of every second table."""
    half = len(some) // 2
    return [*some[: number % 2], *some[number * 5 % half :: half]]


def name(level):
    """Return under which name what *level* answers is recorded."""
    return f"{level} {LEVELS[level].version}"


def recorded():
    """Return what is recorded, by level and version."""
    return json.loads(RECORDED.read_text(encoding="ascii"))


def complaint(level):
    """Return what to do where *level* does not answer as is recorded, None where it does."""
    wanted = recorded().get(name(level))
    if wanted is None:
        return f"{name(level)} is not recorded: run `make bot-choices`"
    if wanted != digest(level):
        return (
            f"{level} answers otherwise than it did as version {LEVELS[level].version}: raise "
            f"`version` in engine/bots/{level}_bot.py, then run `make bot-choices`"
        )
    return None


def main(*again):
    """Record what is new, and the levels named *again*; return the exit code."""
    known = recorded()
    for level in LEVELS:
        if level in again or name(level) not in known:
            known[name(level)] = digest(level)
    RECORDED.write_text(json.dumps(known, indent=2) + "\n", encoding="ascii")
    complaints = [text for text in map(complaint, LEVELS) if text]
    print(*complaints or [f"{len(LEVELS)} levels answer as recorded"], sep="\n")  # noqa: T201
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
