"""Deadlines: what happens when somebody's time is up, and what an outage does to it."""

from dataclasses import replace

import pytest
from prometheus_client import REGISTRY

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.clocks import Clock, OnAllIdle, OnTimeout
from engine.state import TurnType
from service.command_request import Refused, TurnAlreadyPlayed
from service.deadlines import GRACE_MS, Waits, deadline_of, next_deadline
from service.jobs import play_due
from service.store.envelope import Actor
from service.timekeeper import LEVEL_FAILS_MS
from tests.fakes import MemoryStore
from tests.house import House, at_once, legal_moves
from tests.table import rules

MINUTE = 60_000
PEOPLE = (None, None, None, None)
CLOCK = Clock(60, 90, 30, "easy")
NO_PASS = rules(passing={"cycle": ["hold"]})


@pytest.fixture
def house():
    return House(MemoryStore())


def timed(house, *seats, clock=CLOCK, table=NO_PASS):
    return house.started(*(seats or PEOPLE), rules=table, clock=clock)


def after(house, game_id, ms):
    """Return what happened when so much time had passed, and a worker looked."""
    before = house.read(game_id).version
    house.now += ms
    play_due(house.hands(), game_id)
    return [one for one in house.log(game_id) if one.seq > before]


def kinds(stored):
    return [type(one.event).__name__ for one in stored]


# Deadlines


def test_a_game_without_a_clock_waits_for_ever(house):
    game_id = house.started(*PEOPLE)

    assert deadline_of(house.read(game_id)) is None
    assert house.deps.store.due == {}
    assert after(house, game_id, 1_000 * MINUTE) == []


def test_the_deadline_is_due_with_the_append_that_opens_the_turn(house):
    game_id = timed(house)
    assert house.deps.store.due == {game_id: house.now + MINUTE}
    house.now += 7_000

    house.ask(game_id, legal_moves(house.read(game_id))[0])

    assert deadline_of(house.read(game_id)) == house.now + MINUTE
    assert house.deps.store.due == {game_id: house.now + MINUTE}


def test_every_process_says_the_same_deadline(house):
    game_id = timed(house)
    house.now += 5_000

    assert deadline_of(house.restarted().read(game_id)) == deadline_of(house.read(game_id))


def test_each_kind_of_decision_has_its_own_time(house):
    game_id = timed(house, table=rules())

    game = house.read(game_id)

    assert game.turn.type is TurnType.PASS
    assert deadline_of(game) == house.now + 90_000


def test_bots_have_no_deadline(house):
    game_id = timed(house, *["easy"] * 4)

    assert deadline_of(house.read(game_id)) is None


def test_nothing_happens_a_moment_too_early(house):
    game_id = timed(house)

    assert after(house, game_id, MINUTE - 1) == []
    assert after(house, game_id, 1) != []


# Time-outs


def test_a_move_is_made_when_the_time_is_up(house):
    game_id = timed(house)
    turn = house.read(game_id).turn

    timed_out, played, *_ = after(house, game_id, MINUTE)

    assert timed_out.event == e.TurnTimedOut(turn.id, turn.seats, 1, OnTimeout.BOT_TAKEOVER)
    assert (played.event.seat, played.event.auto) == (turn.seats[0], c.TIMEOUT)
    assert timed_out.actor == played.actor == Actor("timer")
    assert house.read(game_id).table.players[turn.seats[0]].playing_level is None


def test_all_who_have_not_passed_in_time_pass(house):
    game_id = timed(house, table=rules())
    house.ask(game_id, legal_moves(house.read(game_id), 2)[0])

    found = after(house, game_id, 90_000)

    assert kinds(found) == ["TurnTimedOut", "CardsPassed"] * 3 + ["PassCompleted"]
    assert [one.event.seat for one in found[1::2][:3]] == [0, 1, 3]
    assert house.read(game_id).turn.type is TurnType.PLAY


