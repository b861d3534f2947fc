"""Games in which deals were voided, through all that is read of them."""

import json
import random
import re

import pytest

from engine import events as e
from service.audit import disagreements
from service.store.codec import decode_all, encode
from tests.faults.log_files import with_hash
from tests.histories import places, table_of, until
from tests.proofs import holds
from tests.streams import voided_game
from tests.table import rules
from tests.tables import Api, Table, make_app, outcome_of

LINES, NOTATION = "application/x-ndjson", "text/x-hgn"
FORMS = pytest.mark.parametrize("media_type", [LINES, NOTATION])
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}
GAMES = {
    "at each end": rules("standard", 4, ending=TWO_DEALS),
    "at the end": rules("standard", 5, ending=TWO_DEALS, reveal="game_end"),
    "kitty": rules("kitty", 6, ending=TWO_DEALS),
}


@pytest.fixture(scope="module", params=GAMES)
def stored(request):
    """The log of a game with gaps between its deals, one of them voided before its last trick."""
    for seed in range(99):
        log = voided_game(GAMES[request.param], random.Random(f"{request.param} {seed}"))
        voided, dealt = numbers(log, e.DealVoided), numbers(log, e.DealDealt)
        if 2 <= len(voided) < 6 and dealt != list(range(1, len(dealt) + 1)):
            return log
    raise AssertionError


def numbers(log, kind):
    return [one.event.deal for one in log if isinstance(one.event, kind)]


@pytest.fixture
def api(redis_url, redis_db):
    return Api(make_app(redis_url))


@pytest.fixture
def table(api, stored):
    return table_of(api, stored)


def test_events_are_stored_as_they_were(stored):
    entries = [encode(one, stored[0].time) for one in stored]

    assert decode_all(entries, 1, None) == stored


def test_the_log_says_who_voided_a_deal_and_why(table, stored):
    told = [one for one in table.events() if one["type"] == "deal.voided"]

    assert [one["data"]["deal"] for one in told] == numbers(stored, e.DealVoided)
    assert all(one["actor"] == {"kind": "system"} for one in told)
    assert {one["data"]["reason"] for one in told} <= {"store_rewound", "store_restored"}
    assert {one["data"]["reveal"] is None for one in told} == {is_late(stored)}


def is_late(stored):
    return stored[0].event.rules.reveal == "game_end"


def test_the_deals_have_the_numbers_of_their_links(table, stored):
    dealt, voided = (numbers(stored, kind) for kind in (e.DealDealt, e.DealVoided))
    deals = table.ask("GET", "/deals?limit=50", expect=200).json["items"]

    assert [deal["number"] for deal in deals] == dealt
    assert [deal["number"] for deal in deals if deal["voided"]] == voided
    assert all(deal["open"] and deal["seed"] for deal in deals)
    ends = {place: one.event.deal for place, one in enumerate(stored, 1) if has_ended(one.event)}
    assert {deal["last_version"]: deal["number"] for deal in deals} == ends
    revealed = table.ask("GET", "/fairness", expect=200).json["revealed"]
    assert [one["deal"] for one in revealed] == dealt


def has_ended(event):
    return isinstance(event, e.DealScored | e.DealVoided)


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_pages_of_deals_lead_over_the_gaps(table, stored, limit):
    found, after = [], 0
    while True:
        page = table.ask("GET", f"/deals?after={after}&limit={limit}", expect=200).json
        found += [deal["number"] for deal in page["items"]]
        after = page["next_after"]
        if not page["has_more"]:
            break

    assert found == numbers(stored, e.DealDealt)


def test_a_deal_that_was_left_out_is_not_there(table, stored):
    dealt = numbers(stored, e.DealDealt)

    for deal in range(1, dealt[-1] + 2):
        for path in ("/deals/{}", "/deals/{}/proof"):
            expect = 200 if deal in dealt else (404, "deal_not_found")
            table.ask("GET", path.format(deal), expect=expect)


def test_every_deal_is_proved_voided_or_not(table, stored):
    commitment = table.state()["fairness"]["commitment"]

    for deal in numbers(stored, e.DealDealt):
        proof = table.ask("GET", f"/deals/{deal}/proof", expect=200).json
        assert holds(proof, commitment)


