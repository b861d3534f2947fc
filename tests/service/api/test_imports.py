"""A game from a file is kept as a copy, the same in everything but id and origin."""

import json
import random
import re

import pytest

from engine import events as e
from service.games import Games
from tests.faults.log_files import with_hash
from tests.histories import places, played, table_of, until
from tests.proofs import holds
from tests.streams import restless_game
from tests.table import rules
from tests.tables import Api, Table, make_app, new_key, outcome_of, started_table

LINES, NOTATION = "application/x-ndjson", "text/x-hgn"
FORMS = pytest.mark.parametrize("media_type", [LINES, NOTATION])
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}


@pytest.fixture(scope="module")
def stored():
    return played(rules("cancellation", seats=7, ending=TWO_DEALS))


@pytest.fixture
def api(redis_url, redis_db):
    return Api(make_app(redis_url))


@pytest.fixture
def elsewhere(redis_url, stored):
    """The table where the game was played, in another service."""
    return table_of(Api(make_app(redis_url)), stored)


def export(table, media_type, **more):
    headers = {"Accept": media_type}
    return table.ask("GET", "/export", headers=headers, expect=200, **more).data


def send(api, data, media_type, **more):
    return api.send("POST", "/v1/imports", data, content_type=media_type, **more)


def copied(api, data, media_type, **more):
    """Return the copy that is made of a file."""
    answer = send(api, data, media_type, **more)
    assert answer.status_code == 201, answer.text
    made = answer.json
    assert answer.headers["Location"] == f"/v1/games/{made['id']}"
    return Table(api, {"id": made["id"], "host_token": None, "seat": None})


def without_id(data, media_type):
    """Return an export without what differs in a copy."""
    if media_type == NOTATION:
        return re.sub(rb'^\[(Game|Origin) ".*\n', b"", data, flags=re.MULTILINE)
    header, first, *events, _ = map(json.loads, data.splitlines())
    del header["game_id"], header["origin"], first["data"]["origin"]
    return [header, first, *events]


@pytest.mark.parametrize(("said", "version"), [("/7", 7), ("", 1)])
def test_a_copy_of_notation_has_the_versions_of_bots_that_it_names(api, elsewhere, said, version):
    """Where it names none, they are guessed to be those of today."""
    raw = export(elsewhere, NOTATION).replace(b"bot:easy/1", b"bot:easy" + said.encode())

    lines = export(copied(api, raw, NOTATION), LINES).splitlines()[1:-1]

    actors = [json.loads(line)["actor"] for line in lines]
    assert {one["version"] for one in actors if one["kind"] == "bot"} == {version}


@FORMS
def test_a_copy_is_exported_as_it_came(api, elsewhere, media_type):
    file = export(elsewhere, media_type)

    copy = copied(api, file, media_type)
    again = export(copy, media_type)

    assert copy.id != elsewhere.id
    assert again != file
    assert without_id(again, media_type) == without_id(file, media_type)


@FORMS
def test_a_copy_of_a_copy_is_exported_as_it_came(api, elsewhere, media_type):
    file = export(elsewhere, media_type)
    copy = copied(api, file, media_type)

    second = copied(api, export(copy, media_type), media_type)

    assert without_id(export(second, media_type), media_type) == without_id(file, media_type)
    assert second.state()["origin"]["game_id"] == copy.id


@FORMS
def test_a_copy_says_where_it_comes_from(api, elsewhere, media_type):
    copy = copied(api, export(elsewhere, media_type), media_type)

    origin = {"kind": "import", "game_id": elsewhere.id, "version": None}
    assert copy.state()["origin"] == origin
    assert copy.events()[0]["data"]["origin"] == origin
    header = json.loads(export(copy, LINES).splitlines()[0])
    assert (header["origin"], header["game_id"]) == (origin, copy.id)
    assert f'[Origin "import {elsewhere.id}"]' in export(copy, NOTATION).decode()
    assert elsewhere.state()["origin"] is None


@FORMS
def test_a_copy_is_right_and_its_deals_are_proved(api, elsewhere, media_type):
    copy = copied(api, export(elsewhere, media_type), media_type)

    for form in (LINES, NOTATION):
        report = api.send("POST", "/v1/verifications", export(copy, form), content_type=form).json
        assert set(report["checks"].values()) == {"pass"}
    commitment = copy.state()["fairness"]["commitment"]
    assert commitment == elsewhere.state()["fairness"]["commitment"]
    for deal in (1, 2):
        proof = copy.ask("GET", f"/deals/{deal}/proof", expect=200).json
        assert holds(proof, commitment)
        assert proof["game_id"] == elsewhere.id


def test_a_log_keeps_its_times_and_players(api, elsewhere):
    copy = copied(api, export(elsewhere, LINES), LINES)

    theirs, ours = elsewhere.state(), copy.state()
    for name in ("created_at", "started_at", "finished_at", "version", "seats", "result"):
        assert ours[name] == theirs[name]


def test_notation_keeps_its_day(api, elsewhere):
    copy = copied(api, export(elsewhere, NOTATION), NOTATION)

    theirs, ours = elsewhere.state(), copy.state()
    assert ours["created_at"] == f"{theirs['created_at'][:10]}T00:00:00.000Z"
    assert ours["result"] == theirs["result"]
    kinds = {one["actor"]["kind"] for one in copy.events() if one["type"] == "card.played"}
    assert kinds == {"bot", "seat"}


@pytest.mark.parametrize("seed", range(3))
def test_a_game_in_which_people_come_and_go_is_taken_in(api, redis_url, seed):
    chosen = rules("standard", seats=4, ending=TWO_DEALS)
    table = table_of(Api(make_app(redis_url)), restless_game(chosen, random.Random(seed)))

    for media_type in (LINES, NOTATION):
        file = export(table, media_type)
        again = export(copied(api, file, media_type), media_type)
        assert without_id(again, media_type) == without_id(file, media_type)


