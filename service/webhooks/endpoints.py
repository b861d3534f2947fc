"""The endpoints of applications: where each wants to be told of what.

An endpoint is one value under its own key, which is changed only as it was read; beside it,
each application has a set of its endpoints. There is no secret in it.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace
from redis import Redis

from service.webhooks import side
from service.webhooks.messages import Message

_Found = TypeVar("_Found")

MOST_ENDPOINTS: Final = 10
"""How many an application may have."""

ROTATION_MS: Final = 86_400_000
"""How long after a rotation the former key still signs beside the new one."""

MOST_FORMER: Final = 8
"""How many former keys sign at most, so that the header stays small."""

ON_REQUEST: Final = "request"
GONE: Final = "gone"
FAILING: Final = "failing"
DISABLED_REASONS: Final = (ON_REQUEST, GONE, FAILING)
"""Why nothing is sent to an endpoint: the application said so, or the other side."""


class EndpointConflict(Exception):  # noqa: N818 - as HTTP calls it
    """Something that cannot be as endpoints are; *code* says what."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class TooManyEndpointsError(Exception):
    """The application has as many endpoints as it may have."""

    def __init__(self) -> None:
        super().__init__(f"An application has {MOST_ENDPOINTS} endpoints at most.")


class FormerKey(msgspec.Struct, frozen=True, array_like=True):
    """The key of a *generation*, which another took the place of at *rotated_at* (ms)."""

    generation: int
    key_id: str
    rotated_at: int


class Endpoint(msgspec.Struct, frozen=True):
    """Where an application wants to be told of *events*, those of players with *prefix* alone.

    *key_id* names the app's secret that the key of its *generation* is derived from; *former*
    are those before it that may sign as well, the newest first. Times are in ms. *made_with* and
    *rotated_with* stand for the requests that did so, *disabled* says why nothing is sent.
    """

    id: str
    app: str
    url: str
    events: tuple[str, ...]
    prefix: str | None
    signing: str
    key_id: str
    created_at: int
    made_with: str
    generation: int = 1
    rotated_at: int | None = None
    former: tuple[FormerKey, ...] = ()
    rotated_with: str | None = None
    disabled: str | None = None

    def wants(self, message: Message) -> bool:
        """Return whether the endpoint is to be told of *message*."""
        prefix = self.prefix
        return (
            self.disabled is None
            and message.type in self.events
            and message.time >= self.created_at
            and (prefix is None or any(ref.startswith(prefix) for ref in message.refs))
        )

    def rotated(self, now: int, key_id: str, request: str | None) -> "Endpoint":
        """Return the endpoint with a new key from *now* on, as *request* has asked for."""
        old = FormerKey(self.generation, self.key_id, now)
        return replace(
            self,
            generation=self.generation + 1,
            key_id=key_id,
            former=(old, *self.former_at(now))[:MOST_FORMER],
            rotated_at=now,
            rotated_with=request,
        )

    def former_at(self, now: int) -> list[FormerKey]:
        """Return the former keys that still sign at *now*, the newest first."""
        return [one for one in self.former if now < one.rotated_at + ROTATION_MS]


class Endpoints:
    """All endpoints, on the server of *client*.

    Every method may raise `StoreUnavailableError`.
    """

    def __init__(self, client: Redis) -> None:
        self._client: Final[side.Client] = client

    def of(self, app: str) -> list[Endpoint]:
        """Return the endpoints of *app*, the oldest first."""
        with side.told():
            ids = self._client.smembers(side.key("app", app))
            found = self._client.mget([_key(one.decode()) for one in ids]) if ids else []
        endpoints = [_decoded(value) for value in found if value is not None]
        return sorted(endpoints, key=lambda one: (one.created_at, one.id))

    def find(self, endpoint_id: str) -> Endpoint | None:
        """Return the endpoint, or None if there is none."""
        with side.told():
            found = self._client.get(_key(endpoint_id))
        return None if found is None else _decoded(found)

    def some(self, ids: Sequence[str]) -> dict[str, Endpoint]:
        """Return those of *ids* that there are, in the same order."""
        with side.told():
            found = self._client.mget([_key(one) for one in ids]) if ids else []
        pairs = zip(ids, found, strict=True)
        return {one: _decoded(value) for one, value in pairs if value is not None}

    def add(self, endpoint: Endpoint) -> Endpoint:
        """Keep *endpoint*; return it, or the one of that id that there is already.

        Raises:
            TooManyEndpointsError: Its application has as many as it may have.
        """
        app_key, key = side.key("app", endpoint.app), _key(endpoint.id)

        def write(pipe: side.Client) -> Endpoint:
            found = pipe.get(key)
            if found is not None:
                return _decoded(found)
            if pipe.scard(app_key) >= MOST_ENDPOINTS:
                raise TooManyEndpointsError
            pipe.multi()
            pipe.set(key, msgspec.json.encode(endpoint))
            pipe.sadd(app_key, endpoint.id)
            return endpoint

        return self._transaction(write, key, app_key)

    def change(self, endpoint_id: str, how: Callable[[Endpoint], Endpoint]) -> Endpoint | None:
        """Return the endpoint after *how* has changed it, None if there is none.

        *how* is called again when somebody else was faster.
        """
        key = _key(endpoint_id)

        def write(pipe: side.Client) -> Endpoint | None:
            found = pipe.get(key)
            if found is None:
                return None
            before = _decoded(found)
            after = how(before)
            pipe.multi()
            if after != before:
                pipe.set(key, msgspec.json.encode(after))
            return after

        return self._transaction(write, key)

    def remove(self, endpoint: Endpoint) -> None:
        """Forget *endpoint*; what waits for it is forgotten with it."""
        with side.told(), self._client.pipeline() as pipe:
            pipe.delete(_key(endpoint.id), *(side.key(kind, endpoint.id) for kind in _OF_ONE))
            pipe.srem(side.key("app", endpoint.app), endpoint.id)
            pipe.zrem(side.key("queues"), endpoint.id)
            pipe.execute()

    def fails(self, endpoint_id: str, now: int) -> int:
        """Note that an attempt has failed at *now*; return since when none has come through."""
        key = side.key("failing", endpoint_id)
        with side.told(), self._client.pipeline() as pipe:
            pipe.set(key, now, nx=True, px=_FAILING_KEPT_MS)
            pipe.get(key)
            since = pipe.execute()[1]
        return now if since is None else int(since)

    def succeeds(self, endpoint_id: str) -> None:
        """Note that an attempt has come through, or that they begin anew."""
        with side.told():
            self._client.delete(side.key("failing", endpoint_id))

    def _transaction(self, write: Callable[[side.Client], _Found], *keys: str) -> _Found:
        with side.told():
            found: _Found = self._client.transaction(write, *keys, value_from_callable=True)
        return found


_OF_ONE: Final = ("log", "serial", "deliveries", "queue", "failing")
_FAILING_KEPT_MS: Final = 30 * 86_400_000


def _key(endpoint_id: str) -> str:
    return side.key("endpoint", endpoint_id)


def _decoded(value: bytes) -> Endpoint:
    return msgspec.json.decode(value, type=Endpoint)
