"""The time of day, without its steps."""

import pytest

from service.steady import APART_MS, SharedClock, SteadyClock, boot_clock, wall_clock

NOON = 1_790_000_000_000
HOUR = 3_600_000


class Machine:
    """A wall clock that can be set, and one that only goes forward."""

    def __init__(self):
        self.wall, self.ticks = NOON, 5_000
        self.clock = SteadyClock(lambda: self.wall, lambda: self.ticks)

    def goes_on(self, ms, drift=0):
        self.wall += ms + drift
        self.ticks += ms
        return self.clock()


@pytest.mark.parametrize("step", [HOUR, -HOUR, 24 * HOUR, -24 * HOUR, 600])
def test_a_step_of_the_wall_clock_is_not_followed(step):
    machine = Machine()

    machine.wall += step

    assert machine.clock() == NOON
    assert machine.goes_on(1_000) == NOON + 1_000


def test_small_corrections_are_followed():
    machine = Machine()

    for _ in range(100):
        machine.goes_on(60_000, drift=-30)

    assert machine.clock() == machine.wall


def test_it_begins_with_the_time_of_day():
    assert abs(SteadyClock()() - wall_clock()) < 10_000
    assert boot_clock() <= boot_clock()


class Others:
    """Who else keeps the time; *asked* counts how often."""

    def __init__(self, now):
        self.now, self.asked = now, 0

    def __call__(self):
        self.asked += 1
        return self.now


@pytest.mark.parametrize("wrong", [HOUR, -HOUR, APART_MS + 1])
def test_whoever_starts_with_another_time_goes_by_that_of_the_others(wrong, caplog):
    now = NOON + wrong
    clock = SharedClock(lambda: now, Others(NOON))

    assert clock() == NOON
    now += 7_000
    assert clock() == NOON + 7_000
    assert [one.levelname for one in caplog.records] == ["WARNING"]


@pytest.mark.parametrize("told", [NOON - APART_MS, NOON + APART_MS])
def test_whoever_starts_with_the_same_time_goes_by_the_own_clock(told, caplog):
    others = Others(told)
    clock = SharedClock(lambda: NOON, others)

    assert [clock(), clock()] == [NOON, NOON]
    assert others.asked == 1
    assert caplog.records == []


def test_whoever_is_alone_asks_again_now_and_then():
    now, others = NOON, Others(None)
    clock = SharedClock(lambda: now, others)
    assert [clock() for _ in range(9)] == [NOON] * 9
    assert others.asked == 1

    now, others.now = NOON + 10_000, NOON + HOUR

    assert [clock() for _ in range(9)] == [NOON + HOUR] * 9
    assert others.asked == 2


def test_others_whose_clock_was_set_are_followed_and_each_change_is_a_line(caplog):
    now, others = NOON, Others(NOON)
    clock = SharedClock(lambda: now, others)
    found = []
    for ahead in (0, HOUR, HOUR + 200, -HOUR, 0, APART_MS, 0, 2_000):
        now += 10_000
        others.now = now + ahead
        found.append(clock() - now)

    assert found == [0, HOUR, HOUR, -HOUR, 0, 0, 0, 2_000]
    assert [one.getMessage() for one in caplog.records] == [
        f"this clock is not that of the workers, by {HOUR} ms",
        f"this clock is not that of the workers, by {-HOUR} ms",
        "this clock is that of the workers again",
        "this clock is not that of the workers, by 2000 ms",
    ]


def test_what_is_known_is_kept_while_nobody_tells_the_time():
    now, others = NOON, Others(NOON + HOUR)
    clock = SharedClock(lambda: now, others)
    clock()

    now, others.now = NOON + 10_000, None

    assert clock() == NOON + 10_000 + HOUR


def test_nobody_waits_for_one_who_asks_again():
    now, meanwhile = NOON, []

    def others():
        if now > NOON:
            meanwhile.append(clock())  # as another thread would, before there is an answer
        return now + HOUR

    clock = SharedClock(lambda: now, others)
    clock()

    now = NOON + 10_000

    assert clock() == now + HOUR
    assert meanwhile == [now + HOUR]
