"""What in a new contract breaks the clients of an old one.

Within /v1 operations, parameters that nobody must send, statuses of errors, members and
words may be added. All else that a client may have relied on stays.
"""

from tests.contract.shapes import Shapes, Way, resolved
from tests.contract.spec import METHODS

FIRST_ERROR = 400


def breaches(old, new):
    """Return what in the document *new* breaks clients of *old*, in words; nothing if sound."""
    return list(_Comparison(old, new).all())


class _Comparison:
    def __init__(self, old, new):
        self._old, self._new = old, new
        self._shapes = Shapes(old, new)

    def all(self):
        for group in ("paths", "webhooks"):
            before, after = self._old.get(group, {}), self._new.get(group, {})
            for path, item in before.items():
                for method in METHODS:
                    if method not in item:
                        continue
                    place = f"{method.upper()} {path}"
                    if method not in after.get(path, {}):
                        yield f"{place}: is gone"
                    elif group == "paths":
                        yield from self._operation(item, after[path], method, place)
                    else:
                        pair = item[method], after[path][method]
                        yield from self._body(*pair, Way.TOLD, place)

    def _operation(self, before, after, method, place):
        old, new = before[method], after[method]
        if old.get("operationId") != new.get("operationId"):
            yield f"{place}: has another name, {new.get('operationId')}"
        yield from self._parameters(before, after, method, place)
        yield from self._body(old, new, Way.SENT, place)
        yield from self._security(old, new, place)
        yield from self._responses(old["responses"], new["responses"], place)

    def _parameters(self, before, after, method, place):
        olds, news = (
            {
                (one["in"], one["name"].lower()): one
                for one in self._all(
                    [*item.get("parameters", []), *item[method].get("parameters", [])], document
                )
            }
            for item, document in ((before, self._old), (after, self._new))
        )
        for key, one in news.items():
            if one.get("required") and not olds.get(key, {}).get("required"):
                yield f"{place} {one['name']}: is required now"
        for key, one in olds.items():
            where = f"{place} {one['name']}"
            other = news.get(key)
            if other is None:
                yield f"{where}: is gone"
                continue
            for name in ("style", "explode"):
                if one.get(name) != other.get(name):
                    yield f"{where}: {name} has changed"
            yield from self._shapes.breaches(one["schema"], other["schema"], Way.SENT, where)

    def _body(self, old, new, way, place):
        before, after = (
            self._one(operation.get("requestBody", {}), document)
            for operation, document in ((old, self._old), (new, self._new))
        )
        if after.get("required") and not before.get("required"):
            yield f"{place} body: is required now"
        yield from self._content(before, after, way, f"{place} body")

    def _content(self, old, new, way, place):
        after = new.get("content", {})
        for media_type, one in old.get("content", {}).items():
            where = f"{place} {media_type}"
            if media_type not in after:
                yield f"{where}: is gone"
            else:
                schemas = (found.get("schema", {}) for found in (one, after[media_type]))
                yield from self._shapes.breaches(*schemas, way, where)

    def _security(self, old, new, place):
        before, after = (
            operation.get("security", document.get("security", [{}])) or [{}]
            for operation, document in ((old, self._old), (new, self._new))
        )
        for one in before:
            if not any(other.keys() <= one.keys() for other in after):
                yield f"{place}: no longer takes {' and '.join(one) or 'requests without a token'}"

    def _responses(self, before, after, place):
        for status in after.keys() - before.keys():
            if int(status) < FIRST_ERROR:
                yield f"{place} {status}: is a success that nobody knows"
        for status, one in before.items():
            where = f"{place} {status}"
            if status not in after:
                if int(status) < FIRST_ERROR:
                    yield f"{where}: is gone"
                continue
            old, new = self._one(one, self._old), self._one(after[status], self._new)
            yield from self._headers(old, new, where)
            way = Way.TOLD if int(status) < FIRST_ERROR else Way.REFUSED
            yield from self._content(old, new, way, where)

    def _headers(self, old, new, place):
        after = new.get("headers", {})
        for name, one in old.get("headers", {}).items():
            if name not in after:
                yield f"{place} {name}: is gone"
                continue
            before = self._one(one, self._old)
            header = self._one(after[name], self._new)
            if before.get("required") and not header.get("required"):
                yield f"{place} {name}: is not always there any more"
            schemas = before["schema"], header["schema"]
            yield from self._shapes.breaches(*schemas, Way.TOLD, f"{place} {name}")

    def _all(self, nodes, document):
        return [self._one(node, document) for node in nodes]

    def _one(self, node, document):
        while "$ref" in node:
            node = resolved(node["$ref"], document)
        return node
