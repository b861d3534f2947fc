"""Bots that stand in for players who have left: they move, say so, and stop in time."""

import random
from contextlib import suppress
from itertools import count

import pytest

from engine import commands as c
from engine import events as e
from engine.cards import CODES
from service import jobs
from service.jobs import play_due
from service.store.envelope import Actor
from tests.fakes import MemoryStore
from tests.house import House, Overtaken, Together, at_once, legal_moves
from tests.table import rules

ONE_PERSON = (None, "easy", "random", "easy")
SHORT = {"ending": {"deals": 1, "tie": "share"}}
PEOPLE = (None,) * 4
LEAVE = [c.KickSeat, c.ReleaseSeat]
NO_PASS = rules(passing={"cycle": ["hold"]})


@pytest.fixture
def house():
    return House(MemoryStore())


def one_move_each():
    """Return a timer by which every move takes too long for a second one."""
    return count().__next__


def played(house, game_id):
    return [one for one in house.log(game_id) if one.actor.kind == "bot"]


def broken(*_):
    raise ZeroDivisionError


def a_shot_to_decide(house):
    """Return a game of four cards, one of which counts, that waits for whoever took it."""
    counts = {"hearts": {}, "queen_of_spades": 0, "extra": {"2C": 5}}
    few = rules(deck={"remove": list(CODES[4:])}, passing={"count": 0}, scoring=counts)
    game_id = house.started(*PEOPLE, rules=few)
    while house.read(game_id).turn.type != "moon":
        house.ask(game_id, legal_moves(house.read(game_id))[0])
    return game_id


@pytest.mark.parametrize("leave", LEAVE)
def test_a_bot_moves_for_whoever_has_left_and_says_so(house, leave):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.now += 3_600_000

    house.ask(game_id, leave(seat, "easy"))
    assert house.hinted == [game_id]
    play_due(house.hands(), house.hinted.pop())

    (moved,) = played(house, game_id)
    assert (moved.actor, moved.event.auto) == (Actor("bot", seat, "easy", 1), "takeover")
    assert house.read(game_id).turn.seats == ((seat + 1) % 4,)


def test_a_stand_in_passes_and_chooses_too(house):
    passing = house.started(*PEOPLE)
    house.ask(passing, c.KickSeat(2, "easy"))
    shot = a_shot_to_decide(house)
    house.ask(shot, c.ReleaseSeat(house.read(shot).turn.seats[0], "random"))

    house.rest()

    (passed,) = played(house, passing)
    assert (passed.event.seat, passed.event.auto) == (2, "takeover")
    chosen = played(house, shot)[0]
    assert isinstance(chosen.event, e.MoonChosen)
    assert (chosen.actor.level, chosen.event.auto) == ("random", "takeover")


def test_a_game_that_everybody_has_left_is_played_to_its_end(house):
    game_id = house.started(*PEOPLE, rules=rules(**SHORT))
    for seat in range(4):
        house.ask(game_id, c.ReleaseSeat(seat, "easy"))

    house.rest()

    assert house.read(game_id).is_over
    moves = [one for one in played(house, game_id) if hasattr(one.event, "auto")]
    assert {one.event.auto for one in moves} == {"takeover"}
    assert house.moves_without_authority(game_id) == []


def test_a_bot_stops_when_the_player_is_back(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.KickSeat(seat, "easy"))
    house.ask(game_id, c.ReissueSeatToken(seat))

    house.rest()

    assert played(house, game_id) == []
    house.ask(game_id, legal_moves(house.read(game_id))[0])
    assert house.moves_without_authority(game_id) == []


def test_a_fallback_move_of_a_stand_in_is_a_fallback_move(house, monkeypatch):
    game_id = house.started(*PEOPLE)
    house.ask(game_id, c.KickSeat(1, "easy"))
    monkeypatch.setattr(jobs, "choose", broken)

    for _ in range(4):
        with suppress(ZeroDivisionError):
            play_due(house.hands(), game_id)
        house.now += 1_500

    assert [one.event.auto for one in played(house, game_id)] == ["fallback"]