def test_a_voided_deal_is_told_as_far_as_it_was_played(table, stored):
    deal = numbers(stored, e.DealVoided)[0]
    told = table.ask("GET", f"/deals/{deal}", expect=200).json

    played = [one.event for one in stored if isinstance(one.event, e.CardPlayed)]
    assert sum(len(trick["plays"]) for trick in told["tricks"]) == sum(
        event.deal == deal for event in played
    )
    assert (told["points"], told["taken"], told["totals"]) == (None, None, None)


def test_a_voided_deal_is_open_at_once_or_with_all_others(api, stored):
    version, deal = places(stored, e.DealVoided)[0], numbers(stored, e.DealVoided)[0]
    table = table_of(api, until(stored, version))
    seats, late = table.state()["rules"]["seats"], is_late(stored)

    shown = table.ask("GET", f"/deals/{deal}", expect=200).json
    closed = (409, "not_revealed") if late else 200
    assert (shown["open"], shown["seed"] is None) == (not late, late)
    assert [hand is None for hand in shown["hands"]] == [late] * seats
    for path in (f"/deals/{deal}?as=all", f"/deals/{deal}/proof", f"/states/{version}?as=all"):
        table.ask("GET", path, expect=closed)
    dealt = [one for one in table.events() if one["type"] == "deal.dealt"]
    assert all(one["private"] == {} for one in dealt)
    lines = export(table, NOTATION).decode().splitlines()
    assert [("?" in line) for line in lines if line.startswith("D")][-2:] == [late, True]


def test_every_state_can_be_looked_at(table, stored):
    for version in {*places(stored, e.DealVoided)}:
        for viewer in (None, 0):
            before, at, later = (
                table.ask("GET", f"/states/{version + step}", viewer, expect=200).json
                for step in (-1, 0, 1)
            )
            assert (at["turn"], at["deal"]["number"]) == (None, before["deal"]["number"])
            assert [seat["total"] for seat in at["seats"]] == [
                seat["total"] for seat in before["seats"]
            ]
            assert later["deal"]["number"] > at["deal"]["number"]
        opened = table.ask("GET", f"/states/{version}?as=all", expect=200).json
        assert opened["view"]["kind"] == "all"


@pytest.mark.parametrize("step", ["trick", "deal"])
def test_the_replay_stops_where_a_deal_was_voided(table, stored, step):
    found, after = [], 0
    while True:
        target = f"/replay?state=none&step={step}&limit=100&after={after}"
        page = table.ask("GET", target, expect=200).json
        found += [one["version"] for one in page["items"]]
        after = page["next_after"]
        if not page["has_more"]:
            break

    assert set(places(stored, e.DealVoided)) <= set(found)


def test_the_log_adds_up(table):
    log = table.ask("GET", "/events?as=all&limit=500", expect=200).json["items"]
    after = log[-1]["seq"]
    log += table.ask("GET", f"/events?as=all&limit=500&after={after}", expect=200).json["items"]

    assert disagreements(log, table.state()) == []


# Files


def export(table, media_type):
    return table.ask("GET", "/export", headers={"Accept": media_type}, expect=200).data


def verify(api, file, media_type):
    return api.send("POST", "/v1/verifications", file, content_type=media_type).json


@FORMS
def test_a_file_with_voided_deals_is_right(api, table, media_type):
    report = verify(api, export(table, media_type), media_type)

    assert report["first_error"] is None
    assert set(report["checks"].values()) == {"pass"}


def test_the_document_has_every_deal(table, stored):
    document = table.ask("GET", "/export?format=json", expect=200).json

    assert [deal["number"] for deal in document["deals"]] == numbers(stored, e.DealDealt)


def test_notation_says_that_a_deal_is_void(table, stored):
    lines = export(table, NOTATION).decode().splitlines()

    assert sum(line.startswith("V store_re") for line in lines) == len(places(stored, e.DealVoided))
    told = [int(re.match(r"D(\d+) ", line)[1]) for line in lines if line.startswith("D")]
    assert told == numbers(stored, e.DealDealt)


