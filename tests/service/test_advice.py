"""Advice is thought over once for what it follows from, and nothing else is taken for that."""

from functools import partial
from threading import Barrier

import pytest
from redis import Redis

from engine.analysis import advise
from engine.verify.bot_moves import Comparison
from engine.verify.hints import given_hints
from engine.view import view_for
from service import advice
from service.advice import Adviser, question_of
from tests.analyses import TINY_RULES
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.limits import LIMITED, limited, used
from tests.tables import (
    HUMAN,
    Api,
    at_once,
    make_app,
    new_key,
    outcome_of,
    playing_table,
    started_table,
)

HARD = {"level": "hard"}
ELDEST = {"play": {"opening_lead": "eldest"}}


class Thoughts(list):
    """What was thought over; *meanwhile* is done before each thought comes to its end."""

    def __init__(self):
        super().__init__()
        self.meanwhile = lambda: None

    def __call__(self, *args):
        self.append(args)
        self.meanwhile()
        return advise(*args)


@pytest.fixture
def thoughts(monkeypatch):
    thoughts = Thoughts()
    monkeypatch.setattr(advice, "advise", thoughts)
    return thoughts


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def api(redis_url, store):
    return Api(make_app(redis_url)).over(store)


@pytest.fixture
def table(api):
    return playing_table(api, rules=ELDEST, hints="on")


@pytest.fixture
def counts(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


def to_act(table):
    return table.state()["turn"]["seats"][0]


def hint(table, seat, body=HARD, **more):
    return table.ask("POST", "/hints", seat, body, **more)


def say_something(table, seat, times=1):
    """Append events that change nothing, as *seat*."""
    for _ in range(times):
        body = {"controller": "human"}
        table.ask("PUT", f"/seats/{seat}/control", seat, body, key=new_key(), expect=200)


def moment(table):
    """Return the game as it is, the seat to act, and the links of its deals."""
    game = table.api.deps.games.read(table.id)
    return game, game.turn.seats[0], table.api.deps.links(game)


def question(table, level="hard"):
    game, seat, links = moment(table)
    return question_of(game, seat, level, links)


def hints_again(table):
    """Return how the hints of a game compare with those that are made again."""
    game, _, links = moment(table)
    events = [one.event for one in table.api.deps.games.events(game, 1, game.version)]
    return [one.comparison for one in given_hints(events, {1: links(1)})]


def test_what_was_thought_over_is_known(table):
    game, seat, links = moment(table)
    adviser = Adviser()
    assert adviser.known(question(table)) is None

    found = adviser.think(question(table))

    assert found == advise(view_for(seat, game.state), "hard", links(1))
    assert adviser.known(question(table)) is found


def test_another_level_is_thought_over_by_itself(table):
    adviser = Adviser()

    hard = adviser.think(question(table))

    assert adviser.known(question(table, "expert")) is None
    assert adviser.think(question(table, "expert")).worlds > hard.worlds
    assert adviser.known(question(table)) is hard


def test_the_oldest_advice_goes_when_there_is_too_much(table, monkeypatch):
    monkeypatch.setattr(advice, "MOST_KEPT", 1)
    adviser = Adviser()

    hard, expert = (question(table, level) for level in ("hard", "expert"))
    for one in (hard, expert):
        adviser.think(one)

    assert adviser.known(hard) is None
    assert adviser.known(expert) is not None


def test_a_moment_that_took_the_place_of_one_that_was_lost_is_thought_over(table, store):
    adviser = Adviser()
    leader, version = to_act(table), table.version
    legal = table.ask("GET", "/legal-moves", leader, expect=200).json["moves"]
    found = []
    for move in (legal[0], legal[-1]):
        table.move(leader, move, expect=201)
        game, seat, links = moment(table)
        assert adviser.known(question(table)) is None
        found.append(adviser.think(question(table)))
        assert found[-1] == advise(view_for(seat, game.state), "hard", links(1))
        assert (game.version, seat) == (version + 1, (leader + 1) % 4)
        store.cut(table.id, version)
        table.api.over(store)  # it remembers no game, so that nothing seems to be lost

    assert found[0] != found[1]


def test_what_the_log_could_not_take_is_not_thought_over_again(table, store, thoughts):
    seat = to_act(table)
    table.api.over(FaultyStore(store, [Fault.UNAVAILABLE]))

    first, second = (hint(table, seat) for _ in range(2))

    assert [outcome_of(one) for one in (first, second)] == [(503, "store_unavailable"), 201]
    assert len(thoughts) == 1


def test_whatever_the_others_do_nobody_thinks_again(api, thoughts):
    table = started_table(api, rules=TINY_RULES, hints="on")

    def meanwhile():
        say_something(table, 1, times=3)
        table.ask("PUT", "/seats/1/control", 1, {"controller": "bot"}, expect=200)
        table.move(2, table.a_move(2), expect=201)
        table.ask("POST", "/seats/3/release", 3, expect=200)

    thoughts.meanwhile = meanwhile
    turn, version = table.state()["turn"]["id"], table.version

    found = hint(table, 0, expect=201).json

    assert len(thoughts) == 1
    assert found["turn_id"] == turn
    assert found["version"] == table.version > version + 6
    assert hints_again(table) == [Comparison.AGREES]


def test_seats_that_ask_at_once_have_one_thought_each(api, thoughts):
    table = started_table(api, *[HUMAN] * 4, rules=TINY_RULES, hints="on")
    all_think = Barrier(4)
    thoughts.meanwhile = lambda: all_think.wait(10) if len(thoughts) <= 4 else None

    answers = at_once(*(partial(hint, table, seat) for seat in range(4)))

    assert [one.status_code for one in answers] == [201] * 4
    assert len(thoughts) == 4
    assert hints_again(table) == [Comparison.AGREES] * 4


@pytest.mark.parametrize("by", ["number", "no number"])
def test_a_turn_that_ends_meanwhile_is_over_and_the_next_one_not_meant(table, thoughts, by):
    seat, turn = to_act(table), table.state()["turn"]["id"]
    body = HARD | ({"turn_id": turn} if by == "number" else {})

    def meanwhile():
        table.play(until=lambda now: now["seats"] == [seat] and now["id"] != turn)

    thoughts.meanwhile = meanwhile

    hint(table, seat, body, expect=(409, "stale_turn"))

    assert len(thoughts) == 1
    assert "hint.used" not in {one["type"] for one in table.events()}
    thoughts.meanwhile = lambda: None
    hint(table, seat, expect=201)


# The price


@pytest.mark.parametrize("faults", [[Fault.UNAVAILABLE], [Fault.CONFLICT] * 20])
def test_a_thought_is_paid_for_once_whatever_came_of_it(redis_db, store, counts, thoughts, faults):
    api = limited(redis_db, hint="1/60").over(store)
    table = playing_table(api, rules=ELDEST, hints="on")
    seat = to_act(table)
    api.over(FaultyStore(store, faults))

    assert hint(table, seat).status_code == 503
    assert used(counts, "hint") == 1
    api.over(store)
    hint(table, seat, {"level": "expert"}, expect=LIMITED)
    hint(table, seat, expect=201)

    assert len(thoughts) == 1


def test_what_came_to_no_thought_is_not_paid_for(redis_db, store, counts, thoughts):
    api = limited(redis_db).over(store)
    table = playing_table(api, rules=ELDEST, hints="on")
    seat = to_act(table)
    api.over(FaultyStore(store, [Fault.UNAVAILABLE] * 9, methods=("tail",)))

    assert hint(table, seat).status_code == 503

    assert used(counts, "hint") == 0
    assert not thoughts
