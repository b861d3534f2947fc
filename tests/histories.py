"""Games whose whole log is given, behind the API: a finished one costs no time to play."""

import random

from engine import events as e
from engine.shuffle import game_id_of
from service.store.base import Marks
from tests.fakes import MemoryStore
from tests.streams import entries_of, stored_game
from tests.tables import Table


def played(rules, seed=1):
    """Return the log of a whole game; seat 0 and the last one are people's."""
    return stored_game(rules, random.Random(seed))


def table_of(api, stored, wrap=lambda store: store):
    """Return the table at which *stored* is all that happened, the only one behind *api*.

    *wrap* makes the store that is read from the one that holds the log.
    """
    store, game_id = MemoryStore(), game_id_of(stored[0].event.commitment)
    store.append(game_id, 0, b"", entries_of(stored), Marks(None))
    api.over(wrap(store))
    sign = api.deps.keyring
    host = sign.host_token(game_id, 1, sign.current)
    table = Table(api, {"id": game_id, "host_token": host, "seat": None})
    for one in stored:
        if isinstance(one.event, e.SeatClaimed):
            seat, grant = one.event.seat, one.event.grant
            table.tokens[seat] = sign.seat_token(game_id, seat, grant, sign.current)
    return table


def places(stored, kind):
    """Return the numbers of the events of that *kind*, in order."""
    return [one.seq for one in stored if isinstance(one.event, kind)]


def until(stored, seq):
    """Return the log of the game when the command that event *seq* belongs to was done."""
    # The first event of a command names its cause; no log ends before the last one.
    ends = (one.seq - 1 for one in stored[seq:] if one.cause is not None)
    return stored[: next(ends, len(stored))]
