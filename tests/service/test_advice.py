"""Advice is thought over once for a moment of a game, and no other moment is taken for it."""

import pytest

from engine.analysis import advise
from engine.view import view_for
from service import advice
from service.advice import Adviser
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.tables import Api, make_app, outcome_of, playing_table

HARD = {"level": "hard"}


@pytest.fixture
def thoughts(monkeypatch):
    """What was thought over."""
    thoughts = []
    monkeypatch.setattr(advice, "advise", lambda *args: thoughts.append(args) or advise(*args))
    return thoughts


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def table(redis_url, store):
    api = Api(make_app(redis_url)).over(store)
    return playing_table(api, rules={"play": {"opening_lead": "eldest"}}, hints="on")


def to_act(table):
    return table.state()["turn"]["seats"][0]


def moment(table):
    """Return the game as it is, the seat to act, and the links of its deals."""
    game = table.api.deps.games.read(table.id)
    return game, game.turn.seats[0], table.api.deps.links(game)


def test_the_same_moment_is_thought_over_once(table, thoughts):
    game, seat, links = moment(table)
    adviser = Adviser()

    given = [adviser.advice(game, seat, "hard", links) for _ in range(3)]

    assert given == [advise(view_for(seat, game.state), "hard", links(1))] * 3
    assert len(thoughts) == 1


def test_another_level_is_thought_over_by_itself(table, thoughts):
    game, seat, links = moment(table)
    adviser = Adviser()

    hard, expert = (adviser.advice(game, seat, level, links) for level in ("hard", "expert"))

    assert hard.worlds < expert.worlds
    assert len(thoughts) == 2


def test_the_oldest_advice_goes_when_there_is_too_much(table, thoughts, monkeypatch):
    monkeypatch.setattr(advice, "MOST_KEPT", 1)
    game, seat, links = moment(table)
    adviser = Adviser()

    for level in ("hard", "expert", "expert", "hard"):
        adviser.advice(game, seat, level, links)

    assert [level for _, level, _ in thoughts] == ["hard", "expert", "hard"]


def test_a_moment_that_took_the_place_of_one_that_was_lost_is_thought_over(table, store):
    adviser = Adviser()
    leader, version = to_act(table), table.version
    legal = table.ask("GET", "/legal-moves", leader, expect=200).json["moves"]
    found = []
    for move in (legal[0], legal[-1]):
        table.move(leader, move, expect=201)
        game, seat, links = moment(table)
        found.append(adviser.advice(game, seat, "hard", links))
        assert found[-1] == advise(view_for(seat, game.state), "hard", links(1))
        assert (game.version, seat) == (version + 1, (leader + 1) % 4)
        store.cut(table.id, version)
        table.api.over(store)  # it remembers no game, so that nothing seems to be lost

    assert found[0] != found[1]


def test_what_the_log_could_not_take_is_not_thought_over_again(table, store, thoughts):
    seat = to_act(table)
    table.api.over(FaultyStore(store, [Fault.UNAVAILABLE]))

    first, second = (table.ask("POST", "/hints", seat, HARD) for _ in range(2))

    assert [outcome_of(one) for one in (first, second)] == [(503, "store_unavailable"), 201]
    assert len(thoughts) == 1
