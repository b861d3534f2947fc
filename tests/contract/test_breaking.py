"""What breaks clients of an older contract is found, whatever it is, and nothing else is."""

from copy import deepcopy

import pytest

from tests.contract.breaking import breaches
from tests.contract.released import read, refusal, shape_of
from tests.contract.spec import contract

TEXT = {"type": "string"}


def told(schema):
    return {"application/json": {"schema": schema}}


DOCUMENT = {
    "info": {"version": "1.2.3"},
    "paths": {
        "/games/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": TEXT}],
            "get": {
                "operationId": "getGame",
                "security": [{}, {"token": []}],
                "parameters": [
                    {"name": "as", "in": "query", "schema": {"enum": ["own", "public"]}},
                    {"name": "If-None-Match", "in": "header", "schema": TEXT},
                ],
                "responses": {
                    "200": {
                        "headers": {
                            "ETag": {
                                "required": True,
                                "schema": {"type": "string", "pattern": "^a$"},
                            },
                            "Link": {"schema": TEXT},
                        },
                        "content": told({"$ref": "#/components/schemas/Game"})
                        | {"text/plain": {"schema": TEXT}},
                    },
                    "404": {
                        "content": {
                            "application/problem+json": {
                                "schema": {"$ref": "#/components/schemas/Problem"}
                            }
                        }
                    },
                },
            },
            "post": {
                "operationId": "play",
                "requestBody": {
                    "required": False,
                    "content": told({"$ref": "#/components/schemas/Move"}),
                },
                "responses": {"201": {"content": told({"$ref": "#/components/schemas/Told"})}},
            },
        }
    },
    "webhooks": {
        "turn": {"post": {"requestBody": {"content": told({"$ref": "#/components/schemas/Hook"})}}}
    },
    "components": {
        "schemas": {
            "Move": {
                "type": "object",
                "additionalProperties": False,
                "required": ["card"],
                "properties": {
                    "card": {"$ref": "#/components/schemas/Card"},
                    "count": {"type": "integer", "minimum": 1, "maximum": 9},
                    "name": {"type": ["string", "null"], "minLength": 1, "maxLength": 9},
                    "cards": {"type": "array", "maxItems": 3, "items": TEXT},
                    "who": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
                    "kind": {"enum": ["bot", "human"]},
                },
                "if": {"properties": {"kind": {"const": "bot"}}},
                "then": {"properties": {"name": TEXT}},
            },
            "Card": {"type": "string", "pattern": "^[2-9][CDHS]$"},
            "Game": {
                "allOf": [{"$ref": "#/components/schemas/Base"}],
                "unevaluatedProperties": False,
                "required": ["status", "events"],
                "properties": {
                    "status": {"enum": ["open", "over"]},
                    "mode": {"const": "seeded"},
                    "note": TEXT,
                    "events": {
                        "type": "array",
                        "minItems": 1,
                        "items": {"$ref": "#/components/schemas/Event"},
                    },
                    "parent": {"$ref": "#/components/schemas/Game"},
                    "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
                    "seat": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
                },
            },
            "Base": {"type": "object", "required": ["id"], "properties": {"id": TEXT}},
            "Event": {
                "oneOf": [
                    {"$ref": "#/components/schemas/Played"},
                    {"$ref": "#/components/schemas/Passed"},
                ],
                "discriminator": {
                    "propertyName": "type",
                    "mapping": {
                        "played": "#/components/schemas/Played",
                        "passed": "#/components/schemas/Passed",
                    },
                },
            },
            "Played": {
                "type": "object",
                "required": ["type", "card"],
                "properties": {
                    "type": {"const": "played"},
                    "card": {"$ref": "#/components/schemas/Card"},
                },
            },
            "Passed": {"type": "object", "properties": {"type": {"const": "passed"}}},
            "Problem": {
                "type": "object",
                "required": ["code"],
                "properties": {"code": {"enum": ["gone"]}},
            },
            "Told": {"type": "object", "properties": {"seat": {"type": "integer", "maximum": 3}}},
            "Hook": {"type": "object", "required": ["id"], "properties": {"id": TEXT}},
        }
    },
}

