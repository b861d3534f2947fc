"""Hints over HTTP: advice for one seat, once a turn, before all eyes."""

import hashlib
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from engine.analysis import advise
from engine.view import view_for
from service.store.archive import pack, unpack, without_names
from tests.contract.spec import contract
from tests.limits import LIMITED, limited, said, used
from tests.tables import (
    BOT,
    HUMAN,
    SHORT,
    at_once,
    full_table,
    new_key,
    open_table,
    outcome_of,
    playing_table,
    started_table,
)

HARD = {"level": "hard"}
FOUR_CARDS = {
    "deck": {"remove": [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"][4:]},
    "scoring": {"hearts": {}, "queen_of_spades": 0, "extra": {"2C": 5}},
}


@pytest.fixture
def table(api):
    return playing_table(api, hints="on", rules=SHORT)


def to_act(table):
    return table.state()["turn"]["seats"][0]


def hint(table, seat, level="hard", **more):
    return table.ask("POST", "/hints", seat, {"level": level}, **more)


def moves(advice):
    return [one["move"] for one in advice["ranking"]]


def test_a_hint_ranks_every_move_that_is_allowed(table):
    table.play(until=lambda _: table.state()["deal"]["trick_number"] == 3)
    seat = to_act(table)
    state = table.state(seat)

    answer = hint(table, seat, expect=201)

    advice = answer.json
    assert advice["turn_id"] == state["turn"]["id"]
    assert sorted(map(str, moves(advice))) == sorted(map(str, state["you"]["legal_moves"]))
    assert advice["move"] == moves(advice)[0]
    assert advice["worlds"] >= 50
    assert advice["version"] == state["version"] + 1
    assert answer.headers["Location"] == f"{table.path}/events/{advice['version']}"
    table.move(seat, {**advice["move"], "turn_id": advice["turn_id"]}, expect=201)


def assert_right(table):
    """Check that the file of a game that is over is right."""
    file = table.ask("GET", "/export?format=jsonl", expect=200).data
    lines = {"content_type": "application/x-ndjson"}
    report = table.api.send("POST", "/v1/verifications", file, **lines).json
    assert report["valid"], report


def test_a_pass_is_advised_too(api):
    table = started_table(api, hints="on")
    hand = table.state(2)["you"]["hand"]

    advice = hint(table, 2, "expert", expect=201).json

    assert len(advice["ranking"]) >= 5
    assert all(set(move["cards"]) <= set(hand) for move in moves(advice))
    table.move(2, advice["move"], expect=201)
    hint(table, 2, "expert", expect=200)


def test_it_works_in_cancellation_hearts(api):
    table = started_table(api, *[HUMAN] * 5, rules={"preset": "cancellation", **SHORT}, hints="on")
    for _ in range(2):
        seat = to_act(table)
        legal = table.state(seat)["you"]["legal_moves"]

        advice = hint(table, seat, expect=201).json

        assert sorted(map(str, moves(advice))) == sorted(map(str, legal))
        table.move(seat, advice["move"], expect=201)
    table.ask("POST", "/abort", "host", expect=200)
    assert_right(table)


def test_of_a_moon_both_choices_are_advised(api):
    table = playing_table(api, rules={**SHORT, **FOUR_CARDS}, hints="on")
    table.play(until=lambda turn: turn["type"] == "moon")
    seat = to_act(table)

    advice = hint(table, seat, expect=201).json

    assert {one["move"]["choice"] for one in advice["ranking"]} == {"others_add", "self_subtract"}
    assert {one["expected_points"] for one in advice["ranking"]} == {0, -5}
    assert "in place 1" in advice["reason"]
    assert advice["why"] == {"code": "best_place", "best": 1, "other": 0, "against": 0}
    table.move(seat, advice["move"], expect=201)
    assert_right(table)


def test_the_others_see_that_a_seat_was_advised_and_not_what(api):
    table = playing_table(api, hints="on", clock={"play_seconds": 60})
    seat = to_act(table)
    before = table.state()

    advice = hint(table, seat, expect=201).json

    told = {viewer: table.events(viewer)[-1] for viewer in (seat, (seat + 1) % 4, None)}
    assert told[seat]["private"][str(seat)]["level"] == "hard"
    ranking = told[seat]["private"][str(seat)]["ranking"]
    assert [one["move"] for one in ranking] == moves(advice)
    own = told[seat]["private"][str(seat)]
    assert advice["why"] == {
        "code": own["reason"],
        **{name: own[name] for name in ("best", "other", "against")},
    }
    for viewer in ((seat + 1) % 4, None):
        assert told[viewer]["private"] == {}
        assert told[viewer]["hidden"] == [seat]
    data = {"deal": 1, "trick": 1, "seat": seat, "turn_id": before["turn"]["id"]}
    assert [one["data"] for one in told.values()] == [data] * 3
    assert [one["type"] for one in told.values()] == ["hint.used"] * 3
    assert table.state()["turn"] == before["turn"]


def test_a_repeat_is_the_same_advice_also_when_the_turn_is_over(table):
    seat = to_act(table)
    first = hint(table, seat, expect=201)
    body = HARD | {"turn_id": first.json["turn_id"]}

    second = hint(table, seat, expect=200)
    table.move(seat, first.json["move"], expect=201)
    third = table.ask("POST", "/hints", seat, body, expect=200)
    table.ask("POST", "/abort", "host", expect=200)
    last = table.ask("POST", "/hints", seat, body, expect=200)

    assert first.json == second.json == third.json == last.json
    assert second.headers["Idempotency-Replayed"] == "true"
    assert [one["type"] for one in table.events()].count("hint.used") == 1


def test_who_asks_for_the_same_at_once_has_it_thought_over_once(table, monkeypatch):
    thoughts = []
    seat = to_act(table)

    def slowly(*args):
        thoughts.append(args)
        time.sleep(0.2)
        return advise(*args)

    monkeypatch.setattr("service.advice.advise", slowly)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: hint(table, seat), range(24)))

    assert sorted(one.status_code for one in answers) == [200] * 23 + [201]
    assert len(thoughts) == 1


