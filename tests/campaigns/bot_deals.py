"""Thousands of deals by bots of all levels, under every preset: `make bot-deals`.

The decider raises where a bot breaks a rule, and so ends the run. A deal is the same in
every run; the first number is how many there are, the second which one comes first.
"""

import sys
import time
from collections import Counter
from itertools import islice

from engine.bots import LEVELS
from engine.events import GameFinished
from tests.engine.bots.bot_games import TABLES, decisions, short

DEALS = 10_000
EVERY_SECONDS = 10


def play(number):
    """Play one deal to its end, and return how many moves each level made."""
    preset, seats = TABLES[number % len(TABLES)]
    levels = list(LEVELS)
    first = number // len(TABLES) % len(levels)
    game = list(decisions(short(preset, seats, 1), *levels[first:], *levels[:first], game=number))
    assert isinstance(game[-1].events[-1], GameFinished)
    return Counter(decision.level for decision in game)


def main(deals=DEALS, first=0):
    moves, told = Counter(), time.monotonic()
    for number in range(first, first + deals):
        moves += play(number)
        if time.monotonic() - told > EVERY_SECONDS:
            told = time.monotonic()
            print(f"{number + 1 - first} deals, at last number {number}", flush=True)
    print(f"{deals} deals, no move refused: {dict(moves)}")


if __name__ == "__main__":
    main(*map(int, islice(sys.argv, 1, 3)))