def test_a_bot_that_is_put_in_charge_late_is_not_late_itself(house, monkeypatch):
    game_id = house.started(*PEOPLE)
    house.now += 3_600_000
    house.ask(game_id, c.KickSeat(1, "easy"))
    monkeypatch.setattr(house.trouble, "attempt", broken)

    play_due(house.hands(), game_id)

    assert len(played(house, game_id)) == 1


def overtaken_by(house, game_id, *commands):
    """Let a job come to append when *commands* have been given, and return their seat."""
    other = house.restarted()

    def first():
        for command in commands:
            other.ask(game_id, command)

    slow = House(Overtaken(house.deps.store, first))
    play_due(slow.hands(), game_id)


def test_a_job_that_is_overtaken_by_the_players_return_moves_nothing(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.KickSeat(seat, "easy"))

    overtaken_by(house, game_id, c.ReissueSeatToken(seat))

    assert played(house, game_id) == []
    assert house.read(game_id).turn.seats == (seat,)


def test_a_job_that_is_overtaken_by_the_players_own_move_adds_nothing(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    move = legal_moves(house.read(game_id))[-1]
    house.ask(game_id, c.KickSeat(seat, "easy"))

    overtaken_by(house, game_id, c.ReissueSeatToken(seat), move)

    assert played(house, game_id) == []
    assert house.moves_without_authority(game_id) == []


def test_a_job_of_another_level_is_not_in_charge(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.KickSeat(seat, "easy"))

    overtaken_by(house, game_id, c.ReissueSeatToken(seat), c.KickSeat(seat, "random"))

    assert played(house, game_id) == []
    play_due(house.hands(), game_id)
    assert [one.actor.level for one in played(house, game_id)] == ["random"]


def test_a_job_that_is_overtaken_by_another_kick_of_its_seat_goes_on(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.KickSeat(seat, "easy"))

    overtaken_by(house, game_id, c.ReissueSeatToken(seat), c.KickSeat(seat, "easy"))

    assert [one.event.auto for one in played(house, game_id)] == ["takeover"]
    assert house.moves_without_authority(game_id) == []


@pytest.mark.parametrize("number", range(8))
def test_of_a_job_and_the_players_return_at_once_one_is_first(house, number):
    """Both come to append at the same version; whichever wins, one alone is in charge."""
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    (seat,) = house.read(game_id).turn.seats
    house.ask(game_id, c.KickSeat(seat, "easy"))
    store = Together(house.deps.store, 2)
    back, job = House(store), House(store)
    calls = [
        lambda: back.ask(game_id, c.ReissueSeatToken(seat)),
        lambda: play_due(job.hands(), game_id),
    ]

    told = at_once(calls[:: 1 if number % 2 else -1])

    assert [one for one in told if isinstance(one, Exception)] == []
    assert house.moves_without_authority(game_id) == []
    assert house.read(game_id).table.players[seat].playing_level is None
    assert len(played(house, game_id)) <= 1


def test_whoever_comes_and_goes_no_move_is_made_without_authority(house):
    rng = random.Random(17)
    game_ids = [house.started(*ONE_PERSON, rules=rules(**SHORT)) for _ in range(4)]
    game_ids += [house.started(*PEOPLE, rules=rules(**SHORT)) for _ in range(4)]
    hands = [house.restarted().hands(one_move_each()) for _ in range(3)]
    while running := [one for one in game_ids if not house.read(one).is_over]:
        game_id = rng.choice(running)
        game = house.read(game_id)
        people = [seat for seat, player in enumerate(game.table.players) if not player.is_bot]
        seat = rng.choice(people)
        player = game.table.players[seat]
        if rng.random() < 0.3:
            house.ask(game_id, rng.choice(_comings(seat, player)))
        elif seat in game.turn.seats and player.claimed:
            house.ask(game_id, rng.choice(legal_moves(game, seat)))
        else:
            play_due(rng.choice(hands), game_id)

    for game_id in game_ids:
        assert house.moves_without_authority(game_id) == []
        autos = {one.event.auto for one in played(house, game_id) if hasattr(one.event, "auto")}
        assert autos <= {None, "takeover"}


def _comings(seat, player):
    if player.claimed:
        return [c.KickSeat(seat, "easy"), c.ReleaseSeat(seat, "random"), c.RotateSeatToken(seat)]
    return [c.ReissueSeatToken(seat)]
