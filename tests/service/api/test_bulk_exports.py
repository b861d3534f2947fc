"""The bulk export: every game of an app that is over, once, and nobody else's."""

import json
import random
import re
from dataclasses import replace
from itertools import count

import pytest

from service.api.bulk_exports import EXPORTS_PER_APP, SETTLED_MS
from service.archiving import outcomes
from service.directory import ends_for
from service.keyring import Keyring
from service.requests import DEPS, WAITS
from service.schemas.responses import timestamp
from service.store.base import StoreUnavailableError
from service.store.keys import stream_key
from tests.fakes import Fault, FaultyStore
from tests.tables import BOT, HUMAN, KEYS, SHORT, Api, Table, make_app, new_key

AFTER_ALL = 2**43


def app_key(app="shop"):
    return Keyring([KEYS[0].encode()]).app_key(app, "0" * 12)


class Clock:
    """A clock on which no two things happen in the same millisecond."""

    def __init__(self, now):
        self._moments = count(now)
        self.ahead = 0

    def __call__(self):
        return next(self._moments) + self.ahead


@pytest.fixture
def api(redis_url, redis_db):
    """A way in of its own, with a clock that the test moves."""
    api = Api(make_app(redis_url))
    api.app.extensions[DEPS] = replace(api.deps, clock=Clock(1_790_000_000_000))
    return api


def settle(api):
    """Let the time pass that an end needs to be known to all."""
    api.deps.clock.ahead += SETTLED_MS


def create(api, app="shop", player=None, **body):
    """Return a started table of an app, with Ana in seat 0 and *player* in seat 1."""
    body = {"seats": [HUMAN, HUMAN, BOT], "claim": {"seat": 0, "name": "Ana"}} | body
    table = Table(api, api.ask("POST", "/v1/games", app_key(app), body, expect=201).json)
    claim = {"name": "Bea", "player_ref": player}
    if body.get("visibility") == "private":
        made = api.ask("PATCH", table.path, table.host, {"visibility": "private"}, expect=200)
        claim["join_code"] = made.json["join_code"]
    table.ask("POST", "/seats/1/claim", body=claim, token=app_key(app), expect=201)
    return table.start()


def ended(api, app="shop", **more):
    """Return a table of an app whose game was aborted."""
    table = create(api, app, **more)
    table.ask("POST", "/abort", "host", expect=200)
    return table


def played(api, **more):
    """Return a table of an app whose game was played to its end."""
    body = {"seats": [HUMAN, HUMAN, HUMAN], "rules": SHORT} | more
    made = api.ask("POST", "/v1/games", app_key(), body, expect=201).json
    table = Table(api, made)
    for seat in range(3):
        table.claim(seat)
    table.start().play(random.Random(1))
    return table


def page(api, query="", app="shop", **more):
    return api.ask("GET", f"/v1/exports?{query}", app_key(app), expect=200, **more)


def lines(answer):
    assert answer.mimetype == "application/x-ndjson"
    assert not answer.data or answer.data.endswith(b"\n")
    return [json.loads(line) for line in answer.data.splitlines()]


def following(answer):
    link = answer.headers.get("Link")
    return link and re.fullmatch('<(.*)>; rel="next"', link)[1]


def walk(api, query="", app="shop"):
    """Return the ids on all pages that a query leads to."""
    found, target = [], f"/v1/exports?{query}"
    while target is not None:
        answer = api.ask("GET", target, app_key(app), expect=200)
        found += [line["header"]["game_id"] for line in lines(answer)]
        target = following(answer)
    return found


def archive(api, *tables):
    dict(outcomes(api.deps.store, [one.id for one in tables], AFTER_ALL))


def test_a_line_is_the_document_of_the_game(api):
    tables = [played(api), ended(api)]
    settle(api)

    found = page(api)

    assert found.data == b"".join(
        one.ask("GET", "/export?format=json&as=all", expect=200).data + b"\n" for one in tables
    )
    assert found.headers["Cache-Control"] == "private, no-cache"


def test_games_come_in_the_order_of_their_ends_and_no_running_one(api):
    first, running, second = create(api), create(api), create(api)
    for table in (second, first):
        table.ask("POST", "/abort", "host", expect=200)
    settle(api)

    assert walk(api) == [second.id, first.id]
    assert running.id not in page(api).text


def test_an_archived_game_has_the_same_line(api):
    tables = [played(api), ended(api, visibility="private")]
    settle(api)
    before = page(api).data

    archive(api, *tables)

    assert page(api).data == before


def test_the_app_has_its_games_whoever_may_see_them(api):
    """It could make itself tokens for them, and once they are over nothing in them is hidden."""
    tables = [
        *(ended(api, visibility=word) for word in ("public", "unlisted", "private")),
        ended(api, spectators=False),
    ]
    settle(api)

    assert walk(api) == [one.id for one in tables]


