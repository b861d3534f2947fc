"""What was written down to be sent to an endpoint, and what became of it.

Each endpoint has its deliveries by the ids of their messages, a log of them in the order of
their coming, and a queue of those that wait, by the time of the next attempt. Whoever takes
one puts it back to when the attempt must be over: a sender that dies leaves it to another.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace
from redis import Redis
from redis.exceptions import WatchError

from service.webhooks import side

PENDING: Final = "pending"
DELIVERED: Final = "delivered"
FAILED: Final = "failed"
DROPPED: Final = "dropped"
STATUSES: Final = (PENDING, DELIVERED, FAILED, DROPPED)

TURN_OVER: Final = "turn_over"
DISABLED: Final = "endpoint_disabled"
DROP_REASONS: Final = (TURN_OVER, DISABLED)
"""Why something was not sent at all."""

MOST_KEPT: Final = 5_000
"""So many deliveries of an endpoint are kept, the newest."""

KEPT_MS: Final = 14 * 86_400_000
"""How long a delivery is kept; what has not arrived by then has failed long ago."""

LEASE_MS: Final = 30_000
"""How long whoever takes a delivery has for its attempt."""

ATTEMPTS_KEPT: Final = 20
_OLDEST: Final = 20
_CURSOR_KEPT_MS: Final = 60 * 86_400_000


class Attempt(msgspec.Struct, frozen=True, array_like=True):
    """An attempt that began *at* (ms): the *status* of the answer, or the word for an *error*."""

    at: int
    status: int | None
    error: str | None


class Delivery(msgspec.Struct, frozen=True):
    """A message on its way to one endpoint; times are in ms.

    *tries* counts the attempts since it was last asked for, *retries* how often it was, by
    hand. *retried_with* stands for the request that did so last.
    """

    id: str
    type: str
    body: str
    created_at: int
    game_id: str | None = None
    turn_id: int | None = None
    seat: int | None = None
    status: str = PENDING
    reason: str | None = None
    next_at: int | None = None
    tries: int = 0
    attempts: tuple[Attempt, ...] = ()
    retries: int = 0
    retried_with: str | None = None

    @property
    def is_forced(self) -> bool:
        """Whether it was asked for by hand, so that it is sent though its turn may be over."""
        return self.retries > 0


class Seen(NamedTuple):
    """How far a game was told of: its *version*, and the *head* of the log there."""

    version: int
    head: bytes


class Deliveries:
    """The deliveries of all endpoints, on the server of *client*.

    Every method may raise `StoreUnavailableError`.
    """

    def __init__(self, client: Redis) -> None:
        self._client: Final[side.Client] = client

    def seen(self, game_id: str) -> Seen | None:
        """Return how far the game was told of, None if that is not known."""
        with side.told():
            found = self._client.get(side.key("seen", game_id))
        if found is None:
            return None
        version, _, head = found.decode().partition(" ")
        return Seen(int(version), bytes.fromhex(head))

    def record(
        self, new: Mapping[str, Sequence[Delivery]], seen: tuple[str, Seen] | None = None
    ) -> bool:
        """Write down *new* deliveries by their endpoint, and with them that a game was *seen*.

        What is known already stays as it is. All of it or nothing is written. Returns whether
        the first of them was not known.
        """
        with side.told():
            serials = {
                endpoint_id: self._client.incrby(side.key("serial", endpoint_id), len(some))
                for endpoint_id, some in new.items()
            }
            with self._client.pipeline() as pipe:
                for endpoint_id, some in new.items():
                    _record(pipe, endpoint_id, some, serials[endpoint_id] - len(some))
                if seen is not None:
                    text = f"{seen[1].version} {seen[1].head.hex()}"
                    pipe.set(side.key("seen", seen[0]), text, px=_CURSOR_KEPT_MS)
                answers = pipe.execute()
            for endpoint_id, some in new.items():
                self._trim(endpoint_id, max(one.created_at for one in some))
        return bool(answers and answers[0])

    def _trim(self, endpoint_id: str, now: int) -> None:
        log = side.key("log", endpoint_id)
        surplus = self._client.zrange(log, 0, -MOST_KEPT - 1)
        oldest = self._client.zrange(log, 0, _OLDEST - 1)
        found = self._client.hmget(side.key("deliveries", endpoint_id), oldest) if oldest else []
        gone = [
            name
            for name, value in zip(oldest, found, strict=True)
            if value is None or _decoded(value).created_at < now - KEPT_MS
        ]
        names = {*surplus, *gone}
        if not names:
            return
        with self._client.pipeline() as pipe:
            pipe.hdel(side.key("deliveries", endpoint_id), *names)
            pipe.zrem(log, *names)
            pipe.zrem(side.key("queue", endpoint_id), *names)
            pipe.execute()

    def page(
        self, endpoint_id: str, before: int | None, limit: int
    ) -> tuple[list[Delivery], int | None]:
        """Return at most *limit* deliveries, the newest first, and where the next page begins.

        *before* is where a page before has said so; None is the beginning, or the end.
        """
        newest = "+inf" if before is None else f"({before}"
        with side.told():
            found = self._client.zrange(
                *(side.key("log", endpoint_id), newest, "-inf"),
                desc=True,
                byscore=True,
                offset=0,
                num=limit + 1,
                withscores=True,
            )
            names = [name for name, _ in found[:limit]]
            values = self._client.hmget(side.key("deliveries", endpoint_id), names) if names else []
        page = [_decoded(value) for value in values if value is not None]
        return page, int(found[limit - 1][1]) if len(found) > limit else None

    def find(self, endpoint_id: str, message_id: str) -> Delivery | None:
        """Return the delivery of a message to an endpoint, or None."""
        with side.told():
            found = self._client.hget(side.key("deliveries", endpoint_id), message_id)
        return None if found is None else _decoded(found)

    def queues(self, now: int, limit: int, place: int = 0) -> list[str]:
        """Return at most *limit* endpoints for which something waits at *now*, from *place* on."""
        with side.told():
            found = self._client.zrange(
                side.key("queues"), "-inf", now, byscore=True, offset=place, num=limit
            )
        return [one.decode() for one in found]

    def take(self, endpoint_id: str, now: int, limit: int) -> list[Delivery]:
        """Return at most *limit* deliveries that wait at *now*; nobody else will take them.

        They come back by themselves after `LEASE_MS`.
        """
        queue = side.key("queue", endpoint_id)
        with side.told():
            names = self._client.zrange(queue, "-inf", now, byscore=True, offset=0, num=limit)
            taken = [name for name in names if self._is_mine(endpoint_id, name)]
            if not taken:
                return []
            with self._client.pipeline() as pipe:
                for name in taken:
                    pipe.zadd(queue, {name: now + LEASE_MS}, xx=True)
                pipe.hmget(side.key("deliveries", endpoint_id), taken)
                found = pipe.execute()[-1]
            forgotten = [name for name, value in zip(taken, found, strict=True) if value is None]
            if forgotten:
                self._client.zrem(queue, *forgotten)
        return [_decoded(value) for value in found if value is not None]

    def _is_mine(self, endpoint_id: str, name: bytes) -> bool:
        lease = side.key("lease", f"{endpoint_id}:{name.decode()}")
        return bool(self._client.set(lease, 1, nx=True, px=LEASE_MS))

    def settle(self, endpoint_id: str, delivery: Delivery) -> None:
        """Keep what has become of *delivery*, unless that or its endpoint is gone.

        Where it was asked for again since it was taken it goes on waiting for that.
        """
        endpoint, kept = side.key("endpoint", endpoint_id), side.key("deliveries", endpoint_id)

        def write(pipe: side.Client) -> None:
            is_there, value = pipe.exists(endpoint), pipe.hget(kept, delivery.id)
            pipe.multi()
            if is_there and value is not None:
                settled = _settled(_decoded(value), delivery)
                pipe.hset(kept, delivery.id, msgspec.json.encode(settled))
                _queue(pipe, endpoint_id, settled)
            pipe.delete(side.key("lease", f"{endpoint_id}:{delivery.id}"))

        with side.told():
            self._client.transaction(write, endpoint, kept)

    def retry(
        self, endpoint_id: str, message_id: str, now: int, key: str | None
    ) -> tuple[Delivery, bool] | None:
        """Let a delivery wait for another attempt at *now*, unless *key* has done so before.

        Returns it, and whether *key* has; None if there is none.
        """
        deliveries = side.key("deliveries", endpoint_id)

        def write(pipe: side.Client) -> tuple[Delivery, bool] | None:
            value = pipe.hget(deliveries, message_id)
            if value is None:
                return None
            found = _decoded(value)
            if key is not None and found.retried_with == key:
                return found, True
            again = _again(found, now, key)
            pipe.multi()
            pipe.hset(deliveries, message_id, msgspec.json.encode(again))
            _queue(pipe, endpoint_id, again)
            return again, False

        with side.told():
            found: tuple[Delivery, bool] | None = self._client.transaction(
                write, deliveries, value_from_callable=True
            )
        return found

    def look_later(self, endpoint_id: str) -> None:
        """Put the endpoint where the first of what waits for it is due."""
        queue = side.key("queue", endpoint_id)
        with side.told(), self._client.pipeline() as pipe:
            try:
                pipe.watch(queue)
                first = pipe.zrange(queue, 0, 0, withscores=True)
                pipe.multi()
                if first:
                    pipe.zadd(side.key("queues"), {endpoint_id: first[0][1]})
                else:
                    pipe.zrem(side.key("queues"), endpoint_id)
                pipe.execute()
            except WatchError:
                return  # something new waits, so the next round comes here again

    def forget(self, endpoint_id: str) -> None:
        """Let nothing wait for an endpoint that is gone."""
        with side.told(), self._client.pipeline() as pipe:
            pipe.delete(side.key("queue", endpoint_id))
            pipe.zrem(side.key("queues"), endpoint_id)
            pipe.execute()


def _record(pipe: side.Client, endpoint_id: str, some: Sequence[Delivery], serial: int) -> None:
    deliveries, log = side.key("deliveries", endpoint_id), side.key("log", endpoint_id)
    for number, one in enumerate(some, serial + 1):
        assert one.next_at is not None, "what is new waits"
        pipe.hsetnx(deliveries, one.id, msgspec.json.encode(one))
        pipe.zadd(log, {one.id: number}, nx=True)
        # What has arrived already comes to the queue again, and leaves it at once.
        pipe.zadd(side.key("queue", endpoint_id), {one.id: one.next_at}, nx=True)
        pipe.zadd(side.key("queues"), {endpoint_id: one.next_at}, lt=True)
    for name in (deliveries, log, side.key("serial", endpoint_id)):
        pipe.pexpire(name, 2 * KEPT_MS)


def _settled(kept: Delivery, delivery: Delivery) -> Delivery:
    if kept.retries == delivery.retries:
        return delivery
    return replace(kept, attempts=delivery.attempts)


def _again(delivery: Delivery, now: int, key: str | None) -> Delivery:
    return replace(
        delivery,
        status=PENDING,
        reason=None,
        next_at=now,
        tries=0,
        retries=delivery.retries + 1,
        retried_with=key,
    )


def _queue(pipe: side.Client, endpoint_id: str, delivery: Delivery) -> None:
    queue = side.key("queue", endpoint_id)
    if delivery.next_at is None:
        pipe.zrem(queue, delivery.id)
        return
    pipe.zadd(queue, {delivery.id: delivery.next_at})
    pipe.zadd(side.key("queues"), {endpoint_id: delivery.next_at}, lt=True)


def _decoded(value: bytes) -> Delivery:
    return msgspec.json.decode(value, type=Delivery)
