"""Commands about seats and the table: tokens that die, starts that come by themselves."""

from dataclasses import replace

import pytest

from engine import commands as c
from engine.errors import RulesConflict
from service.command_handler import handle
from service.command_request import (
    Caller,
    Guard,
    PreconditionFailed,
    Refused,
    Request,
    TokenRevoked,
    cause_of,
)
from service.store.envelope import Actor
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.house import HOST, House, legal_moves
from tests.table import rules

PEOPLE = (None,) * 4
LOST = [Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.LATE]


@pytest.fixture
def house():
    return House(MemoryStore())


def kinds(house, game_id):
    return [type(one.event).__name__ for one in house.log(game_id)]


def failing(house, *plan):
    """Let the appends of *house* go wrong as planned."""
    house.over(FaultyStore(house.deps.store, plan))


def why(refused):
    return type(refused.value.reason)


# Commands that kill their own token


FATAL = {
    "rotate": c.RotateSeatToken(0),
    "release": c.ReleaseSeat(0, "easy"),
    "rotate the host's": c.RotateHostToken(),
}
every_fatal_command = pytest.mark.parametrize("command", FATAL.values(), ids=FATAL)
in_every_phase = pytest.mark.parametrize("running", [False, True], ids=["lobby", "running"])


def a_game(house, *, running):
    if running:
        return house.started(*PEOPLE)
    game_id = house.open(*PEOPLE)
    house.claim(game_id, 0)
    return game_id


@every_fatal_command
@in_every_phase
def test_a_command_that_kills_its_token_is_repeated_with_it_and_the_same_key(
    house, command, running
):
    game_id = a_game(house, running=running)
    request = house.request(house.read(game_id), command, key="k")
    first = handle(house.deps, game_id, request)
    house.ask(game_id, c.AbortGame())

    for process in (house, house.restarted()):
        again = handle(process.deps, game_id, request)
        assert again.replayed
        assert (again.events, again.game.state) == (first.events, first.game.state)


@every_fatal_command
@in_every_phase
def test_a_dead_token_does_nothing_else(house, command, running):
    game_id = a_game(house, running=running)
    before = house.read(game_id)
    handle(house.deps, game_id, house.request(before, command, key="k"))
    version = house.read(game_id).version

    for other, key in [
        (command, "another"),
        (command, None),
        (replace(command, elapsed=5), "k"),
        (c.AbortGame(), "k"),
    ]:
        asked = house.request(before, other, key)
        with pytest.raises(Refused) as refused:
            handle(house.deps, game_id, replace(asked, caller=house.caller(before, command)))
        assert why(refused) is TokenRevoked
    assert house.read(game_id).version == version


def test_a_token_that_was_dead_before_repeats_nothing(house):
    game_id = a_game(house, running=True)
    first = house.read(game_id)
    handle(house.deps, game_id, house.request(first, c.RotateSeatToken(0), key="k1"))
    handle(house.deps, game_id, house.request(house.read(game_id), c.RotateSeatToken(0), key="k2"))

    assert handle(
        house.deps, game_id, house.request(first, c.RotateSeatToken(0), key="k1")
    ).replayed
    with pytest.raises(Refused) as refused:
        handle(house.deps, game_id, house.request(first, c.RotateSeatToken(0), key="k2"))
    assert why(refused) is TokenRevoked


@pytest.mark.parametrize("by_host", [c.KickSeat(0, "easy"), c.ReissueSeatToken(0)])
def test_a_token_that_others_killed_repeats_nothing(house, by_host):
    game_id = house.started(*PEOPLE)
    before = house.read(game_id)
    move = house.request(before, legal_moves(before, 0)[0], key="k")
    handle(house.deps, game_id, move)
    house.ask(game_id, by_host)

    with pytest.raises(Refused) as refused:
        handle(house.deps, game_id, move)
    assert why(refused) is TokenRevoked


@pytest.mark.parametrize("key", ["k", None])
def test_a_process_that_has_not_heard_of_it_repeats_nothing_either(house, key):
    game_id = house.started(*PEOPLE)
    before = house.read(game_id)
    guard = Guard(turn_id=before.turn.id)
    move = house.request(before, legal_moves(before, 0)[0], key, guard)
    handle(house.deps, game_id, move)
    house.restarted().ask(game_id, c.KickSeat(0, "easy"))
    assert house.deps.games.cached(game_id).table.players[0].claimed

    with pytest.raises(Refused) as refused:
        handle(house.deps, game_id, move)
    assert why(refused) is TokenRevoked


