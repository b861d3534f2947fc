"""The net learns from lessons which card is played, and is kept in whole numbers.

`python -m tests.teaching.learning LESSONS FILE [ROUNDS]` reads a folder of lessons, shows after
each round through them how well the net does with games that it has not seen, and writes
FILE; the one in the package is `engine/policy/plays.npz`. The last game in ten is not learnt from.
"""

import sys
from pathlib import Path

import numpy as np

from engine.policy.inputs import UNSET
from engine.policy.layout import CARDS, INPUTS
from engine.policy.net import SCALE, Net
from tests.teaching.lessons import Lessons, kept_lessons

SIZES = (64, 32)
BATCH = 1_024
FASTEST = 3e-3
WARM_UP = 0.1
SEED = 1


class Teacher:
    """The net in broken numbers, and Adam's memory of where each weight has been going.

    Source: Kingma and Ba, "Adam: a method for stochastic optimization", 2015.
    """

    def __init__(self, random):
        first, second = SIZES
        self.weights = [
            random.normal(0, 0.08, (INPUTS + 1, first)),
            np.zeros(first),
            random.normal(0, first**-0.5, (first, second)),
            np.zeros(second),
            random.normal(0, second**-0.5, (second, CARDS)),
            np.zeros(CARDS),
        ]
        self.weights = [one.astype(np.float32) for one in self.weights]
        self.weights[0][UNSET] = 0
        self._means = [np.zeros_like(one) for one in self.weights]
        self._squares = [np.zeros_like(one) for one in self.weights]
        self._steps = 0

    def wanted(self, rows):
        """Return how much each card is wanted, and what the layers before it gave."""
        first, first_bias, second, second_bias, third, third_bias = self.weights
        one = np.maximum(rows @ first + first_bias, 0)
        two = np.maximum(one @ second + second_bias, 0)
        return two @ third + third_bias, one, two

    def learn(self, some, rate):
        """Learn from *some* lessons at that *rate*."""
        rows = _rows(some.inputs)
        wanted, one, two = self.wanted(rows)
        chances = _chances(wanted, some)
        wrong = (chances - _bits(some.played)) / len(some)
        _, _, second, _, third, _ = self.weights
        back_two = (wrong @ third.T) * (two > 0)
        back_one = (back_two @ second.T) * (one > 0)
        self._step(
            [
                *(rows.T @ back_one, back_one.sum(axis=0)),
                *(one.T @ back_two, back_two.sum(axis=0)),
                *(two.T @ wrong, wrong.sum(axis=0)),
            ],
            rate,
        )

    def loss(self, some):
        """Return how surprising the net finds a play of *some*, on average, in nats."""
        found = []
        for at in range(0, len(some), BATCH):
            part = Lessons(*(one[at : at + BATCH] for one in some))
            chances = _chances(self.wanted(_rows(part.inputs))[0], part)
            found.append(-np.log((chances * _bits(part.played)).sum(axis=1)))
        return float(np.concatenate(found).mean())

    def _step(self, slopes, rate):
        self._steps += 1
        slopes[0][UNSET] = 0
        steps = self._steps
        for at, slope in enumerate(slopes):
            self._means[at] += 0.1 * (slope - self._means[at])
            self._squares[at] += 0.001 * (slope * slope - self._squares[at])
            mean, square = (
                self._means[at] / (1 - 0.9**steps),
                self._squares[at] / (1 - 0.999**steps),
            )
            self.weights[at] -= rate * mean / (np.sqrt(square) + 1e-8)


def _rows(inputs):
    rows = np.zeros((len(inputs), INPUTS + 1), np.float32)
    np.put_along_axis(rows, inputs.astype(np.int64), 1, axis=1)
    rows[:, UNSET] = 0
    return rows


def _chances(wanted, some):
    may = _bits(some.choices)
    wanted = np.where(may, wanted, -np.inf)
    odds = np.exp(wanted - wanted.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def _bits(some):
    return some[:, None] >> np.arange(CARDS) & 1


def rate_at(share):
    """Return how fast to learn after such a *share* of all steps: up fast, then slowly down."""
    if share < WARM_UP:
        return FASTEST * (0.04 + 0.96 * share / WARM_UP)
    return FASTEST * (1 + np.cos(np.pi * (share - WARM_UP) / (1 - WARM_UP))) / 2


def whole(weights):
    """Return *weights* as `Net` has them, by the names of its fields."""
    units = (SCALE, SCALE, SCALE, SCALE**2, SCALE, SCALE**2)
    kinds = (np.int16, np.int32) * 3
    parts = [weights[0][:INPUTS], *weights[1:]]
    rounded = [np.rint(one * unit) for one, unit in zip(parts, units, strict=True)]
    return {
        name: one.astype(kind) for name, one, kind in zip(Net._fields, rounded, kinds, strict=True)
    }


def main(lessons, file, rounds="8"):
    some, random = kept_lessons(Path(lessons)), np.random.default_rng(SEED)
    unseen = len(some) // 10
    known = Lessons(*(one[:-unseen] for one in some))
    test = Lessons(*(one[-unseen:] for one in some))
    print(f"{len(known):,} plays to learn from, {len(test):,} to be tested by")
    teacher, total = Teacher(random), int(rounds) * (len(known) // BATCH)
    for number in range(int(rounds)):
        order = random.permutation(len(known))
        for at in range(len(known) // BATCH):
            batch = order[at * BATCH : (at + 1) * BATCH]
            done = number * (len(known) // BATCH) + at
            teacher.learn(Lessons(*(one[batch] for one in known)), rate_at(done / total))
        print(f"round {number + 1}: {teacher.loss(test):.4f} nats a play", flush=True)
    with Path(file).open("wb") as out:
        np.savez_compressed(out, **whole(teacher.weights))


if __name__ == "__main__":
    main(*sys.argv[1:])
