"""A worker that is not as it should be; the first argument says how. Tests run it as a program."""

import json
import os
import random
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.cards import each
from engine.commands import PlayCard
from service import cli, jobs, worker
from service.store.redis_store import RedisStore

DIES_ONCE_IN = 40


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def raise_an_error(*_):
    raise ZeroDivisionError


def hang(*_):
    while True:
        pass


def die_around_appends():
    append = RedisStore.append
    rng = random.Random()

    def appending(*args):
        if rng.randrange(DIES_ONCE_IN) == 0:
            die()
        append(*args)
        if rng.randrange(DIES_ONCE_IN) == 0:
            die()

    RedisStore.append = appending


def look_after_nobody():
    """Have no sweeper, and no bound for a job: what moves is moved by hints, and at once."""
    worker.Sweeper.start = lambda _: None
    worker.JOB_SECONDS = worker.JOB_CLOCK_SECONDS = 600


def crash(*_):
    os.kill(os.getpid(), signal.SIGSEGV)


def cheat(view, *_):
    """Play a card that somebody else holds."""
    return PlayCard(view.you.seat, next(each(view.rules.cards & ~view.you.hand)))


CHOICES = {
    "raise": raise_an_error,
    "hang": hang,
    "die": lambda *_: die(),
    "crash": crash,
    "cheat": cheat,
}


def poison_one_play(tables):
    """Misbehave at each of *tables*, as it says, in the third trick of seat 1 and nowhere else."""
    choose = jobs.choose

    def choosing(view, level, seed):
        how = tables.get(view.commitment[:32])
        if how and (view.you.seat, view.deal.trick_number) == (1, 3):
            return CHOICES[how](view, level, seed)
        return choose(view, level, seed)

    jobs.choose = choosing


def poison(choice):
    """Misbehave at one table, or at all."""
    table, choose = os.environ.get("HOSTILE_TABLE"), jobs.choose

    def choosing(view, level, seed):
        if table in {None, view.commitment[:32]}:
            return choice(view, level, seed)
        return choose(view, level, seed)

    jobs.choose = choosing


if __name__ == "__main__":
    match sys.argv[1]:
        case "mortal":
            die_around_appends()
        case "unswept":
            look_after_nobody()
        case "poisoned":
            poison_one_play(json.loads(os.environ["HOSTILE_TABLES"]))
        case how:
            poison(CHOICES[how])
    sys.exit(cli.main(["worker"]))
