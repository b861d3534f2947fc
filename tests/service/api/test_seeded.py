"""Seeded games: one seed gives the same deals in every game, and is never shown."""

import hashlib
import json
import random
import re

import pytest

from engine.shuffle import chain
from service.store.base import StoreUnavailableError
from tests.proofs import holds, recipe
from tests.tables import (
    BOT,
    HUMAN,
    SHORT,
    Api,
    Table,
    full_table,
    make_app,
    new_key,
    open_table,
    outcome_of,
    started_table,
)

SEED = "5eed" * 16
LINKS = [link.hex() for link in chain(bytes.fromhex(SEED))]
SEEDED = {"mode": "seeded", "seed": SEED}
LINES, NOTATION = "application/x-ndjson", "text/x-hgn"
TWO_DEALS = {"ending": {"target": None, "deals": 2, "tie": "share"}}

# Worked out by the recipe of docs/fairness.md, from the seed alone.
GOLDEN_COMMITMENT = "d362cf1c66c5363c036354ffb4eede3edcf963772d7786a8769956bd08a919dd"
GOLDEN_HANDS = [
    "7H 8C AC 9H 3C QH QD 2H AS 3D 3H 6D 4C",
    "4S 6C 5C 7S 9C TH JH AH 4H 2C 6S 8H 5D",
    "7C 5H 5S 9D KC KS QS 9S 7D 8D JC KH JD",
    "TC 4D 8S 2D 3S TS AD TD 6H 2S QC JS KD",
]


def over(api, *seats, rules=TWO_DEALS, seed=SEED, **more):
    """Return a seeded table that was played to its end."""
    dealing = {"mode": "seeded", "seed": seed}
    table = started_table(api, *seats, rules=rules, dealing=dealing, **more)
    table.play(random.Random(seed))
    return table


def proofs(table):
    return [table.ask("GET", f"/deals/{deal}/proof", expect=200).json for deal in (1, 2)]


@pytest.fixture
def table(api):
    return over(api)


def test_one_seed_gives_the_same_deals_in_every_game(api, table):
    other = full_table(api, HUMAN, BOT, HUMAN, BOT, rules=TWO_DEALS, dealing=SEEDED)
    other.tell(0, client_seed="c4" * 32)
    other.start()
    while other.state()["turn"] is not None:
        other.play(until=lambda turn: turn["seats"][0] not in other.tokens)
        other.let_bots_play()

    assert other.id != table.id
    assert proofs(other) == proofs(table)
    assert other.state()["fairness"]["commitment"] != table.state()["fairness"]["commitment"]


def test_another_seed_gives_other_deals(api, table):
    assert proofs(over(api, seed="0" * 64))[0]["hands"] != proofs(table)[0]["hands"]


def test_the_deals_of_a_seed_are_the_same_for_ever(table):
    link, deck = bytes.fromhex(SEED), [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]
    for _ in range(255):
        link = hashlib.sha256(link).digest()
    commitment = hashlib.sha256(link).hexdigest()

    hands = recipe()["dealt"](link.hex(), commitment[:32], 1, 4, ["-"] * 4, deck)

    assert commitment == GOLDEN_COMMITMENT == table.state()["fairness"]["deals_commitment"]
    assert [" ".join(hand) for hand in hands[:4]] == GOLDEN_HANDS
    assert proofs(table)[0]["hands"] == hands[:4]


def test_the_deals_are_proved_by_the_chain_of_the_seed(table):
    fairness = table.state()["fairness"]

    assert (fairness["mode"], fairness["deals_commitment"]) == ("seeded", LINKS[0])
    assert fairness["commitment"][:32] == table.id != LINKS[0][:32]
    for deal, proof in enumerate(proofs(table), 1):
        assert holds(proof, fairness["deals_commitment"])
        assert not holds(proof, fairness["commitment"])
        assert (proof["game_id"], proof["seed"]) == (LINKS[0][:32], LINKS[deal])
        assert proof["client_seeds"] == ["-"] * 4
    revealed = table.ask("GET", "/fairness", expect=200).json["revealed"]
    assert [one["seed"] for one in revealed] == LINKS[1:3]


def test_any_other_game_says_that_it_is_not_seeded(api):
    for dealing in ({}, {"dealing": {"mode": "committed"}}):
        fairness = open_table(api, **dealing).state()["fairness"]

        assert (fairness["mode"], fairness["deals_commitment"]) == ("committed", None)


def test_a_client_seed_is_kept_and_has_no_part_in_the_deals(api):
    table = full_table(api, dealing=SEEDED, rules=SHORT)
    table.tell(0, client_seed="c4" * 32)
    table.start()
    table.play()

    assert proofs_of_one(table)["client_seeds"] == ["-"] * 4
    assert table.state()["seats"][0]["client_seed_given"]
    record = table.ask("GET", "/fairness", expect=200).json
    assert record["client_seeds_given"] == [True, False, False, False]
    assert record["client_seeds"] == ["-"] * 4
    told = [one["private"] for one in table.events(0) if one["type"] == "seat.updated"]
    assert told == [{"0": {"client_seed": "c4" * 32}}]