def test_a_bot_takes_over_after_some_time_outs_in_a_row(house):
    game_id = timed(house, None, "easy", "easy", "easy")
    house.rest_without_sweeping()
    first = after(house, game_id, MINUTE)
    assert "ControlChanged" not in kinds(first)

    second = after(house, game_id, MINUTE)

    assert kinds(second)[:3] == ["TurnTimedOut", "ControlChanged", "CardPlayed"]
    assert second[0].event.consecutive == 2
    assert second[1].event == e.ControlChanged(0, "easy", reasons.TIMEOUT)
    later = [one for one in second[3:] if isinstance(one.event, e.CardPlayed)]
    own = [one.event.auto for one in later if one.event.seat == 0]
    assert set(own) == {c.TAKEOVER}
    assert house.read(game_id).is_over


def test_a_move_of_ones_own_ends_the_row(house):
    game_id = timed(house, None, "easy", "easy", "easy")
    house.rest_without_sweeping()
    after(house, game_id, MINUTE)
    assert house.read(game_id).table.players[0].timeouts == 1

    house.ask(game_id, legal_moves(house.read(game_id))[0])

    assert house.read(game_id).table.players[0].timeouts == 0


def test_with_bot_move_nobody_is_replaced(house):
    game_id = timed(house, clock=Clock(60, 60, 60, "easy", OnTimeout.BOT_MOVE))

    for _ in range(12):
        assert kinds(after(house, game_id, MINUTE))[:2] == ["TurnTimedOut", "CardPlayed"]

    assert {player.timeouts for player in house.read(game_id).table.players} == {3}


def test_with_abort_the_game_ends(house):
    game_id = timed(house, clock=Clock(60, 60, 60, "easy", OnTimeout.ABORT))

    timed_out, aborted = after(house, game_id, MINUTE)

    assert timed_out.event.policy is OnTimeout.ABORT
    assert aborted.event.reason == reasons.TIMEOUT
    assert house.read(game_id).is_over
    assert house.deps.store.due == {}


