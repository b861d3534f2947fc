"""A store that has lost the end of a log: what this process remembers of it is not believed."""

from dataclasses import replace

import pytest

from service.requests import DEPS
from tests.fakes import MemoryStore
from tests.tables import new_key, open_table, playing_table


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def api(api, store):
    return api.over(store)


@pytest.fixture
def table(api):
    return playing_table(api, rules={"play": {"opening_lead": "eldest"}})


def first_moves(table):
    """Return the seat to act, and two moves it may make."""
    seat = table.state()["turn"]["seats"][0]
    legal = table.ask("GET", "/legal-moves", seat, expect=200).json
    return seat, [{**move, "turn_id": legal["turn_id"]} for move in legal["moves"][:2]]


def test_a_move_that_was_lost_can_be_made_again(table, store):
    seat, (move, _) = first_moves(table)
    key, version = new_key(), table.version
    first = table.move(seat, move, key=key, expect=201)
    store.cut(table.id, version)

    again = table.move(seat, move, key=key, expect=201)
    assert "Idempotency-Replayed" not in again.headers
    assert again.json["version"] == first.json["version"] == table.version


def test_a_move_that_was_lost_may_be_made_otherwise(table, store):
    seat, (move, other) = first_moves(table)
    version = table.version
    table.move(seat, move, expect=201)
    store.cut(table.id, version)

    table.move(seat, other, expect=201)
    assert table.state()["deal"]["trick"] == [{"seat": seat, "card": other["card"]}]


def test_a_repeat_never_gets_the_event_that_took_its_place(table, store, api):
    seat, (move, other) = first_moves(table)
    key, version = new_key(), table.version
    table.move(seat, move, key=key, expect=201)
    store.cut(table.id, version)
    elsewhere = api.deps
    api.over(store)  # another process, which goes on from what is left
    table.move(seat, other, expect=201)
    api.app.extensions[DEPS] = elsewhere

    table.move(seat, move, key=key, expect=(409, "turn_already_played"))
    table.move(seat, other, expect=200)
    assert [one["data"]["card"] for one in table.events(after=version)] == [other["card"]]


def test_a_claim_that_was_lost_gives_no_second_token_to_its_seat(api, store):
    """Two people never hold one seat, even if the log forgot the first of them."""
    now = api.deps.clock()
    table = open_table(api)
    for seconds, name in ((5, "Ana"), (9, "Bea")):
        clock = now + 1_000 * seconds
        api.app.extensions[DEPS] = replace(api.deps, clock=lambda clock=clock: clock)
        table.claim(0, name=name)
        first = table.tokens.setdefault("lost", table.tokens[0])
        if name == "Ana":
            store.cut(table.id, 1)

    assert first != table.tokens[0]
    table.ask("GET", token=first, expect=(401, "token_revoked"))
    assert table.state(0)["seats"][0]["name"] == "Bea"


@pytest.mark.parametrize("how", ["rotate", "kick", "host"])
def test_a_token_that_was_lost_does_not_come_back(api, store, how):
    """A number that the log forgot is not given again, whatever takes its place."""
    now, table = api.deps.clock(), playing_table(api)
    seat, version = (None if how == "host" else 1), table.version

    def at(seconds):
        clock = now + 1_000 * seconds
        api.app.extensions[DEPS] = replace(api.deps, clock=lambda: clock)

    def rotated():
        if how == "host":
            return table.ask("POST", "/host/rotate-token", "host", expect=201).json["host_token"]
        return table.ask("POST", "/seats/1/rotate-token", seat, expect=201).json["seat_token"]

    at(60)
    lost = rotated()
    store.cut(table.id, version)
    at(90)
    if how == "kick":
        table.order(1, kick=True)
        table.reissue(1)
    else:
        assert rotated() != lost
    table.ask("GET", token=lost, expect=(401, "token_revoked"))


def test_a_read_shows_what_the_log_still_has(table, store):
    seat, (move, _) = first_moves(table)
    version = table.version
    table.move(seat, move, expect=201)
    assert table.version == version + 1
    store.cut(table.id, version)

    assert table.version == version
    page = table.ask("GET", f"/events?after={version + 1}", expect=200).json
    assert (page["items"], page["version"]) == ([], version)
    table.ask("GET", f"/events/{version + 1}", expect=(404, "event_not_found"))
    table.ask("GET", f"/states/{version + 1}", expect=(404, "version_not_found"))


def test_a_log_that_is_lost_while_it_is_read_is_no_fault_of_ours(table, store, monkeypatch):
    seat, (move, _) = first_moves(table)
    version = table.version
    table.move(seat, move, expect=201)
    entries = store.entries

    def entries_after_the_loss(game_id, first, last):
        return entries(game_id, first, min(last, version))

    monkeypatch.setattr(store, "entries", entries_after_the_loss)
    monkeypatch.setattr(store, "tail", lambda *_: [])
    table.ask("GET", "/events", expect=(503, "store_unavailable"))


def test_a_game_that_is_gone_is_not_made_again(table, store):
    seat, (move, _) = first_moves(table)
    del store.streams[table.id]

    table.move(seat, move, expect=(404, "game_not_found"))
    table.ask("GET", expect=(404, "game_not_found"))
    assert table.id not in store.streams
