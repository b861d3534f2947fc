"""The long form of what the tests of histories try on a few games: `make histories`.

Every game is written, read, written again and checked; some get one word changed, which
has to be found.
"""

import argparse
import random
import time

from engine.notation.reader import read_game
from engine.notation.writer import write_game
from engine.verify.report import Check, Verdict
from engine.verify.text import verify_text
from tests.engine.notation.records import TABLES, events_of, record
from tests.engine.verify.corruptions import corrupted


def main():
    parser = argparse.ArgumentParser(prog="make histories")
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--corruptions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    start = time.monotonic()
    left = asked.corruptions
    for number in range(asked.games):
        text = _round_trip(number, asked.seed)
        tries = -(-left // (asked.games - number))
        _corrupt(text, tries, random.Random(f"{asked.seed} {number}"))
        left -= tries
    seconds = time.monotonic() - start
    print(
        f"{asked.games} games read as they were written and found right, "
        f"{asked.corruptions} changed words found, in {seconds:.0f} s"
    )


def _round_trip(number, seed):
    name, seats = TABLES[number % len(TABLES)]
    events = events_of(name, seats, seed * 1_000_000 + number)
    told = record(events)
    text = write_game(told)
    reading = read_game(text)
    assert reading.record == told, (name, seats, number)
    assert write_game(reading.record) == text, (name, seats, number)
    report = verify_text(text)
    assert set(report.checks.values()) == {Verdict.PASS}, (name, seats, number, report)
    return text


def _corrupt(text, tries, rng):
    for _ in range(tries):
        change = corrupted(text, rng)
        report = verify_text(change.text)
        passes = report.is_valid and report.checks[Check.COMMITMENT] is Verdict.PASS
        assert not passes or change.is_harmless(text), change[1:]


if __name__ == "__main__":
    main()
