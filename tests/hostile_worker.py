"""A worker whose bots misbehave, as the first argument says; tests run it as a program."""

import os
import random
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from service import cli, jobs
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


CHOICES = {
    "raise": raise_an_error,
    "hang": hang,
    "die": lambda *_: die(),
}


def poison(choice):
    """Misbehave at one table, or at all."""
    table, choose = os.environ.get("HOSTILE_TABLE"), jobs.choose

    def choosing(view, level, seed):
        if table in {None, view.commitment[:32]}:
            return choice(view, level, seed)
        return choose(view, level, seed)

    jobs.choose = choosing


if __name__ == "__main__":
    if sys.argv[1] == "mortal":
        die_around_appends()
    else:
        poison(CHOICES[sys.argv[1]])
    sys.exit(cli.main(["worker"]))
