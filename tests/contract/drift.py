"""Checks that the contract and the code say the same, each as a list of differences.

They take a `Contract`, so that tests can run them on a copy with a planted fault.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import ValidationError

IMPLICIT_METHODS = {"HEAD", "OPTIONS"}

# Optional in answers, as the document says of the seats of game.created.
OPTIONAL_MEMBERS = {"level", "name"}

# Whose members are seats or cards, as many as there are.
MAPS = {"can_hold", "private", "extra"}

# The value of some option, which may be of any kind.
ANYTHING = {"value", "usual"}


class Example(NamedTuple):
    """An example with the schema it illustrates; *place* says where it stands."""

    place: str
    schema: Mapping[str, Any]
    value: Any
    is_request: bool


def route_drift(contract, app) -> list[str]:
    """Return the operations that only one of contract and Flask app has."""
    promised = {(one.method, _shape(one.path)) for one in contract.operations}
    served = {
        (method, _shape(rule.rule))
        for rule in app.url_map.iter_rules()
        for method in rule.methods - IMPLICIT_METHODS
    }
    return [
        *(f"{method} {path} is promised, not served" for method, path in sorted(promised - served)),
        *(f"{method} {path} is served, not promised" for method, path in sorted(served - promised)),
    ]


def enum_drift(contract, words) -> list[str]:
    """Return how the named enumerations differ from *words*, which has the code's by name."""
    promised = named_enums(contract)
    return [
        *(f"{name}: the code has no such list" for name in sorted(promised.keys() - words.keys())),
        *(
            f"{name}: the contract has no such list"
            for name in sorted(words.keys() - promised.keys())
        ),
        *(
            f"{name}: {fault}"
            for name in sorted(promised.keys() & words.keys())
            for fault in _word_drift(promised[name], list(words[name]))
        ),
    ]


def named_enums(contract) -> dict[str, list[str]]:
    """Return the enumerations that have a name of their own in the contract."""
    schemas = contract.document["components"]["schemas"]
    return {
        name: [word for word in schema["enum"] if word is not None]
        for name, schema in schemas.items()
        if "enum" in schema
    }


def code_drift(contract, statuses) -> list[str]:
    """Return how the problems of all answers differ from *statuses*, the code's by code.

    A status of None means that the code is used with no status of its own.
    """
    closed = set(named_enums(contract)["ProblemCode"])
    used = {code: status for status, codes in answered_codes(contract) for code in codes}
    return [
        *(f"{code} is listed, but no answer has it" for code in closed - used.keys()),
        *(f"{code} is in an answer, but not listed" for code in used.keys() - closed),
        *(f"{code} is listed, but the code has none such" for code in closed - statuses.keys()),
        *(f"{code} is in the code, but not listed" for code in statuses.keys() - closed),
        *(
            f"{code} is {used[code]} in the contract and {statuses[code]} in the code"
            for code in used.keys() & statuses.keys()
            if statuses[code] not in (None, used[code])
        ),
    ]


def answered_codes(contract) -> Iterator[tuple[int, list[str]]]:
    """Yield the status and the codes of every answer that is a problem."""
    for _, status, response in responses(contract):
        content = response.get("content", {}).get("application/problem+json")
        if content:
            yield int(status), _codes(contract, content["schema"])


