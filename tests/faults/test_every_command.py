"""Every command there is, sent three times: it is done once, and answered alike each time.

A row for each thing that a client can have done. Whoever adds an operation to the contract
or a command to the engine adds a row here, or says why there is none.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, get_args

import pytest
from redis import Redis

from engine import commands as c
from engine.cards import CODES
from service import command_handler
from service.keyring import Keyring, fresh_number
from tests.contract.spec import contract
from tests.tables import (
    BOT,
    HUMAN,
    KEYS,
    SHORT,
    Api,
    Table,
    at_once,
    full_table,
    make_app,
    new_key,
    open_table,
    playing_table,
    started_table,
)

TIMES = 3
LINES = "application/x-ndjson"
APP = Keyring([KEYS[0].encode()]).app_key("shop", fresh_number())
ANA = {"name": "Ana"}
PEOPLE = {"seats": [HUMAN] * 3}
FIRST = {"seat": 0, "name": "Ana"}
FOUR_CARDS = {
    "deck": {"remove": list(CODES[4:])},
    "passing": {"count": 0},
    "scoring": {"hearts": {}, "queen_of_spades": 0, "extra": {"2C": 5}},
}
"""Whoever takes the one card that counts has taken all, so there is a moon in every deal."""


class Ask(NamedTuple):
    """One request, ready to be sent as often as one likes."""

    method: str
    target: str
    token: str | None = None
    body: Any = None
    media_type: str = "application/json"

    def send(self, api, key):
        more = {"key": key} if key else {}
        if isinstance(self.body, bytes):
            data, kind = self.body, self.media_type
            return api.send(self.method, self.target, data, self.token, content_type=kind, **more)
        return api.ask(self.method, self.target, self.token, self.body, **more)


class Row(NamedTuple):
    """A command as a client asks for it; *made* prepares a game and returns the request.

    *command* is what is decided, None where nothing is: a log is copied, or a position.
    """

    operation: str
    command: type | None
    status: int
    made: Callable[[Api], Ask]


def ask(table, method, path, viewer, body=None):
    return Ask(method, table.path + path, table.token(viewer), body)


def create(token=None, **body):
    return Row("createGame", c.CreateGame, 201, lambda _: Ask("POST", "/v1/games", token, body))


def of_a_table(operation, command, status, *request, start=full_table, seats=(), **options):
    """Return the row of a *request* about a table: method, path, viewer and body."""
    return Row(operation, command, status, lambda api: ask(start(api, *seats, **options), *request))


def lobby(**changes):
    return of_a_table("updateGame", c.ChangeOptions, 200, "PATCH", "", "host", changes)


def of_a_seat(command, viewer, start=full_table, **change):
    return of_a_table("updateSeat", command, 200, "PATCH", "/seats/1", viewer, change, start=start)


def control(command, controller, start):
    body = {"controller": controller}
    return of_a_table(
        "changeControl", command, 200, "PUT", "/seats/1/control", 1, body, start=start
    )


def an_endpoint(_):
    body = {"url": "https://app.example.com", "events": ["turn.opened"], "signing": "hmac"}
    return Ask("POST", "/v1/webhook-endpoints", APP, body)


def of_an_endpoint(operation, status, path):
    def made(api):
        endpoint_id = an_endpoint(api).send(api, None).json["id"]
        return Ask("POST", f"/v1/webhook-endpoints/{endpoint_id}{path}", APP)

    return Row(operation, None, status, made)


def a_delivery(api):
    tried = of_an_endpoint("testWebhookEndpoint", 202, "/test").made(api)
    sent = tried.send(api, None).json["id"]
    return Ask("POST", f"{tried.target.removesuffix('test')}deliveries/{sent}/retry", APP)


def left_to_a_bot(api):
    table = playing_table(api)
    table.ask("PUT", "/seats/1/control", 1, {"controller": "bot"}, expect=200)
    return table


def with_a_bot(api):
    return open_table(api, HUMAN, BOT, HUMAN, HUMAN)


def claim_of_a_private_game(api):
    made = api.ask("POST", "/v1/games", body=PEOPLE | {"visibility": "private"}, expect=201).json
    body = {**ANA, "client_seed": "a1" * 32, "join_code": made["join_code"]}
    return ask(Table(api, made), "POST", "/seats/1/claim", None, body)


def claim_for_an_app(api):
    made = api.ask("POST", "/v1/games", APP, PEOPLE, expect=201).json
    body = {**ANA, "player_ref": "u_33"}
    return ask(Table(api, made), "POST", "/seats/1/claim", None, body)._replace(token=APP)


def reissue_by_an_app(api):
    made = api.ask("POST", "/v1/games", APP, {"claim": FIRST}, expect=201).json
    return Ask("PATCH", f"/v1/games/{made['id']}/seats/0", APP, {"reissue": True})


def last_one_ready(api):
    """What makes the last of all ready starts the game, if it is to start by itself."""
    table = full_table(api, auto_start=True)
    for seat in (0, 1, 2):
        table.tell(seat, ready=True)
    return ask(table, "PATCH", "/seats/3", 3, {"ready": True})


def move(table):
    (seat, *_) = table.state()["turn"]["seats"]
    return ask(table, "POST", "/moves", seat, table.a_move(seat))


def last_card(api):
    """The move that ends trick, deal and game."""
    table = playing_table(api, rules={**SHORT, **FOUR_CARDS, "scoring": {"moon": "off"}})
    table.play(until=lambda _: len(table.state()["deal"]["trick"]) == 3)
    return move(table)


def a_moon(api):
    table = playing_table(api, rules=FOUR_CARDS)
    table.play(until=lambda turn: turn["type"] == "moon")
    return move(table)


def a_hint(api):
    table = playing_table(api, hints="on")
    (seat,) = table.state()["turn"]["seats"]
    return ask(table, "POST", "/hints", seat, {"level": "hard", "turn_id": table.version})


def back_with_a_move(api):
    table = playing_table(api)
    (seat,) = table.state()["turn"]["seats"]
    request = move(table)
    table.ask("PUT", f"/seats/{seat}/control", seat, {"controller": "bot"}, expect=200)
    return request


def over(api):
    table = started_table(api, rules=SHORT)
    table.play()
    return table


def a_later_rematch(api):
    table = over(api)
    table.ask("POST", "/rematch", 0, expect=201)
    return ask(table, "POST", "/rematch", 1)


def fork(api):
    table = started_table(api)
    at = table.version
    table.ask("POST", "/abort", "host", expect=200)
    return ask(table, "POST", "/forks", None, {"at_version": at, "claim": FIRST})


def copy(api):
    file = over(api).ask("GET", "/export?format=jsonl", expect=200).data
    return Ask("POST", "/v1/imports", body=file, media_type=LINES)


RULES = {"preset": "spot", "seats": 4}
ROWS = {
    "create": create(),
    "create and sit down": create(claim=FIRST),
    "create for an app": create(APP, claim=FIRST),
    "create a private game": create(visibility="private"),
    "create a seeded game": create(dealing={"mode": "seeded", "seed": "5e" * 32}),
    "claim": of_a_table(
        "claimSeat", c.ClaimSeat, 201, "POST", "/seats/1/claim", None, ANA, start=open_table
    ),
    "claim a private seat": Row("claimSeat", c.ClaimSeat, 201, claim_of_a_private_game),
    "claim for an app": Row("claimSeat", c.ClaimSeat, 201, claim_for_an_app),
    "claim any": of_a_table(
        "claimAnySeat", c.ClaimSeat, 201, "POST", "/seats/claim", None, ANA, start=open_table
    ),
    "rename": of_a_seat(c.UpdateSeat, 1, name="Zoë"),
    "give a seed": of_a_seat(c.UpdateSeat, 1, client_seed="a1" * 32),
    "be ready": of_a_seat(c.UpdateSeat, 1, ready=True),
    "be ready last": Row("updateSeat", c.UpdateSeat, 200, last_one_ready),
    "say the same": of_a_seat(c.UpdateSeat, 1, ready=False),
    "seat a bot": of_a_seat(c.AssignBot, "host", **BOT),
    "seat the same bot": of_a_seat(c.AssignBot, "host", with_a_bot, **BOT),
    "open the seat of a bot": of_a_seat(c.OpenSeat, "host", with_a_bot, **HUMAN),
    "open an open seat": of_a_seat(c.OpenSeat, "host", open_table, **HUMAN),
    "kick": of_a_seat(c.KickSeat, "host", kick=True),
    "kick from a running game": of_a_seat(c.KickSeat, "host", playing_table, kick=True),
    "reissue": of_a_seat(c.ReissueSeatToken, "host", reissue=True),
    "reissue in a running game": of_a_seat(c.ReissueSeatToken, "host", playing_table, reissue=True),
    "reissue for an app": Row("updateSeat", c.ReissueSeatToken, 200, reissue_by_an_app),
    "change the rules": lobby(rules=RULES),
    "close the lobby": lobby(lobby="closed"),
    "leave the lobby open": lobby(lobby="open"),
    "hide the game": lobby(visibility="private"),
    "release": of_a_table("releaseSeat", c.ReleaseSeat, 200, "POST", "/seats/1/release", 1),
    "release in a running game": of_a_table(
        "releaseSeat", c.ReleaseSeat, 200, "POST", "/seats/1/release", 1, start=playing_table
    ),
    "hand over": control(c.HandOver, "bot", playing_table),
    "hand over again": control(c.HandOver, "bot", left_to_a_bot),
    "take back": control(c.TakeBack, "human", left_to_a_bot),
    "replace one's token": of_a_table(
        "rotateSeatToken", c.RotateSeatToken, 201, "POST", "/seats/1/rotate-token", 1
    ),
    "replace the host's token": of_a_table(
        "rotateHostToken", c.RotateHostToken, 201, "POST", "/host/rotate-token", "host"
    ),
    "start": of_a_table("startGame", c.StartGame, 200, "POST", "/start", "host"),
    "start with bots in free seats": of_a_table(
        *("startGame", c.StartGame, 200, "POST", "/start", "host"),
        start=open_table,
        fill_with_bots=True,
    ),
    "abort": of_a_table("abortGame", c.AbortGame, 200, "POST", "/abort", "host"),
    "abort a running game": of_a_table(
        "abortGame", c.AbortGame, 200, "POST", "/abort", "host", start=playing_table
    ),
    "pass": Row("makeMove", c.PassCards, 201, lambda api: move(started_table(api))),
    "play": Row("makeMove", c.PlayCard, 201, lambda api: move(playing_table(api))),
    "play the last card": Row("makeMove", c.PlayCard, 201, last_card),
    "choose the moon": Row("makeMove", c.ChooseMoon, 201, a_moon),
    "come back with a move": Row("makeMove", c.PlayCard, 201, back_with_a_move),
    "take a hint": Row("takeHint", c.TakeHint, 201, a_hint),
    "rematch": of_a_table("rematchGame", c.CreateGame, 201, "POST", "/rematch", 0, start=over),
    "join the rematch": Row("rematchGame", c.ClaimSeat, 200, a_later_rematch),
    "fork": Row("forkGame", c.CreateGame, 201, fork),
    "import": Row("importFile", None, 201, copy),
    "make an endpoint": Row("createWebhookEndpoint", None, 201, an_endpoint),
    "test an endpoint": of_an_endpoint("testWebhookEndpoint", 202, "/test"),
    "replace its key": of_an_endpoint("rotateWebhookSecret", 200, "/rotate-secret"),
    "send again": Row("retryWebhookDelivery", None, 202, a_delivery),
}
MOVES = {name: row for name, row in ROWS.items() if row.operation == "makeMove"}

NOTHING_IS_DONE = {
    *("checkRules", "verifyFile", "createStreamTicket", "analyseGame"),
    *("updateWebhookEndpoint", "deleteWebhookEndpoint"),
}
"""What changes nothing, so that a repeat is harmless; every call makes a ticket of its own. Of an
endpoint, what is changed twice, or deleted, is as it was after the first time. An analysis is
there once, whoever asks for it, and needs no key for that."""
NOT_OF_CLIENTS = {c.VoidDeal, c.TimeOut, c.ExtendTurn, c.EndIdling}
"""What the clock does, or whoever runs the service."""


def every(rows):
    return pytest.mark.parametrize("row", rows.values(), ids=rows)


@pytest.fixture
def decided(monkeypatch):
    """The types of the commands that were decided."""
    found, decide = [], command_handler.decide

    def noted(state, command, links):
        found.append(type(command))
        return decide(state, command, links)

    monkeypatch.setattr(command_handler, "decide", noted)
    return found


def stored(url):
    """Return all that is in the store."""
    with Redis.from_url(url) as client:
        return {key: client.dump(key) for key in sorted(client.scan_iter())}


def alike(answers):
    """Return whether nothing but the word that it is a repeat tells *answers* apart."""
    names = ("ETag", "Location", "Cache-Control", "Content-Type")
    return len({(one.data, *map(one.headers.get, names)) for one in answers}) == 1


def replays(answers):
    return ["Idempotency-Replayed" in one.headers for one in answers]


@every(ROWS)
def test_a_command_with_a_key_is_done_once_and_answered_alike(api, redis_db, decided, row):
    """Fault cases 64 and 65: the last time by a process that remembers nothing."""
    request, key = row.made(api), new_key()
    del decided[:]
    first = request.send(api, key)
    assert first.status_code == row.status, first.text
    assert set(decided) == {row.command} - {None}
    after = stored(redis_db)

    answers = [first, request.send(api, key), request.send(Api(make_app(redis_db)), key)]

    assert [one.status_code for one in answers] == [row.status] * TIMES
    assert alike(answers)
    assert replays(answers) == [False, True, True]
    assert stored(redis_db) == after


@every(ROWS)
def test_of_a_command_that_comes_three_times_at_once_one_is_done(api, redis_db, row):
    """Fault case 65."""
    request, key = row.made(api), new_key()
    doors = [api, Api(make_app(redis_db)), Api(make_app(redis_db))]

    answers = at_once(*(partial(request.send, door, key) for door in doors))

    assert [one.status_code for one in answers] == [row.status] * TIMES
    assert alike(answers)
    assert sorted(replays(answers)) == [False, True, True]


@every(MOVES)
def test_a_move_for_one_turn_is_made_once_without_a_key(api, redis_db, row):
    """Fault case 64: the first is 201, as all that do something; the others say that it is done."""
    request = row.made(api)
    assert request.body["turn_id"]
    first = request.send(api, None)
    after = stored(redis_db)

    answers = [first, request.send(api, None), request.send(Api(make_app(redis_db)), None)]

    assert [one.status_code for one in answers] == [201, 200, 200]
    assert len({one.data for one in answers}) == 1
    assert replays(answers) == [False, True, True]
    assert stored(redis_db) == after


def test_a_ticket_leaves_nothing_behind(api, redis_db):
    table = full_table(api)
    before, key = stored(redis_db), new_key()

    for _ in range(TIMES):
        table.ask("POST", "/stream-tickets", 1, key=key, expect=201)

    assert stored(redis_db) == before


def test_every_operation_that_does_something_has_a_row():
    doing = {one.id for one in contract().operations if one.method not in {"GET", "HEAD"}}

    assert doing - NOTHING_IS_DONE == {row.operation for row in ROWS.values()}


def test_every_command_has_a_row():
    known = set(get_args(c.Command))

    assert known - NOT_OF_CLIENTS == {row.command for row in ROWS.values()} - {None}