def test_by_another_level_there_is_no_second_hint_in_a_turn(table):
    seat = to_act(table)
    hint(table, seat, expect=201)

    answer = hint(table, seat, "expert", expect=(409, "hint_limit"))

    assert "Retry-After" not in answer.headers, "no wait mends it"
    table.move(seat, table.a_move(seat), expect=201)
    hint(table, to_act(table), "expert", expect=201)


def test_all_who_pass_have_a_hint_of_their_own(api):
    table = started_table(api, hints="on")

    hints = [hint(table, seat, expect=201).json for seat in range(4)]

    assert len({one["turn_id"] for one in hints}) == 1
    assert [hint(table, seat, expect=200).json for seat in range(4)] == hints


def test_of_hints_asked_for_at_once_one_is_noted(table):
    seat = to_act(table)

    answers = at_once(*[lambda: hint(table, seat)] * 3)

    assert sorted(one.status_code for one in answers) == [200, 200, 201]
    assert len({one.data for one in answers}) == 1
    assert [one["type"] for one in table.events()].count("hint.used") == 1


@pytest.mark.parametrize("start", [full_table, playing_table])
def test_without_the_option_nobody_is_advised(api, start):
    table = start(api)

    assert table.state()["hints"] == "off"
    for seat in range(4):
        hint(table, seat, expect=(409, "hints_disabled"))


def test_who_is_not_to_act_is_not_advised(table):
    other = (to_act(table) + 1) % 4

    hint(table, other, expect=(409, "not_your_turn"))


def test_before_and_after_the_game_nobody_is_advised(api):
    table = full_table(api, hints="on")

    hint(table, 0, expect=(409, "game_not_started"))
    table.start()
    table.ask("POST", "/abort", "host", expect=200)
    hint(table, 0, expect=(409, "game_not_active"))


def test_a_turn_that_is_over_is_not_advised(table):
    seat, turn = to_act(table), table.state()["turn"]["id"]
    body = HARD | {"turn_id": turn - 1}

    table.ask("POST", "/hints", seat, body, expect=(409, "stale_turn"))


def test_a_version_that_has_passed_is_not_advised(table):
    body = HARD | {"expected_version": table.version - 1}

    table.ask("POST", "/hints", to_act(table), body, expect=(409, "version_conflict"))


def test_who_lets_a_bot_play_is_not_advised(table):
    seat = to_act(table)
    table.ask("PUT", f"/seats/{seat}/control", seat, {"controller": "bot"}, expect=200)

    hint(table, seat, expect=(409, "not_your_turn"))


@pytest.mark.parametrize("level", ["random", "easy", "medium", "best", None])
def test_only_levels_that_search_give_hints(table, level):
    hint(table, to_act(table), level, expect=(422, "validation_failed"))


def test_a_key_finds_the_advice_again(table):
    seat, key = to_act(table), new_key()

    answers = [hint(table, seat, key=key) for _ in range(2)]

    assert [one.status_code for one in answers] == [201, 201]
    assert answers[0].data == answers[1].data


def test_whoever_has_the_link_finds_the_advice_again(table):
    seat, deps = to_act(table), table.api.deps
    game = deps.games.read(table.id)
    hint(table, seat, expect=201)

    (stored,) = deps.games.events(deps.games.read(table.id), game.version + 1, game.version + 1)

    link = deps.links(game)(1)
    assert stored.event.advice == advise(view_for(seat, game.state), "hard", link)


