"""Anybody may have a file checked; the answer is a report, whatever the file."""

import json
import random
import re
from io import BytesIO

import pytest

from engine import events as e
from service.bodies import FILE_BYTES
from tests.contract.spec import contract
from tests.faults.log_files import with_hash
from tests.histories import places, played, table_of, until
from tests.streams import restless_game
from tests.table import rules
from tests.tables import BOT, Api, make_app, new_key, open_table, outcome_of

LINES, NOTATION = "application/x-ndjson", "text/x-hgn"
FORMS = pytest.mark.parametrize("media_type", [LINES, NOTATION])
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}


@pytest.fixture(scope="module")
def stored():
    return played(rules("kitty", seats=5, ending=TWO_DEALS))


@pytest.fixture(scope="module")
def api(redis_url):
    return Api(make_app(redis_url))


@pytest.fixture
def table(api, stored):
    return table_of(api, stored)


def verify(api, data, media_type, **more):
    answer = api.send("POST", "/v1/verifications", data, content_type=media_type, **more)
    assert answer.status_code == 200
    return answer.json


def export(table, media_type, query="", viewer=None):
    headers = {"Accept": media_type}
    return table.ask("GET", f"/export?{query}", viewer, headers=headers, expect=200).data


def lines_of(data):
    return [json.loads(line) for line in data.splitlines()[:-1]]


def passed(report):
    return [check for check, verdict in report["checks"].items() if verdict == "pass"]


# What is right


@FORMS
def test_an_export_is_right(api, table, stored, media_type):
    report = verify(api, export(table, media_type), media_type)

    assert report["valid"]
    assert set(report["checks"].values()) == {"pass"}
    assert report["first_error"] is None
    assert (report["seats"], report["deals"]) == (5, 2)
    assert report["format"] == {LINES: "jsonl", NOTATION: "hgn"}[media_type]
    assert media_type == NOTATION or report["events"] == len(stored)


@FORMS
@pytest.mark.parametrize("view", ["own", "public", "all", "seat:0"])
def test_what_a_view_shows_is_right(api, stored, media_type, view):
    for seq in (3, places(stored, e.DealDealt)[0], places(stored, e.DealDealt)[1] + 20):
        table = table_of(api, until(stored, seq))
        for viewer in (None, 0, 4):
            report = verify(api, export(table, media_type, f"as={view}", viewer), media_type)

            assert report["valid"], report
            assert "syntax" in passed(report)


def test_a_log_that_hides_passes_is_right_as_far_as_it_goes(api, table):
    report = verify(api, export(table, LINES, "as=public"), LINES)

    assert report["valid"]
    assert passed(report) == ["syntax", "commitment", "deals"]


@pytest.mark.parametrize("seed", range(6))
def test_a_game_in_which_people_come_and_go_is_right(api, seed):
    stored = restless_game(rules("standard", seats=3 + seed % 5), random.Random(seed))
    table = table_of(api, stored)

    for media_type in (LINES, NOTATION):
        report = verify(api, export(table, media_type), media_type)
        assert report["valid"], report
        assert set(report["checks"].values()) == {"pass"}


def test_a_change_that_changed_nothing_is_right(redis_url, redis_db):
    table = open_table(Api(make_app(redis_url)))
    table.claim(0)
    for ready in (True, True):
        table.ask("PATCH", "/seats/0", 0, {"ready": ready}, key=new_key(), expect=200)
    for _ in range(2):
        table.ask("PATCH", "", "host", {"lobby": "open"}, key=new_key(), expect=200)
        table.ask("PATCH", "/seats/1", "host", BOT, key=new_key(), expect=200)
    log = lines_of(export(table, LINES))
    assert [one["type"] for one in log[3:]].count("seat.updated") == 2
    assert [one["type"] for one in log[3:]].count("lobby.changed") == 2

    for media_type in (LINES, NOTATION):
        assert verify(table.api, export(table, media_type), media_type)["valid"]


def test_the_examples_of_the_contract_are_what_is_answered(api):
    examples = contract().document["components"]["examples"]
    text = examples["ExportNotation"]["value"]
    wrong = text.replace("2. 2:KD 4D 6D", "2. 2:KD 4D 2S")

    assert verify(api, text, NOTATION) == examples["RightReport"]["value"]
    assert verify(api, wrong, NOTATION) == examples["WrongReport"]["value"]


