"""The schemas of the code and of the contract take and refuse the same bodies."""

import json
import math
import re
import sys
import unicodedata

import pytest
import schemathesis
from hypothesis import Phase, given, settings
from marshmallow import ValidationError
from schemathesis import GenerationMode

from service.schemas import requests
from service.schemas.fields import NAME, Name
from tests.contract.drift import changed, nodes, without
from tests.contract.spec import PATH, contract

LOADERS = {
    "createGame": requests.CreateGame().load,
    "claimSeat": requests.ClaimSeat().load,
    "claimAnySeat": requests.ClaimSeat().load,
    "updateSeat": requests.UpdateSeat().load,
    "startGame": requests.Expectation().load,
    "abortGame": requests.Expectation().load,
    "makeMove": lambda body: requests.load_variant(body, "type", requests.MOVES),
}

RULES = contract().document["components"]["examples"]["Preset"]["value"]["rules"]

# Every member of every request stands in one of these.
FULL = {
    "createGame": [
        {
            "rules": RULES,
            "seats": [
                {"kind": "human"},
                {"kind": "bot", "level": "easy"},
                {"kind": "bot", "level": "random", "name": "Robo"},
            ],
            "claim": {"seat": 0, "name": "Ana"},
        },
        {
            "rules": {
                "deck": {"remove": ["2C", "2D"]},
                "scoring": {"hearts": {"A": 5, "2": -1}, "extra": {"JD": -10}, "moon_points": 26},
            }
        },
    ],
    "claimSeat": [{"name": "Ana", "client_seed": "a1" * 32}],
    "claimAnySeat": [{"name": "Ana", "client_seed": None}],
    "updateSeat": [{"name": "Ana", "client_seed": "a1" * 32}],
    "startGame": [{"expected_version": 5}],
    "abortGame": [{"expected_version": 5}],
    "makeMove": [
        {"type": "pass", "cards": ["QS", "2H", "TD"], "turn_id": 7, "expected_version": 9},
        {"type": "play", "card": "QS", "turn_id": 7, "expected_version": 9},
        {"type": "moon", "choice": "others_add", "turn_id": 7, "expected_version": 9},
    ],
}

DECK = [f"{rank}{suit}" for suit in "CDSH" for rank in "23456789TJQKA"]

NUMBERS = [
    *(-1001, -1000, -1, 0, 1, 2, 3, 4, 6, 7, 8, 12, 17, 18, 52, 53, 256, 257, 1000, 1001),
    *(100_000, 100_001, 999_999, 1_000_000, 999_999_999, 1_000_000_000, 4.0, -0.0, 4.5, 1e300),
]

NAMES = [
    *("Ana", " Ana ", "   ", "\u200b", "A\u200b", "\u202eA", "A\u202e", "A\0", "A\n", "\tA"),
    *("a" * 32, "a" * 33, "🂡" * 32, "🂡" * 33, "e\u0301", "\u0301e", "É", "한", "\u3164"),
    *(" " * 31 + "a", " " * 32 + "a", "<script>", "A\u00a0B", "A B", "👩\u200d🚀", "\U000e0041"),
]

WORDS = [
    *(
        "",
        "QS",
        "qs",
        "QS\n",
        "\nQS",
        "\uff31\uff33",
        "Q",
        "1S",
        "QSQS",
        "one",
        "auto",
        "off",
        "human",
    ),
    *("a1" * 32, "A1" * 32, "a1" * 31, "a1" * 32 + "\n", "٣", "4", "true", "null", "2" * 257),
]

OTHERS = [
    *(None, True, False, [], {}, [[]], [None], [1], ["QS"], ["QS", "QS"], DECK, [*DECK, "2C"]),
    *(DECK[:17], DECK[:18], ["left"], ["left"] * 12, ["left"] * 13, ["up"], {"kind": "human"}),
    *({"JD": 1}, {"JD": 1.0}, {"jd": 1}, {"JD": "1"}, {"JD": True}, {"JD": 1001}, {"A": 1}),
    *([{"kind": "human"}] * 2, [{"kind": "human"}] * 3, [{"kind": "human"}] * 8, [{"kind": "bot"}]),
]

ODD = [*NUMBERS, *NAMES, *WORDS, *OTHERS]

FUZZED = schemathesis.openapi.from_path(PATH)


def test_every_request_has_a_schema_in_the_code():
    assert {one.id for one in contract().operations if contract().request_schema(one)} == {*LOADERS}


@pytest.mark.parametrize("operation_id", LOADERS)
def test_whole_bodies_are_taken(operation_id):
    for body in FULL[operation_id]:
        assert is_promised(operation_id, body)
        assert is_taken(operation_id, body)


@pytest.mark.parametrize("operation_id", LOADERS)
def test_every_member_stands_in_a_whole_body(operation_id):
    schema = contract().request_schema(contract().operation(operation_id))

    shown = {key for body in FULL[operation_id] for _, one in nodes(body) for key in keys(one)}

    assert members(schema) <= shown


@pytest.mark.parametrize("operation_id", LOADERS)
def test_one_odd_value_anywhere_is_judged_alike(operation_id):
    for body in FULL[operation_id]:
        for path, _ in nodes(body):
            for odd in ODD:
                assert_judged_alike(operation_id, changed(body, path, odd))


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
def test_one_member_more_or_less_is_judged_alike(operation_id):
    for body in FULL[operation_id]:
        for path, value in nodes(body):
            if path:
                assert_judged_alike(operation_id, without(body, path))
            if isinstance(value, dict):
                assert_judged_alike(operation_id, changed(body, (*path, "unforeseen"), 1))


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
            assert_judged_alike(operation_id, case.body)

    judge()


def assert_judged_alike(operation_id, body):
    assert is_promised(operation_id, body) == is_taken(operation_id, body), body


def is_promised(operation_id, body):
    schema = contract().request_schema(contract().operation(operation_id))
    return contract().validator(schema).is_valid(body)


def is_taken(operation_id, body):
    try:
        LOADERS[operation_id](body)
    except ValidationError:
        return False
    return True


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
