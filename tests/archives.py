"""Finished games as archives have to hold them: with the times that people and bots take."""

import random

from engine import events as e
from engine.presets import preset_rules
from service.store.envelope import Actor
from tests.streams import entries_of, stored_game

_DEALS = range(6, 9)


def finished_games(count, seed=1, people=True):
    """Return the entries of *count* games of four seats and 6 to 8 deals at standard rules.

    A person takes some seconds for a move, to the millisecond, a bot some milliseconds. All
    seats are people's; or two of them, if not *people*.
    """
    rng, games = random.Random(seed), []
    while len(games) < count:
        stored = stored_game(preset_rules("standard", 4), random.Random(rng.randrange(10**9)))
        if sum(isinstance(one.event, e.DealScored) for one in stored) in _DEALS:
            games.append(entries_of(list(_timed(stored, rng, people))))
    return games


def _timed(stored, rng, people):
    now = stored[0].time
    for one in stored:
        is_bot = one.actor.kind == "bot" and not people
        if one.cause is not None and one.seq > 1:
            now += rng.randrange(3, 40) if is_bot else _thought(rng)
        actor = one.actor if is_bot or one.actor.kind != "bot" else Actor("seat", one.actor.seat)
        yield one._replace(time=now, actor=actor)


def _thought(rng):
    return min(60_000, 200 + int(1_000 * rng.lognormvariate(0.9, 0.7)))
