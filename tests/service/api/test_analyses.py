"""Analyses over HTTP: who may ask, when, what is answered meanwhile, and of which games."""

import random
from functools import partial
from threading import Barrier, local

import pytest
from redis import Redis

from service.archiving import outcomes
from service.retention import DAY_MS, Retention
from tests.analyses import TINY, TINY_RULES, hinted
from tests.engine.analysis.hurrying import hurry
from tests.histories import played, table_of
from tests.limits import LIMITED, limited, said, used
from tests.streams import restless_game, stored_fork, voided_game
from tests.table import rules
from tests.tables import (
    BOT,
    HUMAN,
    Api,
    Table,
    at_once,
    forked_halfway,
    make_app,
    open_table,
    outcome_of,
    started_table,
)

HARD = {"level": "hard"}
DONE_BEFORE = "public, max-age=31536000, immutable"
AFTER_ALL = 2**43


@pytest.fixture
def client(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


@pytest.fixture
def api(redis_url, redis_db):
    """A way in of its own, which a test may lead to another store."""
    return Api(make_app(redis_url))


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    hurry(monkeypatch)


@pytest.fixture
def desk(api, client):
    """Who works at what is asked for."""
    return hinted(api, client)


def finished(api, seed=1):
    return table_of(api, played(TINY, seed))


def asked(table, body=HARD, viewer=None, expect=202):
    """Return the path of the analysis that *viewer* asks for."""
    answer = table.ask("POST", "/analyses", viewer, body, expect=expect)
    return answer.headers["Location"].removeprefix(table.path)


def worked(api, desk, table, body=HARD):
    """Return the answer to who reads an analysis that is done."""
    path = asked(table, body)
    desk.work(api.deps.games)
    return table.ask("GET", path, expect=200)


def test_an_analysis_is_asked_for_awaited_and_read(api, desk):
    table = finished(api)

    made = table.ask("POST", "/analyses", None, HARD, expect=202)
    waiting = table.ask("GET", f"/analyses/{made.json['id']}", expect=200)
    desk.work(api.deps.games)
    done = table.ask("GET", f"/analyses/{made.json['id']}", expect=200)

    assert made.json == waiting.json
    assert (made.json["status"], made.json["progress"]) == ("queued", {"done": 0, "all": 32})
    assert made.headers["Retry-After"] == waiting.headers["Retry-After"] == "1"
    assert "Retry-After" not in done.headers
    assert (done.json["status"], done.json["progress"]) == ("done", {"done": 32, "all": 32})
    assert done.headers["Cache-Control"] == DONE_BEFORE
    decisions = done.json["result"]["decisions"]
    log = {one["seq"]: one for one in table.events()}
    for one in decisions:
        event = log[one["seq"]]
        assert event["type"] == {"pass": "cards.passed", "play": "card.played"}[one["move"]["type"]]
        assert (event["data"]["seat"], event["data"]["deal"]) == (one["seat"], one["deal"])
        assert event["data"].get("trick") == one["trick"]
        assert event["data"].get("card") == one["move"].get("card")
        assert one["mistake"] is (one["loss"] > 2 * one["error"])
        assert one["dear"] is (one["mistake"] and one["loss"] > 1)
        assert (one["why"] is not None) is one["mistake"]
    totals = [seat["total"] for seat in table.state()["seats"]]
    assert [one["points"] for one in done.json["result"]["seats"]] == totals


def test_the_same_again_is_the_same_at_once(api, desk):
    table = finished(api)
    path = asked(table)
    assert asked(table, expect=200) == path
    desk.work(api.deps.games)
    done = table.ask("GET", path, expect=200)

    again = table.ask("POST", "/analyses", 3, HARD | {"deals": [2, 1]}, expect=200)

    assert again.data == done.data
    assert again.headers["Location"] == table.path + path
    assert desk.sent == []


def test_other_deals_and_levels_are_other_analyses(api, desk):
    table = finished(api)
    bodies = [HARD, HARD | {"deals": [1]}, HARD | {"deals": [2]}, {"level": "expert"}]

    answers = [worked(api, desk, table, body).json for body in bodies]

    assert len({one["id"] for one in answers}) == len(bodies)
    assert [one["deals"] for one in answers] == [[1, 2], [1], [2], [1, 2]]
    whole, first, second, _ = (one["result"] for one in answers)
    assert first["decisions"] + second["decisions"] == whole["decisions"]
    assert first["deals"] + second["deals"] == whole["deals"]


def test_a_game_that_goes_on_is_not_analysed(api, desk):
    table = started_table(api, rules=TINY_RULES)

    refused = table.ask("POST", "/analyses", 0, HARD, expect=(409, "game_not_finished"))

    assert refused.json["game_status"] == "active"
    open_table(api).ask("POST", "/analyses", None, HARD, expect=(409, "game_not_finished"))


def test_only_deals_that_were_played_are_analysed(api, desk):
    table = finished(api)

    table.ask("POST", "/analyses", None, HARD | {"deals": [2, 3]}, expect=(404, "deal_not_found"))


def test_an_aborted_game_has_its_whole_deals_analysed(api, desk):
    table = started_table(api, rules=TINY_RULES)
    table.play(until=lambda turn: turn["id"] > 33)
    assert table.state()["deal"]["number"] == 2
    table.ask("POST", "/abort", "host", expect=200)

    done = worked(api, desk, table).json

    assert (done["status"], done["deals"], len(done["result"]["decisions"])) == ("done", [1], 16)


@pytest.mark.parametrize("body", [HARD, HARD | {"deals": [1]}], ids=["all deals", "the first"])
def test_where_nothing_was_played_there_is_nothing_to_ask(api, desk, client, body):
    table = started_table(api, rules=TINY_RULES)
    table.ask("POST", "/abort", "host", expect=200)

    table.ask("POST", "/analyses", None, body, expect=(404, "deal_not_found"))

    assert not list(client.scan_iter("hearts-side:{analyses}:*"))


def test_an_analysis_belongs_to_its_game(api, desk):
    table = finished(api)
    path = asked(table)
    other = finished(api, seed=2)

    for unknown in (path, f"/analyses/{'0' * 32}"):
        other.ask("GET", unknown, expect=(404, "analysis_not_found"))
    table.ask("GET", "/analyses/1", expect=(404, "not_found"))


def test_who_may_read_a_private_game_may_have_it_analysed(api, desk):
    body = {"rules": TINY_RULES, "visibility": "private", "seats": [HUMAN, BOT, BOT, BOT]}
    body["claim"] = {"seat": 0, "name": "Ana"}
    table = Table(api, api.ask("POST", "/v1/games", body=body, expect=201).json).start()
    while table.state("host")["status"] == "active":
        table.let_bots_play()
        if 0 in (table.state(0)["turn"] or {"seats": []})["seats"]:
            table.move(0, table.a_move(0), expect=201)

    table.ask("POST", "/analyses", None, HARD, expect=(404, "game_not_found"))
    path = asked(table, viewer="host")
    table.ask("GET", path, expect=(404, "game_not_found"))
    table.ask("GET", path, 0, expect=200)
    desk.work(api.deps.games)

    assert table.ask("GET", path, 0, expect=200).headers["Cache-Control"].startswith("private")


def test_looking_how_far_it_is_changes_nothing(api, desk, client):
    table = finished(api)
    path = asked(table)
    desk.sent.clear()
    for key in client.scan_iter("hearts-side:{analyses}:hinted:*"):
        client.delete(key)
    keys = set(client.scan_iter())

    table.ask("GET", path, expect=200)
    table.ask("POST", "/analyses", None, HARD, expect=200)

    assert desk.sent == []
    assert set(client.scan_iter()) == keys


def test_one_that_has_failed_is_tried_again(api, desk):
    table = finished(api)
    path = asked(table)
    desk.orders.records.fail(path.rpartition("/")[2])
    assert table.ask("GET", path, expect=200).json["status"] == "failed"
    desk.sent.clear()

    assert worked(api, desk, table).json["status"] == "done"


def test_of_three_who_ask_at_once_all_get_the_same(api, redis_url, client):
    table = finished(api)
    doors = [Api(make_app(redis_url)).over(api.deps.store) for _ in range(3)]
    for door in doors:
        hinted(door, client)

    answers = at_once(
        *(partial(table.through(one).ask, "POST", "/analyses", None, HARD) for one in doors)
    )

    assert {one.status_code for one in answers} <= {200, 202}
    assert len({one.data for one in answers}) == 1


def test_it_comes_out_the_same_when_it_is_made_again(api, desk, client):
    table = finished(api)
    first = worked(api, desk, table)
    for key in client.scan_iter("hearts-side:{analyses}:*"):
        client.delete(key)
    table.ask("GET", f"/analyses/{first.json['id']}", expect=(404, "analysis_not_found"))

    assert worked(api, desk, table).data == first.data


def imported(api):
    file = finished(api).ask("GET", "/export?format=jsonl", expect=200).data
    made = api.send("POST", "/v1/imports", file, content_type="application/x-ndjson", expect=201)
    return Table(api, made.json | {"host_token": None, "seat": None})


def forked(api):
    return forked_halfway(finished(api))


def archived(api):
    table = finished(api)
    store = api.deps.store
    assert dict(outcomes(store, [table.id], AFTER_ALL))
    api.over(store)
    return table


def stored(make, chosen=TINY):
    return lambda api: table_of(api, make(chosen, random.Random(5)))


GAMES = {
    "imported": imported,
    "forked": forked,
    "archived": archived,
    "voided": stored(partial(voided_game, chance=0.1)),
    "a whole fork": stored(stored_fork),
    "restless": stored(restless_game),
    "two packs": lambda api: table_of(
        api, played(rules("cancellation", seats=7, ending={"deals": 1, "target": None}))
    ),
}


@pytest.mark.parametrize("make", GAMES.values(), ids=GAMES)
def test_every_kind_of_game_is_analysed(api, desk, make):
    table = make(api)

    done = worked(api, desk, table).json

    assert done["status"] == "done"
    points = [0] * len(table.state()["seats"])
    for deal in done["result"]["deals"]:
        points = [one + more for one, more in zip(points, deal["points"], strict=True)]
    seats = done["result"]["seats"]
    assert [one["points"] for one in seats] == points
    for one in seats:
        parts = (one["even_points"], one["lost_by_cards"], one["lost_by_play"], one["rest"])
        assert sum(parts) == pytest.approx(one["points"])
    assert done["progress"]["done"] == len(done["result"]["decisions"])


def test_of_a_game_that_has_expired_nothing_is_left(api, desk, client):
    table = finished(api)
    path = worked(api, desk, table).request.path.removeprefix(table.path)
    store = api.deps.store
    assert dict(outcomes(store, [table.id], AFTER_ALL))

    list(Retention(store, -DAY_MS, api.deps.clock, desk.orders.forget).some())

    table.ask("GET", path, expect=(410, "game_expired"))
    table.ask("POST", "/analyses", None, HARD, expect=(410, "game_expired"))
    assert list(client.scan_iter("hearts-side:{analyses}:*")) == []


def test_new_analyses_are_counted_and_what_is_known_is_free(redis_url, client, redis_db):
    api = limited(redis_url, analysis="2/60")
    hinted(api, client)
    table = finished(api)

    answers = [table.ask("POST", "/analyses", None, HARD) for _ in range(3)]
    answers.append(table.ask("POST", "/analyses", None, HARD | {"deals": [1]}))
    answers.append(table.ask("POST", "/analyses", None, HARD | {"deals": [2]}))
    answers.append(table.ask("POST", "/analyses", None, HARD))

    assert [outcome_of(one) for one in answers] == [202, 200, 200, 202, LIMITED, 200]
    assert [said(one) for one in answers[:2]] == [("analysis", 1)] * 2


def first_looks_together(find, count):
    """Return *find*, which answers nobody for the first time before *count* threads have asked."""
    all_asked, seen = Barrier(count), local()

    def look(analysis_id):
        found = find(analysis_id)
        if not hasattr(seen, "before"):
            seen.before = True
            all_asked.wait(10)
        return found

    return look


def test_of_eight_who_ask_at_once_one_begins_it_and_pays(redis_db, client, monkeypatch):
    api = limited(redis_db, analysis="1/60")
    desk = hinted(api, client)
    table = finished(api)
    looks = first_looks_together(desk.orders.records.find, 8)
    monkeypatch.setattr(desk.orders.records, "find", looks)

    answers = at_once(*[partial(table.ask, "POST", "/analyses", None, HARD)] * 8)

    assert sorted(map(outcome_of, answers)) == [200] * 7 + [202]
    assert len({one.json["id"] for one in answers}) == 1
    assert used(client, "analysis") == 1


def test_who_is_overtaken_by_another_process_pays_nothing(redis_db, client):
    api = limited(redis_db, analysis="2/60")
    desk = hinted(api, client)
    table = finished(api)
    open_first = desk.orders.open

    def overtaken(plan):
        assert open_first(plan)
        return open_first(plan)

    desk.orders.open = overtaken

    answer = table.ask("POST", "/analyses", None, HARD, expect=200)

    assert said(answer) == ("analysis", 2)
    assert used(client, "analysis") == 0
    assert len(desk.sent) == 1
