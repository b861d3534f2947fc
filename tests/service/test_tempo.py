"""In which queue a game waits for its bot."""

import pytest

from engine.bots import LEVELS, Tempo
from engine.clocks import Clock
from service.tempo import tempo_of
from tests.fakes import MemoryStore
from tests.house import House


@pytest.fixture
def house():
    return House(MemoryStore())


@pytest.mark.parametrize("level", LEVELS)
def test_a_game_waits_among_those_of_its_bots_pace(house, level):
    game_id = house.started(level, None, None, None)

    assert tempo_of(house.read(game_id)) is LEVELS[level].tempo


def test_where_people_are_to_act_it_is_what_plays_when_their_time_is_up(house):
    people = (None,) * 4
    free = house.started(*people)
    timed = house.started(*people, clock=Clock(60, 60, 60, "hard"))

    assert tempo_of(house.read(free)) is Tempo.QUICK
    assert tempo_of(house.read(timed)) is LEVELS["hard"].tempo


def test_a_level_that_nobody_knows_any_more_takes_no_time(house, monkeypatch):
    game_id = house.started("hard", None, None, None)
    monkeypatch.setattr("service.tempo.LEVELS", {})

    assert tempo_of(house.read(game_id)) is Tempo.QUICK