def test_a_game_that_was_stopped_is_taken_in(api, redis_url):
    table = started_table(Api(make_app(redis_url)))
    table.ask("POST", "/abort", "host", expect=200)

    assert copied(api, export(table, NOTATION), NOTATION).state()["status"] == "aborted"


def test_the_same_key_finds_the_same_copy(api, elsewhere):
    file, key = export(elsewhere, NOTATION), new_key()

    first, second = (send(api, file, NOTATION, key=key) for _ in range(2))

    assert first.json == second.json
    assert second.headers["Idempotency-Replayed"] == "true"
    other = send(api, export(elsewhere, LINES), LINES, key=key)
    assert outcome_of(other) == (409, "idempotency_key_reused")
    assert copied(api, file, NOTATION, key=new_key()).id != first.json["id"]
    assert copied(api, file, NOTATION).id != first.json["id"]


def test_a_key_that_was_used_is_said_before_a_file_is_looked_at(api, elsewhere):
    file, key = export(elsewhere, LINES), new_key()
    copied(api, file, LINES, key=key)

    assert outcome_of(send(api, b"{}", LINES, key=key)) == (409, "idempotency_key_reused")
    assert outcome_of(send(api, b"{}", LINES, key=new_key())) == (409, "import_rejected")


def test_a_key_of_an_import_is_none_of_a_creation(api, elsewhere):
    key = new_key()
    copy = copied(api, export(elsewhere, NOTATION), NOTATION, key=key)

    made = api.ask("POST", "/v1/games", body={}, key=key, expect=201).json

    assert made["id"] != copy.id


def test_a_copy_is_in_no_list(api, elsewhere):
    copied(api, export(elsewhere, NOTATION), NOTATION)

    assert api.ask("GET", "/v1/games", expect=200).json["items"] == []


def test_a_copy_is_read_back_from_the_store(api, elsewhere):
    copy = copied(api, export(elsewhere, LINES), LINES)
    state = copy.state()

    api.over(api.deps.store)
    assert isinstance(api.deps.games, Games)

    assert copy.state() == state


# What is not taken in


def refused(api, data, media_type):
    answer = send(api, data, media_type)
    assert outcome_of(answer) == (409, "import_rejected")
    assert not answer.json["report"]["valid"]
    return answer.json["report"]["first_error"]["code"]


@FORMS
def test_what_is_wrong_is_not_taken_in(api, elsewhere, media_type):
    file = export(elsewhere, media_type)
    broken = file.replace(b"9S", b"8S", 1)

    answer = send(api, broken, media_type)

    assert outcome_of(answer) == (409, "import_rejected")
    report = api.send("POST", "/v1/verifications", broken, content_type=media_type).json
    assert answer.json["report"] == report
    assert refused(api, b"", media_type) in {"missing_tag", "missing_end"}


@FORMS
def test_a_game_that_goes_on_is_not_taken_in(api, redis_url, stored, media_type):
    between = places(stored, e.DealDealt)[1] - 1
    for seq in (3, between + 30):
        table = table_of(Api(make_app(redis_url)), until(stored, seq))

        assert refused(api, export(table, media_type), media_type) == "not_over"


def test_a_game_that_is_not_proved_is_not_taken_in(api, elsewhere):
    text = export(elsewhere, NOTATION).decode()
    unproved = re.sub(r'^\[Seeds ".*', '[Seeds "-"]', text, flags=re.MULTILINE)

    assert refused(api, unproved, NOTATION) == "not_proved"


def test_a_log_that_hides_something_is_not_taken_in(api, redis_url):
    table = table_of(Api(make_app(redis_url)), played(rules("standard", ending=TWO_DEALS)))
    public = table.ask("GET", "/export?as=public&format=jsonl", expect=200).data

    assert refused(api, public, LINES) in {"not_over", "not_proved"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"time": "0001-01-01T00:00:00.000Z"}, "bad_time"),
        ({"time": "2026-13-01T00:00:00.000Z"}, "bad_time"),
        ({"time": "9999-12-31T23:59:59.999Z"}, "bad_time"),
        ({"actor": {"kind": "seat", "seat": 99}}, "wrong_actor"),
    ],
)
def test_what_no_log_can_hold_is_not_taken_in(api, elsewhere, change, code):
    *lines, last, _ = map(json.loads, export(elsewhere, LINES).splitlines())
    lines[0]["finished_at"] = change.get("time", lines[0]["finished_at"])

    assert refused(api, with_hash([*lines, last | change]), LINES) == code


# Names

NO_NAMES = ["", "x" * 33, "\u202eevil", "a\u0000b", "   ", "\ufeff", "e\u0301", " Ana", "\x1b[31m"]


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_that_no_request_could_give_is_not_taken_in(api, elsewhere, name):
    text = export(elsewhere, NOTATION).decode()
    tag = re.search(r'^\[Seat0 "(.*)"\]$', text, re.MULTILINE)
    changed = text.replace(tag[0], f'[Seat0 "{name}"]')

    assert refused(api, changed.encode(), NOTATION) in {"bad_name", "bad_tag"}

    log = [json.loads(line) for line in export(elsewhere, LINES).splitlines()[:-1]]
    log[0]["seats"][0]["name"] = name
    for line in log[1:]:
        if line["type"] == "seat.claimed" and line["data"]["seat"] == 0:
            line["data"]["name"] = name
    assert refused(api, with_hash(log), LINES) == "bad_event"