# What is wrong


def leaves(value, path=()):
    """Yield the path of every value in *value* that holds no others."""
    if isinstance(value, dict) and value:
        for name, one in value.items():
            yield from leaves(one, (*path, name))
    elif isinstance(value, list) and value:
        for place, one in enumerate(value):
            yield from leaves(one, (*path, place))
    else:
        yield path


def with_changed(value, path, rng):
    """Return *value* with the leaf at *path* changed."""
    if not path:
        return another(value, rng)
    first, *rest = path
    changed = value.copy()
    changed[first] = with_changed(value[first], rest, rng)
    return changed


def another(value, rng):
    match value:
        case bool():
            return rng.choice([not value, None, int(value)])
        case int():
            return rng.choice([value + 1, value - 1, float(value), str(value), None, True])
        case str():
            swapped = value[:-1] + rng.choice("0a")
            choices = [swapped, value + "0", value[1:], value.upper(), None, 0, []]
            return rng.choice([one for one in choices if one != value])
        case None:
            return rng.choice([0, "x", False, []])
        case dict():
            return rng.choice([None, [], {"0": {}}])
        case list():
            return rng.choice([None, {}, [0]])


UNFOUNDED = {
    *("time", "actor", "auto", "grant"),
    *("rules", "lobby", "auto_start", "fill_with_bots", "name", "ready"),
}
"""What only a log says: when, who, why, the number of a token, and what somebody chose."""


def test_no_changed_value_passes_even_under_a_right_hash(api, table, stored):
    data, rng = lines_of(export(table, LINES)), random.Random(1)
    founded = [
        (line, path)
        for line, one in enumerate(data)
        for path in leaves(one)
        if line == 0 or UNFOUNDED.isdisjoint(path)
    ]
    for line, path in rng.sample(founded, 300):
        changed = [*data[:line], with_changed(data[line], path, rng), *data[line + 1 :]]

        report = verify(api, with_hash(changed), LINES)

        assert not report["valid"], (line, path, changed[line])


def test_a_changed_byte_is_seen(api, table):
    data = export(table, LINES)
    place = data.index(b"card.played")

    report = verify(api, data[:place] + b"C" + data[place + 1 :], LINES)

    assert (report["first_error"]["code"], report["checks"]["syntax"]) == ("bad_event", "fail")
    renamed = data.replace(b'"Ana"', b'"Eva"', 1)
    assert verify(api, renamed, LINES)["first_error"]["code"] == "wrong_sha256"


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "missing_end", 1),
        (b"{}", "missing_end", 1),
        (b"\n\n\n", "bad_json", 1),
        (b"{}\n{}\n", "bad_header", 1),
        (b"[]\n{}\n", "bad_json", 1),
        (b'{"a": 1.5}\n{}\n', "bad_json", 1),
        (b'{"a": 1, "a": 1}\n{}\n', "bad_json", 1),
        (b"\xff\n{}\n", "bad_json", 1),
        (b"[" * 100_000 + b"\n{}\n", "bad_json", 1),
        (b"{}\n" * 300_000, "text_too_long", 40_000),
    ],
    ids=range(10),
)
def test_lines_that_are_no_log_say_where(api, data, code, line):
    error = verify(api, data, LINES)["first_error"]

    assert (error["code"], error["line"]) == (code, line)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda log: log[:-1], "wrong_header"),
        (lambda log: [*log, log[-1]], "wrong_seq"),
        (lambda log: [*log[:5], *log[6:]], "wrong_seq"),
        (lambda log: [log[0], log[2], log[1], *log[3:]], "wrong_seq"),
        (lambda log: [log[0] | {"v": 2}, *log[1:]], "bad_header"),
        (lambda log: [log[0] | {"more": 1}, *log[1:]], "bad_header"),
        (lambda log: [log[0], log[1] | {"type": "game.begun"}, *log[2:]], "bad_event"),
        (lambda log: [log[0], log[1] | {"actor": {"kind": "nobody"}}, *log[2:]], "bad_actor"),
        (lambda log: [log[0], log[1] | {"time": "now"}, *log[2:]], "bad_time"),
    ],
    ids=range(9),
)
def test_lines_of_another_shape_are_refused(api, table, change, code):
    changed = change(lines_of(export(table, LINES)))

    assert verify(api, with_hash(changed), LINES)["first_error"]["code"] == code


