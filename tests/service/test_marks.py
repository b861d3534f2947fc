"""When a game is due, and when its line in the directory changes."""

import pytest

from engine import commands as c
from service.deadlines import NO_WAITS
from service.marks import due_at, line_in
from service.tempo import waiting_bots
from tests.fakes import MemoryStore
from tests.house import House, legal_moves
from tests.table import rules


@pytest.fixture
def house():
    return House(MemoryStore())


def line(house, game_id):
    return line_in(house.deps.store.rows[game_id].summary)


def test_a_game_is_due_as_long_as_bots_are_to_act(house):
    game_id = house.started(None, "easy", "easy", None)
    game = house.read(game_id)
    assert waiting_bots(game) == [1, 2]
    assert house.deps.store.due == {game_id: game.times.turn_opened_at}

    house.rest()

    assert waiting_bots(house.read(game_id)) == []
    assert house.deps.store.due == {}


def test_a_game_is_due_since_something_happened_in_it(house):
    game_id = house.started(None, "easy", "easy", None)
    house.now += 5_000
    game = house.ask(game_id, legal_moves(house.read(game_id), 0)[0]).game

    assert due_at(game, house.now + 100, NO_WAITS) == house.now
    assert house.deps.store.due == {game_id: house.now}


def test_a_game_is_due_once_a_bot_stands_in_and_no_more_when_the_player_is_back(house):
    game_id = house.started(None, "easy", "easy", None)
    house.rest()
    assert house.deps.store.due == {}
    house.now += 60_000

    house.ask(game_id, c.KickSeat(0, "easy"))

    assert waiting_bots(house.read(game_id)) == [0]
    assert house.deps.store.due == {game_id: house.now}
    assert house.hinted == [game_id]
    house.ask(game_id, c.ReissueSeatToken(0))
    assert waiting_bots(house.read(game_id)) == []
    assert house.deps.store.due == {}


def test_a_game_is_never_due_in_the_future(house):
    game = house.read(house.started(None, "easy", "easy", None))

    assert due_at(game, house.now - 1, NO_WAITS) == house.now - 1


def test_nobody_waits_for_a_bot_in_the_lobby_or_at_the_end(house):
    game_id = house.open("easy", "easy", "easy", "easy")
    assert waiting_bots(house.read(game_id)) == []
    house.ask(game_id, c.StartGame())
    assert house.deps.store.due

    house.ask(game_id, c.AbortGame())

    assert house.deps.store.due == {}


def test_the_line_tells_who_sits_and_how_far_the_game_is(house):
    game_id = house.open(None, "easy", None, "random")
    assert line(house, game_id).seats == [
        (None, False),
        ("easy", True),
        (None, False),
        ("random", True),
    ]
    assert line(house, game_id).status == "lobby"

    house.claim(game_id, 2, name="Bo")
    house.ask(game_id, c.UpdateSeat(2, name="Cleo"))

    assert line(house, game_id).seats[2] == ("Cleo", False)
    assert line(house, game_id).preset == "standard"
    assert house.deps.store.rows[game_id].at == house.read(game_id).times.created_at


def test_the_line_follows_who_comes_and_goes_in_the_lobby(house):
    game_id = house.open(None, "easy", None, "random")
    house.claim(game_id, 0, name="Ana")
    house.ask(game_id, c.KickSeat(0, "easy"))
    house.ask(game_id, c.OpenSeat(1))
    house.ask(game_id, c.AssignBot(2, c.BotSeat("random", "Robo")))
    house.ask(game_id, c.ChangeOptions(rules=rules("omnibus")))

    assert line(house, game_id).seats[:3] == [(None, False), (None, False), ("Robo", True)]
    assert line(house, game_id).preset == "omnibus"


def test_who_leaves_a_running_game_stays_in_its_line(house):
    """A seat that waits for nobody but its player is not open."""
    game_id = house.started(None, None, None, None)
    before = line(house, game_id)

    house.ask(game_id, c.ReleaseSeat(0, "easy"))

    assert line(house, game_id) == before


def test_the_line_changes_with_the_status_and_with_no_card(house):
    game_id = house.started(None, None, None, None)
    assert line(house, game_id).status == "active"
    row = house.deps.store.rows[game_id]

    house.ask(game_id, legal_moves(house.read(game_id))[0])
    assert house.deps.store.rows[game_id] is row

    house.ask(game_id, c.AbortGame())
    assert line(house, game_id).status == "aborted"


def place_by_last(house, game_id):
    places = house.deps.store.lists[game_id]
    (place,) = {at for name, at in places.items() if name.endswith(">")}
    return place


def test_a_running_game_keeps_its_place_for_ten_seconds(house):
    game_id = house.started(None, None, None, None)
    house.now += 10_000
    house.ask(game_id, legal_moves(house.read(game_id))[0])
    row, place = house.deps.store.rows[game_id], place_by_last(house, game_id)
    assert place == house.now
    house.now += 9_999 - house.now % 10_000

    house.ask(game_id, legal_moves(house.read(game_id))[0])

    assert house.deps.store.rows[game_id] is row
    assert place_by_last(house, game_id) == place
    house.now += 1
    house.ask(game_id, legal_moves(house.read(game_id))[0])
    assert place_by_last(house, game_id) == house.now


def test_what_changes_a_line_changes_its_place_at_once(house):
    game_id = house.open(None, None, None, None)
    house.now += 1

    house.claim(game_id, 2, name="Bo")

    assert place_by_last(house, game_id) == house.now


def test_a_game_that_only_its_players_know_is_in_no_list_that_is_read(house):
    game_id = house.open(None, None, None, None)
    assert house.deps.store.lists[game_id]

    house.ask(game_id, c.ChangeOptions(visibility=c.PRIVATE))

    assert set(house.deps.store.lists[game_id]) == {"all.lobby"}
    house.claim(game_id, 1, name="Bo")
    house.ask(game_id, c.ChangeOptions(is_open=False))
    assert set(house.deps.store.lists[game_id]) == {"all.lobby"}
    house.ask(game_id, c.ChangeOptions(visibility=c.PUBLIC))
    assert line(house, game_id).seats[1] == ("Bo", False)


def test_only_games_of_applications_wait_for_webhooks_from_each_event_on(house):
    game_id = house.started(None, None, None, options=c.TableOptions(application="shop"))
    house.started(None, None, None)
    house.now += 1_000

    house.ask(game_id, legal_moves(house.read(game_id))[0])

    assert house.deps.store.hooks == {game_id: house.now}
