"""Games as files, straight from the log, for whoever checks the bots in them."""

from engine.notation.record import sole_versions
from engine.notation.recorder import Eyes, Header, record_of
from engine.notation.writer import write_game
from service.schemas.history import header_data
from service.schemas.responses import EVERYTHING, event_data
from tests.faults.log_files import with_hash


def lines_of(house, game_id, viewer=EVERYTHING):
    """Return the lines of the file of a game, without the last one."""
    stored = house.log(game_id)
    header = header_data(house.read(game_id), viewer, len(stored))
    return [header, *(event_data(one, viewer) for one in stored)]


def log_of(house, game_id):
    """Return the file of a game, as lines."""
    return with_hash(lines_of(house, game_id))


def notation_of(house, game_id, *, versions=True):
    """Return the same in notation, with or without the *versions* of levels."""
    stored, table = house.log(game_id), house.read(game_id).table
    named = [(one.actor.level, one.actor.version) for one in stored]
    header = Header(versions=sole_versions(named) if versions else {})
    events = [one.event for one in stored]
    return write_game(record_of(table, events, Eyes(everything=True), header)).encode()
