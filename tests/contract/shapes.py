"""Two schemas of one thing, an old and a new one: whether who knows the old one is served.

What is *sent* by clients must be accepted still. What is *told* to them must still be what
they know, save that members and words may be added. Of what they are *refused* with, new
shapes may come, too. What cannot be compared must stay: a pattern, a format, a condition.
"""

import json
from enum import Enum
from functools import reduce

# Each with whether the greater one is the narrower.
LIMITS = {
    "minimum": True,
    "exclusiveMinimum": True,
    "minLength": True,
    "minItems": True,
    "minProperties": True,
    "minContains": True,
    "maximum": False,
    "exclusiveMaximum": False,
    "maxLength": False,
    "maxItems": False,
    "maxProperties": False,
    "maxContains": False,
}
INCOMPARABLE = ("pattern", "format", "multipleOf", "not", "contentMediaType", "uniqueItems")
PARTS = ("items", "propertyNames", "contains", "contentSchema")
UNIONS = ("oneOf", "anyOf")
CLOSING = ("additionalProperties", "unevaluatedProperties")
TYPES = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})
WORDS = "no list of words"


class Way(Enum):
    """Which way a thing goes: by clients, or to them."""

    SENT = "sent"
    TOLD = "told"
    REFUSED = "refused"


class Shapes:
    """Compares schemas of the documents *old* and *new*."""

    def __init__(self, old, new):
        self._documents = old, new
        self._known = {}

    def breaches(self, old, new, way, place):
        """Yield what breaks who knows *old*, each beginning with its *place*."""
        key = json.dumps([old, new, way.value], sort_keys=True)
        if key not in self._known:
            self._known[key] = []  # what refers to itself breaks nothing by that alone
            self._known[key] = list(self._compared(old, new, way))
        for path, what in self._known[key]:
            yield f"{place}{path}: {what}"

    def _compared(self, old, new, way):
        old, new = (
            flat(schema, document)
            for schema, document in zip((old, new), self._documents, strict=True)
        )
        for name in UNIONS:
            if (name in old) != (name in new):
                # What one of them says of all its alternatives, the other says at once.
                old, new = (_spread(one, name) for one in (old, new))
        yield from _types(old, new, way)
        yield from _words(old, new, way)
        yield from _limits(old, new, way)
        yield from _incomparable(old, new, way)
        yield from self._members(old, new, way)
        yield from self._parts(old, new, way)
        yield from self._tuple(old, new, way)
        for name in UNIONS:
            yield from self._union(name, old, new, way)
        yield from self._conditions(old, new, way)

    def _inside(self, old, new, way, path):
        for found in self.breaches(old, new, way, ""):
            below, _, what = found.partition(": ")
            yield path + below, what

    def _members(self, old, new, way):
        before, after = old.get("properties", {}), new.get("properties", {})
        needed, known = set(new.get("required", ())), set(old.get("required", ()))
        if way is Way.SENT:
            yield from ((f"/{one}", "is required now") for one in sorted(needed - known))
        else:
            lost = sorted((known - needed) & after.keys())
            yield from ((f"/{one}", "is not always there any more") for one in lost)
        for name, schema in before.items():
            if name in after:
                yield from self._inside(schema, after[name], way, f"/{name}")
            elif way is not Way.SENT or is_closed(new):
                yield f"/{name}", "is gone"
        yield from self._others(old, new, way)

    def _others(self, old, new, way):
        """Compare what is said of members that have no name."""
        for name in CLOSING:
            before, after = old.get(name, True), new.get(name, True)
            if way is Way.SENT and after is False and before is not False and not is_closed(old):
                yield "/*", "other members are refused now"
            elif way is not Way.SENT and isinstance(before, dict) and after is False:
                yield "/*", "is gone"
            elif isinstance(before, dict) and isinstance(after, dict):
                yield from self._inside(before, after, way, "/*")
            elif before is not after and dict in {type(before), type(after)}:
                narrow, wide = (after, before) if way is Way.SENT else (before, after)
                if narrow is not True and wide is True:
                    yield "/*", "other members have another schema"

    def _parts(self, old, new, way):
        for name in PARTS:
            narrow, wide = (new, old) if way is Way.SENT else (old, new)
            if name in old and name in new:
                yield from self._inside(old[name], new[name], way, f"/{name}")
            elif name in narrow and name not in wide:
                yield "", f"{name} has changed"

    def _tuple(self, old, new, way):
        before, after = old.get("prefixItems", []), new.get("prefixItems", [])
        if len(before) != len(after):
            yield "", "prefixItems has another length"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from self._inside(one, other, way, f"/{number}")

    def _union(self, name, old, new, way):
        before, after = old.get(name, [{}]), new.get(name, [{}])
        if name not in old and name not in new:
            return
        tags = [_tags(one) for one in (old, new)]
        if way is not Way.SENT and all(tags):
            # Told apart by a word, and words may be added; which, says the mapping.
            for word, reference in tags[0].items():
                if word not in tags[1]:
                    yield f"/{word}", "is gone"
                    continue
                pair = ({"$ref": one} for one in (reference, tags[1][word]))
                yield from self._inside(*pair, way, f"/{word}")
            return
        asked, offered = (after, before) if way is Way.TOLD else (before, after)
        for number, one in enumerate(asked):
            yield from self._alternative(one, offered, way, f"/{name}/{number}")

    def _alternative(self, one, offered, way, path):
        """Yield why *one* is none of *offered*; the best of them is that with the same name."""
        same = [other for other in offered if other == one] or [
            other for other in offered if "$ref" in one and other.get("$ref") == one["$ref"]
        ]
        first = None
        for other in [*same, *offered]:
            old, new = (other, one) if way is Way.TOLD else (one, other)
            found = list(self._inside(old, new, way, path))
            if not found:
                return
            first = first if first is not None else found
        if same:
            yield from first or []
        else:
            yield path, "is none of the alternatives"

    def _conditions(self, old, new, way):
        before, after = old.get("conditions", []), new.get("conditions", [])
        asked, offered = (after, before) if way is Way.SENT else (before, after)
        for one in asked:
            other = next((found for found in offered if found["if"] == one["if"]), None)
            if other is None:
                yield "/if", "a condition has changed"
                continue
            pair = (other, one) if way is Way.SENT else (one, other)
            for name in ("then", "else"):
                yield from self._inside(*(found.get(name, {}) for found in pair), way, f"/{name}")


