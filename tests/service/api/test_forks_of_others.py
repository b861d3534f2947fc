"""Forks of seeded games and of games with voided deals, and voided deals of forks."""

import random

import pytest

from engine import events as e
from engine import reasons
from engine.commands import VoidDeal
from service.rewinds import Voiding, void_deal
from tests.histories import places, table_of
from tests.proofs import holds
from tests.streams import voided_game
from tests.table import rules
from tests.tables import HUMAN, Api, Table, make_app, new_key, started_table

SEED = "5eed" * 16
TWO_DEALS = {"ending": {"target": None, "deals": 2, "tie": "share"}}
LINES, NOTATION = "application/x-ndjson", "text/x-hgn"


@pytest.fixture
def api(redis_url, redis_db):
    return Api(make_app(redis_url))


def fork(table, at, *seats):
    body = {"at_version": at, "seats": list(seats) or [HUMAN] * 4}
    made = Table(table.api, table.ask("POST", "/forks", None, body, expect=201).json)
    for seat in made.state()["seats"]:
        if not seat["claimed"]:
            made.claim(seat["seat"])
    return made.start()


def void(table, skip=2):
    command = VoidDeal(reasons.STORE_RESTORED, skip)
    assert void_deal(table.api.deps, table.id, command, new_key()) is Voiding.DONE


def check(table):
    """Check the deals and files of a fork that is over; return the numbers of its deals."""
    fairness = table.state()["fairness"]
    deals = table.ask("GET", "/deals?limit=50", expect=200).json["items"]
    for deal in deals[1:]:
        proof = table.ask("GET", f"/deals/{deal['number']}/proof", expect=200).json
        assert holds(proof, fairness["commitment"])
    for media_type in (LINES, NOTATION):
        file = table.ask("GET", "/export", headers={"Accept": media_type}, expect=200).data
        report = table.api.send("POST", "/v1/verifications", file, content_type=media_type).json
        assert report["first_error"] is None
        made = table.api.send("POST", "/v1/imports", file, content_type=media_type)
        assert made.status_code == 201, made.text
    return [deal["number"] for deal in deals]


def test_a_fork_of_a_seeded_game_is_dealt_from_its_own_chain(api):
    dealing = {"mode": "seeded", "seed": SEED}
    table = started_table(api, rules=TWO_DEALS, dealing=dealing)
    table.play(random.Random(1))

    other = fork(table, 30)
    other.play(random.Random(2))

    fairness = other.state()["fairness"]
    assert (fairness["mode"], fairness["deals_commitment"]) == ("committed", None)
    assert check(other) == [1, 2]
    second = [one.ask("GET", "/deals/2", expect=200).json["hands"] for one in (table, other)]
    assert second[0] != second[1]
    assert SEED[:16] not in str(other.events())


@pytest.mark.parametrize("reveal", ["deal_end", "game_end"])
def test_the_copied_deal_of_a_fork_can_be_void(api, reveal):
    table = started_table(api, rules={**TWO_DEALS, "reveal": reveal})
    table.play(random.Random(1))
    other = fork(table, 30)

    void(other)
    other.play(random.Random(2))

    assert check(other) == [1, 4, 5]
    log = other.ask("GET", "/events?as=all&limit=500", expect=200).json["items"]
    assert [one["data"]["deal"] for one in log if one["type"] == "deal.voided"] == [1]


@pytest.mark.parametrize("reveal", ["deal_end", "game_end"])
def test_a_later_deal_of_a_fork_can_be_void(api, reveal):
    table = started_table(api, rules={**TWO_DEALS, "reveal": reveal})
    table.play(random.Random(1))
    other = fork(table, 30)

    other.play(random.Random(2), until=lambda _: other.state()["deal"]["number"] == 2)
    void(other)
    other.play(random.Random(3))

    assert check(other) == [1, 2, 5]


def test_a_game_with_voided_deals_is_forked_at_any_of_them(api):
    stored = voided_game(rules("standard", 4, **TWO_DEALS), random.Random("10"))
    voided = places(stored, e.DealVoided)
    assert 1 <= len(voided) < 5
    for at in (*voided, *(seq - 1 for seq in voided), *(seq + 9 for seq in voided)):
        table = table_of(api, stored)
        before = table.ask("GET", f"/states/{at}?as=all", expect=200).json

        other = fork(table, at)

        number = other.state()["deal"]["number"]
        # Between a void and the next deal nobody has anything to decide.
        assert number >= before["deal"]["number"]
        totals = [[seat["total"] for seat in state["seats"]] for state in (before, other.state())]
        assert totals[0] == totals[1]
        other.play(random.Random(at))
        assert check(other)[0] == number
        scored = [one for one in other.events() if one["type"] == "deal.scored"]
        assert other.state()["result"]["reason"] == "deals_played"
        assert len(scored) <= 2