def test_a_move_against_the_rules_is_named_by_the_rule(api, table):
    log = lines_of(export(table, LINES))
    played = [n for n, one in enumerate(log) if one.get("type") == "card.played"]
    first, second = log[played[0]], log[played[1]]
    changed = second | {"data": second["data"] | {"card": first["data"]["card"]}}

    report = verify(api, with_hash([*log[: played[1]], changed, *log[played[1] + 1 :]]), LINES)

    assert report["checks"]["legality"] == "fail"
    assert report["first_error"] == {
        "line": played[1] + 1,
        "column": None,
        "deal": 1,
        "trick": 1,
        "seat": second["data"]["seat"],
        "code": "card_not_in_hand",
    }


def test_text_that_is_no_utf_8_says_in_which_line(api, table):
    data = export(table, NOTATION).replace(b"Ana", b"An\xe1", 1)

    error = verify(api, data, NOTATION)["first_error"]

    assert (error["code"], error["line"]) == ("not_utf8", 6)


# What is no file


@pytest.mark.parametrize(
    "media_type",
    ["application/json", "text/plain", "", "text/x-hgn; charset=latin-1", "text/x-hgn; v=2"],
)
def test_another_kind_of_body_is_not_read(api, media_type):
    answer = api.send("POST", "/v1/verifications", b"[]", content_type=media_type)

    assert outcome_of(answer) == (415, "unsupported_media_type")
    assert answer.json["detail"] == "Send application/x-ndjson or text/x-hgn in UTF-8."


@FORMS
def test_a_file_may_have_a_mebibyte(api, media_type):
    verify(api, b" " * FILE_BYTES, media_type)
    answer = api.send("POST", "/v1/verifications", b" " * (FILE_BYTES + 1), content_type=media_type)

    assert outcome_of(answer) == (413, "payload_too_large")
    assert answer.json["detail"] == "A body may have 1024 KiB."


@FORMS
def test_the_length_of_a_file_is_counted_where_it_is_not_said(api, media_type):
    def chunked(size):
        environ = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
        return api.ask(
            "POST",
            "/v1/verifications",
            input_stream=BytesIO(b" " * size),
            content_type=media_type,
            environ_overrides=environ,
        )

    assert chunked(FILE_BYTES).status_code == 200
    assert outcome_of(chunked(FILE_BYTES + 1)) == (413, "payload_too_large")


def test_nothing_is_a_file_that_cannot_be_read(api):
    for media_type in (LINES, NOTATION):
        assert verify(api, b"", media_type)["checks"]["syntax"] == "fail"


def test_a_verification_takes_no_parameters(api):
    answer = api.send("POST", "/v1/verifications?strict=1", b"", content_type=NOTATION)

    assert outcome_of(answer) == (400, "unknown_parameter")


# Who it was


def changed_log(api, table, change):
    """Return the report on the log of *table* with *change* made to its lines, hash and all."""
    log = lines_of(export(table, LINES))
    change(log)
    return verify(api, with_hash(log), LINES)


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        ("card.played", lambda data: data.update(auto="zzz"), "bad_event"),
        ("card.played", lambda data: data.update(auto=["fallback"]), "bad_event"),
        ("game.created", lambda data: data["rules"].update(version=True), "wrong_event"),
        (
            "game.created",
            lambda data: data["rules"]["scoring"].update(no_trick=False),
            "bad_event",
        ),
        ("game.created", lambda data: data.update(auto_start=1), "wrong_event"),
    ],
)
def test_what_no_log_can_hold_is_reported(api, table, kind, change, code):
    report = changed_log(api, table, lambda log: change(first_of(log, kind)["data"]))

    assert report["first_error"]["code"] == code


def test_no_bot_has_a_version_beyond_all_numbers(api, table):
    def change(log):
        move = next(line for line in log[1:] if line["actor"].get("kind") == "bot")
        move["actor"]["version"] = 2**31

    assert changed_log(api, table, change)["first_error"]["code"] == "bad_actor"


@pytest.mark.parametrize("time", ["1969-12-31T23:59:59.999Z", "2200-01-01T00:00:00.000Z"])
def test_nothing_was_played_before_or_after_all_times(api, table, time):
    report = changed_log(api, table, lambda log: log[-2].update(time=time))

    assert report["first_error"]["code"] == "bad_time"


