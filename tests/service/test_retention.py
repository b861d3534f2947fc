"""Games that are over for too long go: which, when, once, and cut off anywhere without harm."""

import pytest

from engine import commands as c
from service.archiving import Archiver, outcomes
from service.cli import main
from service.retention import (
    DAY_MS,
    EXPIRED,
    FAILED,
    MOVED,
    WORD_MS,
    Retention,
    expire_all,
)
from service.settings import load
from service.store.base import Expired
from service.wiring import archive_after_ms
from tests.fakes import Died, Fault, FaultyStore, MemoryStore
from tests.house import House, legal_moves
from tests.tables import Api, make_app, started_table

KEPT = 3 * DAY_MS


@pytest.fixture
def house():
    return House(MemoryStore())


@pytest.fixture
def store(house):
    return house.deps.store


def archived(house):
    game_id = house.started(None, None, None, None)
    house.ask(game_id, legal_moves(house.read(game_id))[0])
    house.ask(game_id, c.AbortGame())
    house.now += 1
    assert list(outcomes(house.deps.store, [game_id], house.now))
    return game_id


def retention(house, store=None):
    return Retention(store or house.deps.store, KEPT, lambda: house.now)


def test_a_game_goes_when_it_is_over_for_so_long_and_not_before(house, store):
    old, running = archived(house), house.started(None, None, None)
    house.now += DAY_MS
    recent = archived(house)
    house.now += KEPT - DAY_MS

    assert dict(retention(house).some()) == {old: EXPIRED}

    assert set(store.archived) == {recent}
    assert set(store.streams) == {running}
    word = store.words[old]
    assert (word.at, word.is_private, word.kept_ms) == (house.now, False, WORD_MS)


def test_every_process_hears_that_it_is_gone(house, store, caplog):
    game_id = archived(house)
    other = house.restarted()
    other.read(game_id)
    house.now += KEPT

    list(retention(house).some())

    for one in (house, other, house.restarted()):
        for _ in range(2):
            with pytest.raises(Expired):
                one.read(game_id)
    assert "rewound" not in caplog.text


@pytest.mark.parametrize("changes", [[c.PRIVATE], [c.PRIVATE, c.PUBLIC], [c.UNLISTED, c.PRIVATE]])
def test_the_word_says_whether_the_game_was_private_at_its_end(house, store, changes):
    game_id = house.open(None, None, None, None)
    for visibility in changes:
        house.ask(game_id, c.ChangeOptions(visibility=visibility))
    house.ask(game_id, c.ChangeOptions(is_open=False))
    house.ask(game_id, c.AbortGame())
    house.now += 1
    list(outcomes(store, [game_id], house.now))
    house.now += KEPT

    list(retention(house).some())

    assert store.words[game_id].is_private is (changes[-1] == c.PRIVATE)


@pytest.mark.parametrize("fault", [Fault.DIES_BEFORE, Fault.DIES_AFTER])
def test_an_end_in_the_middle_does_no_harm(house, store, fault):
    games = [archived(house) for _ in range(3)]
    house.now += KEPT
    faulty = FaultyStore(store, [None, fault], methods=("expire",))

    with pytest.raises(Died):
        list(retention(house, faulty).some())
    assert set(store.words) | set(store.archived) == set(games)
    assert not set(store.words) & set(store.archived)
    list(retention(house).some())

    assert set(store.words) == set(games)
    assert store.archived == {}


@pytest.mark.parametrize("fault", [Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.CONFLICT])
def test_an_answer_that_is_lost_is_for_the_next_time(house, store, fault):
    game_id = archived(house)
    house.now += KEPT
    faulty = FaultyStore(store, [fault], methods=("expire",))

    assert dict(retention(house, faulty).some()) == {game_id: MOVED}
    list(retention(house).some())

    assert set(store.words) == {game_id}


def test_a_damaged_game_stays_and_is_tried_once(house, store, caplog):
    damaged, good = archived(house), archived(house)
    house.now += KEPT
    store.archived[damaged] = store.archived[damaged][:-1] + b"?"
    one = retention(house)

    assert dict(one.some()) == {damaged: FAILED, good: EXPIRED}
    assert dict(one.some()) == {}
    assert set(store.archived) == {damaged}
    assert f"{damaged} stays" in caplog.text


def test_all_that_is_over_for_too_long_goes_by_one_call(house, store, monkeypatch):
    monkeypatch.setattr("service.retention.AT_ONCE", 2)
    games = [archived(house) for _ in range(5)]
    house.now += KEPT
    store.archived[games[0]] = b"?"
    told = []

    assert not expire_all(retention(house), told.append)

    assert told == [f"{games[0]}: cannot be taken out, see the log", "4 expired"]
    assert set(store.words) == set(games[1:])


def test_one_whom_another_is_faster_than_ends(house, store):
    archived(house)
    house.now += KEPT
    faulty = FaultyStore(store, [Fault.CONFLICT] * 9, methods=("expire",))

    assert expire_all(retention(house, faulty), lambda _: None)


def test_a_round_of_the_archiver_takes_away_some_and_waits_in_between(house, store):
    for _ in range(3):
        archived(house)
    house.now += KEPT
    waits = []
    one = Archiver(store, DAY_MS, lambda: house.now, retention(house))

    one.round(lambda seconds: waits.append(seconds) or len(waits) == 2)

    assert len(store.words) == 2
    one.round(waits.append)
    assert len(store.words) == 3


def test_without_a_term_games_are_kept_for_ever(house, store):
    game_id = archived(house)
    house.now += 1_000 * KEPT

    Archiver(store, DAY_MS, lambda: house.now).round(lambda _: False)

    assert set(store.archived) == {game_id}


@pytest.mark.parametrize(
    ("after", "days", "expected"),
    [("", "", DAY_MS), ("0", "", 0), ("0", "2", 2 * DAY_MS), ("600", "2", 600_000)],
)
def test_a_game_is_archived_before_it_expires(tmp_path, after, days, expected):
    given = {"HEARTS_ARCHIVE_AFTER_SECONDS": after, "HEARTS_RETAIN_DAYS": days}

    assert archive_after_ms(load({"HEARTS_DATA_DIR": str(tmp_path)} | given)) == expected


def test_the_command_takes_away_what_is_kept_no_longer(redis_db, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEARTS_EVENTS_URL", redis_db)
    monkeypatch.setenv("HEARTS_SECRET_KEYS", "a secret that signs in tests only")
    monkeypatch.setenv("HEARTS_RETAIN_DAYS", "3")
    table = started_table(Api(make_app(redis_db)))
    table.ask("POST", "/abort", "host", expect=200)
    ended_at = table.api.deps.games.read(table.id).times.last_event_at
    monkeypatch.setattr("service.steady.wall_clock", lambda: ended_at + KEPT + 1)

    assert main(["archive"]) == 0

    assert capsys.readouterr().out == "1 games: 1 archived\n1 expired\n"
    table.ask("GET", "", expect=(410, "game_expired"))
