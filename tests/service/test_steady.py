"""The time of day, without its steps."""

import pytest

from service.steady import SteadyClock, boot_clock, wall_clock

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
