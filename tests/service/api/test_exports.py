"""Exports: the whole log or all deals as a file, in the view that the reader may have."""

import hashlib
import json
from math import ceil

import pytest

from engine import events as e
from engine.evolve import fold
from engine.notation.reader import read_game
from engine.notation.record import DealLine
from engine.notation.recorder import Eyes, Header, record_of
from engine.notation.writer import write_game
from engine.state import table_of as table_of_state
from service.audit import disagreements
from service.games import AT_ONCE
from service.store.base import StoreUnavailableError
from tests.fakes import Fault, FaultyStore
from tests.histories import places, played, table_of, until
from tests.table import rules
from tests.tables import Api, make_app, open_table, started_table

LINES, DOCUMENT, NOTATION = "application/x-ndjson", "application/json", "text/x-hgn"
NAMES = pytest.mark.parametrize("name", ["jsonl", "json", "hgn"])
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}


@pytest.fixture(scope="module")
def stored():
    return played(rules("standard", ending=TWO_DEALS))


@pytest.fixture(scope="module")
def long():
    """A log of more events than are read at once."""
    stored = played(rules("standard", seats=7))
    assert len(stored) > AT_ONCE
    return stored


@pytest.fixture
def api(redis_url):
    return Api(make_app(redis_url))


@pytest.fixture
def table(api, stored):
    return table_of(api, stored)


@pytest.fixture
def running(redis_url, stored):
    """The table in its second deal, some cards after the pass."""
    return table_of(Api(make_app(redis_url)), until(stored, places(stored, e.PassCompleted)[1] + 7))


def export(table, query="", viewer=None, accept=None):
    headers = {} if accept is None else {"Accept": accept}
    return table.ask("GET", f"/export?{query}", viewer, headers=headers, expect=200)


def lines(answer):
    """Return header, events and trailer of a file of lines whose hash is right."""
    *before, last = answer.data.splitlines(keepends=True)
    header, *events = map(json.loads, before)
    trailer = json.loads(last)
    assert trailer == {"sha256": hashlib.sha256(b"".join(before)).hexdigest()}
    assert answer.data.endswith(b"}\n")
    return header, events


def log(table, viewer=None, view="own"):
    found = []
    while True:
        target = f"/events?limit=500&after={len(found)}&as={view}"
        page = table.ask("GET", target, viewer, expect=200).json
        found += page["items"]
        if not page["has_more"]:
            return found


# Lines


def test_a_file_of_lines_is_the_log(table, stored):
    header, events = lines(export(table, "format=jsonl"))

    assert events == log(table, view="all")
    assert (header["version"], header["complete"]) == (len(stored), True)
    assert header["view"] == {"kind": "all", "seat": None}


def test_a_long_log_is_whole(api, long):
    table = table_of(api, long)

    _, events = lines(export(table))

    assert events == log(table, view="all")


@pytest.mark.parametrize("view", ["own", "public", "all", "seat:0", "seat:2"])
@pytest.mark.parametrize("viewer", [None, "host", 0, 3])
def test_a_view_is_that_of_the_log(running, table, view, viewer):
    for one in (running, table):
        header, events = lines(export(one, f"as={view}", viewer))

        assert events == log(one, viewer, view)
        assert header["version"] == len(events)
        assert header["complete"] == (one is table)


def test_the_view_is_by_default_the_widest(running, table):
    for viewer in (None, "host", 0, 3):
        kind = "seat" if viewer in (0, 3) else "public"
        for query in ("", "format=json"):
            shown = export(running, query, viewer)
            header = shown.json["header"] if query else lines(shown)[0]
            assert header["view"] == {"kind": kind, "seat": viewer if kind == "seat" else None}
        assert export(running, "", viewer).data == export(running, "as=own", viewer).data
        assert export(table, "", viewer).data == export(table, "as=all").data


def test_the_header_says_what_the_state_says(running, table):
    for one in (running, table):
        state, fairness = one.state(), one.ask("GET", "/fairness").json
        header, events = lines(export(one))

        for name in ("status", "created_at", "started_at", "finished_at"):
            assert header[name] == state[name]
        assert header["game_id"] == one.id
        for mine, theirs in zip(header["seats"], state["seats"], strict=True):
            assert mine == {name: theirs[name] for name in mine}
        assert header["fairness"] == {
            **state["fairness"],
            "client_seeds": fairness["client_seeds"],
        }
        assert events[0]["data"]["rules"] == state["rules"]


def test_a_file_can_be_checked_by_itself(table):
    _, events = lines(export(table))

    assert disagreements(events, table.state()) == []


