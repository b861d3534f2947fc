"""What becomes of a turn whose level fails, and of a game that cannot go on."""

import logging
from contextlib import suppress
from itertools import count

import pytest

from engine import commands as c
from engine.cards import lowest
from engine.errors import CorruptLogError
from service import jobs
from service.command_request import BusyError
from service.jobs import LATE_MS, IllegalBotMoveError, play_due
from service.store.base import StoreUnavailableError
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.house import House
from tests.table import rules

BOTS = ("easy",) * 4
SHORT = {"ending": {"deals": 1}}


@pytest.fixture
def house():
    return House(MemoryStore())


def hinted(house, *seats, **more):
    """Return a game in which a bot is to act, and nobody has hinted at it."""
    game_id = house.started(*(seats or BOTS), **more)
    house.hinted.clear()
    return game_id


def one_move_each():
    """Return a timer by which every move takes too long for a second one."""
    return count().__next__


def played(house, game_id):
    return [one for one in house.log(game_id) if one.actor.kind == "bot"]


def break_levels(monkeypatch, choice):
    """Let every level choose as *choice* does."""
    monkeypatch.setattr(jobs, "choose", choice)


def broken(*_):
    raise ZeroDivisionError


# Levels that fail


def test_a_level_that_fails_once_is_asked_again(house, monkeypatch):
    game_id = hinted(house)
    with monkeypatch.context() as patch:
        break_levels(patch, broken)
        with pytest.raises(ZeroDivisionError):
            play_due(house.hands(), game_id)
    house.now += LATE_MS + 1

    play_due(house.hands(one_move_each()), game_id)

    assert [one.event.auto for one in played(house, game_id)] == [None]


def fail_until_moved(house, game_id, kind):
    """Hint every second and a half until a bot has moved; return how often that failed."""
    for failures in range(9):
        try:
            play_due(house.hands(one_move_each()), game_id)
        except kind:
            house.now += 1_500
        if played(house, game_id):
            return failures
    raise AssertionError("no bot has moved")


@pytest.mark.parametrize("kind", [MemoryError, RecursionError, KeyError, AssertionError])
def test_whatever_a_level_raises_a_fallback_move_is_made(house, monkeypatch, kind):
    def failing(*_):
        raise kind

    game_id = hinted(house)
    break_levels(monkeypatch, failing)

    assert fail_until_moved(house, game_id, kind) == 3
    assert played(house, game_id)[0].event.auto == "fallback"


def test_after_three_failures_a_fallback_move_is_made_and_said_once(house, monkeypatch, caplog):
    """Fault cases 37 and 93."""
    game_id = hinted(house)
    break_levels(monkeypatch, broken)

    assert fail_until_moved(house, game_id, ZeroDivisionError) == 3

    (passed,) = played(house, game_id)
    assert passed.event.auto == "fallback"
    assert [text for text in caplog.messages if "fallback" in text] == [
        "seat 0 makes a fallback move, its level failed"
    ]


def test_an_illegal_move_is_a_failure_that_names_no_card(house, monkeypatch, caplog):
    game_id = hinted(house)
    break_levels(
        monkeypatch, lambda view, *_: c.PassCards(view.you.seat, (lowest(view.you.hand),) * 3)
    )

    assert fail_until_moved(house, game_id, IllegalBotMoveError) == 3

    assert played(house, game_id)[0].event.auto == "fallback"
    assert caplog.messages.count("level easy made a move that is refused: duplicate_cards") == 3


def test_a_level_nobody_knows_gets_fallback_moves_or_is_left_alone(house, monkeypatch):
    game_id = hinted(house)
    monkeypatch.setattr(jobs, "LEVELS", {})
    monkeypatch.setattr("engine.bots.LEVELS", {})

    for _ in range(12):
        try:
            play_due(house.hands(), game_id)
        except KeyError:
            house.now += 1_500

    assert house.trouble.parked == {game_id}


def test_a_game_goes_on_with_fallback_moves_to_its_end(house, monkeypatch):
    game_id = hinted(house, rules=rules(ending={"deals": 1, "tie": "share"}))
    break_levels(monkeypatch, broken)
    for _ in range(4 * (4 + 52)):
        with suppress(ZeroDivisionError):
            play_due(house.hands(one_move_each()), game_id)
        house.now += 1_500

    assert house.read(game_id).is_over
    marks = {one.event.auto for one in played(house, game_id) if hasattr(one.event, "auto")}
    assert marks == {"fallback"}


