"""The list of games: what each filter leaves, in which order, and what a page costs."""

import random
import re
from dataclasses import replace
from itertools import count, islice, product

import pytest

from service.keyring import Keyring
from service.requests import DEPS
from service.store.keys import KEYS as KEYS_OF
from service.store.keys import shard_of
from tests.tables import BOT, HUMAN, KEYS, SHORT, open_table, playing_table

ALL_STATUSES = ("lobby", "active", "finished", "aborted")
SEED = {"mode": "seeded", "seed": "5e" * 32}
ORDERS = ("created_at", "-created_at", "last_event_at", "-last_event_at")


@pytest.fixture
def api(api):
    """The way into the app, where no two things happen in the same millisecond."""
    plain = api.deps
    moments = count(plain.clock())
    api.app.extensions[DEPS] = replace(plain, clock=lambda: next(moments))
    yield api
    api.app.extensions[DEPS] = plain


def app_key(app="shop"):
    return Keyring([KEYS[0].encode()]).app_key(app, "0" * 12)


def pages(api, query="", token=None, limit=3):
    """Yield the pages that a query leads to."""
    target = f"/v1/games?limit={limit}&{query}"
    while target is not None:
        page = api.ask("GET", target, token, expect=200)
        yield page.json["items"]
        link = page.headers.get("Link")
        assert (link is None) == (page.json["next_cursor"] is None)
        target = link and re.fullmatch('<(.*)>; rel="next"', link)[1]


def listed(api, query="", token=None, limit=3):
    return [line for page in pages(api, query, token, limit) for line in page]


def ids(api, query="", token=None):
    return [line["id"] for line in listed(api, query, token)]


def a_hall(api):
    """Make games of many kinds, one of them played out; return the query of each kind."""
    rng = random.Random(5)
    for seats in ([HUMAN] * 4, [HUMAN, BOT, BOT], [HUMAN] * 3, [HUMAN, HUMAN, BOT, BOT, HUMAN]):
        for preset in ("standard", "spot"):
            table = open_table(api, *seats, rules={"preset": preset})
            for seat in rng.sample(range(len(seats)), rng.randrange(3)):
                if seats[seat] is HUMAN:
                    table.claim(seat)
            if rng.random() < 0.3:
                table.ask("POST", "/abort", "host", expect=200)
    over = playing_table(api, HUMAN, HUMAN, HUMAN, rules=SHORT)
    over.play()
    playing_table(api, HUMAN, HUMAN, HUMAN, dealing=SEED)
    playing_table(api, HUMAN, HUMAN, HUMAN)
    open_table(api, dealing=SEED)
    open_table(api, HUMAN, BOT, BOT, practice=True, visibility="public")
    open_table(api, visibility="unlisted")
    for body in ({}, {"seats": [HUMAN] * 3}, {"claim": {"seat": 0, "name": "Ana"}}):
        asked = {"at_version": 20, "visibility": "public", **body}
        over.ask("POST", "/forks", body=asked, expect=201)
    file = over.ask("GET", "/export", expect=200).data
    api.ask("POST", "/v1/imports", data=file, content_type="application/x-ndjson", expect=201)
    return ["", "origin=fork", "origin=import", "dealing=seeded", "practice=true"]


FILTERS = {
    "status=lobby": lambda line: line["status"] == "lobby",
    "status=active&status=finished": lambda line: line["status"] in {"active", "finished"},
    "preset=spot": lambda line: line["preset"] == "spot",
    "seat_count=3": lambda line: line["seat_count"] == 3,
    "open_seats_min=2": lambda line: len(line["open_seats"]) >= 2,
    "open_seats_min=0": lambda _: True,
    "has_bots=true": lambda line: any(one["kind"] == "bot" for one in line["seats"]),
    "has_bots=false": lambda line: all(one["kind"] == "human" for one in line["seats"]),
}


def test_each_filter_and_any_two_leave_what_they_say(api):
    for kind in a_hall(api):
        everything = listed(api, kind)
        assert everything
        for some in [(), *product(FILTERS, repeat=1), *product(FILTERS, repeat=2)]:
            names = [one.partition("=")[0] for one in some]
            if len(set(names)) < len(names):
                continue
            expected = [
                line["id"] for line in everything if all(FILTERS[one](line) for one in some)
            ]
            assert ids(api, "&".join([kind, *some]).strip("&")) == expected, (kind, some)