def proofs_of_one(table):
    return table.ask("GET", "/deals/1/proof", expect=200).json


def test_a_game_of_bots_that_starts_at_once_is_dealt_from_the_seed(api, table):
    made = open_table(api, *[BOT] * 4, dealing=SEEDED, auto_start=True, rules=TWO_DEALS)
    made.ask("POST", "/abort", "host", expect=200)

    assert proofs_of_one(made)["hands"] == proofs(table)[0]["hands"]


def test_a_kitty_comes_from_the_seed_too(api):
    tables = [over(api, *[HUMAN] * 3, rules=SHORT | {"preset": "kitty"}) for _ in range(2)]

    (one, other) = map(proofs_of_one, tables)
    assert one == other
    assert one["kitty"]


# The same key


def test_the_same_key_and_seed_find_the_same_game(api):
    key, body = new_key(), {"dealing": SEEDED}

    first, again = (api.ask("POST", "/v1/games", body=body, key=key, expect=201) for _ in range(2))

    assert (again.json, again.headers["Idempotency-Replayed"]) == (first.json, "true")


@pytest.mark.parametrize("other", [{"dealing": SEEDED | {"seed": "0" * 64}}, {}])
def test_the_same_key_with_another_seed_is_another_request(api, other):
    key, reused = new_key(), (409, "idempotency_key_reused")
    api.ask("POST", "/v1/games", body={"dealing": SEEDED}, key=key, expect=201)

    api.ask("POST", "/v1/games", body=other, key=key, expect=reused)


# The list


def listed(api, query=""):
    return api.ask("GET", f"/v1/games{query}", expect=200).json["items"]


def test_seeded_games_are_listed_only_when_they_are_asked_for(api):
    seeded, usual = open_table(api, dealing=SEEDED), open_table(api)

    assert [(one["id"], one["dealing"]) for one in listed(api)] == [(usual.id, "committed")]
    found = listed(api, "?dealing=seeded")
    assert [(one["id"], one["dealing"]) for one in found] == [(seeded.id, "seeded")]
    assert listed(api, "?dealing=committed") == listed(api)


@pytest.mark.parametrize("dealing", ["seeded", "committed"])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_of_one_kind_lead_past_those_of_the_other(api, dealing, limit):
    kinds = {"seeded": {"dealing": SEEDED}, "committed": {}}
    made = {kind: [] for kind in kinds}
    for kind in random.Random(dealing).choices(list(kinds), k=12):
        made[kind].append(open_table(api, **kinds[kind]).id)

    found, target = [], f"/v1/games?dealing={dealing}&limit={limit}"
    while target is not None:
        answer = api.ask("GET", target, expect=200)
        found += [one["id"] for one in answer.json["items"]]
        link = answer.headers.get("Link")
        target = link and re.fullmatch('<(.*)>; rel="next"', link)[1]

    assert sorted(found) == sorted(made[dealing])


def test_a_cursor_belongs_to_its_kind(api):
    for _ in range(3):
        open_table(api)
    cursor = api.ask("GET", "/v1/games?limit=1", expect=200).json["next_cursor"]

    target = f"/v1/games?limit=1&dealing=seeded&cursor={cursor}"
    api.ask("GET", target, expect=(400, "invalid_cursor"))


# Files


def export(table, media_type):
    return table.ask("GET", "/export", headers={"Accept": media_type}, expect=200).data


def without_id(data, media_type):
    if media_type == NOTATION:
        return re.sub(rb'^\[(Game|Origin) ".*\n', b"", data, flags=re.MULTILINE)
    header, first, *events, _ = map(json.loads, data.splitlines())
    del header["game_id"], header["origin"], first["data"]["origin"]
    return [header, first, *events]


@pytest.mark.parametrize("media_type", [LINES, NOTATION])
def test_a_file_of_a_seeded_game_is_right_and_proved(api, table, media_type):
    file = export(table, media_type)

    report = api.send("POST", "/v1/verifications", file, content_type=media_type).json

    assert set(report["checks"].values()) == {"pass"}


@pytest.mark.parametrize("media_type", [LINES, NOTATION])
def test_a_copy_of_a_seeded_game_is_exported_as_it_came(redis_url, table, media_type):
    file, elsewhere = export(table, media_type), Api(make_app(redis_url))
    made = elsewhere.send("POST", "/v1/imports", file, content_type=media_type).json
    copy = Table(elsewhere, {"id": made["id"], "host_token": None, "seat": None})

    assert without_id(export(copy, media_type), media_type) == without_id(file, media_type)
    assert copy.state()["fairness"] == table.state()["fairness"]
    assert proofs(copy) == proofs(table)
    again = elsewhere.send("POST", "/v1/imports", export(copy, media_type), content_type=media_type)
    assert outcome_of(again) == 201


def test_notation_names_the_chain_of_the_deals(api, table):
    tag = f'[DealsCommitment "{LINKS[0]}"]'

    assert tag in export(table, NOTATION).decode().splitlines()
    assert '[DealsCommitment "-"]' in export(open_table(api), NOTATION).decode()