@every_fatal_command
@pytest.mark.parametrize("fault", LOST)
def test_a_lost_answer_to_such_a_command_is_settled_by_the_log(house, command, fault):
    game_id = a_game(house, running=True)
    before = house.read(game_id)
    failing(house, fault)

    outcome = handle(house.deps, game_id, house.request(before, command))

    assert not outcome.replayed
    assert outcome.events[0].seq == before.version + 1
    assert house.read(game_id).version == outcome.game.version


def test_nobody_acts_for_a_seat_that_nobody_holds(house):
    """A seat keeps the number of its last token; it is nobody's while the seat is free."""
    game_id = a_game(house, running=False)
    house.ask(game_id, c.KickSeat(0, "easy"))
    game = house.read(game_id)
    grant = game.table.players[0].grant
    caller, rename = Caller(Actor("seat", 0), "seat:0", grant), c.UpdateSeat(0, name="Eva")
    request = Request(caller, lambda _: rename, cause_of("x", None, "u", {}))

    with pytest.raises(Refused) as refused:
        handle(house.deps, game_id, request)
    assert why(refused) is TokenRevoked


# A start that comes of something else


def test_a_start_by_itself_is_part_of_the_command_that_brought_it_about(house):
    lobby = c.LobbyOptions(auto_start=True)
    game_id = house.open(None, "easy", "easy", "easy", lobby=lobby)
    house.claim(game_id, 0)
    ready = c.UpdateSeat(0, ready=True)
    request = house.request(house.read(game_id), ready, key="k")

    outcome = handle(house.deps, game_id, request)
    again = handle(house.restarted().deps, game_id, request)

    assert [type(one.event).__name__ for one in outcome.events] == [
        "SeatUpdated",
        "GameStarted",
        "DealDealt",
    ]
    assert [one.cause is None for one in outcome.events] == [False, True, True]
    assert {one.actor for one in outcome.events} == {Actor("seat", 0)}
    assert (again.replayed, again.events) == (True, outcome.events)
    assert house.hinted == [game_id]


def test_a_table_of_bots_that_starts_as_it_is_created_is_hinted_at(house):
    game_id = house.open(*["easy"] * 4, lobby=c.LobbyOptions(auto_start=True))

    assert house.read(game_id).turn is not None
    assert house.hinted == [game_id]
    assert house.deps.store.overdue(house.now, 1)[0].game_id == game_id


@pytest.mark.parametrize("fault", LOST)
def test_a_start_at_creation_whose_answer_is_lost_is_hinted_at(house, fault):
    failing(house, fault)

    game_id = house.open(*["easy"] * 4, lobby=c.LobbyOptions(auto_start=True))

    assert house.hinted == [game_id]


def test_bots_that_fill_the_seats_are_hinted_at(house):
    game_id = house.open(None, None, None, lobby=c.LobbyOptions(fill_with_bots=True))

    outcome = house.ask(game_id, c.StartGame(filler=c.BotSeat("easy", "Easy Bot")))

    assert kinds(house, game_id)[1:] == [*["SeatBotAssigned"] * 3, "GameStarted", "DealDealt"]
    assert {one.actor for one in outcome.events} == {Actor("host")}
    assert house.hinted == [game_id]


# A change that is made of the game as it is


def test_a_change_is_made_of_the_game_that_it_meets(house):
    game_id = house.open(*PEOPLE)
    house.read(game_id)
    house.restarted().ask(game_id, c.ChangeOptions(rules=rules(ending={"target": 70})))

    def half_as_far(game):
        target = game.table.rules.ending.target // 2
        return c.ChangeOptions(rules=rules(ending={"target": target}))

    outcome = handle(
        house.deps, game_id, Request(HOST, half_as_far, cause_of("host", None, "update", {}))
    )

    assert outcome.game.table.rules.ending.target == 35


def test_a_change_that_is_refused_at_another_version_is_refused_for_that(house):
    game_id = house.open(*PEOPLE)

    def impossible(_):
        raise RulesConflict("no", ("/rules",))

    for guard, expected in (
        (Guard(match=lambda version: version == 9), PreconditionFailed),
        (Guard(match=lambda version: version == 1), RulesConflict),
    ):
        request = Request(HOST, impossible, cause_of("host", None, "update", {}), guard)
        with pytest.raises(Refused) as refused:
            handle(house.deps, game_id, request)
        assert why(refused) is expected
