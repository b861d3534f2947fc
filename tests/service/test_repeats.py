"""The one door for who comes again, for who comes late, and for who may not come."""

import pytest

from engine import commands as c
from service.command_handler import create_game, handle
from service.command_request import (
    Caller,
    Guard,
    KeyReused,
    PreconditionFailed,
    Refused,
    Request,
    StaleTurn,
    TokenRevoked,
    TurnAlreadyPlayed,
    VersionMoved,
    cause_of,
)
from service.games import GameNotFoundError
from service.store.envelope import Actor
from tests.fakes import MemoryStore
from tests.house import HOST, House, legal_moves
from tests.table import rules

PEOPLE = (None,) * 4
NO_PASS = rules(passing={"cycle": ["hold"]}, play={"opening_lead": "eldest"})


@pytest.fixture
def house():
    return House(MemoryStore())


def why(refused):
    return type(refused.value.reason)


# Repeats


def test_a_repeat_with_its_key_gets_the_first_answer_for_ever(house):
    """Fault case 64."""
    game_id = house.started(*PEOPLE)
    move = legal_moves(house.read(game_id))[0]
    first = house.ask(game_id, move, key="k")
    for _ in range(5):
        house.ask(game_id, legal_moves(house.read(game_id))[0])
    house.ask(game_id, c.AbortGame())

    for process in (house, house.restarted()):
        again = process.ask(game_id, move, key="k")
        assert again.replayed
        assert not again.natural
        assert (again.events, again.game.state) == (first.events, first.game.state)
        assert again.game.times == first.game.times


