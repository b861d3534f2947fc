"""Finished games become archives: which, when, once, and with nothing lost on the way."""

import logging

import pytest

from engine import commands as c
from service.archiving import (
    ARCHIVED,
    FAILED,
    MOVED,
    RECENT,
    RUNNING,
    Archiver,
    archive_all,
    outcomes,
)
from service.cli import main
from service.command_request import Refused
from service.store.archive import without_names
from tests.fakes import Died, Fault, FaultyStore, MemoryStore
from tests.house import House, legal_moves
from tests.tables import HUMAN, Api, make_app, open_table, started_table

HOUR = 3_600_000


@pytest.fixture
def house():
    return House(MemoryStore())


@pytest.fixture
def store(house):
    return house.deps.store


def aborted(house, *seats):
    game_id = house.started(*(seats or (None, None, None, None)))
    house.ask(game_id, legal_moves(house.read(game_id))[0])
    house.ask(game_id, c.AbortGame())
    return game_id


def archive(house, **more):
    return dict(outcomes(house.deps.store, sorted(house.deps.store.streams), house.now, **more))


def test_games_that_are_over_for_long_are_archived_and_no_others(house, store):
    old, running, lobby = (
        aborted(house),
        house.started(None, None, None),
        house.open(None, None, None),
    )
    house.now += 2 * HOUR
    recent = aborted(house)

    found = dict(outcomes(store, sorted(store.streams), house.now - HOUR))

    assert found == {old: ARCHIVED, running: RUNNING, lobby: RUNNING, recent: RECENT}
    assert set(store.archived) == {old}
    assert set(store.streams) == {running, lobby, recent}


def test_an_archived_game_is_read_as_before(house, store):
    game_id = aborted(house)
    entries, game = store.entries(game_id, 1, 999), house.read(game_id)
    house.now += 1

    archive(house)

    assert store.entries(game_id, 1, 999) == without_names(entries)
    assert house.read(game_id) is game
    fresh = house.restarted().read(game_id)
    assert (fresh.state, fresh.head, fresh.times) == (game.state, game.head, game.times)


def test_who_remembers_a_game_in_its_middle_reads_its_end(house, store, caplog):
    game_id = house.started(None, None, None, None)
    other = house.restarted()
    other.read(game_id)
    house.ask(game_id, c.AbortGame())
    house.now += 1

    archive(house)

    assert other.read(game_id).state == house.read(game_id).state
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


def test_one_who_comes_too_late_changes_nothing(house, store):
    game_id = aborted(house)
    house.now += 1
    store.entries(game_id, 1, 999)

    class Slow(FaultyStore):
        def entries(self, game_id, first, last):
            found = self.inner.entries(game_id, first, last)
            if last > 1:
                archive(house)
            return found

    assert dict(outcomes(Slow(store), [game_id], house.now)) == {game_id: MOVED}
    assert set(store.archived) == {game_id}


@pytest.mark.parametrize("fault", [Fault.DIES_BEFORE, Fault.DIES_AFTER])
def test_an_end_in_the_middle_loses_nothing(house, store, fault):
    games = [aborted(house) for _ in range(3)]
    logs = {game_id: store.entries(game_id, 1, 999) for game_id in games}
    house.now += 1
    faulty = FaultyStore(store, [None, fault], methods=("archive",))

    with pytest.raises(Died):
        list(outcomes(faulty, games, house.now))
    for game_id in games:
        assert store.last([game_id]) == [(len(logs[game_id]), logs[game_id][-1])]
    archive(house)

    assert set(store.archived) == set(games)
    assert all(store.entries(one, 1, 999) == without_names(logs[one]) for one in games)


@pytest.mark.parametrize("fault", [Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.CONFLICT])
def test_an_answer_that_is_lost_is_for_the_next_time(house, store, fault):
    game_id = aborted(house)
    house.now += 1
    faulty = FaultyStore(store, [fault], methods=("archive",))

    assert dict(outcomes(faulty, [game_id], house.now)) == {game_id: MOVED}
    archive(house)

    assert set(store.archived) == {game_id}