def test_a_changed_byte_is_seen(table):
    data = export(table).data.replace(b"card.played", b"card.Played", 1)
    *before, last = data.splitlines(keepends=True)

    assert json.loads(last)["sha256"] != hashlib.sha256(b"".join(before)).hexdigest()


def test_a_lobby_can_be_exported(api, redis_db):
    table = open_table(api)

    header, events = lines(export(table))
    document = export(table, "format=json").json

    assert [one["type"] for one in events] == ["game.created"]
    assert (header["status"], header["started_at"]) == ("lobby", None)
    assert header["fairness"]["client_seeds"] is None
    assert (document["deals"], document["result"]) == ([], None)


def test_an_aborted_game_is_open_to_all(api, redis_db):
    table = started_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    header, events = lines(export(table))
    document = export(table, "format=json").json

    assert (header["status"], header["view"]["kind"]) == ("aborted", "all")
    assert header["complete"]
    assert not any(one["hidden"] for one in events)
    assert document["result"] is None
    assert document["deals"][0]["open"]


def test_what_nobody_may_see_yet_is_an_empty_file(api, stored):
    table = table_of(api, until(stored, places(stored, e.DealScored)[0] - 9))

    header, events = lines(export(table, "as=all"))
    document = export(table, "as=all&format=json").json

    assert (events, header["version"], header["complete"]) == ([], 0, False)
    assert document["deals"] == []


# The document


@pytest.mark.parametrize("view", ["own", "public", "all", "seat:0", "seat:2"])
@pytest.mark.parametrize("viewer", [None, 0])
def test_a_document_has_the_deals_as_they_are_shown(running, table, view, viewer):
    for one in (running, table):
        document, state = export(one, f"format=json&as={view}", viewer).json, one.state()
        shown = one.ask("GET", f"/deals?as={view}", viewer, expect=200).json["items"]

        assert document["deals"] == shown
        assert document["header"] == lines(export(one, f"as={view}", viewer))[0]
        assert (document["rules"], document["result"]) == (state["rules"], state["result"])


# The notation


def notation(table, query="", viewer=None):
    answer = export(table, f"format=hgn&{query}", viewer)
    assert answer.content_type == "text/x-hgn; charset=utf-8"
    text = answer.get_data(as_text=True)
    record = read_game(text).record
    assert write_game(record) == text
    return record


def test_a_game_in_notation_is_its_log(table, stored):
    state, fairness = table.state(), table.ask("GET", "/fairness").json

    record = notation(table)

    assert record.tags["Date"] == state["created_at"][:10]
    assert [record.tags[f"Seat{one['seat']}"] for one in state["seats"]] == [
        one["name"] for one in state["seats"]
    ]
    assert record.tags["Seeds"].split() == [one["seed"] for one in fairness["revealed"]]
    events = [one.event for one in stored]
    header = Header(record.tags["Date"], "hearts-api", {"easy": 1})
    assert record == record_of(
        table_of_state(fold(None, events)), events, Eyes(everything=True), header
    )


def test_a_game_that_is_over_is_the_same_in_every_view(table):
    whole = notation(table)

    for view in ("own", "public", "all", "seat:0"):
        for viewer in (None, "host", 0, 3):
            assert notation(table, f"as={view}", viewer) == whole


def test_a_game_that_goes_on_hides_what_the_view_hides(running):
    def hands(record):
        return [line.hands for line in record.lines if isinstance(line, DealLine)]

    assert [None in some for some in hands(notation(running))] == [False, True]
    assert [None in some for some in hands(notation(running, "as=all"))] == [False]
    for seat in (0, 3):
        shown = hands(notation(running, "", seat))[-1]
        assert [hand is not None for hand in shown] == [one == seat for one in range(4)]
    assert hands(notation(running, "as=seat:0", 3)) == hands(notation(running, "as=all"))


def test_nothing_of_a_lobby_is_in_notation_but_who_sits_there(api, redis_db):
    record = notation(open_table(api))

    assert record.lines == ()
    assert (record.tags["ClientSeeds"], record.tags["Termination"]) == ("-", "-")


