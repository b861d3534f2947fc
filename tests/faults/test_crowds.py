"""Fifty clients at the same instant, over connections to two processes: one wins, all know it.

Every client has sent its request but for the last byte when the first of them is let go.
"""

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import cycle, islice

import pytest

from service.deadlines import deadline_of
from service.jobs import Hands, play_due
from tests.crowds import Client, outcome_of
from tests.house import MemoryTrouble, MemoryWatch
from tests.servers import OwnApi
from tests.tables import (
    HUMAN,
    KEYS,
    SHORT,
    Api,
    at_once,
    full_table,
    make_app,
    open_table,
    playing_table,
    started_table,
)

CLIENTS = 50
ROUNDS = range(3)


class Square:
    """Two processes of the API, and a table that both know."""

    def __init__(self, servers, api):
        self.api = api
        self._addresses = [server.address for server in servers]

    def at_once(self, table, method, path, asked, *others):
        """Let fifty clients send what *asked* has, token and body by turns; return the answers.

        *others* are called at the same instant, and their answers are left out.
        """
        target, wanted = table.path + path, zip(cycle(self._addresses), cycle(asked), strict=False)
        with ExitStack() as stack:
            clients = [
                stack.enter_context(Client(address, method, target, token, body))
                for address, (token, body) in islice(wanted, CLIENTS)
            ]
            return at_once(*(one.finish for one in clients), *others)[:CLIENTS]


@pytest.fixture(scope="module")
def servers(redis_url, tmp_path_factory):
    with ExitStack() as stack:
        found = []
        for _ in range(2):
            own = OwnApi(
                tmp_path_factory.mktemp("square"),
                redis_url,
                HEARTS_SECRET_KEYS=KEYS[0],
                HEARTS_API_THREADS="32",
            )
            stack.callback(own.close)
            found.append(own)
        yield found


@pytest.fixture
def square(servers, redis_url):
    return Square(servers, Api(make_app(redis_url)))


def counted(answers):
    return Counter(map(outcome_of, answers))


def kinds(table, after=0):
    return Counter(one["type"] for one in table.events(after=after))


def two_legal(table):
    """Play on until somebody has two legal cards to lead; return the seat and both moves."""
    turn = table.state()["turn"]
    while True:
        seat = turn["seats"][0]
        legal = table.ask("GET", "/legal-moves", seat, expect=200).json
        if len(legal["moves"]) > 1:
            return seat, [{**one, "turn_id": legal["turn_id"]} for one in legal["moves"][:2]]
        turn = table.move(seat, legal["moves"][0], expect=201).json["turn"]


@pytest.mark.parametrize("_", ROUNDS)
def test_fifty_with_one_move_for_one_turn_make_it_once(square, _):
    """Fault case 64."""
    table = playing_table(square.api)
    (seat,) = table.state()["turn"]["seats"]
    move, version = table.a_move(seat), table.version

    answers = square.at_once(table, "POST", "/moves", [(table.tokens[seat], move)])

    assert counted(answers) == {201: 1, 200: CLIENTS - 1}
    assert len({one.body for one in answers}) == 1
    assert Counter(one.headers.get("Idempotency-Replayed") for one in answers) == {
        None: 1,
        "true": CLIENTS - 1,
    }
    assert kinds(table, version) == {"card.played": 1}


@pytest.mark.parametrize("_", ROUNDS)
def test_of_fifty_with_two_moves_for_one_turn_one_is_made(square, _):
    """Fault case 63: the others are told that it was, or that the turn was played otherwise."""
    table = playing_table(square.api)
    seat, moves = two_legal(table)
    version = table.version

    answers = square.at_once(
        table, "POST", "/moves", [(table.tokens[seat], move) for move in (*moves, moves[1])]
    )

    found = counted(answers)
    assert found[201] == 1
    assert found.keys() <= {201, 200, (409, "turn_already_played")}
    made = next(one.json["events"][0]["data"]["card"] for one in answers if one.status == 201)
    for asked, answer in zip(cycle([*moves, moves[1]]), answers, strict=False):
        assert (answer.status in {200, 201}) is (asked["card"] == made)
    assert kinds(table, version) == {"card.played": 1}


