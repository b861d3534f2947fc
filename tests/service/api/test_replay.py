"""Replay: what a viewer was told and shown, step by step, and nothing else."""

import pytest

from engine import events as e
from engine.evolve import evolve
from tests.fakes import FaultyStore
from tests.histories import places, played, table_of, until
from tests.table import rules
from tests.tables import Api, make_app, started_table

TWO_DEALS = rules("standard", ending={"target": None, "deals": 2, "tie": "share"})
FOR_EVER = "max-age=31536000, immutable"


@pytest.fixture(scope="module")
def stored():
    return played(TWO_DEALS)


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


def replay(table, query="", viewer=None):
    return table.ask("GET", f"/replay?{query}", viewer, expect=200)


def frames(table, query, viewer=None):
    """Return the frames of all pages from *query* on, each page led to by the one before."""
    found, target = [], f"{table.path}/replay?{query}"
    while target is not None:
        answer = table.api.ask("GET", target, table.token(viewer), expect=200)
        page, link = answer.json, answer.headers.get("Link")
        found += page["items"]
        assert (link is None) == page["complete"] == (not page["has_more"])
        target = link and link.removeprefix("<").removesuffix('>; rel="next"')
    return found


@pytest.mark.parametrize("viewer", [None, "host", 0, 3])
def test_a_frame_is_the_event_and_the_state_after_it(table, stored, viewer):
    for after in (0, 6, 40, len(stored) - 3):
        for frame in replay(table, f"after={after}&limit=3", viewer).json["items"]:
            version = frame["version"]
            assert frame["event"] == table.ask("GET", f"/events/{version}", viewer).json
            assert frame["state"] == table.ask("GET", f"/states/{version}", viewer).json


def test_the_last_frame_is_what_is_shown_live(running, stored):
    for viewer in (None, 0, 3):
        state = running.state(viewer)
        page = replay(running, f"after={state['version'] - 1}", viewer).json

        assert [one["state"] for one in page["items"]] == [state]
        assert (page["has_more"], page["complete"]) == (False, False)


@pytest.mark.parametrize("view", ["own", "public", "all", "seat:0", "seat:2"])
def test_pages_of_any_size_make_the_same_replay(table, stored, view):
    whole = frames(table, f"as={view}&limit=100")

    assert [one["version"] for one in whole] == list(range(1, len(stored) + 1))
    assert frames(table, f"as={view}&limit=37") == whole
    assert frames(table, f"as={view}") == whole


@pytest.mark.parametrize(
    ("step", "kind"), [("trick", e.TrickCompleted), ("deal", e.DealScored), ("event", object)]
)
def test_a_step_stops_where_it_says_and_at_the_end(table, stored, step, kind):
    stops = sorted({*places(stored, kind), len(stored)})

    found = frames(table, f"step={step}&limit=7&as=all")

    assert [one["version"] for one in found] == stops
    assert found[-1]["event"]["type"] == "game.finished"
    everything = {one["version"]: one for one in frames(table, "limit=100&as=all")}
    assert found == [everything[version] for version in stops]


@pytest.mark.parametrize("step", ["trick", "deal"])
def test_a_step_goes_on_after_the_last_stop_of_a_running_game(running, step):
    page = replay(running, f"step={step}&limit=100").json

    assert page["next_after"] == running.version > page["items"][-1]["version"]
    assert (page["has_more"], page["complete"]) == (False, False)


@pytest.mark.parametrize("step", ["trick", "deal"])
def test_an_aborted_game_stops_at_its_end(api, redis_db, step):
    table = started_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    (frame,) = replay(table, f"step={step}").json["items"]

    assert frame["event"]["type"] == "game.aborted"
    assert frame["state"] == table.state()


@pytest.mark.parametrize("step", ["event", "trick"])
def test_without_states_there_are_the_events_alone(table, step):
    full = frames(table, f"step={step}&as=all")
    bare = frames(table, f"step={step}&as=all&state=none")

    assert bare == [{**one, "state": None} for one in full]


@pytest.mark.parametrize("view", ["all", "seat:0", "seat:3"])
def test_the_eyes_of_others_see_up_to_what_is_revealed(running, view):
    revealed = running.state()["revealed_version"]
    assert 0 < revealed < running.version

    found = frames_of_running(running, f"as={view}&limit=100")

    assert [one["version"] for one in found] == list(range(1, revealed + 1))


def frames_of_running(table, query):
    found, after = [], 0
    while True:
        page = replay(table, f"{query}&after={after}").json
        found += page["items"]
        after = page["next_after"]
        if not page["has_more"]:
            return found


def test_a_seat_sees_all_through_its_own_eyes(running):
    page = replay(running, f"as=seat:0&after={running.version - 1}", 0).json

    assert [one["state"] for one in page["items"]] == [running.state(0)]


def test_nothing_lies_beyond_the_end(table, stored):
    for after in (len(stored), len(stored) + 1, 999_999_999):
        page = replay(table, f"after={after}").json

        assert (page["items"], page["next_after"]) == ([], after)
        assert (page["has_more"], page["complete"]) == (False, True)


@pytest.mark.parametrize(
    ("query", "viewer", "cache"),
    [
        ("limit=1", None, f"public, {FOR_EVER}"),
        ("limit=1&as=all", 0, f"public, {FOR_EVER}"),
        ("limit=1", 0, f"private, {FOR_EVER}"),
        ("limit=1&step=trick&state=none", 0, f"private, {FOR_EVER}"),
        ("after=100&limit=100", None, "public, max-age=86400"),
        ("after=100&limit=100", 0, "private, no-cache"),
    ],
)
def test_a_page_that_never_changes_may_be_kept_for_ever(table, query, viewer, cache):
    assert replay(table, query, viewer).headers["Cache-Control"] == cache


def test_the_end_of_a_running_game_is_not_kept(running):
    answer = replay(running, f"after={running.version - 1}")

    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_a_page_reads_the_log_once_and_folds_it_once(api, stored, monkeypatch):
    table = table_of(api, stored, FaultyStore)
    table.state()
    calls, folded = api.deps.store.calls, counted(monkeypatch)
    calls.clear()

    page = replay(table, "after=60&limit=50").json

    assert len(page["items"]) == 50
    # One look for news, the log up to the page, and the page with what may come after.
    assert calls == ["tail", "entries", "entries"]
    assert len(folded) == 111


def counted(monkeypatch):
    """Return a list that grows with every event that is folded."""
    folded = []

    def count(state, event):
        folded.append(event)
        return evolve(state, event)

    monkeypatch.setattr("service.game.evolve", count)
    return folded