# Which form


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, LINES),
        ("", LINES),
        ("*/*", LINES),
        ("application/*", LINES),
        ("text/html, */*;q=0.8", LINES),
        (LINES, LINES),
        (DOCUMENT, DOCUMENT),
        ("application/json; charset=utf-8", DOCUMENT),
        ("application/json, application/x-ndjson;q=0.9", DOCUMENT),
        ("application/json;q=0.5, application/x-ndjson", LINES),
        ("application/xml, application/json;q=0.1", DOCUMENT),
        (NOTATION, NOTATION),
        ("text/x-hgn; charset=utf-8", NOTATION),
        ("text/*", NOTATION),
        ("text/x-hgn, application/json;q=0.1", NOTATION),
        ("APPLICATION/JSON", DOCUMENT),
    ],
)
def test_the_form_is_the_one_that_is_accepted(table, accept, media_type):
    """Fault case 146."""
    assert export(table, "", accept=accept).mimetype == media_type


@pytest.mark.parametrize(
    "accept",
    ["text/x-pgn", "text/html", "application/xml", "x", "application/json;q=0", "json"],
)
def test_a_form_that_does_not_exist_is_not_acceptable(table, accept):
    """Fault case 146."""
    headers = {"Accept": accept}

    answer = table.ask("GET", "/export", headers=headers, expect=(406, "not_acceptable"))
    assert answer.json["available"] == [LINES, DOCUMENT, NOTATION]
    for name, media_type in (("jsonl", LINES), ("json", DOCUMENT), ("hgn", NOTATION)):
        assert export(table, f"format={name}", accept=accept).mimetype == media_type


def test_what_is_accepted_does_not_tell_whether_a_game_exists(table):
    target, headers = f"/v1/games/{'0' * 32}/export", {"Accept": "text/html"}

    table.api.ask("GET", target, headers=headers, expect=(406, "not_acceptable"))
    table.api.ask("GET", target, expect=(404, "game_not_found"))


@NAMES
def test_a_file_has_a_name(table, name):
    answer = export(table, f"format={name}")

    assert answer.headers["Content-Disposition"] == f'attachment; filename="{table.id}.{name}"'


@NAMES
def test_head_has_the_headers_of_the_file(table, name):
    got = export(table, f"format={name}")
    head = table.ask("HEAD", f"/export?format={name}", expect=200)

    assert head.data == b""
    for header in ("Content-Type", "Content-Disposition", "Cache-Control"):
        assert head.headers[header] == got.headers[header]


@NAMES
def test_the_file_of_a_game_that_is_over_may_be_kept(running, table, name):
    def cache(one, view, viewer=None):
        return export(one, f"format={name}&as={view}", viewer).headers["Cache-Control"]

    assert cache(table, "all", 0) == cache(table, "public") == "public, max-age=86400"
    assert cache(table, "own", 0) == "private, no-cache"
    assert cache(running, "own") == cache(running, "all") == "private, no-cache"


# In pieces


def unbuffered(api, table, query=""):
    return api.app.test_client().get(f"{table.path}/export?{query}", buffered=False)


@NAMES
def test_a_short_file_leaves_in_one_go(api, long, name):
    table = table_of(api, long)

    answer = export(table, f"format={name}")

    assert answer.headers["Content-Length"] == str(len(answer.data))


def test_a_long_file_leaves_in_pieces(api, long, monkeypatch):
    monkeypatch.setattr("service.api.exports._SHORT_BYTES", 10_000)
    table = table_of(api, long, FaultyStore)
    table.state()
    calls, whole = api.deps.store.calls, export(table).data
    calls.clear()

    answer = unbuffered(api, table)

    assert calls == ["tail", "entries"]
    assert "Content-Length" not in answer.headers
    assert b"".join(answer.iter_encoded()) == whole
    assert calls == ["tail"] + ["entries"] * ceil(len(long) / AT_ONCE)
    answer.close()


@NAMES
def test_a_short_file_that_cannot_be_read_is_a_problem(api, long, name):
    table = table_of(api, long, failing_at(2))
    table.state()

    table.ask("GET", f"/export?format={name}", expect=(503, "store_unavailable"))


@pytest.mark.parametrize("name", ["jsonl", "json"])
def test_a_long_file_that_breaks_off_does_not_look_whole(api, long, name, monkeypatch):
    monkeypatch.setattr("service.api.exports._SHORT_BYTES", 1_000)
    table, received = table_of(api, long, failing_at(2)), []
    table.state()
    answer = unbuffered(api, table, f"format={name}")

    with pytest.raises(StoreUnavailableError):
        received.extend(answer.iter_encoded())

    assert received
    assert b"sha256" not in b"".join(received)
    with pytest.raises(json.JSONDecodeError):
        json.loads(b"".join(received))
    answer.close()


def failing_at(number):
    plan = [None] * (number - 1) + [Fault.UNAVAILABLE]
    return lambda store: FaultyStore(store, plan, methods=("entries",))