@pytest.mark.parametrize("_", ROUNDS)
def test_of_fifty_moves_for_no_turn_in_particular_one_is_made(square, _):
    """Nothing says that they are the same, so the others are out of turn."""
    table = playing_table(square.api)
    (seat,) = table.state()["turn"]["seats"]
    move, version = table.a_move(seat), table.version
    del move["turn_id"]

    answers = square.at_once(table, "POST", "/moves", [(table.tokens[seat], move)])

    assert counted(answers) == {201: 1, (409, "not_your_turn"): CLIENTS - 1}
    assert kinds(table, version) == {"card.played": 1}


@pytest.mark.parametrize("_", ROUNDS)
def test_of_fifty_passes_of_one_seat_one_is_made(square, _):
    table = started_table(square.api, *[HUMAN] * 7, rules={"seats": 7})
    state, version = table.state(2), table.version
    hand, turn = state["you"]["hand"], state["turn"]["id"]
    passes = [{"type": "pass", "turn_id": turn, "cards": some} for some in (hand[:3], hand[3:6])]

    answers = square.at_once(table, "POST", "/moves", [(table.tokens[2], one) for one in passes])

    half = CLIENTS // 2
    assert counted(answers) == {201: 1, 200: half - 1, (409, "turn_already_played"): half}
    assert kinds(table, version) == {"cards.passed": 1}


@pytest.mark.parametrize("_", ROUNDS)
def test_of_fifty_who_claim_one_seat_one_has_it(square, _):
    """Fault case 69."""
    table = open_table(square.api)

    answers = square.at_once(table, "POST", "/seats/2/claim", [(None, {"name": "Ana"})])

    assert counted(answers) == {201: 1, (409, "seat_taken"): CLIENTS - 1}
    assert kinds(table) == {"game.created": 1, "seat.claimed": 1}
    (token,) = (one.json["seat_token"] for one in answers if one.status == 201)
    assert table.ask("GET", token=token, expect=200).json["you"]["seat"] == 2


@pytest.mark.parametrize("_", ROUNDS)
def test_of_fifty_starts_one_deals(square, _):
    """Fault case 70."""
    table = full_table(square.api)

    answers = square.at_once(table, "POST", "/start", [(table.host, None)])

    assert counted(answers) == {200: 1, (409, "game_already_started"): CLIENTS - 1}
    found = kinds(table)
    assert (found["game.started"], found["deal.dealt"]) == (1, 1)


@pytest.mark.parametrize("_", ROUNDS)
def test_fifty_who_want_a_rematch_get_the_same_one(square, _):
    """Fault case 71: who was first is its host; each has the own seat, however often it asks."""
    table = started_table(square.api, rules=SHORT)
    table.play()
    seats = range(4)

    answers = square.at_once(
        table, "POST", "/rematch", [(table.tokens[seat], None) for seat in seats]
    )

    by_seat = [answers[seat::4] for seat in seats]
    assert len({one.json["id"] for one in answers}) == 1
    assert [{one.json["seat"] for one in some} for some in by_seat] == [{seat} for seat in seats]
    assert [len({one.body for one in some}) for some in by_seat] == [1] * 4
    assert sorted({one.status for one in some}.pop() for some in by_seat) == [200, 200, 200, 201]
    hosts = [some[0].json["host_token"] for some in by_seat]
    assert sum(host is not None for host in hosts) == 1
    other = table.api.ask("GET", f"/v1/games/{answers[0].json['id']}/events", expect=200).json
    assert Counter(one["type"] for one in other["items"]) == {"game.created": 1, "seat.claimed": 4}


@pytest.mark.parametrize("_", ROUNDS)
def test_of_a_time_out_and_late_moves_one_is_made(square, _):
    """Two workers find the time up at the very instant at which late moves come."""
    table = playing_table(square.api, clock={"play_seconds": 60})
    (seat,) = table.state()["turn"]["seats"]
    move, version = table.a_move(seat), table.version
    parts = MemoryTrouble(), lambda _: None, MemoryWatch(), lambda *_: None
    deps = square.api.deps
    until = deadline_of(deps.games.read(table.id))
    late = Hands(replace(deps, clock=lambda: until), *parts, timer=lambda: 0.0)

    answers = square.at_once(
        table,
        "POST",
        "/moves",
        [(table.tokens[seat], move)],
        *[partial(play_due, late, table.id)] * 2,
    )

    found, happened = counted(answers), kinds(table, version)
    assert happened["card.played"] == 1
    if happened["turn.timed_out"]:
        assert found == {(409, "turn_already_played"): CLIENTS}
    else:
        assert found == {201: 1, 200: CLIENTS - 1}
