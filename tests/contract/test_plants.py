"""The checks of the contract find drift: faults planted in a copy of it, or in an answer."""

import json

import pytest

from tests.contract.bodies import LOADERS, WHOLE, neighbours
from tests.contract.drift import (
    answered_codes,
    code_drift,
    enum_drift,
    example_drift,
    missable_members,
    named_enums,
    open_objects,
    route_drift,
    schema_drift,
)
from tests.contract.fuzzing import foreign_secrets
from tests.contract.spec import EVERYWHERE, Answer, Contract, contract
from tests.tables import make_app

ID = "8814420b5e0dfb13cdf4b48ef3daab3e"


@pytest.fixture(scope="module")
def app(redis_url):
    return make_app(redis_url)


@pytest.fixture
def document():
    # Through JSON: what YAML names once and uses twice must not change in both places.
    return json.loads(json.dumps(contract().document))


@pytest.fixture
def schemas(document):
    return document["components"]["schemas"]


def test_a_promised_route_that_is_not_served_is_found(document, app):
    document["paths"]["/v1/ghosts"] = {"get": document["paths"]["/v1/time"]["get"]}

    assert route_drift(Contract(document), app) == ["GET /v1/ghosts is promised, not served"]


def test_a_served_route_that_is_not_promised_is_found(document, app):
    del document["paths"]["/v1/games/{game_id}/start"]

    assert route_drift(Contract(document), app) == [
        "POST /v1/games/{}/start is served, not promised"
    ]


def test_a_route_with_another_method_is_found(document, app):
    path = document["paths"]["/v1/games/{game_id}/seats/{seat}"]
    path["put"] = path.pop("patch")

    assert len(route_drift(Contract(document), app)) == 2


def test_a_word_more_less_or_twice_is_found(document, schemas):
    words = named_enums(contract())
    schemas["PresetName"]["enum"].append("whist")
    schemas["BotLevel"]["enum"].remove("easy")
    schemas["Tie"]["enum"].append("share")

    assert enum_drift(Contract(document), words) == [
        "BotLevel: easy is in the code, not promised",
        "PresetName: whist is promised, the code does not know it",
        "Tie: share stands twice",
    ]


def test_a_list_of_words_that_only_one_side_has_is_found(document, schemas):
    words = named_enums(contract())
    schemas["Weather"] = {"enum": ["rain"]}
    del schemas["Reach"]

    assert enum_drift(Contract(document), words) == [
        "Weather: the code has no such list",
        "Reach: the contract has no such list",
    ]


def test_a_code_with_another_status_or_in_no_answer_is_found(document, schemas):
    known = statuses_of(contract())
    schemas["ProblemCode"]["enum"].append("too_late")
    schemas["VersionMismatch"]["properties"]["code"]["enum"] = ["too_early"]
    known["game_full"] = 410

    assert set(code_drift(Contract(document), known)) == {
        "too_late is listed, but no answer has it",
        "too_late is listed, but the code has none such",
        "too_early is in an answer, but not listed",
        "version_mismatch is listed, but no answer has it",
        "game_full is 409 in the contract and 410 in the code",
    }


def test_an_example_that_does_not_fit_is_found(document):
    document["components"]["examples"]["Ready"]["value"]["status"] = "fine"
    del document["components"]["examples"]["ClaimedSeat"]["value"]["version"]

    found = example_drift(Contract(document))

    assert {fault.partition(":")[0] for fault in found} == {
        "getReadiness 200",
        "claimSeat 201",
        "claimAnySeat 201",
        "updateSeat 200",
        "rotateSeatToken 201",
    }


def test_a_body_without_an_example_is_found(document):
    moves = document["paths"]["/v1/games/{game_id}/moves"]["post"]
    del moves["requestBody"]["content"]["application/json"]["examples"]

    assert example_drift(Contract(document)) == ["makeMove request: there is no example"]


def test_an_object_left_open_is_found(document, schemas):
    del schemas["Deal"]["additionalProperties"]

    assert open_objects(Contract(document))