def flat(schema, document):
    """Return *schema* as one object, with what it refers to and all of `allOf`.

    Its conditions stand under `conditions`, `const` is an `enum` of one word.
    """
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    own = {name: value for name, value in schema.items() if name not in {"$ref", "allOf"}}
    if "if" in own:
        own["conditions"] = [{name: own.pop(name, {}) for name in ("if", "then", "else")}]
    if "const" in own:
        own["enum"] = [own.pop("const")]
    parts = [flat(one, document) for one in schema.get("allOf", [])]
    if "$ref" in schema:
        parts.append(flat(resolved(schema["$ref"], document), document))
    return reduce(_both, parts, own)


def resolved(reference, document):
    """Return what *reference* names in *document*."""
    found = document
    for key in reference.removeprefix("#/").split("/"):
        found = found[key.replace("~1", "/").replace("~0", "~")]
    return found


def _spread(schema, name):
    """Return *schema*, which is flat, with all it says in the alternatives of *name* alone."""
    types, rest = schema.get("type"), {key: schema[key] for key in schema if key != name}
    alternatives = schema.get(name, [{}])
    if name not in schema and isinstance(types, list):
        alternatives = [{"type": one} for one in types]
    return {name: [{"allOf": [one, rest]} for one in alternatives]}


def is_closed(schema):
    return any(schema.get(name) is False for name in CLOSING)


def _both(one, other):
    """Return what *one* and *other*, both flat, say together."""
    merged = {**other, **one}
    for name in one.keys() & other.keys():
        merged[name] = _together(name, one[name], other[name])
    return merged


def _together(name, first, second):
    if first == second:
        return first
    if name in LIMITS:
        return (max if LIMITS[name] else min)(first, second)
    return TOGETHER.get(name, lambda *both: list(both))(first, second)


def _members_together(first, second):
    return {**second, **first} | {
        name: {"allOf": [first[name], second[name]]} for name in first.keys() & second.keys()
    }


def _added(first, second):
    return [*first, *(one for one in second if one not in first)]


def _all_of(first, second):
    return {"allOf": [first, second]}


def _each_with_each(first, second):
    return [_all_of(one, other) for one in first for other in second]


TOGETHER = {
    "properties": _members_together,
    "required": _added,
    "conditions": _added,
    "enum": lambda first, second: [word for word in first if word in second],
    "type": lambda first, second: sorted(_type_set(first) & _type_set(second)),
    **dict.fromkeys(PARTS, _all_of),
    **dict.fromkeys(UNIONS, _each_with_each),
    # What one leaves open, the other may close.
    **dict.fromkeys(CLOSING, lambda first, second: second if first is True else first),
}


def _tags(schema):
    return schema.get("discriminator", {}).get("mapping", {})


def _type_set(given):
    types = {given} if isinstance(given, str) else set(given)
    return types | {"integer"} if "number" in types else types


def _types(old, new, way):
    narrow, wide = (new, old) if way is Way.SENT else (old, new)
    if lost := _type_set(wide.get("type", TYPES)) - _type_set(narrow.get("type", TYPES)):
        verb = "may not be" if way is Way.SENT else "may be"
        yield "", f"{verb} {' or '.join(sorted(lost))} now"


def _words(old, new, way):
    before, after = old.get("enum"), new.get("enum")
    if way is Way.SENT and after is not None:
        lost = [WORDS] if before is None else [word for word in before if word not in after]
        if lost:
            yield "", f"no longer takes {', '.join(map(str, lost))}"
    elif way is not Way.SENT and before is not None:
        if after is None:
            yield "", "may be any word now"
        elif None in after and None not in before:
            yield "", "may be null now"


def _limits(old, new, way):
    narrow, wide = (new, old) if way is Way.SENT else (old, new)
    for name, is_least in LIMITS.items():
        if name not in narrow:
            continue
        least = narrow[name] if is_least else -narrow[name]
        if name not in wide or (wide[name] if is_least else -wide[name]) < least:
            yield "", f"{name} was {old.get(name)} and is {new.get(name)}"


def _incomparable(old, new, way):
    narrow, wide = (new, old) if way is Way.SENT else (old, new)
    for name in INCOMPARABLE:
        if name in narrow and narrow[name] != wide.get(name):
            yield "", f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