def test_a_game_with_hints_passes_through_files_and_the_archive(api):
    table = started_table(api, HUMAN, HUMAN, HUMAN, rules=SHORT, hints="on")
    for place in range(8):
        seat = to_act(table)
        if place % 3 == 0:
            hint(table, seat, expect=201)
        table.move(seat, table.a_move(seat), expect=201)
    early = table.ask("GET", "/export?format=jsonl", None, expect=200).data
    table.play()
    file = table.ask("GET", "/export?format=jsonl", expect=200).data
    lines = {"content_type": "application/x-ndjson"}

    for data in (early, file):
        assert api.send("POST", "/v1/verifications", data, **lines).json["valid"]
    made = api.send("POST", "/v1/imports", file, **lines)
    copy = api.ask("GET", f"/v1/games/{made.json['id']}/events?limit=500", expect=200).json
    used_here = [one for one in table.events() if one["type"] == "hint.used"]
    used_there = [one for one in copy["items"] if one["type"] == "hint.used"]
    assert [(one["data"], one["private"]) for one in used_there] == [
        (one["data"], one["private"]) for one in used_here
    ]
    notation = table.ask("GET", "/export?format=hgn", expect=200).data
    assert api.send("POST", "/v1/verifications", notation, content_type="text/x-hgn").json["valid"]
    entries = api.deps.store.entries(table.id, 1, 999)
    assert unpack(pack(entries)) == without_names(entries)


def first(own):
    return own["ranking"][0]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda own: own.update(reason="because"), id="an unknown reason"),
        pytest.param(lambda own: own.update(against=99), id="compared with nothing"),
        pytest.param(
            lambda own: own.update(reason="fewer_points", against=0), id="compared with itself"
        ),
        pytest.param(lambda own: own.update(reason="best_place"), id="a moon that nobody shot"),
        pytest.param(lambda own: own.update(reason="only_move"), id="one of many, the only one"),
        pytest.param(lambda own: own.update(worlds=-1), id="fewer than no worlds"),
        pytest.param(lambda own: own.update(worlds=0), id="tried nowhere"),
        pytest.param(lambda own: own.update(worlds=2**31), id="too much"),
        pytest.param(lambda own: own.update(best=101), id="more than always"),
        pytest.param(lambda own: own.update(level="easy"), id="a level without hints"),
        pytest.param(lambda own: own.update(level="best"), id="a level that is none"),
        pytest.param(lambda own: own.update(ranking=[]), id="no move"),
        pytest.param(lambda own: own.update(ranking={}), id="no ranking"),
        pytest.param(lambda own: own["ranking"].append(first(own)), id="the same move twice"),
        pytest.param(lambda own: first(own).update(move={"type": "x"}), id="a strange move"),
        pytest.param(lambda own: first(own).update(move="2C"), id="a move that is a word"),
        pytest.param(lambda own: first(own)["move"].update(card="1C"), id="a strange card"),
        pytest.param(lambda own: first(own).update(expected_hundredths="1"), id="points in words"),
        pytest.param(lambda own: own.pop("other"), id="a value that is missing"),
    ],
)
def test_advice_in_a_file_that_makes_no_sense_is_noticed(second_table, change):
    assert codes_of(second_table, change) == ("syntax", "bad_event")


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (lambda hand, _: {"type": "play", "card": other_than(hand)}, "card_not_in_hand"),
        (lambda hand, led: {"type": "play", "card": off_suit(hand, led)}, "must_follow_suit"),
        (lambda hand, _: {"type": "pass", "cards": hand[:3]}, "wrong_phase"),
    ],
    ids=["not held", "off suit", "a pass"],
)
def test_advice_in_a_file_that_the_seat_cannot_follow_is_noticed(second_table, move, code):
    seat = to_act(second_table)
    state = second_table.state(seat)
    hand, led = state["you"]["hand"], state["deal"]["trick"][0]["card"][1]

    found = codes_of(second_table, lambda own: first(own).update(move=move(hand, led)))

    assert found == ("legality", code)


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        (lambda hand: hand[:2], "wrong_pass_count"),
        (lambda hand: [*hand[:2], hand[0]], "duplicate_cards"),
        (lambda hand: [*hand[:2], other_than(hand)], "card_not_in_hand"),
    ],
    ids=["too few", "one twice", "not held"],
)
def test_a_pass_that_a_file_advises_can_be_made(api, cards, code):
    table = started_table(api, hints="on")
    seat = to_act(table)
    given = cards(table.state(seat)["you"]["hand"])

    found = codes_of(table, lambda own: first(own)["move"].update(cards=given))

    assert found == ("legality", code)


