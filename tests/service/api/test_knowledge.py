"""What a seat can know, over HTTP."""

import pytest

from tests.contract.spec import contract
from tests.tables import playing_table


@pytest.fixture
def table(api):
    return playing_table(api)


def test_a_seat_is_told_what_it_can_know(table):
    state = table.ask("GET", viewer=0, expect=200).json

    known = table.ask("GET", "/knowledge", 0, expect=200).json

    assert (known["seat"], known["version"]) == (0, state["version"])
    assert known["turn_id"] == state["turn"]["id"]
    hand = state["you"]["hand"]
    assert len(known["unseen"]) == 52 - len(hand) - len(known["played"])
    assert set(known["can_hold"]) == set(known["unseen"])
    assert [one["seat"] for one in known["seats"]] == [1, 2, 3]


def test_passed_cards_are_known_over_http(api):
    table = playing_table(api)
    state = table.ask("GET", viewer=0, expect=200).json
    known = table.ask("GET", "/knowledge", 0, expect=200).json
    holds = {one["seat"]: one["holds"] for one in known["seats"]}
    for gift in state["you"]["passed"]:
        assert set(gift["cards"]) - set(known["played"]) <= set(holds[gift["to"]])


def test_outside_a_deal_there_is_nothing_to_know(api, table):
    made = api.ask("POST", "/v1/games", body={"claim": {"seat": 0, "name": "Ana"}}, expect=201).json
    lobby = f"/v1/games/{made['id']}/knowledge"
    table.ask("POST", "/abort", "host", expect=200)

    early = api.ask("GET", lobby, made["seat_token"], expect=(409, "game_not_active"))
    late = table.ask("GET", "/knowledge", 0, expect=(409, "game_not_active"))

    assert (early.json["game_status"], late.json["game_status"]) == ("lobby", "aborted")


def test_the_example_of_the_contract_makes_sense():
    known = contract().document["components"]["examples"]["Knowledge"]["value"]

    assert len(known["played"]) + len(known["unseen"]) + 7 == 52
    for seat in known["seats"]:
        held = {one for one, where in known["can_hold"].items() if seat["seat"] in where["seats"]}
        assert set(seat["holds"]) <= held
        assert not {one[1] for one in held} & set(seat["void"])
