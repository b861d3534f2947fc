"""Rule sets that explain themselves: presets, any others, and the schema of all."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from engine.presets import PRESETS
from engine.readable import rules_data
from engine.rules import Direction, Moon
from tests.contract.spec import contract
from tests.strategies import any_rules

DIRECTIONS = [*map(str, Direction)]
TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


def check(api, rules, expect=200, **more):
    return api.ask("POST", "/v1/rule-checks", body={"rules": rules}, expect=expect, **more)


@pytest.fixture
def schema(api):
    answer = api.ask("GET", "/v1/rules/schema", expect=200)
    assert answer.content_type == "application/schema+json"
    # It refuses a schema that is none.
    return Draft202012Validator(answer.json)


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_preset_is_explained_as_any_other_rules(api, preset, seats):
    shown = api.ask("GET", f"/v1/presets/{preset}?seats={seats}", expect=200).json

    checked = check(api, {"preset": preset, "seats": seats}).json

    assert checked.items() <= shown.items()
    assert [one["option"] for one in checked["differences"]] == [
        one["option"] for one in checked["options"] if one in without_usual(checked["differences"])
    ]


def without_usual(differences):
    return [{name: one[name] for name in ("option", "value", "text")} for one in differences]


def test_the_rules_that_are_checked_are_those_a_game_would_have(api):
    given = {"preset": "spot", "seats": 5, "ending": {"target": 50, "deals": 3}}

    checked = check(api, given).json
    made = api.ask("POST", "/v1/games", body={"rules": given}, expect=201).json

    assert checked["rules"] == made["game"]["rules"]
    assert check(api, checked["rules"]).json == checked


def test_the_example_is_what_the_service_says(api):
    operation = contract().operation("checkRules")
    (asked,) = operation.definition["requestBody"]["content"]["application/json"][
        "examples"
    ].values()
    shown = contract().document["components"]["examples"]

    assert check(api, asked["value"]["rules"]).json == shown["ExplainedRules"]["value"]
    preset = api.ask("GET", "/v1/presets/standard?seats=5", expect=200).json
    assert preset == shown["Preset"]["value"]


def test_no_game_is_created(api, redis_db):
    check(api, {"preset": "omnibus"})

    assert api.ask("GET", "/v1/games", expect=200).json["items"] == []


@pytest.mark.parametrize(
    ("rules", "fields"),
    [
        ({"seats": 5, "passing": {"cycle": ["across"]}}, ["/rules/passing/cycle", "/rules/seats"]),
        ({"passing": {"cycle": ["left2"]}}, ["/rules/passing/cycle", "/rules/seats"]),
        ({"preset": "online", "seats": 5}, ["/rules/preset", "/rules/seats"]),
        ({"preset": "kitty", "seats": 4}, ["/rules/preset", "/rules/seats"]),
        ({"ending": {"target": None}}, ["/rules/ending/target", "/rules/ending/deals"]),
        ({"scoring": {"moon": "off", "sun_points": 9}}, None),
        ({"version": 2}, ["/rules/version"]),
    ],
)
def test_a_contradiction_is_a_conflict_and_against_the_schema(api, schema, rules, fields):
    answer = check(api, rules, expect=(409, "rules_conflict"))

    assert fields is None or answer.json["fields"] == fields
    assert not schema.is_valid(rules)


@pytest.mark.parametrize(
    "rules", [{"seats": 2}, {"deck": {"packs": "two"}}, {"play": {"queen": "dear"}}, {"mood": 1}]
)
def test_what_the_schema_refuses_at_once_is_malformed(api, schema, rules):
    check(api, rules, expect=(422, "validation_failed"))

    assert not schema.is_valid(rules)


def test_a_check_needs_rules(api):
    for body in ({}, {"rules": None}, {"rules": {}, "seats": []}):
        api.ask("POST", "/v1/rule-checks", body=body, expect=(422, "validation_failed"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(any_rules())
def test_what_is_good_rules_fits_the_schema(api, schema, rules):
    plain = rules_data(rules)
    answer = api.ask("POST", "/v1/rule-checks", body={"rules": plain})

    assert answer.status_code in {200, 409}
    if answer.status_code == 200:
        assert schema.is_valid(plain)
        assert answer.json["rules"] == plain


PARTIAL = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(list(PRESETS)),
        "seats": st.integers(3, 11),
        "deck": st.fixed_dictionaries({}, optional={"packs": st.integers(1, 2)}),
        "passing": st.fixed_dictionaries(
            {"cycle": st.lists(st.sampled_from(DIRECTIONS), min_size=1, max_size=2)}
        ),
        "play": st.fixed_dictionaries({}, optional={"cancel_pairs": st.booleans()}),
        "scoring": st.fixed_dictionaries(
            {},
            optional={
                "moon": st.sampled_from([*map(str, Moon)]),
                "sun_points": st.sampled_from([None, 9]),
            },
        ),
        "ending": st.fixed_dictionaries(
            {},
            optional={
                "target": st.sampled_from([None, 50]),
                "deals": st.sampled_from([None, 3]),
            },
        ),
    },
)
# A schema cannot count cards.
ARITHMETIC = {"/rules/deck/remove", "/rules/deck/leftover"}


@pytest.mark.parametrize(
    "rules",
    [
        {"preset": "black_maria", "scoring": {"sun_points": 9}},
        {"preset": "plain", "scoring": {"sun_points": 9}},
        {"preset": "new_moon", "scoring": {"moon": "off"}},
    ],
)
def test_the_schema_knows_the_moons_of_presets(api, schema, rules):
    check(api, rules, expect=(409, "rules_conflict"))
    assert not schema.is_valid(rules)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PARTIAL)
def test_the_schema_knows_what_rules_out_what(api, schema, rules):
    answer = api.ask("POST", "/v1/rule-checks", body={"rules": rules})

    assert answer.status_code in {200, 409}
    if answer.status_code == 200:
        assert schema.is_valid(rules)
    elif not ARITHMETIC & set(answer.json["fields"]):
        assert not schema.is_valid(rules), answer.json["detail"]
