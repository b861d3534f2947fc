"""The HTTP contract, openapi.yaml, as the bytes that are served, and the same as JSON.

It is written at the root of the repository. A wheel carries a copy inside the
package; in a checkout there is none, and the root's is read.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

_SCHEMAS: Final = "#/components/schemas/"
_NO_SEATS: Final = {"not": {"required": ["seats"]}}
_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "openapi.yaml", _PACKAGE.parent / "openapi.yaml")


def openapi_bytes() -> bytes:
    """Return the document as it was written.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    for place in _PLACES:
        if place.is_file():
            return place.read_bytes()
    raise FileNotFoundError(_PLACES[0])


@cache
def openapi_json() -> bytes:
    """Return the document as JSON, converted once in each process.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    # PyYAML does the reading, over libyaml where its wheel has that.
    return msgspec.json.encode(msgspec.yaml.decode(openapi_bytes()))


@cache
def rules_schema() -> dict[str, Any]:
    """Return what a rule set must look like, as one JSON Schema with nothing outside of it.

    What options rule out in others stands in the contract beside the schema, since breaking
    it is a conflict and not a malformed request; here it is part of the schema.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    schemas = msgspec.json.decode(openapi_json())["components"]["schemas"]
    rules = dict(schemas["RulesRequest"])
    constraints = rules.pop("x-constraints")
    of_usual_tables = rules.pop("x-constraints-of-usual-tables")
    needed = {name: schemas[name] for name in sorted(_used(rules, schemas))}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of a game of Hearts",
        **_moved(rules),
        "allOf": [*constraints, {"if": _NO_SEATS, "then": {"allOf": of_usual_tables}}],
        "$defs": _moved(needed),
    }


def _used(node: Any, schemas: dict[str, Any]) -> set[str]:  # noqa: ANN401 - a node of JSON
    found: set[str] = set()
    for name in _named(node):
        found |= {name} | _used(schemas[name], schemas)
    return found


def _named(node: Any) -> Iterator[str]:  # noqa: ANN401 - a node of JSON
    match node:
        case {"$ref": str(place)}:
            yield place.removeprefix(_SCHEMAS)
        case dict():
            for inner in node.values():
                yield from _named(inner)
        case list():
            for inner in node:
                yield from _named(inner)


def _moved(node: Any) -> Any:  # noqa: ANN401 - a node of JSON
    match node:
        case {"$ref": str(place)}:
            return {"$ref": place.replace(_SCHEMAS, "#/$defs/")}
        case dict():
            # Words for generators of clients mean nothing to a validator.
            return {key: _moved(inner) for key, inner in node.items() if key[:2] != "x-"}
        case list():
            return [_moved(inner) for inner in node]
        case _:
            return node
