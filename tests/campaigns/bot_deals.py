"""Thousands of deals by bots of all levels, under every preset and others: `make bot-deals`.

The decider raises where a bot breaks a rule, and so ends the run. Half of the games are at each
table of every preset in turn, with any direction of its pass; half by mixes of options. A level
that searches takes a seat in some games only, or they would take hours. A game is the same in
every run; the first number is how many deals there are, the second which game comes first.
"""

import random
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import count, islice

from engine.events import DealScored, GameFinished
from tests.engine.bots.bot_games import BY_RULES, TABLES, decisions, short
from tests.engine.rule_mixes import any_mix

DEALS = 10_000
EVERY_SECONDS = 10
SEATED = {"hard": 2, "expert": 5}
"""Each sits in one of so many games."""
MIXES = (1, 2)
"""Which of four games are by a mix of options."""
MOST_DEALS = 3
"""A game may go on and on if nothing counts in it; so many of its deals are enough."""


def table_of(number):
    """Return the rules of one game."""
    if number % 4 in MIXES:
        return any_mix(random.Random(f"deals {number}"))
    table = short(*TABLES[number % len(TABLES)], 1)
    cycle, turn = table.passing.cycle, number // len(TABLES) % len(table.passing.cycle)
    return replace(table, passing=replace(table.passing, cycle=cycle[turn:] + cycle[:turn]))


def play(number):
    """Play one game, and return how many deals, and how many moves each level made."""
    levels = [*BY_RULES, *(level for level, one in SEATED.items() if number % one == 0)]
    first = number // len(TABLES) % len(levels)
    deals, moves = 0, Counter()
    for one in decisions(table_of(number), *levels[first:], *levels[:first], game=number):
        deals += sum(isinstance(event, DealScored) for event in one.events)
        moves[one.level] += 1
        if deals == MOST_DEALS:
            return deals, moves
    assert isinstance(one.events[-1], GameFinished)
    return deals, moves


def main(wanted=DEALS, first=0):
    deals, moves, told = 0, Counter(), time.monotonic()
    for number in count(first):
        more, made = play(number)
        deals, moves = deals + more, moves + made
        if deals >= wanted:
            print(f"{deals} deals of {number + 1 - first} games, no move refused: {dict(moves)}")
            return
        if time.monotonic() - told > EVERY_SECONDS:
            told = time.monotonic()
            print(f"{deals} deals, at last in game {number}", flush=True)


if __name__ == "__main__":
    main(*map(int, islice(sys.argv, 1, 3)))
