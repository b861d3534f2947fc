"""The operator's command after a restore: every running deal is void, once, whatever happens."""

from collections import Counter
from itertools import pairwise

import pytest

from engine import commands as c
from engine import events as e
from service.cli import main
from service.store.base import StoreUnavailableError
from service.void_command import Restore, void_all
from tests.fakes import Died, Fault, FaultyStore, MemoryStore
from tests.house import House, legal_moves
from tests.tables import HUMAN, Api, make_app, open_table, playing_table

RESTORE = Restore("2026-11-29", 3)


@pytest.fixture
def house():
    return House(MemoryStore())


@pytest.fixture
def games(house):
    """Games that run, in several phases, by name; and some that do not."""
    made = {
        "passing": house.started(None, None, None, None),
        "bots": house.started("easy", "easy", None, "easy"),
        "lobby": house.open(None, None, None),
        "aborted": house.started(None, None, None, None),
    }
    house.ask(made["aborted"], c.AbortGame())
    house.ask(made["passing"], legal_moves(house.read(made["passing"]))[0])
    return made


def run(house, restore=RESTORE):
    """Return whether all went well, and what was said."""
    told = []
    return void_all(house.deps, restore, told.append), told


def voided(house, game_id):
    """Return the number of each deal that was voided, with the next one dealt."""
    log = house.log(game_id)
    return [
        (one.event.deal, after.event.deal)
        for one, after in pairwise(log)
        if isinstance(one.event, e.DealVoided)
    ]


def test_every_running_deal_is_void_and_so_many_links_are_left_out(house, games):
    done, told = run(house)

    assert done
    assert told == ["4 games", "4 of 4: 2 not running, 2 voided"]
    assert {name: voided(house, game_id) for name, game_id in games.items()} == {
        "passing": [(1, 5)],
        "bots": [(1, 5)],
        "lobby": [],
        "aborted": [],
    }
    (event,) = [one for one in house.log(games["bots"]) if isinstance(one.event, e.DealVoided)]
    assert (event.event.reason, event.actor.kind) == ("store_restored", "system")


def test_the_same_call_again_changes_nothing(house, games):
    run(house)
    logs = {game_id: house.log(game_id) for game_id in games.values()}

    done, told = run(house)

    assert done
    assert told[-1] == "4 of 4: 2 not running, 2 voided before"
    assert {game_id: house.log(game_id) for game_id in games.values()} == logs


def test_another_restore_is_another_call(house, games):
    for name in ("first", "second"):
        run(house, Restore(name, 0))

    assert voided(house, games["bots"]) == [(1, 2), (2, 3)]


def test_the_same_name_with_other_links_is_refused_game_by_game(house, games):
    run(house)

    done, told = run(house, RESTORE._replace(skip=9))

    assert not done
    assert told[-1] == "4 of 4: 2 failed, 2 not running"
    assert voided(house, games["bots"]) == [(1, 5)]


@pytest.mark.parametrize("stops", range(1, 5))
def test_a_call_that_was_cut_off_is_gone_on_with(house, stops):
    games = [house.started(None, None, None) for _ in range(5)]
    store = house.deps.store
    house.over(FaultyStore(store, [None] * (stops - 1) + [Fault.DIES_AFTER]))
    with pytest.raises(Died):
        run(house)

    house.over(store)
    done, told = run(house)

    assert done
    assert told[-1] == f"5 of 5: {5 - stops} voided, {stops} voided before"
    assert all(voided(house, game_id) == [(1, 5)] for game_id in games)


def test_a_store_that_fails_ends_the_call(house, games):
    store = house.deps.store
    house.over(FaultyStore(store, [None, Fault.UNAVAILABLE]))

    with pytest.raises(StoreUnavailableError):
        run(house)
    house.over(store)
    run(house)
    assert [len(voided(house, games[name])) for name in ("passing", "bots")] == [1, 1]


def test_a_game_that_cannot_be_read_does_not_stop_the_others(house, games):
    house.deps.store.streams[games["bots"]][-1] = b"\xc1"
    house.deps.store.streams[games["lobby"]][0] = b"\xc1"

    done, told = run(house.restarted())

    assert not done
    assert told[-1] == "4 of 4: 2 failed, 1 not running, 1 voided"
    complaints = [line for line in told if line[:32] in games.values()]
    assert {line[:32] for line in complaints} == {games["bots"], games["lobby"]}


def test_a_game_of_a_lost_secret_does_not_stop_the_others(house, games):
    other = House(house.deps.store, keys=(b"another key, since the old is gone",))

    done, told = run(other)

    assert not done
    assert told[-1] == "4 of 4: 2 failed, 2 not running"
    assert Counter("is not configured" in line for line in told)[True] == 2


def test_more_games_than_are_looked_at_at_once(house, monkeypatch):
    monkeypatch.setattr("service.void_command.AT_ONCE", 2)
    for _ in range(5):
        house.started(None, None, None)

    _, told = run(house)

    assert told == ["5 games", "2 of 5: 2 voided", "4 of 5: 4 voided", "5 of 5: 5 voided"]


def test_the_last_links_are_the_end_of_a_game(house, games):
    run(house, Restore("long ago", 255))

    game = house.read(games["bots"])
    assert (game.state.result.reason, game.table.numbers) == ("too_long", (1,))


# From the command line, with a real store


@pytest.fixture
def api(redis_url, redis_db):
    return Api(make_app(redis_url))


@pytest.fixture
def environ(redis_url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEARTS_EVENTS_URL", redis_url)
    monkeypatch.setenv("HEARTS_SECRET_KEYS", "a secret that signs in tests only")


def test_games_are_voided_behind_a_running_service(api, environ, capsys):
    table, waiting = playing_table(api), open_table(api, HUMAN, HUMAN, HUMAN)
    seeded = playing_table(api, dealing={"mode": "seeded", "seed": "5eed" * 16})

    for outcome in ("2 voided", "2 voided before"):
        assert main(["void-deals", "restore of today", "--skip", "2"]) == 0
        assert capsys.readouterr().out == f"3 games\n3 of 3: 1 not running, {outcome}\n"

    assert [table.state()["deal"]["number"], seeded.state()["deal"]["number"]] == [4, 4]
    assert waiting.state()["status"] == "lobby"
    table.play(until=lambda _: table.state()["deal"]["number"] == 5)
    assert [one["data"]["deal"] for one in table.events() if one["type"] == "deal.voided"] == [1]


def test_a_store_that_is_not_there_is_said(environ, monkeypatch, capsys):
    monkeypatch.setenv("HEARTS_EVENTS_URL", "unix:///nowhere/at/all.sock")

    assert main(["void-deals", "today", "--skip", "0"]) == 1
    assert "the same call again goes on" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--skip", "1"], ["x"], ["x", "--skip", "256"], ["x", "--skip", "-1"]]
)
def test_what_is_to_be_left_out_has_to_be_said(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["void-deals", *arguments])

    assert ended.value.code == 2
    assert "usage: hearts void-deals" in capsys.readouterr().err
