"""The list of who is there: two processes write it, and each reads what both have written."""

import pytest
from redis import Redis

from service.attendance import CHANNEL, Attendance, Lines
from tests.processes import eventually

pytestmark = pytest.mark.store

GAME, OTHER = "00" * 16, "11" * 16
NONE = frozenset()
LONG = 3_600_000


@pytest.fixture
def client(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


def seats(*numbers):
    return frozenset(numbers)


def say(here=NONE, gone=NONE, *, game_id=GAME, is_news=False):
    return Lines(game_id, here, gone, is_news)


def seen(attendance, game_id=GAME):
    return attendance.exchange([say(game_id=game_id)])[0]


def test_one_process_reads_what_another_has_written(client):
    one, other = Attendance(client, LONG), Attendance(client, LONG)

    assert one.exchange([say(seats(0, 10)), say(seats(3), game_id=OTHER)]) == [
        seats(0, 10),
        seats(3),
    ]
    assert other.exchange([say(seats(1))]) == [seats(0, 1, 10)]
    assert (seen(one), seen(one, OTHER), seen(one, "22" * 16)) == (seats(0, 1, 10), seats(3), NONE)


def test_a_seat_is_there_until_no_process_has_it(client):
    one, other = Attendance(client, LONG), Attendance(client, LONG)
    for process in (one, other):
        process.exchange([say(seats(2, 3))])

    assert one.exchange([say(seats(3), gone=seats(2))]) == [seats(2, 3)]
    assert other.exchange([say(gone=seats(2, 3))]) == [seats(3)]
    assert one.exchange([say(gone=seats(3))]) == [NONE]
    assert client.keys("hearts-presence:*") == []


def test_a_line_that_nobody_renews_goes_by_itself(client):
    """As those of a process that was killed."""
    killed, other = Attendance(client, 300), Attendance(client, LONG)
    killed.exchange([say(seats(0, 1))])
    other.exchange([say(seats(1))])

    eventually(lambda: seen(other) == seats(1))
    other.exchange([say(seats(1))])
    assert len(client.zrange(f"hearts-presence:{GAME}", 0, -1)) == 1


def test_nothing_is_left_of_games_that_nobody_follows(client):
    Attendance(client, LONG).exchange([say(seats(0))])

    assert 0 < client.ttl(f"hearts-presence:{GAME}") <= 3_600


def test_news_go_to_all(client):
    attendance = Attendance(client, LONG)
    with client.pubsub(ignore_subscribe_messages=True) as pubsub:
        pubsub.subscribe(CHANNEL)
        attendance.exchange([say(seats(0)), say(seats(1), game_id=OTHER, is_news=True)])

        found = eventually(lambda: pubsub.get_message(timeout=1))

    assert found["data"] == OTHER.encode()


def test_asking_about_no_game_says_nothing(client):
    assert Attendance(client, LONG).exchange([]) == []
