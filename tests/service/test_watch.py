"""The common watch of workers: signs, gaps between them, and clocks that do not agree."""

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.watch import GAP_MS, Watch, overlap

NOON = 1_790_000_000_000
HOUR = 3_600_000
API = "hearts-jobs:api"


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
    for half in range(int(2 * seconds)):
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


def served(workers, watch, now, seconds, *, by=1):
    """As `run`, while so many API processes are *there*."""
    found = []
    for half in range(2 * seconds):
        for _ in range(by):
            workers.watch().serve()
        if not by:
            workers.client.delete(API)  # as its time does
        found += run(workers, watch, now + 500 * half, 0.5)
    return found


def test_while_no_api_is_there_nobody_knows_what_was_lost(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10)
    assert watch.outage_ms(NOON, NOON + 10_000) == 0

    assert served(workers, watch, NOON + 10_000, 600, by=0) == []

    assert watch.outage_ms(NOON, NOON + 609_500) is None
    assert watch.is_unserved


def test_an_api_that_is_back_ends_an_outage(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10)
    served(workers, watch, NOON + 10_000, 600, by=0)

    assert served(workers, watch, NOON + 610_000, 10) == [NOON + 610_000]

    lost = watch.outage_ms(NOON, NOON + 619_500)
    assert 600_000 <= lost <= 601_000
    assert watch.outage_ms(NOON + 610_000, NOON + 619_500) == 0
    assert not watch.is_unserved


def silent(workers, watch, now, ms):
    """As `served`, while the last sign of an API grows old by *ms*."""
    for age in range(500, ms, 500):
        workers.client.pexpire(API, max(GAP_MS - age, 0))  # gone at once with 0
        watch.is_back(now + age)


def test_a_restart_of_an_api_between_two_signs_is_no_outage(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10)

    silent(workers, watch, NOON + 9_500, 2_500)

    assert watch.outage_ms(NOON, NOON + 11_500) == 0
    assert served(workers, watch, NOON + 12_000, 10) == []
    assert watch.outage_ms(NOON, NOON + 21_500) == 0


def test_an_outage_of_an_api_begins_with_its_last_sign(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10)

    silent(workers, watch, NOON + 9_500, 5_000)

    assert watch.outage_ms(NOON, NOON + 14_000) is None
    assert served(workers, watch, NOON + 14_500, 10) == [NOON + 14_500]
    assert watch.outage_ms(NOON, NOON + 24_000) >= 5_000


def test_nothing_is_known_until_the_return_of_an_api_is_noted(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10)
    served(workers, watch, NOON + 10_000, 10, by=0)

    watch.serve()

    assert watch.outage_ms(NOON, NOON + 19_900) is None


def test_what_was_before_the_first_api_is_no_outage(workers):
    watch = workers.watch()
    run(workers, watch, NOON, 60)
    assert watch.outage_ms(NOON, NOON + 59_500) == 0

    watch.serve()

    assert watch.outage_ms(NOON, NOON + 59_500) == 0
    assert served(workers, watch, NOON + 60_000, 10) == []
    assert watch.outage_ms(NOON, NOON + 69_500) == 0


def test_one_api_of_two_is_enough(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10, by=2)

    assert served(workers, watch, NOON + 10_000, 60) == []

    assert watch.outage_ms(NOON, NOON + 69_500) == 0


def test_an_api_that_was_away_with_the_workers_costs_the_same_time_once(workers):
    watch = workers.watch()
    served(workers, watch, NOON, 10)
    served(workers, watch, NOON + 10_000, 10, by=0)
    workers.client.delete(API)

    run(workers, workers.watch(), NOON + HOUR, 10)
    watch = workers.watch()
    assert watch.outage_ms(NOON, NOON + HOUR + 9_500) is None
    served(workers, watch, NOON + HOUR + 10_000, 10)

    lost = watch.outage_ms(NOON, NOON + HOUR + 19_500)
    assert 0 <= lost - HOUR <= 1_000


def test_a_worker_a_little_behind_takes_nothing_back(workers):
    ahead, behind = workers.watch(), workers.watch()

    for half in range(60):
        ahead.serve()
        ahead.is_back(NOON + 500 * half)
        behind.is_back(NOON + 500 * half - 2_900)
        workers.seconds += 0.5

    assert ahead.outage_ms(NOON, NOON + 29_500) == 0


def test_an_api_is_missed_after_all_clocks_were_set_back(workers):
    served(workers, workers.watch(), NOON, 10)
    watch = workers.watch()

    assert len(served(workers, watch, NOON - HOUR, 10, by=0)) == 1

    assert watch.outage_ms(NOON - HOUR, NOON - HOUR + 9_500) is None
    assert len(served(workers, watch, NOON - HOUR + 10_000, 10)) == 1
    assert watch.outage_ms(NOON - HOUR + 10_500, NOON - HOUR + 19_500) == 0


def test_the_sign_of_an_api_is_gone_after_as_long_as_a_gap_may_be(workers):
    workers.watch().serve()

    assert GAP_MS - 1_000 < workers.client.pttl(API) <= GAP_MS


def test_a_sign_that_lives_for_too_long_was_given_now(workers):
    """The server's clock was set back."""
    watch = workers.watch()
    served(workers, watch, NOON, 10)
    workers.client.expire(API, 3_600)

    run(workers, watch, NOON + 10_000, 10)

    assert watch.outage_ms(NOON, NOON + 19_500) == 0


def test_the_watch_tells_what_time_it_is_for_a_moment(workers):
    watch = workers.watch()
    assert watch.time() is None

    run(workers, watch, NOON, 10)

    assert 0 <= watch.time() - (NOON + 9_500) < GAP_MS
    assert 0 < workers.client.pttl("hearts-jobs:time") <= GAP_MS


@pytest.mark.parametrize(("left", "age"), [(1_800, 1_200), (60_000, 0)])
def test_a_sign_that_is_a_little_old_is_no_clock_that_is_behind(workers, left, age):
    run(workers, workers.watch(), NOON, 10)
    workers.client.pexpire("hearts-jobs:time", left)

    told = workers.watch().time()

    assert NOON + 9_500 + age <= told < NOON + 9_500 + age + GAP_MS - age + 1


def test_a_clock_that_is_not_that_of_the_others_tells_no_time(workers):
    run(workers, workers.watch(), NOON, 10)

    workers.watch().is_back(NOON + HOUR)

    assert 0 <= workers.watch().time() - (NOON + 9_500) < GAP_MS


def test_a_server_that_is_away_tells_no_time():
    with Redis(port=1, retry=Retry(NoBackoff(), 0)) as nowhere:
        assert Watch(nowhere).time() is None
