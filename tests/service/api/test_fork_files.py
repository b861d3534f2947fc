"""The file of a fork tells what was copied and what was played, and can be taken in again."""

import json
import random
import re

import pytest

from tests.faults.log_files import with_hash
from tests.service.api.test_forks import first, fork
from tests.tables import HUMAN, Table, started_table

LINES, NOTATION = "application/x-ndjson", "text/x-hgn"
FORMS = pytest.mark.parametrize("media_type", [LINES, NOTATION])
TWO_DEALS = {"ending": {"target": None, "deals": 2, "tie": "share"}}
GAMES = {
    "omnibus": (4, {"preset": "omnibus", **TWO_DEALS}),
    "cancellation": (7, {"preset": "cancellation", **TWO_DEALS}),
    "kitty": (3, {"preset": "kitty", **TWO_DEALS}),
    "all at the end": (4, {"reveal": "game_end", **TWO_DEALS}),
}


@pytest.fixture(params=GAMES)
def other(request, api):
    """A fork that is over."""
    seats, rules = GAMES[request.param]
    table = started_table(api, *[HUMAN] * seats, rules=rules)
    table.play(random.Random(1))
    return finished_fork(table, first(table, "card.played") + 2 * seats + 3, seats)


def finished_fork(table, at, seats):
    other = fork(table, at, seats=[HUMAN] * seats)
    for seat in range(seats):
        other.claim(seat, name=f"Person {seat}")
    other.tell(0, client_seed="a1" * 32)
    other.start()
    other.play(random.Random(2))
    return other


def export(table, media_type, query="", viewer=None):
    headers = {"Accept": media_type}
    return table.ask("GET", f"/export{query}", viewer, headers=headers, expect=200).data


def verified(api, data, media_type):
    return api.send("POST", "/v1/verifications", data, content_type=media_type, expect=200).json


def copied(api, data, media_type):
    answer = api.send("POST", "/v1/imports", data, content_type=media_type, expect=201)
    return Table(api, {"id": answer.json["id"], "host_token": None, "seat": None})


def without_id(data, media_type):
    if media_type == NOTATION:
        return re.sub(rb'^\[(Game|Origin) ".*\n', b"", data, flags=re.MULTILINE)
    header, created, *events, _ = map(json.loads, data.splitlines())
    del header["game_id"], header["origin"], created["data"]["origin"]
    return [header, created, *events]


def test_the_file_of_a_fork_is_right_and_comes_back_as_it_went(api, other):
    for media_type in (LINES, NOTATION):
        file = export(other, media_type)
        copy = copied(api, file, media_type)
        second = copied(api, export(copy, media_type), media_type)

        for form in (LINES, NOTATION):
            report = verified(api, export(copy, form), form)
            assert set(report["checks"].values()) == {"pass"}, report
            assert report["deals"] == 2
        for one in (copy, second):
            assert without_id(export(one, media_type), media_type) == without_id(file, media_type)
        assert copy.state()["origin"] == {"kind": "import", "game_id": other.id, "version": None}
        reads_alike(other, copy)


def reads_alike(other, copy):
    """Compare what a fork shows and what its copy shows, but for numbers of events."""
    theirs, ours = (one.ask("GET", "/deals", expect=200).json for one in (other, copy))
    for one in (*theirs["items"], *ours["items"]):
        del one["first_version"], one["last_version"]
    assert ours["items"] == theirs["items"]
    problem = copy.ask("GET", "/deals/1/proof", expect=(409, "not_provable")).json
    assert problem["links"]["proof"] == f"{other.path}/deals/1/proof"
    assert copy.ask("GET", "/deals/2/proof", expect=200).json["game_id"] == other.id
    frames = copy.ask("GET", "/replay?as=all&limit=20", expect=200).json["items"]
    assert "position.set" in {frame["event"]["type"] for frame in frames}


def test_the_notation_of_a_fork_says_where_it_left_its_origin(api):
    table = started_table(api, rules=TWO_DEALS)
    table.play(random.Random(1))
    other = fork(table, 40, claim={"seat": 1, "name": "Bea"})
    state = other.state()
    text = export(other, NOTATION).decode()

    origin = state["origin"]
    assert f'[Origin "fork {origin["game_id"]} {origin["version"]}"]' in text
    assert re.search(r'^\[Position "\d+ 0( 0)+"\]$', text, re.MULTILINE)