@pytest.mark.parametrize(
    ("tag", "value", "code"),
    [
        ("DealsCommitment", "-", "wrong_link"),
        ("DealsCommitment", "0" * 64, "wrong_link"),
        ("DealsCommitment", "A" * 64, "bad_tag_value"),
        ("DealsCommitment", "", "bad_tag_value"),
        ("ClientSeeds", f"{'c4' * 32} - - -", "wrong_client_seeds"),
        ("Commitment", "0" * 64, "wrong_game_id"),
    ],
)
def test_what_is_wrong_with_the_chain_is_found(api, table, tag, value, code):
    text = export(table, NOTATION).decode()
    changed = re.sub(rf'^\[{tag} ".*', f'[{tag} "{value}"]', text, flags=re.MULTILINE)

    report = api.send("POST", "/v1/verifications", changed.encode(), content_type=NOTATION).json

    assert changed != text
    assert report["first_error"]["code"] == code


@pytest.mark.parametrize("commitment", [None, "0" * 64, "A" * 64, 7, [], LINKS[0] + "\n"])
def test_a_log_that_names_another_chain_is_wrong(api, table, commitment):
    *lines, _ = map(json.loads, export(table, LINES).splitlines())
    for fairness in (lines[0]["fairness"], lines[1]["data"]["fairness"]):
        fairness["deals_commitment"] = commitment
        fairness["mode"] = "committed" if commitment is None else "seeded"
    raw = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    raw += json.dumps({"sha256": hashlib.sha256(raw).hexdigest()}).encode() + b"\n"

    report = api.send("POST", "/v1/verifications", raw, content_type=LINES).json

    assert report["first_error"]["code"] in {"wrong_link", "bad_event"}


# The seed is a secret


def test_the_seed_and_later_links_are_shown_to_nobody(api, caplog):
    caplog.set_level("DEBUG")
    table = full_table(api, HUMAN, HUMAN, HUMAN, BOT, rules=TWO_DEALS, dealing=SEEDED)
    told = [api.ask("GET", "/v1/games?dealing=seeded", expect=200)]

    def look():
        version = table.version
        for viewer in (None, "host", *table.tokens):
            told.extend(table.ask("GET", path.format(version), viewer) for path in PLACES)

    look()
    table.start()
    while table.state()["turn"] is not None and table.state()["deal"]["number"] == 1:
        table.let_bots_play()
        table.play(until=lambda turn: turn["seats"][0] not in table.tokens)
    look()

    shown = b"\n".join(one.data + str(one.headers).encode() for one in told)
    shown += caplog.text.encode()
    assert len(shown) > 100_000
    assert LINKS[0].encode() in shown
    assert LINKS[1].encode() in shown, "the first deal is over"
    for secret in (SEED, *LINKS[2:]):
        assert secret[:16].encode() not in shown
    assert b'"server"' not in shown


PLACES = [
    "",
    "/events?limit=500",
    "/states/{}",
    "/deals",
    "/deals/1",
    "/fairness",
    "/replay",
    "/legal-moves",
    "/export?format=jsonl",
    "/export?format=json",
    "/export?format=hgn",
]


@pytest.mark.parametrize(
    ("body", "expect"),
    [
        ({"dealing": SEEDED, "rules": {"seats": 9}}, (409, "rules_conflict")),
        ({"dealing": SEEDED | {"more": SEED}}, (422, "validation_failed")),
        ({"dealing": {"mode": "seeded", "seed": SEED + "0"}}, (422, "validation_failed")),
        ({"dealing": {"mode": "seeded", "seed": SEED.upper()}}, (422, "validation_failed")),
        ({"dealing": {"mode": SEED}}, (422, "validation_failed")),
        ({"dealing": {"mode": "committed", "seed": SEED}}, (422, "validation_failed")),
        ({"dealing": SEED}, (422, "validation_failed")),
        ({"dealing": {"seed": SEED}}, (422, "validation_failed")),
        ({"dealing": {"mode": "seeded"}}, (422, "validation_failed")),
    ],
)
def test_no_refusal_repeats_a_seed(api, caplog, body, expect):
    caplog.set_level("DEBUG")
    answer = api.ask("POST", "/v1/games", body=body, expect=expect)

    assert SEED[:16] not in answer.text.lower()
    assert SEED[:16] not in caplog.text.lower()


def test_a_failing_store_says_nothing_of_a_seed(api, caplog, monkeypatch):
    caplog.set_level("DEBUG")

    def fail(*_):
        raise StoreUnavailableError("no answer")

    monkeypatch.setattr(api.deps.store, "append", fail)
    answer = api.ask(
        "POST", "/v1/games", body={"dealing": SEEDED}, expect=(503, "store_unavailable")
    )

    assert SEED[:16] not in answer.text + caplog.text


def test_a_seeded_game_is_read_back_from_the_store(api):
    table = full_table(api, dealing=SEEDED, rules=TWO_DEALS)
    api.over(api.deps.store)
    table.start()
    state = table.state()
    api.over(api.deps.store)

    assert table.state() == state
    table.play(random.Random(2))
    assert table.state()["status"] == "finished"
