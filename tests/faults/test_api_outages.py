"""An API that is away while the workers are there: nobody can move, so nobody's time is up."""

from contextlib import ExitStack

import pytest
import requests

from engine import events as e
from engine.clocks import Clock, OnTimeout
from service.deadlines import deadline_of
from service.notify import Notify
from service.steady import wall_clock
from service.watch import GAP_MS
from tests.processes import SECONDS, eventually
from tests.servers import OwnApi
from tests.table import rules
from tests.workers import KEY, workshop

pytestmark = pytest.mark.slow

NO_PASS = rules(passing={"cycle": ["hold"]}, ending={"deals": 1, "tie": "share"})
CLOCK = Clock(6, 6, 6, "easy", OnTimeout.BOT_MOVE)
PEOPLE = (None,) * 4
SIGN, SEEN = "hearts-jobs:api", "hearts-jobs:api-seen"


@pytest.fixture
def shop(redis_db):
    with workshop(redis_db) as shop:
        shop.hire(1)
        shop.wait_for_workers()
        yield shop


@pytest.fixture
def start(shop, tmp_path):
    """Start an API process, or one of another module, and return it once it serves."""
    with ExitStack() as at_the_end:

        def started(name, **more):
            folder = tmp_path / name
            api = OwnApi(folder, shop.settings.events_url, HEARTS_SECRET_KEYS=KEY, **more)
            at_the_end.callback(api.close)
            url = "http://{}:{}/health/live".format(*api.address)
            # Its socket is open already, so the answer comes as soon as it serves.
            assert requests.get(url, timeout=SECONDS).ok
            return api

        yield started


def killed(api):
    api.process.kill()
    api.process.wait()


def of_kind(shop, game_id, kind):
    return [one.event for one in shop.house.log(game_id) if isinstance(one.event, kind)]


def looked_at(shop, game_id):
    """Let the one worker look at the game, and at the bots of another after that."""
    Notify(shop.queues).hint(game_id)
    shop.finish(shop.tables(1, *["easy"] * 4, rules=NO_PASS))


def test_nobody_pays_for_an_api_that_was_killed(shop, start):
    """Fault case 171."""
    api = start("first")
    eventually(lambda: shop.client.exists(SEEN))
    game_id = shop.house.started(*PEOPLE, rules=NO_PASS, clock=CLOCK)
    deadline = deadline_of(shop.house.read(game_id))
    killed(api)
    gone_at = wall_clock()
    eventually(lambda: wall_clock() > deadline)
    looked_at(shop, game_id)
    assert not shop.client.exists(SIGN)
    assert of_kind(shop, game_id, e.TurnTimedOut) == []

    back_at = wall_clock()
    start("second")
    eventually(lambda: of_kind(shop, game_id, e.TurnExtended))

    (extended,) = of_kind(shop, game_id, e.TurnExtended)
    assert extended.deadline_at - deadline > back_at - gone_at > GAP_MS
    assert of_kind(shop, game_id, e.TurnTimedOut) == []


def test_while_one_api_of_two_is_there_the_clocks_go_on(shop, start):
    """Fault case 171."""
    apis = [start("first"), start("second")]
    eventually(lambda: shop.client.exists(SEEN))
    game_id = shop.house.started(*PEOPLE, rules=NO_PASS, clock=CLOCK)

    killed(apis[0])
    eventually(lambda: of_kind(shop, game_id, e.TurnTimedOut))

    assert of_kind(shop, game_id, e.TurnExtended) == []


def test_a_stream_process_does_not_stand_for_an_api(shop, start):
    """Nobody moves through it."""
    start("stream", module="service.stream_server")

    assert not shop.client.exists(SIGN)
