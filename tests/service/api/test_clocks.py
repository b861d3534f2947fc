"""Clocks over HTTP: what a table is given, what its players see, and what files tell."""

import hashlib
import json
from dataclasses import replace
from itertools import count

import pytest

from service.jobs import Hands, play_due
from service.log_clock import milliseconds as moment
from service.requests import DEPS
from service.timekeeper import keep_time
from tests.house import MemoryTrouble, MemoryWatch
from tests.tables import BOT, HUMAN, SHORT, Api, full_table, make_app, open_table

MINUTE = {"play_seconds": 60}
WHOLE = {
    "play_seconds": 60,
    "pass_seconds": 60,
    "moon_seconds": 60,
    "on_timeout": "bot_takeover",
    "takeover_after": 2,
    "bot_level": "medium",
    "idle_seconds": None,
    "on_all_idle": "finish_with_bots",
}


def test_a_clock_is_told_whole(api):
    table = open_table(api, clock=MINUTE)

    assert table.state()["clock"] == WHOLE
    assert table.events()[0]["data"]["clock"] == WHOLE
    listed = api.ask("GET", "/v1/games", expect=200).json["items"]
    assert [one["clock"] for one in listed if one["id"] == table.id] == [True]


@pytest.mark.parametrize("body", [{}, {"clock": None}])
def test_without_a_clock_there_are_no_deadlines(api, body):
    table = full_table(api, **body).start()

    state = table.state()
    assert state["clock"] is None
    assert (state["turn"]["deadline_at"], state["turn"]["on_timeout"]) == (None, None)


def test_a_turn_says_its_deadline_and_what_follows(api):
    turn = full_table(api, clock={**MINUTE, "pass_seconds": 90}).start().state()["turn"]

    assert moment(turn["deadline_at"]) - moment(turn["opened_at"]) == 90_000
    assert turn["on_timeout"] == "bot_takeover"


def test_the_turn_of_a_bot_has_no_deadline(api):
    hold = {"passing": {"cycle": ["hold"]}}
    table = full_table(api, HUMAN, BOT, BOT, BOT, clock=MINUTE, rules=hold).start()
    turns = [table.state()["turn"]]
    while turns[-1]["seats"] == [0]:
        turns.append(table.move(0, table.a_move(0), expect=201).json["turn"])

    assert (turns[-1]["deadline_at"], turns[-1]["on_timeout"]) == (None, None)


@pytest.mark.parametrize(
    "clock",
    [
        {},
        {"play_seconds": 0},
        {"play_seconds": 2_592_001},
        {"play_seconds": None},
        {"play_seconds": 60, "takeover_after": 0},
        {"play_seconds": 60, "takeover_after": 101},
        {"play_seconds": 60, "on_timeout": "nothing"},
        {"play_seconds": 60, "bot_level": "perfect"},
        {"play_seconds": 60, "minutes": 1},
    ],
)
def test_a_clock_that_makes_no_sense_is_refused(api, clock):
    api.ask("POST", "/v1/games", body={"clock": clock}, expect=(422, "validation_failed"))


class Slow:
    """A table whose time tests move, and a worker that looks when they say so."""

    def __init__(self, url, *seats, **body):

        self.now = 1_790_000_000_000
        self.api = Api(make_app(url))
        deps = replace(self.api.deps, clock=lambda: self.now)
        self.api.app.extensions[DEPS] = deps
        self.watch = MemoryWatch()
        self.table = full_table(self.api, *seats, **body).start()

    def passes(self, seconds):
        self.now += 1_000 * seconds
        parts = MemoryTrouble(), lambda _: None, self.watch, lambda *_: None
        hands = Hands(self.api.deps, *parts, timer=lambda: 0.0)
        play_due(hands, self.table.id)
        return self.table.state()


def test_a_seat_sees_how_often_it_was_late(redis_url):
    slow = Slow(redis_url, clock={**MINUTE, "on_timeout": "bot_move"}, rules=SHORT)

    slow.passes(60)

    assert slow.table.state(1)["you"]["timeouts"] == 1
    seat = slow.table.state()["turn"]["seats"][0]
    slow.table.move(seat, slow.table.a_move(seat), expect=201)
    assert slow.table.state(seat)["you"]["timeouts"] == 0


