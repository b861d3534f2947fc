"""When a bot moves says nothing about its hand."""

import time
from dataclasses import replace
from itertools import chain
from math import sqrt
from queue import SimpleQueue

import pytest

from engine import commands as c
from engine import events as e
from engine.bots import fallback_move
from engine.bots.hard_bot import HardBot
from engine.evolve import evolve
from engine.playing import legal_plays
from engine.state import situation
from service import jobs, steady
from service.deadlines import Waits
from service.held import Held
from service.jobs import think_due
from service.sweeper import GRACE_MS
from service.tempo import PASSES_TAKE, waiting_bots
from tests.fakes import MemoryStore
from tests.house import House, legal_moves
from tests.processes import SECONDS
from tests.table import rules

DELAY = 250
THINKS = 60
NO_PASS = rules(passing={"cycle": ["hold"]}, ending={"deals": 1, "tie": "share"})
ONE_PERSON = (None, "hard", "expert", "hard")


@pytest.fixture
def house(monkeypatch):
    """A house in which each choice of a bot takes `THINKS` milliseconds."""
    house = House(MemoryStore(), waits=Waits(bot_delay_ms=DELAY))
    house.chosen = []

    def choose(view, level, seed):
        del seed
        house.now += THINKS
        house.chosen.append(level)
        return replace(fallback_move(view), auto=None)

    monkeypatch.setattr(jobs, "choose", choose)
    return house


def people_move(house, game_id):
    """Have people move until bots alone are to act."""
    while not waiting_bots(house.read(game_id)):
        house.ask(game_id, legal_moves(house.read(game_id))[0])


def hands(house):
    """Return what a worker of the house plays with, whose time is that of the house."""
    return house.hands(timer=lambda: house.now / 1_000)


def bots_turn(house, *seats, **more):
    """Return a game in which a bot is to play a card, and when its turn was opened."""
    game_id = house.started(*(seats or ONE_PERSON), rules=NO_PASS, **more)
    people_move(house, game_id)
    house.hinted.clear()
    return game_id, house.read(game_id).times.turn_opened_at


def moved_at(house, game_id):
    """Return when bots have moved, in the order of their moves."""
    moves = (e.CardPlayed, e.CardsPassed)
    return [
        one.time
        for one in house.log(game_id)
        if one.actor.kind == "bot" and isinstance(one.event, moves)
    ]


def test_a_bot_that_searches_moves_a_while_after_its_turn_was_opened(house):
    game_id, opened = bots_turn(house)

    think_due(hands(house), game_id)
    assert moved_at(house, game_id) == []
    assert house.chosen
    house.wait_for_held()

    assert moved_at(house, game_id) == [opened + DELAY]


def test_a_choice_that_takes_longer_is_played_when_it_is_made(house):
    game_id, opened = bots_turn(house)
    house.now += DELAY - 10

    think_due(hands(house), game_id)
    house.wait_for_held()

    assert moved_at(house, game_id)[:1] == [opened + DELAY - 10 + THINKS]


def test_after_a_held_move_the_game_is_looked_at_again(house):
    game_id, _ = bots_turn(house)
    think_due(hands(house), game_id)

    house.wait_for_held()

    assert house.hinted == ([game_id] if waiting_bots(house.read(game_id)) else [])


def test_all_bots_pass_at_one_moment(house):
    game_id = house.started(*ONE_PERSON)
    opened = house.read(game_id).times.turn_opened_at

    for _ in range(3):
        think_due(hands(house), game_id)
    house.wait_for_held()

    assert moved_at(house, game_id) == [opened + PASSES_TAKE * DELAY] * 3


def test_one_job_chooses_as_long_as_it_may_and_the_next_goes_on(house):
    game_id = house.started(*ONE_PERSON)
    house.hinted.clear()

    for chosen in (1, 2, 3):
        think_due(hands(house), game_id)
        assert len(house.chosen) == chosen
        assert house.hinted == [game_id] * min(chosen, 2)

    house.wait_for_held()
    assert len(moved_at(house, game_id)) == 3


def test_bots_that_do_not_search_move_at_once(house):
    game_id, _ = bots_turn(house, None, "easy", "random", "medium")

    think_due(hands(house), game_id)

    assert moved_at(house, game_id)
    assert house.held == []


def test_where_no_person_has_a_seat_nobody_waits(house):
    game_id = house.started(*("hard",) * 4, rules=NO_PASS)

    think_due(hands(house), game_id)

    assert moved_at(house, game_id)
    assert house.held == []


def test_a_person_who_has_left_may_still_see_it(house):
    game_id = house.started(None, "hard", "hard", "hard", rules=NO_PASS)
    house.ask(game_id, c.KickSeat(0, "hard"))

    think_due(hands(house), game_id)

    assert moved_at(house, game_id) == []
    assert len(house.held) == 1


