"""Streams as a client meets them: where they begin, where they end, and who may have one."""

import json
from dataclasses import replace
from http import HTTPStatus

import pytest

from service.api import streams
from service.requests import DEPS
from service.schemas.responses import timestamp
from tests.contract.spec import frames
from tests.tables import SHORT, UNKNOWN_GAME, Api, make_app, open_table, started_table


@pytest.fixture
def table(api):
    return started_table(api)


@pytest.fixture(scope="session")
def finished(redis_url):
    """A game that is over; in a store of the whole run, since nothing can happen to it."""
    table = started_table(Api(make_app(redis_url)), rules=SHORT)
    table.play()
    return table


def follow(table, viewer=None, query="", **more):
    """Return the frames of a stream, with their data read."""
    answer = table.ask("GET", f"/stream{query}", viewer, expect=200, **more)
    return [{**one, "data": json.loads(one["data"])} for one in frames(answer.data)]


def names(found):
    return [one["event"] for one in found]


def last_id(cursor):
    return {"headers": {"Last-Event-ID": cursor}}


# Where it begins


def test_without_a_cursor_it_begins_with_the_state(table):
    snapshot, end = follow(table, 2)

    assert (snapshot["event"], snapshot["id"]) == ("snapshot", str(table.version))
    assert snapshot["data"] == table.state(2)
    assert end["data"] == {"reason": "rotate"}


@pytest.mark.parametrize("viewer", [0, 3, "host", None])
def test_after_a_cursor_it_is_the_log_as_the_viewer_sees_it(table, viewer):
    for cursor in range(table.version + 1):
        *events, _ = follow(table, viewer, f"?after={cursor}")

        assert [one["data"] for one in events] == table.events(viewer, cursor)
        assert [int(one["id"]) for one in events] == list(range(cursor + 1, table.version + 1))
        assert set(names(events)) <= {"message"}


def test_the_header_goes_before_the_parameter(table):
    *events, _ = follow(table, query="?after=0", **last_id("5"))

    assert events[0]["id"] == "6"


@pytest.mark.parametrize("cursor", ["999999999", "-1", "1.5", "x", "٣", "1" * 400, "%00", "+1"])
def test_a_cursor_that_is_none_of_this_game_resets(table, cursor):
    found = follow(table, 0, f"?after={cursor}")

    assert names(found) == ["reset", "snapshot", "stream.end"]
    assert found[0]["data"] == {"version": table.version}
    assert found[1]["data"] == table.state(0)


def test_who_is_far_behind_gets_the_state(table, monkeypatch):
    monkeypatch.setattr("service.streams.EVENTS_CAUGHT_UP", 3)
    version = table.version

    assert names(follow(table, query=f"?after={version - 3}")) == ["message"] * 3 + ["stream.end"]
    assert names(follow(table, query=f"?after={version - 4}")) == ["snapshot", "stream.end"]


# Where it ends


def test_the_stream_of_a_game_that_is_over_is_all_of_it(finished):
    """Fault case 125."""
    cursor = finished.version - 20
    *events, end = follow(finished, query=f"?after={cursor}")

    assert [one["data"] for one in events] == finished.events(after=cursor)
    assert end["event"] == "stream.end"
    assert end["data"] == {"reason": "game_over"}
    assert names(follow(finished)) == ["snapshot", "stream.end"]


def test_who_has_all_of_a_game_that_is_over_is_told_to_stop(finished):
    version = str(finished.version)

    finished.ask("GET", f"/stream?after={version}", expect=204)
    finished.ask("GET", "/stream", expect=204, **last_id(version))
    assert names(follow(finished, **last_id("5000")))[0] == "reset"


# Headers


@pytest.mark.parametrize("coding", ["gzip", "br, gzip, deflate", "identity"])
def test_nothing_on_the_way_may_collect_or_compress_it(table, coding):
    """Fault case 119."""
    answer = table.ask("GET", "/stream", headers={"Accept-Encoding": coding}, expect=200)

    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store, no-transform"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in answer.headers
    assert "Content-Length" not in answer.headers


@pytest.mark.parametrize(
    "accept", ["text/event-stream", "*/*", "application/json", "text/html", "application/*;q=0.5"]
)
def test_it_is_served_whatever_is_accepted(table, accept):
    """Fault case 146."""
    table.ask("GET", "/stream", headers={"Accept": accept}, expect=200)


def test_a_look_at_the_headers_opens_no_stream(table, monkeypatch):
    monkeypatch.setattr(streams, "open_stream", None)

    answer = table.ask("HEAD", "/stream", expect=200)

    assert answer.headers["Content-Type"] == "text/event-stream"