def test_the_pass_of_the_clock_is_read_by_its_seat_alone(redis_url):
    slow = Slow(redis_url, clock=MINUTE)
    slow.passes(60)

    for seat in range(4):
        passes = [one for one in slow.table.events(seat) if one["type"] == "cards.passed"]
        assert [list(one["private"]) for one in passes] == [
            [str(seat)] if one["data"]["seat"] == seat else [] for one in passes
        ]
        assert {one["data"]["auto"] for one in passes} == {"timeout"}


def test_a_taken_seat_is_taken_back_by_a_put(redis_url):
    slow = Slow(redis_url, clock={**MINUTE, "takeover_after": 1})
    slow.now += 60_000
    table = slow.table
    keep_time(slow.api.deps, slow.watch, slow.api.deps.games.read(table.id))
    assert table.state()["seats"][0]["controller"] == "bot"

    table.ask("PUT", "/seats/0/control", 0, {"controller": "human"}, expect=200)

    assert table.state()["seats"][0]["controller"] == "human"
    assert table.state(0)["you"]["timeouts"] == 0


@pytest.mark.parametrize("on_timeout", ["bot_move", "bot_takeover", "abort"])
def test_the_file_of_a_game_with_late_players_is_right(redis_url, on_timeout):
    clock = {**MINUTE, "on_timeout": on_timeout}
    slow = Slow(redis_url, HUMAN, HUMAN, BOT, BOT, clock=clock, rules=SHORT)
    slow.watch.outages = [(slow.now, slow.now + 5_000)]
    for turn in count():
        state = slow.passes(0 if turn == 0 else 60)
        if state["status"] != "active":
            break
        seats = [seat for seat in state["turn"]["seats"] if seat in slow.table.tokens]
        if turn % 5 == 4:
            slow.table.move(seats[0], slow.table.a_move(seats[0]), expect=201)
        _is_right(slow, "jsonl", None)
    kinds = {one["type"] for one in slow.table.events()}

    assert {"turn.timed_out", "turn.extended"} <= kinds
    assert ("seat.control_changed" in kinds) is (on_timeout == "bot_takeover")
    for form in ("jsonl", "hgn"):
        _is_right(slow, form, "host")
    if on_timeout != "abort":
        file = slow.table.ask("GET", "/export?format=jsonl", expect=200)
        kind = file.content_type.partition(";")[0]
        copied = slow.api.ask(
            "POST", "/v1/imports", data=file.data, content_type=kind, expect=201
        ).json
        assert copied["status"] == "finished"


HOSTILE = {
    "nothing follows": lambda one: one["type"] == "turn.timed_out",
    "a time out of reach": lambda one: one["data"].update(deadline_at="2999-01-01T00:00:00.000Z"),
    "no time": lambda one: one["data"].update(deadline_at="2026-99-01T00:00:00.000Z"),
    "seats of no table": lambda one: one["data"].update(seats=[99]),
    "no seats": lambda one: one["data"].update(seats=[]),
    "another word": lambda one: one["data"].update(policy="nothing"),
    "another reason": lambda one: one["data"].update(reason="mercy"),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_the_file_of_a_game_with_a_clock_that_makes_no_sense_is_wrong(redis_url, change):
    clock = {**MINUTE, "on_timeout": "abort"}
    slow = Slow(redis_url, HUMAN, HUMAN, BOT, BOT, clock=clock, rules=SHORT)
    slow.watch.outages = [(slow.now, slow.now + 5_000)]
    slow.passes(60)
    slow.passes(60)
    text = slow.table.ask("GET", "/export?format=jsonl", expect=200).text
    header, *events, _ = map(json.loads, text.splitlines())
    kept = []
    for one in events:
        kept.append(one)
        if one["type"].startswith("turn.") and change(one):
            break
    header |= {"version": len(kept)}
    lines = "".join(json.dumps(one) + "\n" for one in (header, *kept))
    sha256 = hashlib.sha256(lines.encode()).hexdigest()
    data = (lines + json.dumps({"sha256": sha256}) + "\n").encode()

    for path in ("/v1/verifications", "/v1/imports"):
        answer = slow.api.ask("POST", path, data=data, content_type="application/x-ndjson")
        assert answer.status_code in {200, 409}
        assert not answer.json.get("valid", False)


def _is_right(slow, form, viewer):
    file = slow.table.ask("GET", f"/export?format={form}", viewer, expect=200)
    kind = file.content_type.partition(";")[0]
    report = slow.api.ask(
        "POST", "/v1/verifications", data=file.data, content_type=kind, expect=200
    ).json
    assert report["first_error"] is None