def test_a_member_that_need_not_be_there_is_found(document, schemas):
    schemas["Deal"]["required"].remove("hearts_broken")

    assert missable_members(Contract(document))


@pytest.mark.parametrize(
    ("name", "member", "change"),
    [
        ("Target", None, {"maximum": 100_001}),
        ("QueenPoints", None, {"minimum": -1}),
        ("Card", None, {"pattern": "^[2-9TJQKA][CDHSX]?$"}),
        ("PlayerName", None, {"maxLength": 33}),
        ("BotSeatRequest", None, {"required": ["kind"]}),
        ("BotSeatRequest", None, {"additionalProperties": True}),
        ("RulesRequest", "unforeseen", {"type": "integer"}),
        ("CreateGameRequest", "seats", {"maxItems": 12}),
    ],
)
def test_a_request_that_only_one_side_takes_is_found(document, schemas, name, member, change):
    where = schemas[name] if member is None else schemas[name]["properties"].setdefault(member, {})
    where.update(change)
    changed = Contract(document)

    assert any(
        schema_drift(changed, "createGame", LOADERS, [body])
        for whole in WHOLE["createGame"]
        for body in neighbours(whole)
    )


def test_a_state_as_shown_keeps_to_the_contract():
    assert contract().problems(state()) == []


def test_a_field_more_less_or_wrong_in_an_answer_is_found():
    shown = json.loads(state().body)
    seat, *others = shown["seats"]

    for wrong in [
        shown | {"deck": ["2C"]},
        {name: value for name, value in shown.items() if name != "turn"},
        shown | {"status": "running"},
        shown | {"you": None},
        shown | {"seats": [seat | {"hand": ["QS"]}, *others]},
    ]:
        assert contract().problems(state(body=wrong))


def test_a_field_that_only_the_contract_has_is_found(document, schemas):
    schemas["GameFields"]["properties"]["mood"] = {"type": "string"}
    schemas["GameFields"]["required"].append("mood")

    assert Contract(document).problems(state())


def test_a_header_that_is_missing_or_wrong_is_found():
    for name, value in [("ETag", None), ("ETag", "43"), ("Request-Id", None), *missing_habits()]:
        assert contract().problems(state(headers={name: value}))


def test_an_undocumented_status_or_media_type_is_found():
    assert contract().problems(state(status=202))
    assert contract().problems(state(headers={"Content-Type": "text/html"}))


def test_a_body_where_none_belongs_is_found():
    assert contract().problems(state(status=304))
    assert contract().problems(state(method="HEAD"))


@pytest.mark.parametrize("example", ["SeatGame", "ReplayPage"])
def test_a_state_of_another_seat_is_found(example):
    shown = contract().document["components"]["examples"][example]["value"]

    assert not foreign_secrets(Shown(shown), 2)
    assert foreign_secrets(Shown(shown), 1)


def test_an_event_of_another_seat_is_found(document):
    page = document["components"]["examples"]["EventPage"]["value"]
    page["items"][0] |= {"private": {"2": {"cards": ["QS"]}}, "hidden": [0, 1, 3]}

    assert not foreign_secrets(Shown(page), 2)
    assert foreign_secrets(Shown(page), 1)


class Shown:
    """A sound answer with *json*."""

    status_code, content_type = 200, "application/json"

    def __init__(self, json):
        self.json = json


def missing_habits():
    return [(name, None) for name in EVERYWHERE]


def statuses_of(given):
    return {code: status for status, codes in answered_codes(given) for code in codes}


def state(method="GET", status=200, headers=None, body=None):
    """Return an answer with the state of an example, changed where something is given."""
    example = contract().document["components"]["examples"]["SeatGame"]["value"]
    found = EVERYWHERE | {
        "Content-Type": "application/json",
        "Cache-Control": "private, no-cache",
        "ETag": '"43-s2"',
        "Request-Id": "7f3c9a1e52d84b06",
    }
    found = {k: v for k, v in (found | (headers or {})).items() if v is not None}
    return Answer(method, f"/v1/games/{ID}", status, found, json.dumps(body or example).encode())