@pytest.mark.parametrize("sort", ORDERS)
def test_every_order_has_every_game_once(api, sort):
    for kind in a_hall(api):
        for some in ("", *FILTERS):
            query = "&".join(one for one in (kind, some) if one)
            in_order = listed(api, f"{query}&sort={sort}".strip("&"))
            assert sorted(line["id"] for line in in_order) == sorted(ids(api, query))
            if sort.endswith("created_at"):
                times = [line["created_at"] for line in in_order]
                assert times == sorted(times, reverse=sort.startswith("-"))


def test_what_happened_last_comes_first(api):
    tables = [open_table(api) for _ in range(5)]
    assert ids(api, "sort=-last_event_at") == [one.id for one in tables[::-1]]

    tables[1].claim(0)
    tables[3].claim(2)
    tables[0].ask("POST", "/abort", "host", expect=200)

    order = [tables[place].id for place in (0, 3, 1, 4, 2)]
    assert ids(api, "sort=-last_event_at") == order
    assert ids(api, "sort=last_event_at") == order[::-1]


def test_a_move_counts_as_the_last_event_within_a_page(api):
    tables = [playing_table(api, HUMAN, HUMAN, HUMAN) for _ in range(2)]
    seat = tables[0].state()["turn"]["seats"][0]
    tables[0].move(seat, tables[0].a_move(seat), expect=201)

    assert ids(api, "sort=-last_event_at") == [tables[0].id, tables[1].id]


def test_a_page_goes_on_behind_lines_that_were_taken_out_while_it_was_read(api):
    """The store looks for places first, and for lines then."""
    tables = [open_table(api) for _ in range(5)]
    with api.deps.store.client() as client:
        for one in tables[2:]:
            client.hdel(KEYS_OF[shard_of(one.id)].rows, one.id)

    assert ids(api) == [tables[1].id, tables[0].id]


def test_times_bound_the_list(api):
    tables = [open_table(api) for _ in range(5)]
    middle = tables[2].state()["created_at"]
    at = {line["id"]: line["created_at"] for line in listed(api)}
    for sort in ORDERS:
        for kind, fits in (
            ("created_after", lambda time: time > middle),
            ("created_before", lambda time: time < middle),
            ("last_event_after", lambda time: time > middle),
        ):
            found = ids(api, f"{kind}={middle}&sort={sort}")
            assert sorted(found) == sorted(one for one, time in at.items() if fits(time)), kind
    both = f"created_after={at[tables[0].id]}&created_before={at[tables[4].id]}"
    assert set(ids(api, both)) == {
        one for one, time in at.items() if at[tables[0].id] < time < at[tables[4].id]
    }


def test_a_cursor_belongs_to_all_filters(api):
    for _ in range(3):
        open_table(api)
    query = "status=lobby&open_seats_min=1"
    cursor = api.ask("GET", f"/v1/games?{query}&limit=1", expect=200).json["next_cursor"]

    for other in ("", "status=lobby", f"{query}&has_bots=false", f"{query}&status=active"):
        target = f"/v1/games?{other}&limit=1&cursor={cursor}"
        api.ask("GET", target, expect=(400, "invalid_cursor"))
    for same in (query, "open_seats_min=01&status=lobby&status=lobby"):
        api.ask("GET", f"/v1/games?{same}&limit=2&cursor={cursor}", expect=200)


def test_a_line_shows_the_metadata(api):
    open_table(api, metadata={"tournament": "t_12"})

    (line,) = listed(api)

    assert line["metadata"] == {"tournament": "t_12"}


# Applications


def of_app(api, key, *, ref=None, **body):
    made = api.ask("POST", "/v1/games", key, {"seats": [HUMAN] * 3, **body}, expect=201).json
    if ref is not None:
        path = f"/v1/games/{made['id']}/seats/claim"
        api.ask("POST", path, key, {"name": "Ana", "player_ref": ref}, expect=201)
    return made["id"]


def test_an_app_finds_the_games_of_its_player(api):
    key = app_key()
    one, two = (of_app(api, key, ref="u_1") for _ in range(2))
    other = of_app(api, key, ref="u_2")
    of_app(api, app_key("other"), ref="u_1")
    of_app(api, key, ref="u_1", visibility="unlisted")

    assert ids(api, "player_ref=u_1", key) == [two, one]
    assert ids(api, "player_ref=u_2&status=lobby", key) == [other]
    assert ids(api, "player_ref=u_2&status=active", key) == []
    assert ids(api, "player_ref=u_3", key) == []
    assert ids(api, "player_ref=u_1&sort=-last_event_at", key) == [two, one]


def test_a_player_who_left_the_lobby_is_not_found_there(api):
    key = app_key()
    game = of_app(api, key)
    path = f"/v1/games/{game}/seats"
    body = {"name": "Ana", "player_ref": "u_1"}
    token = api.ask("POST", f"{path}/0/claim", key, body, expect=201).json["seat_token"]
    assert ids(api, "player_ref=u_1", key) == [game]

    api.ask("POST", f"{path}/0/release", token, expect=200)

    assert ids(api, "player_ref=u_1", key) == []


