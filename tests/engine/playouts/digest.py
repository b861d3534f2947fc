"""A hash of playouts and worlds by one kernel: `python -m tests.engine.playouts.digest FOLDER`.

FOLDER has the package `engine.playouts` to take, compiled or not.
"""

import hashlib
import random
import sys

import engine.playouts

MIXES = 150
POSITIONS = 3
CHANCES = 4


def main(folder):
    engine.playouts.__path__[:] = [folder]
    from engine.cards import each
    from engine.knowledge import Sampler, chance_from, evidence_of
    from engine.playing import legal_plays
    from engine.playouts import kernel
    from engine.playouts.shapes import Playout
    from engine.playouts.tables import once, table_of
    from engine.state import situation
    from engine.view import view_for
    from tests.engine.bots.bot_games import TABLES, short
    from tests.engine.playouts.positions import (
        a_draw,
        seat_of,
        some_positions,
        start_in,
        world_in,
    )
    from tests.engine.rule_mixes import any_mix

    rng, found, count = random.Random(1), hashlib.sha256(), 0
    tables = [short(*table) for table in TABLES] + [any_mix(rng) for _ in range(MIXES)]
    for rules in tables:
        playout = Playout(table_of(rules, rng.choice([0, 64, 256])))
        for state in some_positions(rules, rng, POSITIONS):
            cards = [0, *each(once(legal_plays(situation(state, seat_of(state)))))]
            worlds = [world_in(state)] * CHANCES
            gains = kernel.gains(
                playout, start_in(state), worlds, cards, seat_of(state), a_draw(rng)
            )
            gains += kernel.gains(
                playout, start_in(state), worlds, [0], seat_of(state), a_draw(rng), seat_of(state)
            )
            starts = [start_in(state)] * CHANCES
            gains += kernel.gains_apart(playout, starts, worlds, 0, a_draw(rng), 1)
            outcomes = kernel.outcomes(playout, start_in(state), worlds, cards, a_draw(rng))
            sampler = Sampler(evidence_of(view_for(seat_of(state), state)))
            drawn = [sampler.draw(chance_from(a_draw(rng))) for _ in range(CHANCES)]
            taken = [[one.taken, one.taken_twice, one.points] for one in playout.players]
            found.update(repr([gains, taken, outcomes, drawn]).encode())
            count += len(gains)
    print("compiled" if kernel.BUILT_FROM else "interpreted", count, found.hexdigest())  # noqa: T201 - its purpose


if __name__ == "__main__":
    main(*sys.argv[1:])