def test_no_list_of_games_has_a_hidden_one(api):
    tables = [ended(api, visibility=word, player="u_1") for word in ("unlisted", "private")]
    settle(api)

    for query in ("", "player_ref=u_1", "sort=last_event_at", "status=aborted"):
        found = api.ask("GET", f"/v1/games?limit=100&{query}", app_key(), expect=200)
        assert not any(one.id in found.text for one in tables)


def test_an_app_gets_no_game_of_another(api):
    mine, other = ended(api, "shop", player="u_1"), ended(api, "other", player="u_1")
    body = {"seats": [BOT, BOT, BOT]}
    nobodys = Table(api, api.ask("POST", "/v1/games", body=body, expect=201).json)
    nobodys.ask("POST", "/abort", "host", expect=200)
    settle(api)

    for app, table in (("shop", mine), ("other", other)):
        assert walk(api, app=app) == walk(api, "player_ref=u_1", app) == [table.id]
    assert walk(api, app="third") == []


def test_a_list_that_lies_opens_no_game(api, monkeypatch):
    other = ended(api, "other")
    settle(api)
    lists = ends_for("other", None, ["aborted"])
    monkeypatch.setattr("service.api.bulk_exports.ends_for", lambda *_: lists)

    assert page(api).data == b""
    assert walk(api, app="other") == [other.id]


def test_nobody_is_named_as_the_app_calls_him(api):
    ended(api, player="u_33~reference")
    settle(api)

    shown = page(api).text

    assert "u_33" not in shown
    assert "shop" not in shown


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 500])
def test_the_pages_are_the_games(api, limit):
    tables = [ended(api) for _ in range(4)]
    settle(api)

    assert walk(api, f"limit={limit}") == [one.id for one in tables]


def test_what_has_ended_since_comes_after_the_pages_that_were_read(api):
    first, second, third = (ended(api) for _ in range(3))
    settle(api)
    target = following(page(api, "limit=2"))
    archive(api, first, second, third)
    fourth = ended(api)
    settle(api)

    answer = api.ask("GET", target, app_key(), expect=200)

    assert [line["header"]["game_id"] for line in lines(answer)] == [third.id, fourth.id]
    assert following(answer) is None


def test_a_page_that_was_broken_off_is_read_again(api):
    for _ in range(3):
        ended(api)
    settle(api)
    target = following(page(api, "limit=1"))

    both = [api.ask("GET", target, app_key(), expect=200) for _ in range(2)]

    assert both[0].data == both[1].data
    assert following(both[0]) == following(both[1])


def test_a_game_comes_when_its_end_is_known_to_all(api):
    table = ended(api)
    api.deps.clock.ahead += SETTLED_MS // 2
    assert walk(api) == []

    settle(api)

    assert walk(api) == [table.id]


def test_the_times_are_those_of_the_ends(api):
    tables = [ended(api) for _ in range(3)]
    at = [one.state()["finished_at"] for one in tables]
    settle(api)
    later = timestamp(api.deps.clock())

    ids = [one.id for one in tables]
    assert walk(api, f"since={at[1]}") == ids[1:]
    assert walk(api, f"until={at[1]}") == ids[:1]
    assert walk(api, f"since={at[1]}&until={at[2]}&limit=1") == ids[1:2]
    assert walk(api, f"since={later}") == []
    assert walk(api, f"since={at[2]}&until={at[0]}") == []


def test_a_player_and_a_status_leave_what_they_say(api):
    over, one, other = played(api), ended(api, player="u_1"), ended(api, player="u_2")
    hidden = ended(api, player="u_1", visibility="private")
    settle(api)

    assert walk(api, "player_ref=u_1") == [one.id, hidden.id]
    assert walk(api, "status=finished") == [over.id]
    assert walk(api, "status=aborted&status=finished&limit=1") == walk(api)
    assert walk(api, "player_ref=u_2&status=finished") == []
    assert walk(api, "player_ref=u_2&status=aborted") == [other.id]


def test_a_cursor_belongs_to_its_app_and_its_filters(api):
    for app in ("shop", "other"):
        for _ in range(2):
            ended(api, app, player="u_1")
    settle(api)
    cursor = following(page(api, "limit=1")).rpartition("cursor=")[2]
    wrong = (400, "invalid_cursor")

    for query in (f"cursor={cursor}x", "cursor=", f"cursor={cursor}&status=aborted"):
        api.ask("GET", f"/v1/exports?{query}", app_key(), expect=wrong)
    api.ask("GET", f"/v1/exports?cursor={cursor}&player_ref=u_1", app_key(), expect=wrong)
    api.ask("GET", f"/v1/exports?cursor={cursor}", app_key("other"), expect=wrong)
    api.ask("GET", f"/v1/games?cursor={cursor}", app_key(), expect=wrong)