def test_each_seat_that_passes_has_its_own_failures(house):
    """Seven bots that pass slowly one after the other have not failed."""
    game_id = hinted(house, *("easy",) * 7)

    for _ in range(7):
        house.now += LATE_MS + 1
        play_due(house.hands(one_move_each()), game_id)

    passed = played(house, game_id)[:7]
    assert [one.event.auto for one in passed] == [None] * 7


def test_a_store_that_is_away_is_no_failure_of_the_level(house):
    game_id = hinted(house)
    house.now += LATE_MS + 1
    store = house.deps.store
    for _ in range(5):
        house.over(FaultyStore(store, [Fault.UNAVAILABLE]))
        with pytest.raises(StoreUnavailableError):
            play_due(house.hands(), game_id)
    house.over(store)

    play_due(house.hands(one_move_each()), game_id)

    assert [one.event.auto for one in played(house, game_id)] == [None]


def test_being_overtaken_is_no_failure_of_the_level(house):
    game_id = hinted(house)
    house.now += LATE_MS + 1
    store = house.deps.store
    for _ in range(5):
        house.over(FaultyStore(store, [Fault.CONFLICT] * 100))
        with pytest.raises(BusyError):
            play_due(house.hands(), game_id)
    house.over(store)

    play_due(house.hands(one_move_each()), game_id)

    assert [one.event.auto for one in played(house, game_id)] == [None]


def test_one_worker_at_a_time_tries_a_late_turn(house):
    game_id = hinted(house)
    house.now += LATE_MS + 1
    decision = jobs.Decision(game_id, house.read(game_id).turn.id, 0)

    with house.trouble.attempt(decision):
        play_due(house.hands(), game_id)

    assert played(house, game_id) == []


def test_a_turn_from_a_clock_that_is_ahead_is_handled_with_care(house, monkeypatch):
    game_id = hinted(house)
    house.now -= 3_600_000
    break_levels(monkeypatch, broken)

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            play_due(house.hands(), game_id)
    play_due(house.hands(one_move_each()), game_id)

    assert played(house, game_id)[0].event.auto == "fallback"


# Games that cannot go on


def test_a_corrupt_game_is_parked_and_said(house, caplog):
    game_id = hinted(house)
    house.deps.store.streams[game_id][-1] = b"\xc1"
    hands = house.restarted().hands()

    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            play_due(hands, game_id)

    assert house.trouble.parked == {game_id}
    (said,) = caplog.messages
    assert said.startswith(f"quarantined {game_id} (log): event ")


@pytest.mark.parametrize("lateness", [0, LATE_MS + 1])
def test_a_game_whose_log_takes_no_more_is_parked(house, lateness, caplog):
    class Closed:
        def __getattr__(self, name):
            return getattr(house.deps.store, name)

        def append(self, *_):
            raise CorruptLogError("entries were taken out")

    game_id = hinted(house)
    worker = house.restarted().over(Closed())
    worker.now += lateness

    play_due(worker.hands(), game_id)

    assert house.trouble.parked == {game_id}
    assert caplog.messages == [f"quarantined {game_id} (log): entries were taken out"]


def test_a_game_whose_key_is_gone_is_parked_and_the_key_is_named(house, caplog):
    game_id = hinted(house)
    other = House(
        house.deps.store, keys=[b"another key of 32 bytes or more.."], trouble=house.trouble
    )

    for _ in range(3):
        play_due(other.hands(), game_id)

    assert house.trouble.parked == {game_id}
    assert played(house, game_id) == []
    key = house.read(game_id).table.key_id
    assert caplog.messages == [f"quarantined {game_id} (secret): key {key} is not configured"]


def test_a_hint_at_a_game_that_is_gone_is_parked(house, caplog):
    for _ in range(2):
        play_due(house.hands(), "0" * 32)

    assert house.trouble.parked == {"0" * 32}
    assert caplog.messages == [f"quarantined {'0' * 32} (log): there is no game {'0' * 32}"]


def test_a_poison_game_does_not_stop_the_others(house, monkeypatch):
    poison = hinted(house, rules=rules(**SHORT))
    others = [hinted(house, rules=rules(**SHORT)) for _ in range(3)]
    house.deps.store.streams[poison].insert(3, b"\xc1")
    house = house.restarted()

    house.rest()

    assert all(house.read(one).is_over for one in others)
    assert house.trouble.parked == {poison}
