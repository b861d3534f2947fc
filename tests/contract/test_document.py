import re

import pytest
from openapi_spec_validator import validate as validate_openapi

from service.contract import openapi_bytes
from tests.contract.drift import missable_members, named_enums, nodes, open_objects, responses
from tests.contract.spec import PATH, contract

DOCUMENT = contract().document

SCHEMAS = DOCUMENT["components"]["schemas"]

PATTERNS = {
    path: node
    for path, node in nodes(DOCUMENT)
    if path and path[-1] == "pattern" and isinstance(node, str)
}

# What has slipped through patterns before: other digits, other letters, line ends, NUL.
STRANGE = [
    *("", "\n", "\0", "QS\n", "\uff31\uff33", "qs", "Q♠", "٣", "²", " ", "\u200b", "\u202e"),
    *("é", "e\u0301", "\U0001d7db", "🂡"),
]


def test_the_document_is_valid_openapi():
    validate_openapi(DOCUMENT)


def test_nothing_is_described_that_nothing_refers_to():
    references = {node for path, node in nodes(DOCUMENT) if path and path[-1] == "$ref"}
    schemes = {
        scheme
        for one in contract().operations
        for part in one.definition["security"]
        for scheme in part
    }

    for kind, components in DOCUMENT["components"].items():
        if kind == "securitySchemes":
            assert set(components) == schemes
        else:
            assert {f"#/components/{kind}/{name}" for name in components} <= references


def test_the_service_serves_the_document_at_the_root():
    assert openapi_bytes() == PATH.read_bytes()


@pytest.mark.parametrize("operation", contract().operations, ids=lambda one: one.id)
def test_an_operation_says_what_it_is(operation):
    definition = operation.definition

    assert definition["summary"]
    assert definition["description"]
    assert len(definition["tags"]) == 1
    assert set(definition["tags"]) <= {tag["name"] for tag in DOCUMENT["tags"]}
    assert "security" in definition


def test_operations_have_names_of_their_own():
    names = [one.id for one in contract().operations]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("operation", contract().operations, ids=lambda one: one.id)
def test_a_parameter_is_described_and_strict(operation):
    for one in contract().parameters(operation):
        schema = contract().resolve(one["schema"])

        assert one["description"]
        if schema["type"] == "integer":
            assert schema["minimum"] >= 0
            assert schema["maximum"] <= 999_999_999
        elif schema["type"] == "string" and one["name"] not in (
            "If-Match",
            "If-None-Match",
            "Prefer",
            # What is wrong with these is told in a stream, or by 401.
            "Last-Event-ID",
            "after",
            "ticket",
        ):
            assert "enum" in schema or "pattern" in schema


def test_conditional_headers_take_any_value():
    parameters = DOCUMENT["components"]["parameters"]

    assert parameters["IfMatch"]["schema"] == {"type": "string"}
    assert parameters["IfNoneMatch"]["schema"] == {"type": "string"}


@pytest.mark.parametrize(
    ("place", "status", "response"),
    list(responses(contract())),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_has_its_headers(place, status, response):
    headers = response["headers"]

    assert "Request-Id" in headers
    assert ("WWW-Authenticate" in headers) == (status == "401")
    # Of an analysis it says when to look again.
    is_awaited = place in {"analyseGame", "getAnalysis"} and status[0] == "2"
    assert ("Retry-After" in headers) == (is_awaited or status in ("429", "503"))
    assert ("Cache-Control" in headers) == (status[0] in "23" and place != "any path")
    assert ("Allow" in headers) == (place == "any path" and status != "404")


@pytest.mark.parametrize(
    ("place", "status", "response"),
    list(responses(contract())),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_error_is_a_problem(place, status, response):
    if status[0] in "23" or (place, status) == ("getReadiness", "503"):
        assert "application/problem+json" not in response.get("content", {})
    else:
        assert list(response["content"]) == ["application/problem+json"]


def test_the_problem_of_an_answer_has_its_status():
    for place, status, response in responses(contract()):
        content = response.get("content", {}).get("application/problem+json", {})
        for example in content.get("examples", {}).values():
            value = contract().resolve(example)["value"]

            assert value["status"] == int(status), place
            assert value["type"] == f"/problems/{value['code'].replace('_', '-')}", place


def test_no_body_may_have_unknown_members():
    assert open_objects(contract()) == []


def test_no_member_of_an_answer_may_be_left_out():
    assert missable_members(contract()) == []


def test_words_that_may_grow_are_listed_twice_alike():
    growing = {name for name, schema in SCHEMAS.items() if "x-extensible-enum" in schema}

    assert growing == {
        "AnalysisLevel",
        "PresetName",
        "BotLevel",
        "EventType",
        "Feature",
        "ProblemCode",
        "RatePolicy",
        "WebhookError",
        "WebhookEvent",
    }
    for name in growing:
        assert SCHEMAS[name]["x-extensible-enum"] == SCHEMAS[name]["enum"]


def test_no_enumeration_has_a_word_twice():
    for name, words in named_enums(contract()).items():
        assert len(set(words)) == len(words), name


def test_a_discriminator_leads_to_the_schemas_beside_it():
    for _, node in nodes(DOCUMENT):
        if isinstance(node, dict) and "discriminator" in node:
            member, mapping = node["discriminator"].values()

            assert [one["$ref"] for one in node["oneOf"]] == list(mapping.values())
            for word, reference in mapping.items():
                found = contract().resolve({"$ref": reference})
                assert found["properties"][member] == {"const": word}


def test_brackets_close_further_in_than_they_open():
    """The standard wants it so; PyYAML does not mind, and readers in other languages do."""
    opened = []
    for number, line in enumerate(PATH.read_text("utf-8").splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if opened:
            assert indent > opened[-1], f"line {number}"
        if re.search(r"[:-] [\[{]$", line):
            opened.append(indent)
        elif line.strip() in {"]", "}"}:
            opened.pop()


@pytest.mark.parametrize("pattern", sorted(set(PATTERNS.values())))
def test_a_pattern_is_anchored_and_linear(pattern):
    assert pattern.startswith("^")
    assert pattern.endswith("$")
    # No repetition of something that itself repeats: that is what backtracks.
    assert not re.search(r"[*+}]\)[*+{]", pattern) or pattern in (
        "^(/[^/]*)*$",  # each round begins with a slash that no round may hold
        "^[a-z]+(_[a-z]+)*$",  # the same with an underscore
        "^/problems/[a-z]+(-[a-z]+)*$",  # and with a hyphen
        "^[A-Z]{3,7}(, [A-Z]{3,7})*$",  # and with a comma
    )


@pytest.mark.parametrize("pattern", sorted(set(PATTERNS.values())))
def test_a_pattern_means_the_same_to_python_and_to_json_schema(pattern):
    validator = contract().validator({"pattern": pattern})

    for text in [*STRANGE, *(f"{word}\n" for word in _fitting_examples(pattern))]:
        assert validator.is_valid(text) == bool(re.fullmatch(pattern, text)), repr(text)


def _fitting_examples(pattern):
    return [
        node
        for _, node in nodes(DOCUMENT["components"]["examples"])
        if isinstance(node, str) and re.fullmatch(pattern, node)
    ]
