"""What the net learns from: plays of deals among equals, and what they were chosen from.

`python -m tests.teaching.lessons FOLDER DEALS [LEVEL]` plays deals and keeps the lessons of
each game in a file of its own; games that are there are not played again.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.policy.choosing import choices_of, stands_for
from engine.policy.history import plays_of
from engine.policy.inputs import UNSET, WHOLE_SUIT, suit_inputs
from engine.policy.layout import RANKS, SUITS
from engine.state import TurnType
from engine.view import all_hands
from tests.engine.bots.bot_games import decisions, short

DEALS = 20
PUBLIC = 48
"""No play has more inputs that are set whatever the hand."""


class Lessons(NamedTuple):
    """Plays, a row each: all *inputs* that were set, the *choices*, and the one *played*."""

    inputs: np.ndarray
    choices: np.ndarray
    played: np.ndarray

    def __len__(self):
        return len(self.choices)


def lessons_of(rules, levels, game):
    """Play a game of *levels* and return its lessons; *game* is what its chance begins from."""
    rows, last = [], None
    for one in decisions(rules, *levels, game=game):
        if one.view.turn.type is not TurnType.PLAY:
            continue
        if last is not None and one.view.deal.number != last.view.deal.number:
            rows += _rows(last)
        last = one
    rows += _rows(last)
    public, own, lives, choices, played = zip(*rows, strict=True)
    inputs = _all_inputs(list(public), np.array(own), np.array(lives))
    return Lessons(inputs, np.array(choices), np.array(played))


def _rows(decision):
    """Yield what each play of a deal was made from, as of the last decision in it."""
    hands = all_hands(decision.state)
    for one in plays_of(decision.view.deal):
        own = hands[one.seat] | one.later
        choices = choices_of(one, np.array([own]))
        if choices[0] & (choices[0] - 1):
            yield one.inputs, own, one.live, choices[0], stands_for(one, choices)[0]


def _all_inputs(public, own, lives):
    rows = [np.pad(np.array(one), (0, PUBLIC - len(one)), constant_values=UNSET) for one in public]
    columns = [np.stack(rows)]
    for suit in range(SUITS):
        held = own >> RANKS * suit & WHOLE_SUIT
        left = (lives & ~own) >> RANKS * suit & WHOLE_SUIT
        columns.append(suit_inputs(suit, held, left))
    return np.concatenate(columns, axis=1).astype(np.int16)


def kept_lessons(folder):
    """Return all lessons that *folder* has, in the order of their games."""
    files = [np.load(path) for path in sorted(folder.glob("*.npz"))]
    return Lessons(*(np.concatenate([file[name] for file in files]) for name in Lessons._fields))


def main(folder, deals, level="expert"):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    games = -(-int(deals) // DEALS)
    for game in range(games):
        path = folder / f"{level}-{game:05}.npz"
        if not path.exists():
            found = lessons_of(short("standard", 4, DEALS), [level] * 4, game)
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                np.savez_compressed(file, **found._asdict())
            part.rename(path)
        print(f"\r{(game + 1) * DEALS:,} of {games * DEALS:,} deals", end="", flush=True)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