def test_a_bot_that_takes_a_seat_over_has_its_time_from_then_on(house):
    game_id = house.started(None, None, None, None, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.now += 60_000
    house.ask(game_id, c.HandOver(seat, "hard"))
    taken_over = house.now

    think_due(hands(house), game_id)
    house.wait_for_held()

    assert moved_at(house, game_id) == [taken_over + DELAY]


@pytest.mark.parametrize("level", ["hard", "expert"])
def test_a_bot_that_takes_a_seat_over_twice_has_its_time_from_the_second_time_on(house, level):
    game_id = house.started(None, None, None, None, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.HandOver(seat, "hard"))
    think_due(hands(house), game_id)
    house.now += 100
    for command in (c.TakeBack(seat), c.HandOver(seat, level)):
        house.ask(game_id, command)
    taken_over = house.now

    think_due(hands(house), game_id)
    house.wait_for_held()

    assert moved_at(house, game_id) == [taken_over + DELAY]
    assert house.chosen == ["hard", level]


def test_nobody_keeps_a_bot_waiting_by_doing_something(house):
    game_id, opened = bots_turn(house)
    house.now += 100
    for command in (c.HandOver(0, "easy"), c.TakeBack(0)):
        house.ask(game_id, command)

    assert house.deps.store.due == {game_id: opened + DELAY}
    think_due(hands(house), game_id)
    house.wait_for_held()

    assert moved_at(house, game_id) == [opened + DELAY]


def test_a_game_is_due_when_its_bot_moves(house):
    game_id, opened = bots_turn(house)
    assert house.deps.store.due == {game_id: opened + DELAY}

    passing = house.started(*ONE_PERSON)

    opened = house.read(passing).times.turn_opened_at
    assert house.deps.store.due[passing] == opened + PASSES_TAKE * DELAY


def test_hints_in_any_number_choose_once(house):
    game_id, _ = bots_turn(house)

    for _ in range(5):
        think_due(hands(house), game_id)
    house.wait_for_held()

    assert len(house.chosen) == 1
    assert len(moved_at(house, game_id)) == 1


def test_what_a_worker_held_when_it_died_is_chosen_again(house):
    game_id, opened = bots_turn(house)
    think_due(hands(house), game_id)
    house.held.clear()
    house.now = opened + DELAY + GRACE_MS
    house.trouble.a_second_passes()

    assert house.sweep() == [game_id]
    think_due(hands(house), game_id)

    assert len(moved_at(house, game_id)) == 1


def test_a_player_who_is_back_is_not_played_for(house):
    game_id = house.started(None, None, None, None, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.HandOver(seat, "hard"))
    think_due(hands(house), game_id)

    house.ask(game_id, c.TakeBack(seat))
    house.wait_for_held()

    assert moved_at(house, game_id) == []


def test_a_level_that_fails_is_replaced_as_soon_as_any_other(house, monkeypatch):
    game_id, opened = bots_turn(house, None, None, None, "hard")
    monkeypatch.setattr(jobs, "choose", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        think_due(hands(house), game_id)
    house.now = opened + DELAY

    for _ in range(jobs.LATE_TRIES):
        house.now += GRACE_MS + 1
        house.trouble.a_second_passes()
        with pytest.raises(ZeroDivisionError):
            think_due(hands(house), game_id)
    house.trouble.a_second_passes()
    think_due(hands(house), game_id)

    assert len(moved_at(house, game_id)) == 1


def test_a_turn_from_a_clock_that_is_ahead_waits_no_longer_than_any(house):
    game_id, _ = bots_turn(house)
    house.now -= 500
    now = house.now

    think_due(hands(house), game_id)

    assert [at for at, _ in house.held] == [now + DELAY]


# The same, with real thinking and real time


def played_out(delay_ms):
    """Have bots play a deal, and return how long (ms) only cards took, and one of several."""
    house = House(MemoryStore(), clock=steady.wall_clock, waits=Waits(bot_delay_ms=delay_ms))
    held, done, pending = Held(), SimpleQueue(), []

    def hold(seconds, act):
        pending.append(act)
        held(seconds, act)
        held(seconds, lambda: done.put(None))

    worker = house.hands(timer=time.monotonic)._replace(hold=hold)
    game_id = house.started(None, "hard", "hard", "hard", rules=NO_PASS)
    while not house.read(game_id).is_over:
        if waiting_bots(house.read(game_id)):
            think_due(worker, game_id)
        else:
            house.ask(game_id, legal_moves(house.read(game_id), 0)[0])
        while pending:
            done.get(timeout=SECONDS)
            pending.pop()
    return times_of(house.log(game_id))


def times_of(log):
    """Return how long (ms) bots took for only cards, and for one of several."""
    state, only, several = None, [], []
    for one in log:
        if isinstance(one.event, e.CardPlayed) and one.actor.kind == "bot":
            legal = legal_plays(situation(state, one.event.seat)).bit_count()
            took = one.time - log[one.event.turn_id - 1].time
            (only if legal == 1 else several).append(took)
        state = evolve(state, one.event)
    return only, several


def gap(deals, delay_ms):
    """Return how far the two distributions lie apart, as a share of what chance allows.

    It is the statistic of Kolmogorov and Smirnov over its value at one in ten thousand.
    """
    played = [played_out(delay_ms) for _ in range(deals)]
    only, several = (list(chain(*times)) for times in zip(*played, strict=True))
    apart = max(abs(_share(only, most) - _share(several, most)) for most in (*only, *several))
    return apart / (2.23 * sqrt(1 / len(only) + 1 / len(several)))


def _share(times, most):
    return sum(one <= most for one in times) / len(times)


def test_the_time_for_an_only_card_is_that_for_one_of_many(monkeypatch):
    monkeypatch.setattr(HardBot, "play_budget", 200)

    # Without the delay everybody sees which is which, or the other figure says nothing.
    assert gap(2, delay_ms=0) > 1
    assert gap(3, delay_ms=40) < 1