def test_an_app_finds_its_games_by_metadata(api):
    key = app_key()
    both = of_app(api, key, metadata={"cup": "é 1", "round_": "2"})
    one = of_app(api, key, metadata={"cup": "é 1"})
    of_app(api, app_key("other"), metadata={"cup": "é 1"})
    open_table(api, metadata={"cup": "é 1"})

    assert ids(api, "metadata.cup=%C3%A9+1", key) == [one, both]
    assert ids(api, "metadata.cup=%C3%A9+1&metadata.round_=2", key) == [both]
    assert ids(api, "metadata.round_=2&metadata.cup=%C3%A9+1&status=lobby", key) == [both]
    assert ids(api, "metadata.cup=", key) == []


def test_what_an_app_says_is_for_its_key(api):
    for query in ("player_ref=u_1", "metadata.cup=1"):
        for token in (None, open_table(api).host):
            api.ask("GET", f"/v1/games?{query}", token, expect=(403, "key_required"))
        api.ask("GET", f"/v1/games?{query}", "hak_x", expect=(401, "invalid_token"))
    target = "/v1/games?metadata.Cup=1"
    api.ask("GET", target, app_key(), expect=(400, "unknown_parameter"))


def test_a_cursor_belongs_to_the_app(api):
    for name in ("shop", "other"):
        for _ in range(2):
            of_app(api, app_key(name), ref="u_1")
    query = "/v1/games?player_ref=u_1&limit=1"
    cursor = api.ask("GET", query, app_key(), expect=200).json["next_cursor"]

    api.ask("GET", f"{query}&cursor={cursor}", app_key("other"), expect=(400, "invalid_cursor"))
    api.ask("GET", f"{query}&cursor={cursor}", app_key(), expect=200)


# What a page costs


class Counting:
    """Counts the commands that a wire sends to be read, and the values in the answers."""

    def __init__(self, wire):
        self.wire = wire
        self.commands = self.values = 0

    def __getattr__(self, name):
        return getattr(self.wire, name)

    def read(self, commands):
        answers = self.wire.read(commands)
        self.commands += len(commands)
        self.values += sum(len(one) if isinstance(one, list) else 1 for one in answers)
        return answers


@pytest.fixture
def costs(api, monkeypatch):
    """Return what gives commands and values of the first page of a query."""

    def cost(query):
        counting = Counting(api.deps.store._wire)
        with monkeypatch.context() as patch:
            patch.setattr(api.deps.store, "_wire", counting)
            page = next(pages(api, query, limit=20))
        return len(page), counting.commands, counting.values

    return cost


QUERIES = [
    *("", "sort=created_at", "sort=-last_event_at", "sort=last_event_at", "status=lobby"),
    *("status=lobby&preset=spot", "seat_count=3&status=lobby", "has_bots=false"),
    *("open_seats_min=3&status=lobby", "created_after=2020-01-01T00:00:00.000Z"),
]


def test_a_page_reads_no_more_where_there_are_many_more_games(api, costs):
    """No list is read to its end: what is read depends on the page alone."""

    def grow(count):
        for _ in range(count):
            open_table(api, HUMAN, HUMAN, HUMAN, rules={"preset": "spot"})

    grow(60)
    few = {query: costs(query) for query in QUERIES}
    grow(240)
    many = {query: costs(query) for query in QUERIES}

    for query in QUERIES:
        assert many[query][0] == few[query][0] == 20
        assert many[query][1] <= few[query][1] + 30, query
        assert many[query][2] <= few[query][2] + 500, query


def test_a_page_of_rare_games_reads_their_list_alone(api, costs):
    for _ in range(60):
        open_table(api, HUMAN, HUMAN, HUMAN)
    open_table(api, HUMAN, HUMAN, HUMAN, rules={"preset": "spot"})

    for query in ("preset=spot", "status=lobby&preset=spot"):
        found, commands, values = costs(query)
        assert (found, commands) == (1, 256 + 2)
        assert values < 10


def test_where_two_rare_things_are_asked_for_a_page_looks_so_far_and_no_further(api):
    for _ in range(25):
        open_table(api, HUMAN, HUMAN, HUMAN)

    page = api.ask("GET", "/v1/games?seat_count=3&has_bots=true&limit=2", expect=200).json

    assert (page["items"], page["next_cursor"] is None) == ([], False)
    assert list(islice(listed(api, "seat_count=3&has_bots=true"), 1)) == []
