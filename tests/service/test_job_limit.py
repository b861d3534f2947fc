"""A job is cut off by what it does, and late by the clock."""

import signal
import time

import pytest
from rq.timeouts import JobTimeoutException

from service.job_limit import Limit, limited

LONG = 600.0


def work(seconds):
    """Be busy for so much processor time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_what_computes_for_too_long_is_cut_off():
    began = time.process_time()
    with pytest.raises(JobTimeoutException), limited(Limit(processor=0.1, clock=LONG)):
        work(LONG)

    assert time.process_time() - began < LONG / 2


def test_what_waits_while_others_compute_is_not():
    with limited(Limit(processor=0.1, clock=LONG)):
        time.sleep(0.3)
        done = True

    assert done


def test_what_waits_for_ever_is_cut_off_by_the_clock():
    with pytest.raises(JobTimeoutException), limited(Limit(processor=LONG, clock=0.1)):
        time.sleep(LONG)


@pytest.mark.parametrize("limit", [Limit(0.05, LONG), Limit(LONG, 0.05)])
def test_nothing_is_cut_off_afterwards(limit):
    with limited(limit):
        pass

    work(0.1)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_signal_that_comes_late_ends_no_process():
    with limited(Limit(LONG, LONG)):
        pass

    signal.raise_signal(signal.SIGPROF)
    signal.raise_signal(signal.SIGALRM)


def test_one_limit_follows_on_another():
    for _ in range(3):
        with pytest.raises(JobTimeoutException), limited(Limit(0.02, LONG)):
            work(LONG)