def test_it_needs_the_key_of_an_application(api):
    table = ended(api)

    api.ask("GET", "/v1/exports", expect=(401, "authentication_required"))
    for token in (table.host, table.tokens[0]):
        api.ask("GET", "/v1/exports?no=1", token, expect=(403, "key_required"))
    for token in ("hak_", "x", app_key()[:-1]):
        api.ask("GET", "/v1/exports?no=1", token, expect=(401, "invalid_token"))


def test_head_says_whether_there_is_more_and_reads_no_game(api):
    ended(api), ended(api)
    settle(api)
    store = FaultyStore(api.deps.store)
    api.app.extensions[DEPS] = replace(api.over(store).deps, clock=api.deps.clock)

    answer = api.ask("HEAD", "/v1/exports?limit=1", app_key(), expect=200)

    assert answer.data == b""
    assert following(answer) is not None
    assert store.calls == ["directory"]


def test_a_game_that_makes_no_sense_is_said_in_its_line(api, redis_url):
    before, broken, after = (ended(api) for _ in range(3))
    settle(api)
    with api.deps.store.client() as client:
        client.xdel(stream_key(broken.id), "2-0")
    api.deps.games.forget(broken.id)

    found = lines(page(api))

    assert [one["header"]["game_id"] for one in (found[0], found[2])] == [before.id, after.id]
    assert found[1]["game_id"] == broken.id
    assert found[1]["error"]["code"] == "game_quarantined"


def test_a_game_that_stumbles_over_our_fault_is_said_in_its_line(api, monkeypatch):
    before, broken = ended(api), ended(api)
    settle(api)
    look_up = api.deps.games.look_up

    def stumble(game_id):
        if game_id == broken.id:
            raise ZeroDivisionError
        return look_up(game_id)

    monkeypatch.setattr(api.deps.games, "look_up", stumble)

    found = lines(page(api))

    assert found[0]["header"]["game_id"] == before.id
    assert found[1] == {
        "game_id": broken.id,
        "error": {"code": "internal_error", "detail": "This is our fault."},
    }


def test_a_store_that_fails_on_the_way_is_said_in_the_last_line(api):
    tables = [ended(api) for _ in range(3)]
    settle(api)
    clock, plan = api.deps.clock, [None, Fault.UNAVAILABLE]
    api.over(FaultyStore(api.deps.store, plan, methods=("tail",)))
    api.app.extensions[DEPS] = replace(api.deps, clock=clock)

    found = lines(page(api))

    assert len(found) == 2
    assert found[0]["header"]["game_id"] == tables[0].id
    assert (found[1]["game_id"], found[1]["error"]["code"]) == (tables[1].id, "store_unavailable")


def test_a_store_that_is_away_is_503_before_anything_is_sent(api):
    class Away:
        def __getattr__(self, _):
            raise StoreUnavailableError

    api.over(Away())

    api.ask("GET", "/v1/exports", app_key(), expect=(503, "store_unavailable"))


def test_the_games_that_people_play_stay_in_mind(api):
    running = create(api)
    ended(api), ended(api)
    settle(api)
    games = api.deps.games
    for one in walk(api):
        games.forget(one)

    walk(api)

    assert games.cached(running.id) is not None
    assert [games.cached(one) for one in walk(api)] == [None, None]


def open_export(api):
    """Begin an export whose lines nobody takes yet."""
    client, headers = api.app.test_client(), {"Authorization": f"Bearer {app_key()}"}
    return client.get("/v1/exports", headers=headers, buffered=False)


def test_an_app_takes_so_many_exports_at_once_and_who_hangs_up_makes_room(api):
    for _ in range(2):
        ended(api)
    settle(api)
    taken = [open_export(api) for _ in range(EXPORTS_PER_APP)]
    next(taken[0].response)

    answer = api.ask("GET", "/v1/exports", app_key(), expect=(429, "too_many_streams"))
    assert answer.json["policy"] == "exports"
    page(api, app="other")
    for one in taken:
        one.close()

    page(api)
    assert api.app.extensions[WAITS].count == 0


def test_a_create_call_that_is_repeated_is_one_line(api):
    key = new_key()
    body = {"seats": [BOT, BOT, BOT]}
    ids = {
        api.ask("POST", "/v1/games", app_key(), body, key=key, expect=201).json["id"]
        for _ in range(2)
    }
    (made,) = ids
    host = api.ask("POST", "/v1/games", app_key(), body, key=key, expect=201).json["host_token"]
    api.ask("POST", f"/v1/games/{made}/abort", host, expect=200)
    settle(api)

    assert walk(api) == [made]
