"""The server that keeps endpoints and deliveries: names of keys, and how it is asked.

All keys lie in one slot, so that what belongs together is written together.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from redis.exceptions import RedisError

from service.store.base import StoreUnavailableError

Client: TypeAlias = Any
"""A client or a pipeline of redis-py, which cannot say that answers are bytes and no texts."""

_PREFIX: Final = "hearts-side:{webhooks}:"


def key(kind: str, name: str = "") -> str:
    """Return the key of that *kind*, of the app, endpoint or game of that *name*."""
    return f"{_PREFIX}{kind}:{name}" if name else f"{_PREFIX}{kind}"


@contextmanager
def told() -> Iterator[None]:
    """Say of a server that does not answer what is said of the store of games."""
    try:
        yield
    except RedisError as exc:
        raise StoreUnavailableError(str(exc)) from exc
