"""A game as the service holds it: one moment of one log, and where commands stand in it."""

import random

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import CorruptLogError
from engine.presets import preset_rules
from engine.shuffle import game_id_of
from engine.state import Status, status_of
from service.game import grown, opened_game
from service.store.base import head_of
from tests.fakes import MemoryStore
from tests.house import House, legal_moves
from tests.streams import CREATED_AT, cause_of, entries_of, stored_game
from tests.table import rules

A_SHOOTER_CHOOSES = 7


@pytest.fixture(scope="module")
def stored():
    return stored_game(preset_rules("standard", 4), random.Random(A_SHOOTER_CHOOSES))


@pytest.fixture(scope="module")
def entries(stored):
    return entries_of(stored)


@pytest.fixture
def house():
    return House(MemoryStore())


def game_id_in(stored):
    """Return the id that goes with the commitment in a log."""
    return game_id_of(stored[0].event.commitment)


def test_a_log_grows_to_the_same_game_in_any_steps(stored, entries):
    game_id = game_id_in(stored)
    whole = grown(game_id, None, entries)
    starts = [one.seq - 1 for one in stored if one.cause is not None]

    game = None
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        game = grown(game_id, game, entries[start:end])

    assert game == whole
    assert status_of(game.state) is Status.FINISHED


def test_nothing_new_is_the_same_game(stored, entries):
    game = grown(game_id_in(stored), None, entries[:9])

    assert grown(game.game_id, game, []) is game
    assert grown(game.game_id, None, []) is None


def test_head_and_version_are_those_of_the_last_entry(stored, entries):
    game = grown(game_id_in(stored), None, entries)

    assert (game.version, game.head) == (len(entries), head_of(entries[-1]))


def test_times_are_those_of_the_events(stored, entries):
    game = grown(game_id_in(stored), None, entries)

    assert game.times.created_at == CREATED_AT
    assert game.times.started_at == next(
        one.time for one in stored if isinstance(one.event, e.GameStarted)
    )
    assert game.times.last_event_at == game.times.finished_at == stored[-1].time


def test_every_command_stands_where_its_events_are(stored, entries):
    game = grown(game_id_in(stored), None, entries)

    for number, first in enumerate(one.seq for one in stored if one.cause is not None):
        done = game.command(cause_of(number).command)
        assert done.first == first
        assert done.last == len(stored) or stored[done.last].cause is not None
    assert game.command(b"unknown!") is None


def test_every_decision_stands_where_it_was_made(stored, entries):
    game = grown(game_id_in(stored), None, entries)
    moves = [one for one in stored if hasattr(one.event, "turn_id")]

    assert moves
    for one in moves:
        assert game.decision(one.event.seat, one.event.turn_id) == one.seq


def test_an_earlier_moment_does_not_know_what_came_later(house):
    game_id = house.started(None, None, None, None)
    before = house.read(game_id)
    move = legal_moves(before)[0]

    after = house.ask(game_id, move, key="k")

    command = after.events[0].cause.command
    assert after.game.indexes is before.indexes
    assert (before.command(command), before.decision(move.seat, before.turn.id)) == (None, None)
    assert after.game.command(command).first == after.game.version


def test_the_turn_opens_when_it_becomes_somebodys(house):
    game_id = house.started(None, None, None, None)
    opened = house.read(game_id).times.turn_opened_at

    for seat in range(4):
        house.now += 700
        house.ask(game_id, legal_moves(house.read(game_id), seat)[0])
        if seat < 3:
            assert house.read(game_id).times.turn_opened_at == opened

    assert house.read(game_id).times.turn_opened_at == house.now


def test_a_shooter_decides_the_turn_that_the_shot_opened(stored):
    game = opened_game(game_id_in(stored), stored, b"")
    (chosen,) = [one for one in stored if isinstance(one.event, e.MoonChosen)]
    assert isinstance(stored[chosen.seq - 2].event, e.MoonShot)

    assert game.decision(chosen.event.seat, chosen.seq - 1) == chosen.seq


def test_the_log_of_another_game_is_refused(entries):
    with pytest.raises(CorruptLogError, match="another commitment"):
        grown("0" * 32, None, entries)


def test_a_log_that_cannot_follow_on_is_refused(stored, entries):
    with pytest.raises(CorruptLogError):
        grown(game_id_in(stored), None, [*entries[:9], *entries[30:]])


def test_a_log_with_a_card_that_no_table_has_is_refused(house):
    game_id = house.started(None, None, None, None)
    for seat in range(4):
        house.ask(game_id, legal_moves(house.read(game_id), seat)[0])
    log = house.log(game_id)
    nobody = e.CardPlayed(1, 1, seat=9, card=1, turn_id=13, broke_hearts=False, auto=None)

    with pytest.raises(CorruptLogError):
        opened_game(game_id, [*log, log[-1]._replace(seq=len(log) + 1, event=nobody)], b"")


def test_an_aborted_game_is_over(house):
    game_id = house.started(None, None, None, None)

    game = house.ask(game_id, c.AbortGame()).game

    assert game.is_over
    assert game.turn is None
    assert game.times.finished_at == house.now


def test_a_deal_goes_up_to_the_next_and_the_last_to_the_end(stored, entries):
    game = grown(game_id_in(stored), None, entries)
    dealt = [one.seq for one in stored if isinstance(one.event, e.DealDealt)]

    assert len(game.deals) == len(dealt)
    spans = [game.span(deal) for deal in game.deals]
    assert [first for first, _ in spans] == dealt
    assert [last for _, last in spans] == [*(first - 1 for first in dealt[1:]), len(stored)]


@pytest.mark.parametrize("reveal", ["deal_end", "game_end"])
def test_a_deal_is_open_as_soon_as_the_log_tells_its_link(reveal):
    stored = stored_game(rules(reveal=reveal), random.Random(A_SHOOTER_CHOOSES))
    entries = entries_of(stored)
    opened = {one.deal: (place.seq, one.seed) for place in stored for one in _opened(place.event)}

    assert opened.keys() == set(range(1, len(opened) + 1))
    for end in (40, *(seq - 1 for seq, _ in opened.values()), len(entries)):
        game = grown(game_id_in(stored), None, entries[:end])
        for deal in game.deals:
            seq, seed = opened[deal]
            assert game.is_open(deal) == (seq <= end)
            assert game.link(deal) == (seed if seq <= end else None)
        assert game.link(game.table.deals + 1) is None


def _opened(event):
    if isinstance(event, e.DealScored):
        return [event.opened] if event.opened else []
    return getattr(event, "reveals", [])


def test_an_earlier_moment_does_not_know_the_deals_and_links_to_come(house):
    game_id = house.started(None, None, None, None)
    before = house.read(game_id)

    after = house.ask(game_id, c.AbortGame()).game

    assert after.indexes is before.indexes
    assert (before.link(1), before.is_open(1)) == (None, False)
    assert after.link(1) is not None
    assert after.is_open(1)
    assert before.span(1) == (before.version, before.version)