def responses(contract) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield where it stands, status and definition of every answer."""
    for operation in contract.operations:
        for status, response in operation.definition["responses"].items():
            yield operation.id, status, contract.resolve(response)
    for status, response in contract.document["x-routing-responses"].items():
        yield "any path", status, contract.resolve(response)


def examples(contract) -> Iterator[Example]:
    """Yield every example of the contract."""
    for operation in contract.operations:
        body = operation.definition.get("requestBody")
        if body:
            yield from _of_content(contract, f"{operation.id} request", body, is_request=True)
        for one in contract.parameters(operation):
            if "example" in one:
                place = f"{operation.id} {one['name']}"
                yield Example(place, one["schema"], one["example"], is_request=True)
    for place, status, response in responses(contract):
        yield from _of_content(contract, f"{place} {status}", response, is_request=False)
        for name, header in response.get("headers", {}).items():
            found = contract.resolve(header)
            if "example" in found:
                where = f"{place} {status} {name}"
                yield Example(where, found["schema"], found["example"], is_request=False)


def example_drift(contract) -> list[str]:
    """Return which examples do not fit their schemas, and which bodies have none."""
    found = list(examples(contract))
    shown = {one.place for one in found}
    bodies = [f"{one.id} request" for one in contract.operations if contract.request_schema(one)]
    bodies += [
        f"{place} {status}" for place, status, one in responses(contract) if "content" in one
    ]
    return [
        *(f"{place}: there is no example" for place in bodies if place not in shown),
        *(
            f"{one.place}: {fault}"
            for one in found
            for fault in contract.faults(one.schema, one.value)
        ),
    ]


def schema_drift(contract, operation_id, loaders, bodies) -> list[str]:
    """Return the *bodies* that only one of contract and code takes."""
    load = loaders[operation_id]
    return [
        f"the {'contract' if promised else 'code'} alone takes {body!r}"
        for body in bodies
        if (promised := is_promised(contract, operation_id, body)) != is_taken(load, body)
    ]


def is_promised(contract, operation_id, body) -> bool:
    """Return whether the contract takes *body*."""
    schema = contract.request_schema(contract.operation(operation_id))
    return contract.validator(schema).is_valid(body)


def is_taken(load, body) -> bool:
    """Return whether the code takes *body*."""
    try:
        load(body)
    except ValidationError:
        return False
    return True


def open_objects(contract) -> list[str]:
    """Return the objects, in the examples of all bodies, that may have unknown members."""
    return [
        f"{one.place}: {'/'.join(map(str, path))} may have unknown members"
        for one in _bodies(contract)
        for path, node in nodes(one.value)
        if isinstance(node, dict)
        and not ANYTHING & set(path)
        and contract.validator(one.schema).is_valid(changed(one.value, (*path, "unforeseen"), 1))
    ]


def missable_members(contract) -> list[str]:
    """Return the members, in the examples of all answers, that may be left out."""
    return [
        f"{one.place}: {'/'.join(map(str, path))} may be left out"
        for one in _bodies(contract)
        if not one.is_request
        for path, _ in nodes(one.value)
        if path
        and isinstance(path[-1], str)
        and path[-1] not in OPTIONAL_MEMBERS
        and path[-2:-1] not in {(name,) for name in MAPS}
        and not ANYTHING & set(path[:-1])
        and contract.validator(one.schema).is_valid(without(one.value, path))
    ]


def nodes(value, path=()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield *value* and everything in it, each with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from nodes(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from nodes(inner, (*path, index))


def changed(value, path, new):
    """Return a copy of *value* with *new* at *path*."""
    if not path:
        return new
    copy = value.copy()
    is_there = isinstance(value, list) or path[0] in value
    copy[path[0]] = changed(value[path[0]], path[1:], new) if is_there else new
    return copy


def without(value, path):
    """Return a copy of *value* without what is at *path*."""
    copy = value.copy()
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(value[path[0]], path[1:])
    return copy


def _bodies(contract) -> Iterator[Example]:
    # The document describes itself as any document, and a schema as any schema.
    return (
        one
        for one in examples(contract)
        if isinstance(one.value, dict)
        and not one.place.startswith(("getOpenapi", "getRulesSchema"))
    )


def _of_content(contract, place, holder, *, is_request) -> Iterator[Example]:
    for media in holder.get("content", {}).values():
        for example in media.get("examples", {}).values():
            value = contract.resolve(example)["value"]
            yield Example(place, media["schema"], value, is_request=is_request)


def _shape(path):
    return re.sub(r"<[^<>]+>|\{[^{}]+\}", "{}", path)


def _word_drift(promised, actual) -> list[str]:
    twice = [word for words in (promised, actual) for word, n in Counter(words).items() if n > 1]
    return [
        *(f"{word} stands twice" for word in twice),
        *(f"{word} is promised, the code does not know it" for word in set(promised) - set(actual)),
        *(f"{word} is in the code, not promised" for word in set(actual) - set(promised)),
    ]


def _codes(contract, schema) -> list[str]:
    """Return the codes that *schema* leaves; those of an inner schema if it narrows none."""
    schema = contract.resolve(schema)
    narrowed = schema.get("properties", {}).get("code", {}).get("enum")
    if narrowed:
        return narrowed
    inner = [one for key in ("allOf", "oneOf") for one in schema.get(key, [])]
    return [code for one in inner for code in _codes(contract, one)]
