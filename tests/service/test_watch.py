"""The common watch of workers: signs, gaps between them, and clocks that do not agree."""

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.watch import GAP_MS, Watch, overlap

NOON = 1_790_000_000_000
HOUR = 3_600_000


class Workers:
    """Watches on one server, and the seconds that pass for all of them."""

    def __init__(self, url):
        self.client = Redis.from_url(url)
        self.seconds = 0.0

    def watch(self):
        return Watch(self.client, lambda: self.seconds)


@pytest.fixture
def workers(redis_url):
    workers = Workers(redis_url)
    workers.client.flushdb()
    yield workers
    workers.client.close()


def run(workers, watch, now, seconds):
    """Let *watch* give signs for so long, and return when it was back."""
    found = []
    for half in range(2 * seconds):
        if watch.is_back(now + 500 * half):
            found.append(now + 500 * half)
        workers.seconds += 0.5
    return found


def test_whoever_is_there_all_the_time_has_no_outage(workers):
    watch = workers.watch()

    assert run(workers, watch, NOON, 30) == [NOON]

    assert watch.outage_ms(NOON, NOON + 29_500) == 0


def test_what_was_before_the_first_sign_is_an_outage(workers):
    watch = workers.watch()

    assert watch.is_back(NOON)

    assert watch.outage_ms(NOON - HOUR, NOON) == HOUR


def test_a_restart_between_two_signs_is_no_outage(workers):
    run(workers, workers.watch(), NOON, 10)

    assert run(workers, workers.watch(), NOON + 10_000 + GAP_MS - 600, 10) == []


def test_a_gap_is_an_outage_once_it_is_certain(workers):
    run(workers, workers.watch(), NOON, 10)
    watch, back = workers.watch(), NOON + HOUR

    (known,) = run(workers, watch, back, 10)

    assert known - back <= GAP_MS + 500
    assert watch.outage_ms(NOON, back + 9_500) == known - (NOON + 9_500)
    assert watch.outage_ms(back + 9_000, back + 9_500) == 0


def test_several_workers_end_an_outage_once(workers):
    run(workers, workers.watch(), NOON, 10)
    watches = [workers.watch() for _ in range(3)]

    for half in range(20):
        for watch in watches:
            watch.is_back(NOON + HOUR + 500 * half)
        workers.seconds += 0.5

    lost = watches[0].outage_ms(NOON + 9_500, NOON + HOUR + 9_500)
    assert HOUR - 9_500 < lost <= HOUR - 9_500 + GAP_MS + 500


@pytest.mark.parametrize("step", [HOUR, -HOUR, 24 * HOUR, -24 * HOUR])
def test_a_worker_by_another_clock_changes_nothing(workers, step):
    right, wrong = workers.watch(), workers.watch()
    right.is_back(NOON)

    for half in range(60):
        now = NOON + 500 * half
        assert not right.is_back(now)
        assert not wrong.is_back(now + step)
        workers.seconds += 0.5

    assert right.outage_ms(NOON, NOON + 29_500) == 0
    assert wrong.outage_ms(NOON, NOON + 29_500 + step) is None


@pytest.mark.parametrize("step", [HOUR, -HOUR])
def test_alone_any_clock_is_right_after_a_while(workers, step):
    run(workers, workers.watch(), NOON, 10)
    watch = workers.watch()

    assert len(run(workers, watch, NOON + step, 10)) == 1

    assert watch.outage_ms(NOON + step + 9_000, NOON + step + 9_500) == 0


def test_without_the_list_everything_before_was_an_outage(workers):
    watch = workers.watch()
    run(workers, watch, NOON, 10)
    workers.client.flushdb()

    assert watch.outage_ms(NOON, NOON + 10_000) is None
    assert watch.is_back(NOON + 10_000)
    assert watch.outage_ms(NOON, NOON + 10_000) == 10_000


@pytest.mark.parametrize(
    ("gaps", "lost"),
    [
        ([], 0),
        ([(0, 5)], 0),
        ([(0, 15)], 5),
        ([(12, 14), (16, 17)], 3),
        ([(12, 16), (14, 17)], 5),
        ([(12, 16), (13, 14)], 4),
        ([(0, 99)], 10),
        ([(20, 30)], 0),
    ],
)
def test_gaps_over_each_other_count_once(gaps, lost):
    assert overlap((10, 20), gaps) == lost


def test_the_watch_tells_what_time_it_is_for_a_moment(workers):
    watch = workers.watch()
    assert watch.time() is None

    run(workers, watch, NOON, 10)

    assert watch.time() == NOON + 9_500
    assert 0 < workers.client.pttl("hearts-jobs:time") <= GAP_MS


def test_a_clock_that_is_not_that_of_the_others_tells_no_time(workers):
    run(workers, workers.watch(), NOON, 10)

    workers.watch().is_back(NOON + HOUR)

    assert workers.watch().time() == NOON + 9_500


def test_a_server_that_is_away_tells_no_time():
    with Redis(port=1, retry=Retry(NoBackoff(), 0)) as nowhere:
        assert Watch(nowhere).time() is None
