"""The contract as tests use it: openapi.yaml, and whether an answer keeps to it.

`validate` is for every test that speaks HTTP: it takes the answer of Flask's test client
or of requests, checks status, media type, headers and body against the operation that
was asked, and returns the answer.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import jsonschema_rs
import yaml

PATH = Path(__file__).parents[2] / "openapi.yaml"

# The document says in words that these stand on every answer.
EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Access-Control-Allow-Origin": "*",
    # Without it a browser shows a page none of them.
    "Access-Control-Expose-Headers": (
        "ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, "
        "Deprecation, Sunset, Request-Id"
    ),
}

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

FAULTS_SHOWN = 10


class Operation(NamedTuple):
    """One method of one path; *definition* is what the document says about it."""

    method: str
    path: str
    definition: Mapping[str, Any]

    @property
    def id(self) -> str:
        return self.definition["operationId"]


class Answer(NamedTuple):
    """An answer, whoever got it; *target* is the path of the request, maybe with a query."""

    method: str
    target: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Contract:
    """A document, with its operations and validators."""

    def __init__(self, document):
        self.document = document
        self._schemas = _by_discriminator(document["components"]["schemas"])
        self._validators = {}
        self.operations = tuple(
            Operation(method.upper(), path, item[method])
            for path, item in document["paths"].items()
            for method in METHODS
            if method in item
        )
        self._templates = sorted(
            ((_template(path), path) for path in document["paths"]), key=lambda pair: len(pair[1])
        )

    def resolve(self, node):
        """Return what *node* refers to, or itself."""
        while "$ref" in node and len(node) == 1:
            found = self.document
            for key in node["$ref"].removeprefix("#/").split("/"):
                found = found[key.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    def operation(self, operation_id):
        return next(one for one in self.operations if one.id == operation_id)

    def parameters(self, operation) -> list[dict]:
        """Return the parameters of *operation*, those of its path first."""
        shared = self.document["paths"][operation.path].get("parameters", [])
        return [self.resolve(one) for one in [*shared, *operation.definition.get("parameters", [])]]

    def request_schema(self, operation):
        """Return the schema of the JSON that *operation* takes as its body, or None."""
        body = operation.definition.get("requestBody")
        return body and body["content"].get("application/json", {}).get("schema")

    def validator(self, schema):
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = jsonschema_rs.Draft202012Validator(
                {**_by_discriminator(schema), "components": {"schemas": self._schemas}}
            )
        return self._validators[key]

    def faults(self, schema, value) -> list[str]:
        """Return what is wrong with *value*, each with its place; the first ten, if many."""
        errors = islice(self.validator(schema).iter_errors(value), FAULTS_SHOWN)
        return [
            f"/{'/'.join(map(str, error.instance_path))}: {error.message[:500]}" for error in errors
        ]

    def problems(self, answer) -> list[str]:
        """Return in which points *answer* differs from the contract."""
        found = [
            f"{name} is {answer.headers.get(name)!r}, not {value!r}"
            for name, value in EVERYWHERE.items()
            if answer.headers.get(name) != value
        ]
        response = self._response(answer)
        if response is None:
            return [*found, f"status {answer.status} is not documented"]
        return [*found, *self._header_problems(response, answer), *self._body(response, answer)]

    def _response(self, answer):
        routing = self.document["x-routing-responses"]
        path = urlsplit(answer.target).path
        template = next((found for shape, found in self._templates if shape.fullmatch(path)), None)
        if template is None:
            responses = {"404": routing["404"]}
        elif answer.method == "OPTIONS":
            responses = {"204": routing["204"]}
        else:
            method = "get" if answer.method == "HEAD" else answer.method.lower()
            operation = self.document["paths"][template].get(method)
            responses = operation["responses"] if operation else {"405": routing["405"]}
        response = responses.get(str(answer.status))
        return response and self.resolve(response)

    def _header_problems(self, response, answer) -> Iterator[str]:
        for name, header in response.get("headers", {}).items():
            definition, value = self.resolve(header), answer.headers.get(name)
            if value is None:
                if definition.get("required"):
                    yield f"the header {name} is missing"
                continue
            yield from (f"{name}: {fault}" for fault in self.faults(definition["schema"], value))

    def _body(self, response, answer) -> Iterator[str]:
        content = response.get("content", {})
        if answer.method == "HEAD" or not content:
            if answer.body:
                yield "there is a body"
            return
        media_type = answer.headers.get("Content-Type", "").partition(";")[0]
        if media_type not in content:
            yield f"the media type is {media_type!r}, not {', '.join(content)}"
            return
        if media_type == "text/event-stream":
            yield from self._frames(content[media_type]["schema"], answer.body)
        else:
            yield from self.faults(content[media_type]["schema"], _parsed(media_type, answer.body))

    def _frames(self, schema, body) -> Iterator[str]:
        of_name = self.resolve(schema)["discriminator"]["mapping"]
        for frame in frames(body):
            found = self.faults(schema, frame)
            yield from found
            if not found:
                data = self.resolve({"$ref": of_name[frame["event"]]})["properties"]["data"]
                yield from self.faults(data["contentSchema"], json.loads(frame["data"]))


def frames(body):
    """Return the frames of a stream that have data, as an `EventSource` has them."""
    found = []
    for text in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in text.split("\n") if line)
        if "data" in fields:
            retry = {"retry": int(fields.pop("retry"))} if "retry" in fields else {}
            found.append({"event": "message", **fields, **retry})
    return found


def validate(response):
    """Return *response*, an answer of Flask's test client or of requests, if it keeps to the
    contract.

    Raises:
        AssertionError: It does not; the message names every difference.
    """
    answer = as_answer(response)
    problems = contract().problems(answer)
    request = f"{answer.method} {answer.target} → {answer.status}"
    assert not problems, "\n".join([request, *problems, answer.body.decode(errors="replace")])
    return response


def as_answer(response) -> Answer:
    """Return an answer of Flask's test client or of requests as an `Answer`."""
    request = response.request
    if hasattr(response, "get_data"):
        target, body = request.full_path, response.get_data()
    else:
        target, body = request.path_url, response.content
    return Answer(request.method, target, response.status_code, response.headers, body)


@cache
def contract() -> Contract:
    """Return openapi.yaml, read once."""
    return Contract(yaml.safe_load(PATH.read_bytes()))


def _parsed(media_type, body):
    match media_type:
        case "application/yaml":
            return yaml.safe_load(body)
        case "application/x-ndjson":
            return [json.loads(line) for line in body.splitlines()]
        case "text/html" | "text/css" | "text/javascript" | "text/x-hgn":
            return body.decode()
        case _:
            return json.loads(body)


def _template(path):
    pieces = re.split(r"\{[a-z_]+\}", path)
    return re.compile("[^/]+".join(map(re.escape, pieces)))


def _by_discriminator(node):
    """Return *node* with each `oneOf` under a discriminator as one choice by that member.

    It says the same, but names the member that is wrong instead of "none of 14".
    """
    if isinstance(node, list):
        return [_by_discriminator(one) for one in node]
    if not isinstance(node, dict):
        return node
    if "discriminator" in node:
        return _choice(**node["discriminator"])
    return {key: _by_discriminator(value) for key, value in node.items()}


def _choice(*, propertyName, mapping):  # noqa: N803 - as OpenAPI spells it
    return {
        "type": "object",
        "required": [propertyName],
        "properties": {propertyName: {"enum": list(mapping)}},
        "allOf": [
            {"if": {"properties": {propertyName: {"const": word}}}, "then": {"$ref": reference}}
            for word, reference in mapping.items()
        ],
    }