@FORMS
@pytest.mark.parametrize("viewer", [None, 1])
def test_the_file_of_a_running_fork_hides_what_its_view_hides(api, media_type, viewer):
    table = started_table(api, rules=TWO_DEALS)
    table.play(random.Random(1))
    other = fork(table, 40, claim={"seat": 1, "name": "Bea"})

    file = export(other, media_type, viewer=viewer)
    report = verified(api, file, media_type)

    hands = table.ask("GET", "/deals/1", expect=200).json["hands"]
    assert report["valid"]
    assert report["checks"]["legality"] == "skipped"
    for seat, hand in enumerate(hands):
        assert (json.dumps(hand).replace(" ", "").encode() in file) == (
            viewer == seat and media_type == LINES
        )


@FORMS
def test_a_fork_that_never_began_has_a_file_too(api, media_type):
    table = started_table(api, rules=TWO_DEALS)
    table.play(random.Random(1))
    other = fork(table, 40, seats=[HUMAN] * 4)
    other.ask("POST", "/abort", "host", expect=200)

    report = verified(api, export(other, media_type), media_type)

    assert report["valid"], report
    assert report["deals"] == 0


def test_a_fork_that_was_stopped_in_the_copied_deal_is_right(api):
    table = started_table(api, rules=TWO_DEALS)
    table.play(random.Random(1))
    other = fork(table, 40, claim={"seat": 1, "name": "Bea"})
    other.ask("POST", "/abort", "host", expect=200)

    for form in (LINES, NOTATION):
        assert set(verified(api, export(other, form), form)["checks"].values()) == {"pass"}


# What a log says of the position


@pytest.fixture
def lines(api):
    table = started_table(api, rules=TWO_DEALS)
    table.play(random.Random(1))
    return [json.loads(line) for line in export(finished_fork(table, 40, 4), LINES).splitlines()]


def _tell(lines, change):
    event = next(one for one in lines if one.get("type") == "position.set")
    change(event["data"], event["private"])
    return verified_lines(lines)


def verified_lines(lines):
    return with_hash(lines[:-1])


def _swap(private):
    one, other = private["0"], private["1"]
    one["dealt"], other["dealt"] = other["dealt"], one["dealt"]


WRONG = {
    "totals": (lambda data, _: data["totals"].__setitem__(0, 7), "wrong_score"),
    "scored": (lambda data, _: data.update(scored=1), "wrong_position"),
    "an ended game": (lambda data, _: data.update(scored=2), "wrong_position"),
    "winner": (lambda data, _: data["tricks"][0].update(winner=0, points=99), "wrong_event"),
    "broken hearts": (lambda data, _: data.update(hearts_broken=None), "wrong_event"),
    "a card": (lambda data, _: data["tricks"][0]["cards"].reverse(), None),
    "hands": (lambda _, private: _swap(private), None),
    "what is held": (lambda _, private: private["0"]["hand"].pop(), "wrong_hands"),
    "not the deck": (lambda _, private: private["0"]["dealt"].pop(), "wrong_position"),
    "no leader": (lambda data, _: data.update(leader=9), "bad_event"),
    "no deal": (lambda data, _: data.update(deal=0), "bad_event"),
    "no trick": (lambda data, _: data.update(tricks=None), "bad_event"),
    "another deal": (lambda data, _: data.update(deal=2), "bad_event"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_position_that_cannot_be_is_found(api, lines, wrong):
    change, code = wrong

    report = verified(api, _tell(lines, change), LINES)

    assert not report["valid"]
    assert code is None or report["first_error"]["code"] == code


def test_a_position_belongs_to_a_fork(api, lines):
    lines[0]["origin"] = lines[1]["data"]["origin"] = None

    report = verified(api, verified_lines(lines), LINES)

    assert report["first_error"]["code"] == "wrong_origin"


def test_a_fork_says_at_which_version_it_left(api, lines):
    lines[0]["origin"]["version"] = lines[1]["data"]["origin"]["version"] = None

    assert verified(api, verified_lines(lines), LINES)["first_error"]["code"] == "bad_event"
