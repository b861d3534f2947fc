"""Games as files, straight from the log, for whoever checks the bots in them."""

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


def notation_of(house, game_id):
    """Return the same in notation."""
    events = [one.event for one in house.log(game_id)]
    table = house.read(game_id).table
    return write_game(record_of(table, events, Eyes(everything=True), Header())).encode()