def test_a_key_is_for_one_request(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    first, second, *_ = legal_moves(house.read(game_id))
    house.ask(game_id, first, key="k")
    version = house.read(game_id).version

    with pytest.raises(Refused) as refused:
        house.ask(game_id, second, key="k")

    assert why(refused) is KeyReused
    assert house.read(game_id).version == version


def test_the_same_key_of_another_seat_is_another_key(house):
    game_id = house.started(*PEOPLE)
    game = house.read(game_id)

    outcomes = [house.ask(game_id, legal_moves(game, seat)[0], key="k") for seat in range(4)]

    assert [outcome.replayed for outcome in outcomes] == [False] * 4


def test_a_refusal_is_not_remembered(house):
    game_id = house.open(*PEOPLE)
    for seat in range(3):
        house.claim(game_id, seat)
    with pytest.raises(Refused):
        house.ask(game_id, c.StartGame(), key="k")
    house.claim(game_id, 3)

    assert house.ask(game_id, c.StartGame(), key="k").events


def test_the_same_move_for_the_same_turn_needs_no_key(house):
    """Fault case 64."""
    game_id = house.started(*PEOPLE)
    game = house.read(game_id)
    guard = Guard(turn_id=game.turn.id)
    move = legal_moves(game)[0]
    first = house.ask(game_id, move, guard=guard)
    for seat in range(1, 4):
        house.ask(game_id, legal_moves(game, seat)[0], guard=guard)

    again = house.restarted().ask(game_id, move, guard=guard)

    assert (again.replayed, again.natural) == (True, True)
    assert (again.events, again.game.state) == (first.events, first.game.state)


def test_another_move_for_the_same_turn_is_refused(house):
    game_id = house.started(*PEOPLE)
    game = house.read(game_id)
    guard = Guard(turn_id=game.turn.id)
    one, other = legal_moves(game)
    house.ask(game_id, one, guard=guard)

    with pytest.raises(Refused) as refused:
        house.ask(game_id, other, guard=guard)

    assert why(refused) is TurnAlreadyPlayed


@pytest.mark.parametrize(
    ("cycle", "is_same"), [(["left"], True), (["scatter"], False)], ids=["left", "scatter"]
)
def test_the_order_of_a_pass_counts_only_where_it_says_who_gets_what(house, cycle, is_same):
    game_id = house.started(*PEOPLE, rules=rules(passing={"cycle": cycle}))
    game = house.read(game_id)
    guard = Guard(turn_id=game.turn.id)
    move = legal_moves(game)[0]
    house.ask(game_id, move, guard=guard)
    turned = c.PassCards(move.seat, move.cards[::-1])

    if is_same:
        assert house.ask(game_id, turned, guard=guard).natural
    else:
        with pytest.raises(Refused):
            house.ask(game_id, turned, guard=guard)


def test_a_repeated_creation_finds_the_game(house):
    game_id, request = house.creation(*PEOPLE, key="k" * 22, claim=c.ClaimSeat(0, "Ana"))
    first = create_game(house.deps, game_id, request)
    house.claim(game_id, 1)

    again = create_game(house.restarted().deps, game_id, request)

    assert again.replayed
    assert (again.events, again.game.state) == (first.events, first.game.state)


def test_another_creation_with_the_same_key_is_refused(house):
    game_id, request = house.creation(*PEOPLE, key="k" * 22)
    create_game(house.deps, game_id, request)
    same_id, other = house.creation(None, None, "easy", "easy", key="k" * 22)

    with pytest.raises(Refused) as refused:
        create_game(house.deps, game_id, other)

    assert same_id == game_id
    assert why(refused) is KeyReused


# What the caller knows


def test_a_move_for_another_turn_is_refused(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    game = house.read(game_id)

    with pytest.raises(Refused) as refused:
        house.ask(game_id, legal_moves(game)[0], guard=Guard(turn_id=game.turn.id - 1))

    assert why(refused) is StaleTurn


def test_a_command_for_another_version_is_refused(house):
    game_id = house.open(*PEOPLE)
    for seat in range(4):
        house.claim(game_id, seat)

    with pytest.raises(Refused) as refused:
        house.ask(game_id, c.StartGame(), guard=Guard(expected_version=4))

    assert why(refused) is VersionMoved
    assert house.ask(game_id, c.StartGame(), guard=Guard(expected_version=5)).events


def test_a_precondition_looks_at_the_version_in_the_log(house):
    game_id = house.open(*PEOPLE)
    house.claim(game_id, 0)
    rename = c.UpdateSeat(0, name="Bo")

    with pytest.raises(Refused) as refused:
        house.ask(game_id, rename, guard=Guard(match=lambda version: version == 1))

    assert why(refused) is PreconditionFailed
    assert house.ask(game_id, rename, guard=Guard(match=lambda version: version == 2)).events


def test_a_repeat_is_told_before_anything_the_caller_knew(house):
    game_id = house.started(*PEOPLE)
    game = house.read(game_id)
    guard = Guard(game.turn.id, game.version, lambda version: version == game.version)
    move = legal_moves(game)[0]
    house.ask(game_id, move, key="k", guard=guard)

    assert house.ask(game_id, move, key="k", guard=guard).replayed
    assert house.ask(game_id, move, guard=guard).natural


# Who may


def test_a_token_that_was_replaced_acts_no_more(house):
    game_id = house.started(*PEOPLE)
    move = legal_moves(house.read(game_id))[0]
    grant = house.read(game_id).table.players[move.seat].grant

    for seat, wrong in ((move.seat, grant + 1), (move.seat, grant - 1), (None, 2), (9, 1)):
        actor = Actor("host") if seat is None else Actor("seat", seat)
        request = Request(Caller(actor, "x", wrong), lambda _: move, cause_of("x", None, "m", {}))
        with pytest.raises(Refused) as refused:
            handle(house.deps, game_id, request)
        assert why(refused) is TokenRevoked


def test_nothing_can_be_asked_of_a_game_that_is_not_there(house):
    request = Request(HOST, lambda _: c.StartGame(), cause_of("host", None, "start", {}))

    with pytest.raises(GameNotFoundError):
        handle(house.deps, "0" * 32, request)
