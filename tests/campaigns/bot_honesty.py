"""Ten thousand positions in which hidden cards change, and no bot notices: `make bot-honesty`.

Positions come from games at every table of every preset, and as many by mixes of options.
All levels are asked in turn, with the budgets that they have at work. A game is the same in
every run; the first number is how many positions there are, the second which game is the first.
"""

import random
import sys
import time
from collections import Counter
from itertools import count, islice

from engine.bots import LEVELS, choose, fallback_move
from engine.view import all_hands, view_for
from tests.engine.bots.bot_games import BY_RULES, TABLES, decisions, short
from tests.engine.bots.other_worlds import other_world
from tests.engine.rule_mixes import any_mix

POSITIONS = 10_000
EVERY_SECONDS = 10
STEP = 6
"""One in so many decisions of a game is looked at."""


def positions(number):
    """Yield decisions of the game of that *number*, each with another world that looks alike."""
    rng = random.Random(f"honesty {number}")
    preset, seats = TABLES[number // 2 % len(TABLES)]
    table = any_mix(rng) if number % 2 else short(preset, seats)
    first = number % len(BY_RULES)
    game = decisions(table, *BY_RULES[first:], *BY_RULES[:first], game=number)
    for one in islice(game, number % STEP, None, STEP):
        other = other_world(one.state, one.view.you.seat, rng)
        if all_hands(other) != all_hands(one.state):
            yield one, other


def check(one, other, level):
    """Fail if the seat sees a difference, or *level* makes one."""
    view = view_for(one.view.you.seat, other)
    assert view == one.view, "a seat sees hidden cards"
    assert choose(view, level, one.seed) == choose(one.view, level, one.seed), level
    assert fallback_move(view) == fallback_move(one.view), "the fallback"


def main(wanted=POSITIONS, first=0):
    done, told, levels = Counter(), time.monotonic(), list(LEVELS)
    presets, moves = Counter(), Counter()
    for number in count(first):
        for one, other in positions(number):
            level = levels[done.total() % len(levels)]
            try:
                check(one, other, level)
            except AssertionError as exc:
                exc.add_note(f"game {number}, {one.view.rules}, {one.view.deal}")
                raise
            done[level] += 1
            presets[one.view.rules.preset, one.view.rules.seats] += 1
            moves[one.view.turn.type.value] += 1
            if done.total() == wanted:
                print(f"{wanted} positions of {number + 1 - first} games, no difference: ", end="")
                print(f"{dict(done)}, {dict(moves)}, {len(presets)} presets and tables")
                return
        if time.monotonic() - told > EVERY_SECONDS:
            told = time.monotonic()
            print(f"{done.total()} positions, at last in game {number}", flush=True)


if __name__ == "__main__":
    main(*map(int, islice(sys.argv, 1, 3)))
