"""What the decider and the fold make of time that is up."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.cards import cards
from engine.clocks import (
    Clock,
    OnAllIdle,
    OnTimeout,
    clock_data,
    clock_from,
    timestamp,
)
from engine.decide import decide
from engine.disclosure import public_part
from engine.errors import (
    CorruptLogError,
    GameNotActive,
    GameNotStarted,
    NotYourTurn,
    RuleViolation,
    WrongPhase,
)
from engine.evolve import evolve, fold
from engine.state import table_of, turn_of
from tests.table import a_deal, a_lobby, link

CLOCK = Clock(60, 90, 30, "easy")


def with_clock(state, clock=CLOCK):
    return replace(state, table=replace(table_of(state), clock=clock))


@pytest.fixture
def game():
    return with_clock(a_deal(seat0="2C 5D", seat1="3C", seat2="4C", seat3="5C", leads=0))


def late(game, code="2C", seat=0, turn_id=None):
    turn_id = turn_of(game).id if turn_id is None else turn_id
    return c.TimeOut(seat, turn_id, c.PlayCard(seat, cards(code)))


def kinds(events):
    return [type(one).__name__ for one in events]


def test_a_time_out_says_so_and_makes_the_move(game):
    timed_out, played = decide(game, late(game), link)

    assert timed_out == e.TurnTimedOut(turn_of(game).id, (0,), 1, OnTimeout.BOT_TAKEOVER)
    assert (played.seat, played.auto) == (0, "timeout")


def test_time_outs_in_a_row_are_counted(game):
    after = fold(game, decide(game, late(game), link))

    assert table_of(after).players[0].timeouts == 1


def test_the_fold_of_a_time_out_waits_for_what_follows(game):
    (timed_out, played) = decide(game, late(game), link)

    between = evolve(game, timed_out)

    assert turn_of(between) is None
    assert turn_of(evolve(between, played)).seats == (1,)


@pytest.mark.parametrize(
    ("refused", "command"),
    [
        (NotYourTurn, c.TimeOut(1, 0, c.PlayCard(1, cards("3C")))),
        (WrongPhase, c.TimeOut(0, 0, None)),
        (WrongPhase, c.TimeOut(0, 0, c.PlayCard(1, cards("3C")))),
        (WrongPhase, c.ExtendTurn(0, 9, reasons.OUTAGE)),
        (WrongPhase, c.EndIdling()),
    ],
)
def test_the_clock_does_only_what_it_can(game, refused, command):
    if isinstance(command, c.TimeOut):
        command = replace(command, turn_id=turn_of(game).id)

    with pytest.raises(refused):
        decide(game, command, link)


def test_without_a_clock_nobody_is_late(game):
    for command in (late(game), c.ExtendTurn(turn_of(game).id, 9, reasons.OUTAGE), c.EndIdling()):
        with pytest.raises(WrongPhase):
            decide(with_clock(game, None), command, link)


def test_a_time_out_for_another_turn_is_none(game):
    with pytest.raises(NotYourTurn):
        decide(game, late(game, turn_id=turn_of(game).id + 1), link)


def test_a_time_out_makes_no_move_that_is_forbidden(game):
    with pytest.raises(RuleViolation):
        decide(game, late(game, code="AS"), link)


def test_no_clock_runs_before_the_start_or_after_the_end(game):
    lobby = with_clock(a_lobby("Ana", "bot", "bot", "bot"))
    over = fold(game, decide(game, c.AbortGame(), link))

    with pytest.raises(GameNotStarted):
        decide(lobby, c.EndIdling(), link)
    with pytest.raises(GameNotActive):
        decide(over, c.EndIdling(), link)


def test_who_is_late_too_often_is_played_by_a_bot(game):
    game = with_clock(game, replace(CLOCK, takeover_after=1))

    events = decide(game, late(game), link)

    assert kinds(events) == ["TurnTimedOut", "ControlChanged", "CardPlayed"]
    state = game
    for event in events[:-1]:
        state = evolve(state, event)
        assert turn_of(state) is None
    player = table_of(evolve(state, events[-1])).players[0]
    assert (player.playing_level, player.may_return, player.timeouts) == ("easy", True, 1)


def test_all_idle_is_played_by_bots_or_aborted(game):
    idle = replace(CLOCK, idle_seconds=60)

    events = decide(with_clock(game, idle), c.EndIdling(), link)
    (aborted,) = decide(
        with_clock(game, replace(idle, on_all_idle=OnAllIdle.ABORT)), c.EndIdling(), link
    )

    assert events == [e.ControlChanged(seat, "easy", reasons.IDLE) for seat in range(4)]
    assert turn_of(fold(game, events[:3])) is None
    assert turn_of(fold(game, events)) is not None
    assert aborted.reason == reasons.ALL_IDLE


@pytest.mark.parametrize(
    "event",
    [
        e.TurnTimedOut(999, (0,), 1, OnTimeout.ABORT),
        e.TurnTimedOut(0, (9,), 1, OnTimeout.ABORT),
        e.TurnExtended(999, 5, reasons.OUTAGE),
    ],
)
def test_a_log_with_the_clock_of_nobody_makes_no_sense(game, event):
    turn_id = turn_of(game).id if event.turn_id == 0 else event.turn_id
    with pytest.raises(CorruptLogError):
        evolve(game, replace(event, turn_id=turn_id))


def test_a_clock_is_written_and_read_alike():
    short = {"play_seconds": 60}
    whole = clock_data(clock_from(short, "medium"))

    assert whole == {
        "play_seconds": 60,
        "pass_seconds": 60,
        "moon_seconds": 60,
        "on_timeout": "bot_takeover",
        "takeover_after": 2,
        "bot_level": "medium",
        "idle_seconds": None,
        "on_all_idle": "finish_with_bots",
    }
    assert clock_data(clock_from(whole, "easy")) == whole
    assert clock_data(clock_from(None, "easy")) is None


def test_a_deadline_is_written_as_a_time_in_utc():
    text = public_part(e.TurnExtended(7, 1_790_000_000_123, reasons.OUTAGE))["deadline_at"]

    assert text == "2026-09-21T14:13:20.123Z"


@pytest.mark.parametrize("year", range(1970, 2400, 7))
def test_times_are_those_of_the_calendar(year):
    for month, day in ((1, 1), (2, 28), (3, 1), (12, 31)):
        moment = datetime(year, month, day, 23, 59, 58, tzinfo=UTC)
        text = timestamp(int(moment.timestamp()) * 1_000 + 7)
        assert text == moment.strftime("%Y-%m-%dT%H:%M:%S.007Z")


def test_a_leap_day_is_a_day():
    leap_days = [timestamp(1_000 * 86_400 * days)[:10] for days in range(365 * 130)]

    assert "2024-02-29" in leap_days
    assert "2100-02-29" not in leap_days
    assert len(set(leap_days)) == len(leap_days)
