"""The schemas of the code and of the contract take and refuse the same bodies."""

import json
import math
import re
import sys
import unicodedata

import pytest
import schemathesis
from hypothesis import Phase, given, settings
from schemathesis import GenerationMode

from service.names import NAME
from service.schemas.fields import Name
from tests.contract.bodies import LOADERS, WHOLE, neighbours
from tests.contract.drift import is_promised, is_taken, nodes, schema_drift
from tests.contract.spec import PATH, contract

FUZZED = schemathesis.openapi.from_path(PATH)


def test_every_request_has_a_schema_in_the_code():
    assert {one.id for one in contract().operations if contract().request_schema(one)} == {*LOADERS}


@pytest.mark.parametrize("operation_id", LOADERS)
def test_whole_bodies_are_taken(operation_id):
    for body in WHOLE[operation_id]:
        assert is_promised(contract(), operation_id, body)
        assert is_taken(LOADERS[operation_id], body)


@pytest.mark.parametrize("operation_id", LOADERS)
def test_every_member_stands_in_a_whole_body(operation_id):
    schema = contract().request_schema(contract().operation(operation_id))

    shown = {key for body in WHOLE[operation_id] for _, one in nodes(body) for key in keys(one)}

    assert members(schema) <= shown


@pytest.mark.parametrize("operation_id", LOADERS)
def test_one_odd_value_or_member_is_judged_alike(operation_id):
    for body in WHOLE[operation_id]:
        assert schema_drift(contract(), operation_id, LOADERS, neighbours(body)) == []


def test_names_are_judged_alike_character_by_character():
    promised = re.compile(contract().document["components"]["schemas"]["PlayerName"]["pattern"])
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]

    for text in [*characters, *(f"A{character}" for character in characters)]:
        assert bool(promised.fullmatch(text)) == bool(NAME.fullmatch(text)), ascii(text)


def test_a_stored_name_fits_its_schema():
    stored = re.compile(contract().document["components"]["schemas"]["StoredName"]["pattern"])

    for character in map(chr, range(sys.maxunicode + 1)):
        if not unicodedata.is_normalized("NFC", character) and NAME.fullmatch(f"A{character}"):
            assert stored.fullmatch(Name().deserialize(f"A{character}")), ascii(character)


@pytest.mark.parametrize("operation_id", LOADERS)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name.lower())
def test_generated_bodies_are_judged_alike(operation_id, mode):
    operation = FUZZED.find_operation_by_id(operation_id)

    # Without shrinking: it takes minutes, and the bodies are small enough to read.
    @settings(
        max_examples=100, derandomize=True, deadline=None, database=None, phases=[Phase.generate]
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def judge(case):
        if is_readable(case.body):
            assert schema_drift(contract(), operation_id, LOADERS, [case.body]) == []

    judge()


def is_readable(body):
    """Whether JSON can say *body*: no body, bytes, half a character or infinity."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        return False
    return all(math.isfinite(one) for _, one in nodes(body) if isinstance(one, float))


def keys(value):
    return value if isinstance(value, dict) else ()


def members(schema):
    """Return the names of all members that *schema* knows, at any depth."""
    schema = contract().resolve(schema)
    inner = [one for key in ("oneOf", "allOf") for one in schema.get(key, [])]
    inner += [schema["items"]] if "items" in schema else []
    properties = schema.get("properties", {})
    return properties.keys() | {
        name for one in [*inner, *properties.values()] for name in members(one)
    }