def test_a_level_that_fails_is_replaced_by_the_fallback(house, monkeypatch):
    game_id = timed(house)
    monkeypatch.setattr("service.timekeeper.choose", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        after(house, game_id, MINUTE)

    _, played, *_ = after(house, game_id, LEVEL_FAILS_MS + 1)

    assert played.event.auto == c.TIMEOUT


def test_between_the_events_of_a_time_out_nobody_is_asked(house):
    game_id = timed(house)
    (first, *_) = after(house, game_id, MINUTE)

    assert house.deps.games.at(house.read(game_id), first.seq).turn is None


# Coming back


def test_with_any_move_the_player_is_back(house):
    game_id = taken_over(house)
    seat = house.read(game_id).turn.seats[0]
    assert house.read(game_id).table.players[seat].may_return

    token = house.read(game_id).table.players[seat].grant
    move = legal_moves(house.read(game_id), seat)[0]
    outcome = house.ask_as_player(game_id, move, token)

    assert kinds(outcome.events)[:2] == ["ControlChanged", "CardPlayed"]
    player = house.read(game_id).table.players[seat]
    assert (player.playing_level, player.timeouts) == (None, 0)
    assert house.moves_without_authority(game_id) == []


def taken_over(house):
    """Return a game in which a bot has taken over the seat that is to act."""
    game_id = timed(house)
    seat = house.read(game_id).turn.seats[0]
    house.ask(game_id, c.HandOver(seat, "easy"))
    return game_id


# Races


def test_a_late_move_is_no_move(house):
    game_id = timed(house)
    move = legal_moves(house.read(game_id))[0]
    turn = house.read(game_id).turn
    after(house, game_id, MINUTE)

    for late in legal_moves_of(house, game_id, turn):
        with pytest.raises(Refused) as refused:
            house.ask(game_id, late, guard=house.guard(turn.id))
        assert isinstance(refused.value.reason, TurnAlreadyPlayed)
    assert move.seat == turn.seats[0]


def legal_moves_of(house, game_id, turn):
    before = house.deps.games.at(house.read(game_id), turn.id)
    return legal_moves(before)


@pytest.mark.parametrize("number", range(20))
def test_of_a_time_out_and_a_late_move_one_is_first(house, number):
    del number
    game_id = timed(house)
    game = house.read(game_id)
    move, turn = legal_moves(game)[0], game.turn
    house.now += MINUTE
    workers = [lambda: play_due(house.hands(), game_id)] * 3

    own, *_ = at_once([lambda: house.ask(game_id, move, guard=house.guard(turn.id)), *workers])

    decisions = [
        one.event
        for one in house.log(game_id)
        if isinstance(one.event, e.CardPlayed) and one.event.turn_id == turn.id
    ]
    assert len(decisions) == 1
    assert (decisions[0].auto is None) is not isinstance(own, Exception)


def test_a_move_in_the_last_moment_leaves_the_timer_nothing_to_do(house):
    game_id = timed(house)
    house.now += MINUTE
    hands = house.hands()
    house.ask(game_id, legal_moves(house.read(game_id))[0])

    play_due(hands, game_id)

    assert house.log(game_id)[-1].event.auto is None


# Outages


def test_an_outage_is_not_charged(house):
    game_id = timed(house)
    began = house.now
    house.watch.outages = [(began + 10_000, began + 40_000)]

    (extended,) = after(house, game_id, MINUTE)

    assert extended.actor == Actor("timer")
    assert extended.event.deadline_at == began + MINUTE + 30_000 + GRACE_MS
    assert house.deps.store.due == {game_id: extended.event.deadline_at}
    assert after(house, game_id, 30_000 + GRACE_MS - 1) == []
    assert kinds(after(house, game_id, 1))[:2] == ["TurnTimedOut", "CardPlayed"]


def test_an_outage_is_made_up_for_once_as_soon_as_it_is_known(house):
    game_id = timed(house)
    house.now += 10_000
    house.watch.outages = [(house.now - 5_000, house.now)]

    assert kinds(after(house, game_id, 0)) == ["TurnExtended"]
    assert after(house, game_id, 0) == []


def test_a_second_outage_of_a_turn_is_made_up_for_too(house):
    game_id = timed(house)
    began = house.now
    house.watch.outages = [(began, began + 20_000)]
    after(house, game_id, 20_000)
    house.watch.outages.append((began + 30_000, began + 40_000))

    (extended,) = after(house, game_id, 20_000)

    assert extended.event.deadline_at == began + MINUTE + 30_000 + 2 * GRACE_MS


def test_an_outage_before_the_turn_is_nothing_to_it(house):
    game_id = timed(house)
    house.watch.outages = [(house.now - 99_000, house.now)]

    assert kinds(after(house, game_id, MINUTE))[:2] == ["TurnTimedOut", "CardPlayed"]


def test_a_worker_that_does_not_know_the_time_does_nothing(house):
    """Neither a clock that is an hour ahead fires anything, nor one a day."""
    game_id = timed(house)
    house.watch.is_odd = True

    assert after(house, game_id, 60 * MINUTE) == []
    assert after(house, game_id, 24 * 60 * MINUTE) == []


def test_a_deadline_never_moves_to_an_earlier_time(house):
    game_id = timed(house)
    shown = [deadline_of(house.read(game_id))]
    for _ in range(5):
        house.watch.outages.append((house.now, house.now + 10_000))
        after(house, game_id, 10_000)
        shown.append(deadline_of(house.read(game_id)))

    assert shown == sorted(set(shown))


# Idle tables


IDLE = Clock(600, 600, 600, "easy", OnTimeout.BOT_MOVE, idle_seconds=60)


def test_bots_finish_the_game_where_all_are_idle(house):
    game_id = timed(house, clock=IDLE)
    assert next_deadline(house.read(game_id)) == house.now + MINUTE

    found = after(house, game_id, MINUTE)

    assert [one.event for one in found[:4]] == [
        e.ControlChanged(seat, "easy", reasons.IDLE) for seat in range(4)
    ]
    assert house.read(game_id).is_over
    assert house.deps.games.at(house.read(game_id), found[1].seq).turn is None


def test_the_game_is_aborted_where_all_are_idle(house):
    clock = Clock(600, 600, 600, "easy", idle_seconds=60, on_all_idle=OnAllIdle.ABORT)
    game_id = timed(house, clock=clock)

    (aborted,) = after(house, game_id, MINUTE)

    assert aborted.event.reason == reasons.ALL_IDLE


def test_whoever_does_anything_is_not_idle(house):
    game_id = timed(house, clock=IDLE)
    house.now += MINUTE - 1
    house.ask(game_id, legal_moves(house.read(game_id))[0])

    assert after(house, game_id, MINUTE - 1) == []
    assert "ControlChanged" in kinds(after(house, game_id, 1))


def test_what_the_clock_does_is_nothing_of_people(house):
    clock = Clock(10, 10, 10, "easy", OnTimeout.BOT_MOVE, idle_seconds=25)
    game_id = timed(house, clock=clock)

    assert kinds(after(house, game_id, 10_000))[0] == "TurnTimedOut"
    assert kinds(after(house, game_id, 10_000))[0] == "TurnTimedOut"
    assert kinds(after(house, game_id, 5_000))[0] == "ControlChanged"


def test_nobody_is_idle_during_an_outage(house):
    game_id = timed(house, clock=IDLE)
    house.watch.outages = [(house.now, house.now + MINUTE)]

    assert kinds(after(house, game_id, MINUTE)) == ["TurnExtended"]
    assert after(house, game_id, MINUTE - 1) == []
    assert "ControlChanged" in kinds(after(house, game_id, 1))


# Lobbies


DAY = 24 * 60 * MINUTE


def waiting(house):
    house.deps = replace(house.deps, waits=Waits(DAY))
    game_id = house.open(None, "easy", "easy", "easy")
    house.claim(game_id, 0)
    return game_id


def test_a_lobby_ends_after_a_day(house):
    game_id = waiting(house)
    assert house.deps.store.due == {game_id: house.now + DAY}

    assert after(house, game_id, DAY - 1) == []
    (aborted,) = after(house, game_id, 1)

    assert aborted.event.reason == reasons.LOBBY_EXPIRED
    assert aborted.actor == Actor("timer")
    assert house.deps.store.due == {}


def test_a_game_that_has_started_is_in_no_lobby(house):
    game_id = waiting(house)
    house.ask(game_id, c.StartGame())

    assert after(house, game_id, DAY) != []
    assert not house.read(game_id).is_over


def test_a_lobby_may_wait_for_ever(house):
    game_id = house.open(None, "easy", "easy", "easy")

    assert house.deps.store.due == {}
    assert after(house, game_id, 99 * DAY) == []


def test_of_the_start_and_the_end_of_a_lobby_one_is_first(house):
    game_id = waiting(house)
    house.now += DAY

    started, _ = at_once(
        [
            lambda: house.ask(game_id, c.StartGame()),
            lambda: play_due(house.hands(), game_id),
        ]
    )

    is_aborted = isinstance(house.log(game_id)[-1].event, e.GameAborted)
    assert is_aborted is isinstance(started, Refused)


# What is counted


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0


def test_a_time_out_is_counted_and_is_no_bot_that_was_late(house):
    game_id = timed(house, None, None, None, None)
    names = ("count", "sum")
    before = [value(f"hearts_due_lateness_seconds_{one}", kind="clock") for one in names]
    bots = value("hearts_due_lateness_seconds_count", kind="bot")
    timeouts = value("hearts_turn_timeouts_total")

    after(house, game_id, CLOCK.play_seconds * 1_000 + 1_500)

    late = [value(f"hearts_due_lateness_seconds_{one}", kind="clock") for one in names]
    assert [late[0] - before[0], late[1] - before[1]] == [1, pytest.approx(1.5)]
    assert value("hearts_turn_timeouts_total") == timeouts + 1
    assert value("hearts_due_lateness_seconds_count", kind="bot") == bots


def test_a_worker_that_comes_late_to_a_bot_says_how_late(house):
    house.started("easy", "easy", "easy", None)
    before = value("hearts_due_lateness_seconds_sum", kind="bot")
    clocks = value("hearts_due_lateness_seconds_count", kind="clock")
    house.now += 2_000

    house.rest()

    assert value("hearts_due_lateness_seconds_sum", kind="bot") - before >= 2
    assert value("hearts_due_lateness_seconds_count", kind="clock") == clocks
