"""Logs of whole games as files of lines, without a service around them."""

import hashlib
import json
import random

from engine.shuffle import game_id_of
from service.game import opened_game
from service.schemas.history import header_data
from service.schemas.responses import EVERYTHING, event_data
from service.store.base import NO_HEAD
from tests.streams import stored_game
from tests.table import rules


def log_file(name, seats, seed, *, commands=None, viewer=EVERYTHING, play=stored_game, **options):
    """Return the log of a game as *viewer* reads it, whole or as it is after some *commands*."""
    stored = play(rules(name, seats, **options), random.Random(seed))
    if commands is not None:
        ends = [one.seq - 1 for one in stored if one.cause is not None]
        stored = stored[: ends[commands]]
    game = opened_game(game_id_of(stored[0].event.commitment), stored, NO_HEAD)
    header = header_data(game, viewer, len(stored))
    return with_hash([header, *(event_data(one, viewer) for one in stored)])


def with_hash(lines):
    """Return *lines* as a file whose hash is right."""
    return hashed(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b"\n")


def hashed(raw):
    """Return the file *raw* with the hash of what stands before its last line."""
    before = b"".join(raw.splitlines(keepends=True)[:-1])
    return before + json.dumps({"sha256": hashlib.sha256(before).hexdigest()}).encode() + b"\n"