def without_id(data, media_type):
    if media_type == NOTATION:
        return re.sub(rb'^\[(Game|Origin) ".*\n', b"", data, flags=re.MULTILINE)
    header, first, *events, _ = map(json.loads, data.splitlines())
    del header["game_id"], header["origin"], first["data"]["origin"]
    return [header, first, *events]


@FORMS
def test_a_copy_is_exported_as_it_came(api, redis_url, table, media_type):
    file, elsewhere = export(table, media_type), Api(make_app(redis_url))
    made = elsewhere.send("POST", "/v1/imports", file, content_type=media_type)
    assert outcome_of(made) == 201, made.text
    copy = Table(elsewhere, {"id": made.json["id"], "host_token": None, "seat": None})

    assert without_id(export(copy, media_type), media_type) == without_id(file, media_type)
    kinds = [one["actor"]["kind"] for one in copy.events() if one["type"] == "deal.voided"]
    assert set(kinds) == {"system"}


@FORMS
def test_files_of_a_game_that_runs_are_right_wherever_they_end(api, stored, media_type):
    after_voids = [seq + 1 for seq in places(stored, e.DealVoided)]
    for seq in (*after_voids, *(seq + 7 for seq in after_voids)):
        table = table_of(api, until(stored, seq))
        for view in ("all", "public", "seat:0"):
            viewer = 0 if view == "seat:0" else None
            headers = {"Accept": media_type}
            asked = table.ask("GET", f"/export?as={view}", viewer, headers=headers, expect=200)
            report = verify(api, asked.data, media_type)
            assert report["first_error"] is None, (seq, view, report)


@pytest.mark.parametrize(
    ("pattern", "new", "codes"),
    [
        (r"^V store_re\w+$", "V rewind", {"unknown_void"}),
        (
            r"^V store_re\w+\n",
            "",
            {"wrong_link", "wrong_phase", "unexpected_line"},
        ),
        (r"^(V store_re\w+)$", r"\1\n\1", {"unexpected_line", "wrong_line", "wrong_link"}),
        (r"(?<=\n)(V store_re\w+\nD)(\d+)", r"\g<1>1", {"wrong_deal_number", "wrong_link"}),
        (r"(?<=\n)(V store_re\w+\nD)(\d+)", r"\g<1>250", {"wrong_link"}),
        (r"(?<=\n)(V store_re\w+\nD)(\d+)", r"\g<1>99999999", {"wrong_link", "bad_number"}),
    ],
)
def test_what_is_wrong_with_a_void_is_found(api, table, pattern, new, codes):
    text = export(table, NOTATION).decode()
    changed = re.sub(pattern, new, text, count=1, flags=re.MULTILINE)
    assert changed != text

    report = verify(api, changed.encode(), NOTATION)

    assert not report["valid"]
    assert report["first_error"]["code"] in codes, report


@pytest.mark.parametrize("change", ["reason", "deal", "actor", "reveal", "gap", "left out"])
def test_what_is_wrong_with_a_void_in_a_log_is_found(api, table, change):
    header, *events, _ = map(json.loads, export(table, LINES).splitlines())
    place = next(n for n, one in enumerate(events) if one["type"] == "deal.voided")
    voided, dealt = events[place : place + 2]
    match change:
        case "reason":
            voided["data"]["reason"] = "whim"
        case "deal":
            voided["data"]["deal"] += 1
        case "actor":
            voided["actor"] = {"kind": "host"}
        case "reveal":
            was = voided["data"]["reveal"]
            hands = {"hands": was["hands"][::-1]} if was else {"seed": "0" * 64}
            voided["data"]["reveal"] = {**(was or {"hands": [], "kitty": []}), **hands}
        case "gap":
            dealt["data"]["deal"] += 1
        case "left out":
            events.remove(voided)
            header["version"] -= 1
            events = [one | {"seq": seq} for seq, one in enumerate(events, 1)]

    report = verify(api, with_hash([header, *events]), LINES)

    assert not report["valid"]