def first_of(log, kind):
    return next(line for line in log[1:] if line["type"] == kind)


@pytest.mark.parametrize("kind", ["game.created", "card.played", "trick.completed"])
@pytest.mark.parametrize(
    "actor", [{}, {"kind": ["host"]}, {"kind": None}, {"kind": "bot"}, {"kind": "host", "seat": 1}]
)
def test_an_actor_of_another_shape_is_reported(api, table, kind, actor):
    report = changed_log(api, table, lambda log: first_of(log, kind).update(actor=actor))

    assert report["first_error"]["code"] == "bad_actor"


@pytest.mark.parametrize(
    ("kind", "actor"),
    [
        ("game.created", {"kind": "seat", "seat": 2}),
        ("seat.claimed", {"kind": "host"}),
        ("trick.completed", {"kind": "bot", "seat": 3, "level": "easy", "version": 1}),
        ("trick.completed", {"kind": "bot", "seat": 3, "level": "none such", "version": 1}),
        ("game.finished", {"kind": "seat", "seat": 10}),
        ("game.finished", {"kind": "host"}),
    ],
)
def test_only_who_could_do_it_has_done_it(api, table, kind, actor):
    report = changed_log(api, table, lambda log: first_of(log, kind).update(actor=actor))

    assert report["first_error"]["code"] == "wrong_actor"


def test_a_person_s_move_is_no_bot_s_and_the_other_way_round(api, table):
    def swap(kind, actor):
        def change(log):
            plays = [line for line in log[1:] if line["type"] == "card.played"]
            move = next(line for line in plays if line["actor"]["kind"] == kind)
            move["actor"] = {**actor, "seat": move["data"]["seat"]}

        return change

    bot = {"kind": "bot", "level": "easy", "version": 1}
    for change in (
        swap("seat", bot),
        swap("bot", {"kind": "seat"}),
        swap("bot", bot | {"version": 0}),
    ):
        assert changed_log(api, table, change)["first_error"]["code"] == "wrong_actor"


@pytest.mark.parametrize("auto", ["timeout", "takeover", "fallback"])
@pytest.mark.parametrize("kind", ["bot", "seat"])
def test_a_move_that_made_itself_has_a_reason_that_fits(api, table, kind, auto):
    def change(log):
        plays = [line for line in log[1:] if line["type"] == "card.played"]
        move = next(line for line in plays if line["actor"]["kind"] == kind)
        move["data"]["auto"] = auto

    report = changed_log(api, table, change)

    if (kind, auto) == ("bot", "fallback"):
        assert report["valid"], "nobody can tell whether a level has failed"
    else:
        assert report["first_error"]["code"] == "wrong_event"


# What is over is told whole


def test_rules_by_which_the_game_would_go_on_are_reported(api, table):
    def change(log):
        log[1]["data"]["rules"]["ending"]["deals"] = 3
        log[-1]["data"] |= {"totals": [0, 0, 0, 0, 999], "winners": [3]}

    report = changed_log(api, table, change)

    assert not report["valid"]
    assert report["first_error"]["code"] == "unexpected_event"


def test_a_game_that_is_over_hides_no_deal(api, table):
    def change(log):
        dealt = [line for line in log[1:] if line["type"] == "deal.dealt"][1]
        dealt |= {"private": {}, "hidden": [0, 1, 2, 3, 4]}
        scored = [line for line in log[1:] if line["type"] == "deal.scored"][1]
        scored["data"]["reveal"] = None

    report = changed_log(api, table, change)

    assert report["first_error"]["code"] == "unopened_deal"


def test_a_text_of_a_game_that_is_over_hides_no_deal(api, table):
    text = export(table, NOTATION).decode()
    hidden = re.sub(r"^D2 .*$", "D2" + " ?" * 5, text, flags=re.MULTILINE)
    hidden = re.sub(r'^\[Seeds ".*$', '[Seeds "-"]', hidden, flags=re.MULTILINE)

    report = verify(api, hidden.encode(), NOTATION)

    assert report["first_error"]["code"] == "unopened_deal"


@pytest.mark.parametrize("seats", [[], [0] * 12])
def test_a_log_without_events_has_seats_too(api, table, seats):
    log = [lines_of(export(table, LINES))[0] | {"version": 0, "seats": seats}]

    assert verify(api, with_hash(log), LINES)["first_error"]["code"] == "bad_header"
