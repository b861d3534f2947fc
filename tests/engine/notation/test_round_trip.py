"""What is written is read as it was, for every preset and every number of seats."""

import pytest

from engine.evolve import fold
from engine.notation.reader import read_game
from engine.notation.writer import write_game
from engine.state import table_of
from tests.engine.notation.records import TABLES, events_of, record, text_of

TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_game_is_read_as_it_was_written(name, seats):
    events = events_of(name, seats, seed=seats, ending=TWO_DEALS)

    text = text_of(events)
    reading = read_game(text)

    assert reading.record == record(events)
    assert reading.facts.rules == table_of(fold(None, events)).rules
    assert write_game(reading.record) == text


@pytest.mark.parametrize("seed", range(3))
def test_a_game_that_goes_on_is_read_as_it_was_written(seed):
    events = events_of("kitty", 5, seed)
    for end in range(1, min(len(events), 300), 7):
        text = text_of(events[:end])

        assert write_game(read_game(text).record) == text