def test_who_is_refused_is_told_as_elsewhere(api, table):
    stream = f"/v1/games/{UNKNOWN_GAME}/stream"
    other = open_table(api, claim={"seat": 0, "name": "Ana"})

    api.ask("GET", stream, expect=(404, "game_not_found"))
    api.ask("GET", stream, "hst_nonsense", expect=(401, "invalid_token"))
    table.ask("GET", "/stream", token=other.tokens[0], expect=(403, "wrong_game"))
    table.ask("GET", "/stream?limit=3", expect=(400, "unknown_parameter"))
    table.ask("POST", "/stream", expect=(405, "method_not_allowed"))
    dead = table.tokens[1]
    table.ask("POST", "/seats/1/rotate-token", 1, expect=201)
    table.ask("GET", "/stream", token=dead, expect=(401, "token_revoked"))


# Tickets


def ticket(table, seat):
    made = table.ask("POST", "/stream-tickets", seat, expect=201)
    assert made.headers["Cache-Control"] == "no-store"
    return made.json


def test_a_ticket_opens_the_view_of_its_seat(table):
    made = ticket(table, 1)

    for _ in range(3):
        found = follow(table, query=f"?after=0&ticket={made['ticket']}")
        assert [one["data"] for one in found[:-1]] == table.events(1)


def test_making_a_ticket_leaves_no_trace(table):
    version = table.version
    ticket(table, 0)

    assert table.version == version


def test_a_ticket_lasts_an_hour(api, table):
    before = api.deps
    now = before.clock()
    api.app.extensions[DEPS] = replace(before, clock=lambda: now)
    try:
        made = ticket(table, 0)
        assert made["expires_at"] == timestamp(now + 3_600_000)

        now += 3_599_999
        follow(table, query=f"?ticket={made['ticket']}")
        now += 1
        expect = (401, "ticket_expired")
        table.ask("GET", f"/stream?ticket={made['ticket']}", expect=expect)
    finally:
        api.app.extensions[DEPS] = before


def test_a_ticket_dies_with_the_token_of_its_seat(table):
    made = ticket(table, 1)["ticket"]
    table.ask("POST", "/seats/1/rotate-token", 1, expect=201)

    table.ask("GET", f"/stream?ticket={made}", expect=(401, "token_revoked"))


def test_a_ticket_is_for_one_game(api, table):
    other = started_table(api)

    expect = (403, "wrong_game")
    other.ask("GET", f"/stream?ticket={ticket(table, 0)['ticket']}", expect=expect)


def test_a_ticket_that_was_changed_opens_nothing(table):
    good = ticket(table, 0)["ticket"]
    changed = [
        good[:place] + ("A" if one != "A" else "B") + good[place + 1 :]
        for place, one in enumerate(good)
    ]

    for text in (*changed, "", "hsk_", good[:-1], good + "A", table.tokens[0], table.host):
        table.ask("GET", f"/stream?ticket={text}", expect=(401, "invalid_token"))


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("GET", "/events"), ("GET", "/export"), ("GET", "/legal-moves")],
)
def test_a_ticket_is_good_for_nothing_else(table, method, path):
    """Fault case 59."""
    made = ticket(table, 0)["ticket"]
    query = f"{path}?ticket={made}"

    viewer = 0 if path == "/legal-moves" else None
    table.ask(method, query, viewer, expect=(400, "unknown_parameter"))
    table.ask(method, path, token=made, expect=(401, "invalid_token"))


def test_only_a_seat_gets_a_ticket(api, table):
    table.ask("POST", "/stream-tickets", expect=(401, "authentication_required"))
    table.ask("POST", "/stream-tickets", "host", expect=(403, "seat_token_required"))
    table.ask("POST", "/stream-tickets", 0, {"seat": 1}, expect=(422, "validation_failed"))
    target = f"/v1/games/{UNKNOWN_GAME}/stream-tickets"
    api.ask("POST", target, expect=(401, "authentication_required"))


def test_a_token_goes_before_a_ticket(table):
    snapshot, _ = follow(table, 2, f"?ticket={ticket(table, 1)['ticket']}")

    assert snapshot["data"]["view"] == {"kind": "seat", "seat": 2}


def test_no_ticket_stands_in_a_log_line(table, caplog):
    caplog.set_level("DEBUG")
    made = ticket(table, 0)["ticket"]
    table.ask("GET", f"/stream?ticket={made}", expect=HTTPStatus.OK)
    table.ask("GET", f"/stream?ticket={made}x", expect=(401, "invalid_token"))

    assert made[4:] not in caplog.text
