"""Clocks of real processes that are set by an hour or a day while they run.

Nothing happens early, nothing is put off, and no deadline that was shown moves. That nothing
happens is known by a second game, whose short time is up after the step: then the workers
have looked at all clocks there are.
"""

import os
from contextlib import closing
from pathlib import Path

import pytest

from service.log_clock import milliseconds
from tests.contract.asking import at
from tests.processes import eventually
from tests.servers import OwnApi
from tests.tables import HUMAN
from tests.workers import KEY, workshop

pytestmark = pytest.mark.slow

HOUR, DAY = 3_600, 86_400
FAKETIME = os.environ.get("HEARTS_TEST_FAKETIME")
TEN_MINUTES = 600
"""Longer than a test lasts, shorter than any step."""


class Clock:
    """The clock of some processes, put wrong by a file: see `tests/odd_clock`.

    Or as libfaketime has it, for all that asks the system: `HEARTS_TEST_FAKETIME` is its path.
    """

    def __init__(self, file):
        self._file = file
        self.set(0)
        folder = Path(__file__).parents[1] / "odd_clock"
        self.environ = {"ODD_CLOCK": str(file), "PYTHONPATH": str(folder)}
        if FAKETIME:
            self.environ = {
                "LD_PRELOAD": FAKETIME,
                "FAKETIME_TIMESTAMP_FILE": str(file),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }

    def set(self, seconds):
        """Put the clock wrong by *seconds*."""
        draft = self._file.with_suffix(".draft")
        draft.write_text(f"{seconds:+}")
        draft.rename(self._file)


class Game:
    """A game of four people at *service*, each of whose turns may take *seconds*."""

    def __init__(self, service, seconds):
        self._service = service
        body = {
            "seats": [HUMAN] * 4,
            "rules": {"passing": {"cycle": ["hold"]}},
            "clock": {"play_seconds": seconds, "on_timeout": "bot_move"},
        }
        made = service.ask("POST", "/v1/games", body=body, status=201).json
        self._path = f"/v1/games/{made['id']}"
        self._tokens = [
            service.ask(
                "POST", f"{self._path}/seats/{seat}/claim", body={"name": "Ana"}, status=201
            ).json["seat_token"]
            for seat in range(4)
        ]
        service.ask("POST", f"{self._path}/start", token=made["host_token"], status=200)

    def state(self):
        return self._service.ask("GET", self._path, status=200).json

    def move(self):
        """Let whoever is to act play a card; return the next turn."""
        (seat,) = self.state()["turn"]["seats"]
        token = self._tokens[seat]
        legal = self._service.ask("GET", f"{self._path}/legal-moves", token=token, status=200).json
        move = {**legal["moves"][0], "turn_id": legal["turn_id"]}
        made = self._service.ask("POST", f"{self._path}/moves", token=token, body=move, status=201)
        return made.json["turn"]

    def has_timed_out(self):
        page = self._service.ask("GET", f"{self._path}/events?limit=500", status=200).json
        return any(one["type"] == "turn.timed_out" for one in page["items"])


@pytest.fixture(scope="module")
def clocks(tmp_path_factory):
    """The clock of the API, and that of one worker of two."""
    folder = tmp_path_factory.mktemp("clocks")
    return [Clock(folder / name) for name in ("api", "worker")]


@pytest.fixture(scope="module")
def service(clocks, tmp_path_factory, redis_url):
    """The API's process and two workers."""
    of_the_api, of_a_worker = clocks
    with workshop(redis_url) as shop:
        shop.hire(1, **of_a_worker.environ)
        shop.hire(1)
        more = {"HEARTS_SECRET_KEYS": KEY, **of_the_api.environ}
        with closing(OwnApi(tmp_path_factory.mktemp("api"), redis_url, **more)) as api:
            shop.wait_for_workers()
            found = at("http://{}:{}".format(*api.address))
            looked_at(found)  # from now on the time is kept
            yield found


def looked_at(service):
    """Wait until workers have looked at all clocks, and somebody's time was up."""
    eventually(Game(service, 1).has_timed_out)


def gone_by(earlier, later, name):
    """Return the seconds between the same moment of two turns."""
    return (milliseconds(later[name]) - milliseconds(earlier[name])) / 1_000


@pytest.mark.parametrize(
    ("whose", "steps"),
    [([0], [HOUR, -HOUR]), ([1], [HOUR, -HOUR]), ([0, 1], [DAY, -DAY, 0])],
    ids=["api", "worker", "both"],
)
def test_a_clock_that_is_set_lets_nobodys_time_be_up(service, clocks, whose, steps):
    """Fault case 77."""
    game = Game(service, TEN_MINUTES)
    for step in steps:
        before = game.state()
        for number in whose:
            clocks[number].set(step)

        looked_at(service)

        assert game.state() == before
        turn = game.move()
        for name in ("opened_at", "deadline_at"):
            assert 0 <= gone_by(before["turn"], turn, name) < TEN_MINUTES


@pytest.mark.parametrize("wrong", [HOUR, -HOUR, -DAY])
def test_an_api_that_is_started_by_a_wrong_clock_goes_by_the_workers(
    service, tmp_path, redis_url, wrong
):
    """Fault case 77: what it writes is judged by them, so time would be up as it is given."""
    right, clock = Game(service, TEN_MINUTES).state(), Clock(tmp_path / "clock")
    clock.set(wrong)
    more = {"HEARTS_SECRET_KEYS": KEY, **clock.environ}
    with closing(OwnApi(tmp_path / "api", redis_url, **more)) as api:
        game = Game(at("http://{}:{}".format(*api.address)), TEN_MINUTES)
        looked_at(service)

        assert not game.has_timed_out()
        assert 0 <= gone_by(right["turn"], game.state()["turn"], "opened_at") < TEN_MINUTES


@pytest.mark.parametrize("wrong", [-HOUR, HOUR])
def test_workers_that_are_started_anew_by_a_clock_that_was_set_are_followed(
    tmp_path, own_server, wrong
):
    """Fault case 77: the API asks again what time it is, and nobody's time is up."""
    clock, steady = Clock(tmp_path / "clock"), "is not that of the workers"
    clock.set(wrong)
    with workshop(own_server.url) as shop:
        shop.hire(**clock.environ)
        more = {"HEARTS_SECRET_KEYS": KEY, **clock.environ}
        with closing(OwnApi(tmp_path / "api", own_server.url, **more)) as api:
            shop.wait_for_workers()
            service = at("http://{}:{}".format(*api.address))
            looked_at(service)
            clock.set(0)
            shop.kill()
            shop.hire(**clock.environ)
            eventually(lambda: service.ask("GET", "/v1/time") and steady in api.log.read_text())

            game = Game(service, TEN_MINUTES)
            looked_at(service)

            assert not game.has_timed_out()
