"""What is told of a game: a pure function of its log."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from engine import commands as c
from engine import events as e
from engine.clocks import Clock
from service.command_handler import handle
from service.webhooks import messages as m
from tests.contract.spec import contract
from tests.fakes import MemoryStore
from tests.faults.test_taint import codes_in
from tests.house import House, legal_moves
from tests.table import rules

HOUR = 3_600_000
SLOW = Clock(3_600, 3_600, 3_600, "easy")
APP = c.TableOptions(application="shop")


@pytest.fixture
def house():
    return House(MemoryStore())


def told(house, game_id):
    """Return all messages of the game so far."""
    games = house.deps.games
    game = games.read(game_id)
    return [
        message
        for stored, moment in games.moments(game, 1, game.version)
        for message in m.messages_of(stored, moment)
    ]


def whole_game(house, *seats):
    game_id = house.started(*seats, options=APP)
    for _ in range(2_000):
        house.rest()
        game = house.read(game_id)
        if game.turn is None:
            return game_id
        house.ask(game_id, legal_moves(game)[0])
    raise AssertionError


def test_every_decision_of_a_person_is_told_once_and_those_of_bots_are_not(house):
    game_id = whole_game(house, None, None, "easy", "easy")

    found = told(house, game_id)
    decided = [
        (one.event.turn_id, one.event.seat)
        for one in house.log(game_id)
        if isinstance(one.event, e.CardPlayed | e.CardsPassed | e.MoonChosen)
        and one.event.seat in (0, 1)
    ]
    opened = [(one.turn_id, one.seat) for one in found if one.type == m.OPENED]
    assert Counter(opened) == Counter(decided)
    assert (found[0].type, found[-1].type) == (m.STARTED, m.FINISHED)
    assert len({one.id for one in found}) == len(found)


def test_the_same_log_tells_the_same(house):
    game_id = whole_game(house, None, "easy", "easy")

    assert told(house, game_id) == told(house.restarted(), game_id)


def test_a_message_is_thin_and_has_neither_cards_nor_names(house):
    game_id = whole_game(house, None, "easy", "easy")

    schemas = contract().document["webhooks"]
    for one in told(house, game_id):
        assert len(one.body) < 1_000
        assert not codes_in(one.body.encode()), one.body
        assert "Ana" not in one.body
        media = schemas[one.type]["post"]["requestBody"]["content"]["application/json"]
        assert contract().faults(media["schema"], json.loads(one.body)) == []


def test_a_play_is_named_by_its_turn_and_a_pass_by_its_seat_as_well(house):
    game_id = house.started(None, None, None, None)
    passes = [one.id for one in told(house, game_id) if one.type == m.OPENED]
    turn = house.read(game_id).turn

    assert passes == [f"msg_{game_id}-{turn.id}-opened-{seat}" for seat in range(4)]
    while (game := house.read(game_id)).turn.type.value == "pass":
        house.ask(game_id, legal_moves(game)[0])
    last = told(house, game_id)[-1]
    assert last.id == f"msg_{game_id}-{game.turn.id}-opened"
    assert (last.data["turn_type"], last.data["deadline_at"]) == ("play", None)


def test_who_has_an_hour_is_reminded_at_half_and_at_four_fifths(house):
    game_id = house.started(None, None, None, clock=SLOW)
    opened = house.read(game_id).times.turn_opened_at

    def reminders(after):
        return [one.id.rpartition("reminder-")[2] for one in remind(house, game_id, opened + after)]

    assert reminders(HOUR // 2 - 1) == []
    assert reminders(HOUR // 2) == ["50-0", "50-1", "50-2"]
    assert reminders(HOUR * 4 // 5) == ["80-0", "80-1", "80-2"]
    game = house.read(game_id)
    assert m.next_reminder(game, opened) == opened + HOUR // 2
    assert m.next_reminder(game, opened + HOUR // 2) == opened + HOUR * 4 // 5
    assert m.next_reminder(game, opened + HOUR * 4 // 5) is None


def remind(house, game_id, now):
    return m.reminders_of(house.read(game_id), now)


def test_who_has_decided_is_not_reminded(house):
    game_id = house.started(None, None, None, clock=SLOW)
    game = house.read(game_id)
    house.ask(game_id, legal_moves(game, 1)[0])

    assert [one.seat for one in remind(house, game_id, game.times.turn_opened_at + HOUR)] == [0, 2]


def test_a_short_clock_reminds_nobody(house):
    game_id = house.started(None, None, None, clock=Clock(3_599, 3_599, 3_599, "easy"))

    assert remind(house, game_id, house.now + HOUR) == []
    assert m.next_reminder(house.read(game_id), house.now) is None


def test_a_seat_that_changes_hands_is_told_both_ways(house):
    game_id = house.started(None, None, None)
    house.ask(game_id, c.HandOver(1, "easy"))
    house.ask(game_id, c.TakeBack(1))
    again = house.request(house.read(game_id), c.TakeBack(1), key="k" * 22)
    handle(house.deps, game_id, replace(again, is_named=True))
    assert house.log(game_id)[-1].event.reason == "unchanged"

    found = [one.data for one in told(house, game_id) if one.type == m.CONTROL]
    assert [(one["seat"], one["controller"], one["reason"]) for one in found] == [
        (1, "bot", "handed_over"),
        (1, "human", "returned"),
    ]


def test_a_game_that_is_stopped_is_told(house):
    game_id = house.started(None, None, None)
    house.ask(game_id, c.AbortGame())

    last = told(house, game_id)[-1]
    assert (last.type, last.data["reason"]) == (m.ABORTED, "host")


def test_only_the_person_who_is_to_act_is_waited_for(house):
    game_id = house.started(None, None, "easy", rules=rules(seats=3))
    turn = house.read(game_id).turn

    assert m.is_open(house.read(game_id), turn.id, 0)
    assert not m.is_open(house.read(game_id), turn.id, 2)
    assert not m.is_open(house.read(game_id), turn.id + 1, 0)
