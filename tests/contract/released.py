"""The contract as it was released last, which later ones must not break.

`make release-contract` takes openapi.yaml as released, if its version says enough.
"""

import json
from pathlib import Path

import yaml

from tests.contract.breaking import breaches
from tests.contract.spec import PATH

RELEASED = Path(__file__).parent / "released" / "openapi.json"

PROSE = {"description", "summary", "example", "examples", "tags", "links", "externalDocs", "title"}
# What stands below these is named by us; a member may well be called "description".
NAMES = {"properties", "paths", "responses", "headers", "schemas", "parameters", "content"}


def shape_of(document):
    """Return *document* without prose and examples: what can break a client."""
    return {"info": {"version": document["info"]["version"]}} | {
        name: _without_prose(part) for name, part in document.items() if name != "info"
    }


def refusal(old, new):
    """Return why *new* cannot be released after *old*, two shapes; None if it can."""
    before, after = (_numbers(one) for one in (old, new))
    if after <= before:
        return f"{_version(new)} does not come after {_version(old)}, which is released"
    found = breaches(old, new)
    # Before 1.0.0 the second number says what the first says later.
    place = 0 if before[0] else 1
    if found and after[: place + 1] == before[: place + 1]:
        return "\n".join([f"it breaks clients, and {_version(new)} does not say so:", *found])
    if _changed(old, new) and after[:2] == before[:2]:
        return f"it says more than before, and {_version(new)} does not say so"
    return None


def read():
    return json.loads(RELEASED.read_text())


def main():
    """Take openapi.yaml as released."""
    new = shape_of(yaml.load(PATH.read_text(), yaml.CSafeLoader))
    if RELEASED.exists() and (why := refusal(read(), new)) is not None:
        raise SystemExit(why)
    RELEASED.parent.mkdir(exist_ok=True)
    RELEASED.write_text(json.dumps(new, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _without_prose(node, *, is_names=False):
    if isinstance(node, list):
        return [_without_prose(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        name: _without_prose(part, is_names=name in NAMES and not is_names)
        for name, part in node.items()
        if is_names or not (name in PROSE or name.startswith("x-"))
    }


def _changed(old, new):
    return {**old, "info": None} != {**new, "info": None}


def _version(shape):
    return shape["info"]["version"]


def _numbers(shape):
    return [int(one) for one in _version(shape).split(".")]


if __name__ == "__main__":
    main()