@pytest.fixture
def second_table(table):
    """A table at which a seat that has several cards of the suit led is to act."""
    legal = table.ask("GET", "/legal-moves", to_act(table), expect=200).json["moves"]
    table.move(to_act(table), legal[0], expect=201)
    while True:
        seat = to_act(table)
        state = table.state(seat)
        led, hand = state["deal"]["trick"], state["you"]["hand"]
        suits = {code[1] for code in hand}
        if led and len(suits) > 1 and 1 < len(state["you"]["legal_moves"]) < len(hand):
            return table
        table.move(seat, table.a_move(seat), expect=201)


def other_than(hand):
    return next(rank + "D" for rank in "23456789TJQKA" if rank + "D" not in hand)


def off_suit(hand, led):
    return next(code for code in hand if code[1] != led)


def codes_of(table, change):
    """Return what is wrong with the file of the game of *table*, once its one hint has a change."""
    hint(table, to_act(table), expect=201)
    table.ask("POST", "/abort", "host", expect=200)
    file = table.ask("GET", "/export?format=jsonl", expect=200).data
    lines = {"content_type": "application/x-ndjson"}
    assert table.api.send("POST", "/v1/verifications", file, **lines).json["valid"]
    changed = with_changed_hint(file, change)
    table.api.send("POST", "/v1/imports", changed, **lines, expect=(409, "import_rejected"))
    report = table.api.send("POST", "/v1/verifications", changed, **lines).json
    (check,) = [name for name, verdict in report["checks"].items() if verdict == "fail"]
    return check, report["first_error"]["code"]


def with_changed_hint(file, change):
    """Return the lines of *file* with the advice changed, and a check that fits."""
    lines = file.split(b"\n")
    for place, line in enumerate(lines):
        if b'"hint.used"' in line:
            event = json.loads(line)
            (own,) = event["private"].values()
            change(own)
            lines[place] = json.dumps(event).encode()
    body = b"\n".join(lines[:-2]) + b"\n"
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


def test_a_rematch_has_hints_and_a_fork_if_it_asks_for_them(api):
    table = playing_table(api, HUMAN, BOT, BOT, hints="on", rules=SHORT)
    at = table.version
    while table.state()["status"] == "active":
        table.let_bots_play()
        if (turn := table.state()["turn"]) is not None and 0 in turn["seats"]:
            table.move(0, table.a_move(0), expect=201)
    body = {"at_version": at, "claim": {"seat": 0, "name": "Ana"}}

    again = table.ask("POST", "/rematch", 0, expect=201).json["game"]
    plain = table.ask("POST", "/forks", None, body, expect=201).json["game"]
    advised = table.ask("POST", "/forks", None, body | {"hints": "on"}, expect=201).json["game"]

    assert [one["hints"] for one in (again, plain, advised)] == ["on", "off", "on"]


def test_a_fork_is_advised_where_it_begins(api):
    origin = playing_table(api, hints="off", rules=SHORT)
    seat, at = to_act(origin), origin.version
    origin.ask("POST", "/abort", "host", expect=200)
    body = {"at_version": at, "claim": {"seat": seat, "name": "Ana"}, "hints": "on"}

    made = origin.ask("POST", "/forks", None, body, expect=201).json

    target = f"/v1/games/{made['id']}/hints"
    assert outcome_of(api.ask("POST", target, made["seat_token"], HARD)) == 201


def test_hints_count_and_repeats_do_not(redis_db, api, counts):
    table = playing_table(api, hints="on").through(limited(redis_db, hint="1/60"))
    seat = to_act(table)

    first = hint(table, seat, expect=201)
    second = hint(table, seat, expect=200)

    assert said(first) == said(second) == ("hint", 0)
    assert used(counts, "hint") == 1
    table.move(seat, first.json["move"], expect=201)
    seat = to_act(table)
    hint(table, seat, expect=201)  # the quota is that of a token
    hint(table, seat, "expert", expect=LIMITED)


@pytest.fixture
def counts(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


def test_a_table_says_whether_it_has_hints(api):
    assert open_table(api).state()["hints"] == "off"
    assert open_table(api, hints="on").events()[0]["data"]["hints"] == "on"
    api.ask("POST", "/v1/games", body={"hints": True}, expect=(422, "validation_failed"))


def test_the_example_of_the_contract_makes_sense():
    examples = contract().document["components"]["examples"]
    advice, legal = examples["Hint"]["value"], examples["LegalPlays"]["value"]

    assert sorted(map(str, moves(advice))) == sorted(map(str, legal["moves"]))
    assert (advice["turn_id"], advice["version"]) == (legal["turn_id"], legal["version"] + 1)
