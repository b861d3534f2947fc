"""Records of whole games, and their texts."""

import random

from engine.evolve import fold
from engine.notation.recorder import Eyes, Header, record_of
from engine.notation.writer import write_game
from engine.presets import PRESETS
from engine.state import table_of
from tests.games import play_game, restless_commands
from tests.table import rules

ALL = Eyes(everything=True)
HEADER = Header("2026-11-29", "hearts-api")
TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


def events_of(name, seats, seed, **options):
    """Return the events of a whole game; every other one is restless."""
    chosen, rng = rules(name, seats, **options), random.Random(f"{name} {seats} {seed}")
    if seed % 2:
        return play_game(chosen, rng)
    return [event for _, events in restless_commands(chosen, rng) for event in events]


def record(events, eyes=ALL, header=HEADER):
    return record_of(table_of(fold(None, events)), events, eyes, header)


def text_of(events, eyes=ALL, header=HEADER):
    return write_game(record(events, eyes, header))