def test_a_damaged_game_stays_and_the_others_go(house, store, caplog):
    damaged, good = aborted(house), aborted(house)
    house.now += 1
    store.streams[damaged][2] = store.streams[damaged][2][:-1] + b"?"

    assert archive(house) == {damaged: FAILED, good: ARCHIVED}
    assert damaged in store.streams
    assert f"{damaged} stays as it is" in caplog.text


def test_a_command_to_an_archived_game_is_answered_as_to_a_finished_one(house):
    game_id = aborted(house)
    house.now += 1
    archive(house)

    for one in (house, house.restarted()):
        with pytest.raises(Refused) as refused:
            one.ask(game_id, c.AbortGame())
        assert refused.value.reason.code == "game_not_active"


def test_all_games_are_archived_by_one_call(house, store):
    for _ in range(3):
        aborted(house)
    house.started(None, None, None)
    house.now += 1
    told = []

    assert archive_all(store, house.now, told.append)
    assert archive_all(store, house.now, told.append)

    assert told == ["4 games: 3 archived, 1 not over", "1 games: 1 not over"]


def test_a_game_that_fails_is_told(house, store):
    game_id = aborted(house)
    house.now += 1
    store.streams[game_id][2] = b"\xc1"
    told = []

    assert not archive_all(store, house.now, told.append)

    assert told == [f"{game_id}: cannot be archived, see the log", "1 games: 1 failed"]


def test_an_empty_store_has_nothing_to_archive(store):
    told = []

    assert archive_all(store, 0, told.append)
    assert told == ["no games"]


# By itself


def archiver(house, store=None):
    return Archiver(store or house.deps.store, HOUR, lambda: house.now)


def test_a_round_archives_what_is_over_for_long_enough(house, store):
    game_id, waits = aborted(house), []
    archiver(house).round(waits.append)
    assert (store.archived, waits) == ({}, [])

    house.now += HOUR + 1
    archiver(house).round(waits.append)

    assert set(store.archived) == {game_id}
    assert len(waits) == 1


def test_a_round_ends_with_the_process(house, store):
    aborted(house)
    aborted(house)
    house.now += HOUR + 1

    archiver(house).round(lambda _: True)

    assert len(store.archived) == 1


def test_a_round_that_fails_is_said_once_and_followed_by_others(house, store, caplog):
    game_id = aborted(house)
    house.now += HOUR + 1
    plan = [Fault.UNAVAILABLE, Fault.UNAVAILABLE]
    one = archiver(house, FaultyStore(store, plan, methods=("streams_from",)))

    for _ in range(3):
        one.round(lambda _: False)

    assert set(store.archived) == {game_id}
    assert caplog.text.count("UNAVAILABLE") + caplog.text.count("archiving") >= 1


# From the command line, with a real store


@pytest.fixture
def environ(redis_url, redis_db, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEARTS_EVENTS_URL", redis_url)
    monkeypatch.setenv("HEARTS_SECRET_KEYS", "a secret that signs in tests only")


def test_games_are_archived_behind_a_running_service(redis_url, environ, monkeypatch, capsys):
    api = Api(make_app(redis_url))
    table, _ = started_table(api), open_table(api, HUMAN, HUMAN, HUMAN)
    table.ask("POST", "/abort", "host", expect=200)
    before = table.events()
    assert main(["archive"]) == 0
    assert capsys.readouterr().out == "2 games: 1 not over, 1 over since not long\n"
    monkeypatch.setattr("service.steady.wall_clock", lambda: table_time(table) + 61_000)

    assert main(["archive", "--after", "60"]) == 0

    assert capsys.readouterr().out == "2 games: 1 archived, 1 not over\n"
    assert table.events() == before
    assert Api(make_app(redis_url)).ask("GET", table.path + "/events", expect=200).json


def table_time(table):
    return table.api.deps.games.read(table.id).times.last_event_at


def test_a_store_that_is_not_there_is_said(environ, monkeypatch, capsys):
    monkeypatch.setenv("HEARTS_ARCHIVE_URL", "unix:///nowhere/at/all.sock")

    assert main(["archive"]) == 1
    assert "the same call again goes on" in capsys.readouterr().err


@pytest.mark.parametrize("after", ["0", "59", "x", "-1"])
def test_a_grace_that_is_too_short_is_refused(after, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["archive", "--after", after])

    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "--after" in told
    assert "is no whole number of seconds, at least 60" in told
