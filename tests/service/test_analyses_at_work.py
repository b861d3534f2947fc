"""Analyses by real workers over HTTP, who are killed in the middle, and whose queue is lost."""

import pytest

from service.analyses.records import Records
from service.store.base import Marks
from service.wiring import ANALYSES_QUEUE
from tests.analyses import TINY
from tests.histories import played
from tests.processes import eventually
from tests.streams import entries_of
from tests.table import rules
from tests.tables import Api, Table, make_app
from tests.workers import KEY, workshop

pytestmark = pytest.mark.slow

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}
HARD = {"level": "hard"}


@pytest.fixture
def shop(redis_db):
    with workshop(redis_db) as shop:
        yield shop


@pytest.fixture
def api(redis_db):
    return Api(make_app(redis_db, KEY))


def over(api, chosen, seed=1):
    """Return the table of a game that was played to its end."""
    stored = played(chosen, seed)
    game_id = stored[0].event.commitment[:32]
    api.deps.store.append(game_id, 0, b"", entries_of(stored), Marks(None))
    return Table(api, {"id": game_id, "host_token": None, "seat": None})


def asked(table):
    made = table.ask("POST", "/analyses", None, HARD, expect=202)
    return made.headers["Location"].removeprefix(table.path)


def read(table, path, status="done", least=0):
    """Return the analysis at *path* once it has that *status*, and that much is judged."""

    def found():
        data = table.ask("GET", path, expect=200).json
        assert data["status"] != "failed"
        return data["status"] == status and data["progress"]["done"] >= least and data

    return eventually(found)


@pytest.mark.parametrize(
    ("preset", "seats", "decisions"), [("standard", 4, 56), ("cancellation", 7, 98)]
)
def test_workers_judge_every_decision_of_a_game(shop, api, preset, seats, decisions):
    shop.hire(2)
    table = over(api, rules(preset, seats=seats, ending=ONE_DEAL))

    found = read(table, asked(table))

    assert found["progress"] == {"done": decisions, "all": decisions}
    assert len(found["result"]["decisions"]) == decisions
    assert [one["seat"] for one in found["result"]["seats"]] == list(range(seats))
    # They play by chance, and chance plays badly.
    dearest = [one for seat in found["result"]["seats"] for one in seat["dearest"]]
    assert dearest
    assert all(one["text"].startswith("deal 1, ") for one in dearest)
    reasons = {one["seq"]: one["why"] for one in found["result"]["decisions"]}
    for one in dearest:
        why = reasons[one["seq"]]
        has_shares = f" in {why['best']} % of the worlds tried, " in one["text"]
        assert has_shares is (why["code"] != "fewer_points")
    assert "failed" not in shop.said()


def record_of(shop, path):
    return Records(shop.client).find(path.rpartition("/")[2])


def a_while_passes(shop):
    """Have gone what goes by itself after ten seconds: who was at work, and which hints wait."""
    for kind in ("lease", "hinted"):
        for key in shop.client.scan_iter(f"hearts-side:{{analyses}}:{kind}:*"):
            shop.client.delete(key)


def test_a_worker_that_is_killed_in_the_middle_loses_nothing_that_was_judged(shop, api):
    table = over(api, rules(ending=ONE_DEAL))
    shop.hire()
    path = asked(table)
    eventually(lambda: record_of(shop, path).done)
    done = record_of(shop, path).done
    shop.kill()
    assert done <= record_of(shop, path).done < 56
    a_while_passes(shop)
    for key in shop.client.scan_iter("rq:*"):
        shop.client.delete(key)

    shop.hire()

    # Nobody asks how far it is.
    eventually(lambda: record_of(shop, path).status == "done")
    found = read(table, path)
    assert found["progress"]["done"] == len(found["result"]["decisions"]) == 56


def test_a_queue_that_is_lost_is_made_up_for(shop, api):
    table = over(api, TINY)
    path = asked(table)
    for key in shop.client.scan_iter("rq:*"):
        shop.client.delete(key)
    a_while_passes(shop)
    shop.hire()

    eventually(lambda: record_of(shop, path).status == "done")


def test_bots_come_first(shop, api):
    table = over(api, rules(ending=ONE_DEAL))
    path = asked(table)
    assert shop.client.llen(f"rq:queue:{ANALYSES_QUEUE}") == 1
    game_ids = shop.tables(3, *("easy",) * 4, rules=rules(ending=ONE_DEAL))
    shop.hire()

    shop.finish(game_ids)

    assert table.ask("GET", path, expect=200).json["status"] in {"queued", "running"}