SEND = ("components", "schemas", "Move")
GAME = ("components", "schemas", "Game")
EVENT = ("components", "schemas", "Event")
GET, POST = (("paths", "/games/{id}", method) for method in ("get", "post"))
GONE = object()


def planted(*changes):
    """Return the document with *changes*: each a path, and what is to stand there."""
    document = deepcopy(DOCUMENT)
    for *path, last, value in changes:
        node = document
        for key in path:
            node = node[key]
        if value is GONE:
            del node[last]
        elif isinstance(node, list) and last == len(node):
            node.append(value)
        else:
            node[last] = value
    return document


BREAKING = {
    "a path goes": [("paths", "/games/{id}", GONE)],
    "an operation goes": [(*POST, GONE)],
    "an operation has another name": [(*GET, "operationId", "readGame")],
    "a parameter goes": [(*GET, "parameters", 0, GONE)],
    "a header goes": [(*GET, "parameters", 1, GONE)],
    "a parameter must be sent": [(*GET, "parameters", 0, "required", True)],
    "a parameter comes that must be sent": [
        (*GET, "parameters", 2, {"name": "x", "in": "query", "required": True, "schema": TEXT})
    ],
    "a word of a parameter goes": [(*GET, "parameters", 0, "schema", "enum", ["own"])],
    "a parameter is written otherwise": [(*GET, "parameters", 0, "explode", False)],
    "a token is needed": [(*GET, "security", [{"token": []}])],
    "a token is no longer taken": [
        (*GET, "security", [{}, {"key": []}]),
        (*GET, "security", 0, {"key": []}),
    ],
    "a body must be sent": [(*POST, "requestBody", "required", True)],
    "a body goes": [(*POST, "requestBody", GONE)],
    "a media type is no longer taken": [(*POST, "requestBody", "content", {"text/plain": {}})],
    "a member must be sent": [(*SEND, "required", ["card", "kind"])],
    "a member comes that must be sent": [
        (*SEND, "required", ["card", "x"]),
        (*SEND, "properties", "x", TEXT),
    ],
    "a member is refused": [(*SEND, "properties", "count", GONE)],
    "a word is refused": [(*SEND, "properties", "kind", "enum", ["human"])],
    "a type is refused": [(*SEND, "properties", "name", "type", "string")],
    "a fraction is refused": [(*SEND, "properties", "cards", "items", {"type": "number"})],
    "only some words are taken": [(*SEND, "properties", "name", "enum", ["Ana"])],
    "a least value rises": [(*SEND, "properties", "count", "minimum", 2)],
    "a greatest value falls": [(*SEND, "properties", "count", "maximum", 8)],
    "a text must be longer": [(*SEND, "properties", "name", "minLength", 2)],
    "a text must be shorter": [(*SEND, "properties", "name", "maxLength", 8)],
    "a list must be shorter": [(*SEND, "properties", "cards", "maxItems", 2)],
    "a list must have something": [(*SEND, "properties", "cards", "minItems", 1)],
    "a list must have no twins": [(*SEND, "properties", "cards", "uniqueItems", True)],
    "a pattern changes": [("components", "schemas", "Card", "pattern", "^[2-9][CDH]$")],
    "a format comes": [(*SEND, "properties", "name", "format", "uuid")],
    "an alternative is refused": [(*SEND, "properties", "who", "oneOf", 1, GONE)],
    "what was free is one of two": [
        (
            *SEND,
            "properties",
            "name",
            {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        )
    ],
    "a condition comes": [(*SEND, "if", {"required": ["count"]})],
    "a condition asks for more": [(*SEND, "then", {"properties": {"name": {"const": "x"}}})],
    "a success goes": [(*POST, "responses", {"200": {}})],
    "a success comes that nobody knows": [(*POST, "responses", "202", {})],
    "a media type is no longer sent": [(*GET, "responses", "200", "content", "text/plain", GONE)],
    "a header is no longer sent": [(*GET, "responses", "200", "headers", "Link", GONE)],
    "a header is not always there": [
        (*GET, "responses", "200", "headers", "ETag", "required", False)
    ],
    "a header looks otherwise": [
        (*GET, "responses", "200", "headers", "ETag", "schema", "pattern", "^b$")
    ],
    "a member is no longer told": [(*GAME, "properties", "note", GONE)],
    "a member of all is no longer told": [
        ("components", "schemas", "Base", "properties", "id", GONE)
    ],
    "a member is not always told": [(*GAME, "required", ["events"])],
    "a member of all is not always told": [("components", "schemas", "Base", "required", [])],
    "a member may be null": [(*GAME, "properties", "note", "type", ["string", "null"])],
    "a word may be null": [(*GAME, "properties", "status", "enum", ["open", "over", None])],
    "a member has another type": [(*GAME, "properties", "note", "type", "integer")],
    "a word becomes any word": [(*GAME, "properties", "status", TEXT)],
    "a list may be empty": [(*GAME, "properties", "events", "minItems", 0)],
    "a number may be greater": [
        ("components", "schemas", "Told", "properties", "seat", "maximum", 9)
    ],
    "a number has no bound": [
        ("components", "schemas", "Told", "properties", "seat", {"type": "integer"})
    ],
    "what is told of others changes": [
        (*GAME, "properties", "scores", "additionalProperties", TEXT)
    ],
    "others are no longer told": [(*GAME, "properties", "scores", "additionalProperties", False)],
    "an alternative comes": [(*GAME, "properties", "seat", "oneOf", 2, {"type": "null"})],
    "a kind of event goes": [(*EVENT, "discriminator", "mapping", "passed", GONE)],
    "a kind of event loses a member": [
        ("components", "schemas", "Played", "properties", "card", GONE)
    ],
    "a webhook goes": [("webhooks", "turn", GONE)],
    "a webhook loses a member": [("components", "schemas", "Hook", "properties", {})],
    "a refusal loses a member": [("components", "schemas", "Problem", "properties", {})],
    "a refusal has another shape": [
        ("components", "schemas", "Problem", {"oneOf": [{"type": "object", "properties": {}}]})
    ],
}

ADDITIVE = {
    "a path comes": [("paths", "/deals", {"get": DOCUMENT["paths"]["/games/{id}"]["get"]})],
    "an operation comes": [
        ("paths", "/games/{id}", "put", deepcopy(DOCUMENT["paths"]["/games/{id}"]["post"]))
    ],
    "a parameter comes": [(*GET, "parameters", 2, {"name": "x", "in": "query", "schema": TEXT})],
    "a word of a parameter comes": [
        (*GET, "parameters", 0, "schema", "enum", ["own", "public", "all"])
    ],
    "another token is taken": [(*GET, "security", [{}, {"token": []}, {"key": []}])],
    "no token is needed": [(*POST, "security", [{}])],
    "a media type is taken": [(*POST, "requestBody", "content", "text/plain", {"schema": TEXT})],
    "a member is taken": [(*SEND, "properties", "x", TEXT)],
    "a member need not be sent": [(*SEND, "required", [])],
    "a word is taken": [(*SEND, "properties", "kind", "enum", ["bot", "human", "none"])],
    "a type is taken": [(*SEND, "properties", "count", "type", ["integer", "null"])],
    "fractions are taken": [(*SEND, "properties", "count", "type", "number")],
    "bounds are wider": [
        (*SEND, "properties", "count", {"type": "integer", "minimum": 0}),
        (*SEND, "properties", "name", "maxLength", 99),
    ],
    "an alternative is taken": [(*SEND, "properties", "who", "oneOf", 2, {"type": "null"})],
    "what was free is said in two": [
        (*SEND, "properties", "name", {"oneOf": [TEXT, {"type": "null"}]})
    ],
    "a condition goes": [(*SEND, "if", GONE), (*SEND, "then", GONE)],
    "a refusal comes": [(*POST, "responses", "429", {"content": told({"type": "object"})})],
    "a refusal goes": [(*GET, "responses", "404", GONE)],
    "a refusal has a further shape": [
        (
            *("components", "schemas", "Problem"),
            {"oneOf": [DOCUMENT["components"]["schemas"]["Problem"], {"type": "object"}]},
        )
    ],
    "a code comes": [
        ("components", "schemas", "Problem", "properties", "code", "enum", ["gone", "x"])
    ],
    "a media type is sent": [(*GET, "responses", "200", "content", "text/csv", {"schema": TEXT})],
    "a header is sent": [(*GET, "responses", "200", "headers", "Age", {"schema": TEXT})],
    "a member is told": [
        (*GAME, "properties", "x", TEXT),
        (*GAME, "required", ["status", "events", "x"]),
    ],
    "a member is always told": [(*GAME, "required", ["status", "events", "note"])],
    "a word is told": [(*GAME, "properties", "status", "enum", ["open", "over", "paused"])],
    "one word becomes two": [(*GAME, "properties", "mode", {"enum": ["seeded", "committed"]})],
    "a kind of event comes": [
        (*EVENT, "oneOf", 2, {"type": "object"}),
        (*EVENT, "discriminator", "mapping", "shot", "#/components/schemas/Told"),
    ],
    "bounds are narrower": [("components", "schemas", "Told", "properties", "seat", "maximum", 2)],
    "an alternative is no longer told": [(*GAME, "properties", "seat", "oneOf", 1, GONE)],
    "parts are said in one": [
        (
            *("components", "schemas", "Base"),
            {"allOf": [{"type": "object"}, {"required": ["id"], "properties": {"id": TEXT}}]},
        )
    ],
    "a schema has another name": [
        ("components", "schemas", "Board", DOCUMENT["components"]["schemas"]["Game"]),
        (
            *GET,
            "responses",
            "200",
            "content",
            "application/json",
            {"schema": {"$ref": "#/components/schemas/Board"}},
        ),
    ],
    "a webhook comes": [("webhooks", "over", deepcopy(DOCUMENT["webhooks"]["turn"]))],
}


@pytest.mark.parametrize("changes", BREAKING.values(), ids=BREAKING)
def test_a_change_that_breaks_clients_is_found(changes):
    assert breaches(DOCUMENT, planted(*changes))


@pytest.mark.parametrize("changes", ADDITIVE.values(), ids=ADDITIVE)
def test_a_change_that_breaks_nobody_is_let_through(changes):
    assert breaches(DOCUMENT, planted(*changes)) == []


def test_a_breach_says_where_it_is():
    (found,) = breaches(DOCUMENT, planted(*BREAKING["a word is refused"]))

    assert found == "POST /games/{id} body application/json/kind: no longer takes bot"


# What is released


def test_the_contract_breaks_no_client_of_the_released_one():
    assert breaches(read(), shape_of(contract().document)) == []


def test_a_shape_breaks_as_its_document_does():
    document = contract().document

    assert breaches(document, shape_of(document)) == []
    assert breaches(shape_of(document), document) == []


@pytest.mark.parametrize(
    ("before", "after", "kind", "is_refused"),
    [
        ("1.2.3", "1.2.3", None, True),
        ("1.2.3", "1.2.2", None, True),
        ("1.2.3", "1.2.4", None, False),
        ("1.2.3", "1.2.4", ADDITIVE, True),
        ("1.2.3", "1.3.0", ADDITIVE, False),
        ("1.2.3", "1.3.0", BREAKING, True),
        ("1.2.3", "2.0.0", BREAKING, False),
        ("0.2.3", "0.2.4", BREAKING, True),
        ("0.2.3", "0.3.0", BREAKING, False),
        ("0.9.9", "0.10.0", ADDITIVE, False),
    ],
)
def test_a_version_must_say_what_its_contract_does(before, after, kind, is_refused):
    changes = (
        []
        if kind is None
        else kind["an operation comes" if kind is ADDITIVE else "an operation goes"]
    )
    old, new = planted(("info", "version", before)), planted(*changes, ("info", "version", after))

    assert (refusal(old, new) is not None) == is_refused
