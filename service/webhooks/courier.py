"""Sends what waits, on threads of its own, and writes down what became of it.

A slow target holds some threads and no more; `shares` says how many. Whatever is taken and
not settled comes back by itself, so a sender may die at any instruction; the other side then
gets a message twice, with the same id.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from service import metrics, stopping
from service.deps import Deps
from service.games import GameNotFoundError, QuarantinedError
from service.keyring import Keyring, MissingKeyError
from service.outage import Outage
from service.webhooks import deliveries as d
from service.webhooks import sending
from service.webhooks.aside import aside
from service.webhooks.deliveries import Attempt, Deliveries, Delivery
from service.webhooks.endpoints import FAILING, GONE, Endpoint, Endpoints
from service.webhooks.messages import OF_A_TURN, is_open
from service.webhooks.sending import Outcome, Sender
from service.webhooks.shares import Shares
from service.webhooks.signing import headers_of

_log = logging.getLogger(__name__)

RETRY_SECONDS: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""How long after each failed attempt comes the next; after the last of them none does."""

FAILING_MS: Final = 5 * 86_400_000
"""After so long without a single success an endpoint is disabled."""

_EVERY_SECONDS: Final = 0.25
_LOOKED_AT: Final = 500
_SLOW_MS: Final = 5_000
_GONE_STATUS: Final = 410
_JITTER: Final = 200
"""Thousandths by which a wait may be longer: who failed together is not tried together."""


class Courier:
    """Sends the deliveries of all endpoints; *draw* gives a number below its argument."""

    def __init__(
        self,
        deps: Deps,
        endpoints: Endpoints,
        deliveries: Deliveries,
        sender: Sender,
        draw: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        self._deps = deps
        self._endpoints = endpoints
        self._deliveries = deliveries
        self._sender = sender
        self._draw = draw
        self._under_way: set[Future[None]] = set()
        self._shares = Shares()
        self._place = 0
        self._outage = Outage("delivering webhooks")

    def start(self) -> None:
        """Start the threads; they end by themselves."""
        threading.Thread(target=self._run, name="courier", daemon=True).start()

    def _run(self) -> None:
        while not stopping.wait(_EVERY_SECONDS):
            self.round()

    def round(self) -> None:
        """Begin attempts at what is due, as far as threads are free; the rest waits."""
        try:
            now = self._deps.clock()
            waiting = self._shares.in_turn(self._look(now))
            for number, endpoint in enumerate(waiting):
                self._visit(endpoint, now, len(waiting) - number)
        except Exception as exc:  # noqa: BLE001 - said once; what waits must be looked for again
            self._outage.begins(exc)
        else:
            self._outage.ends()

    def close(self, seconds: float | None = None) -> None:
        """Wait for the attempts that have begun, for so many *seconds* or as long as they take.

        One that takes longer is made again by another process, or by the next one.
        """
        wait_for(self._under_way.copy(), seconds)

    def _look(self, now: int) -> list[Endpoint]:
        """Return some endpoints for which something waits, others each time until all were."""
        ids = self._deliveries.queues(now, _LOOKED_AT, self._place)
        self._place = self._place + len(ids) if len(ids) == _LOOKED_AT else 0
        found = self._endpoints.some(ids)
        for endpoint_id in set(ids) - found.keys():
            self._deliveries.forget(endpoint_id)
        return list(found.values())

    def _visit(self, endpoint: Endpoint, now: int, waiting: int) -> None:
        free = self._shares.free_for(endpoint, waiting)
        if free <= 0:
            return
        for delivery in self._deliveries.take(endpoint.id, now, free):
            self._shares.begins(endpoint)
            begun = aside(partial(self._attempted, endpoint, delivery), "courier")
            self._under_way.add(begun)
            begun.add_done_callback(self._under_way.discard)
        self._deliveries.look_later(endpoint.id)

    def _attempted(self, endpoint: Endpoint, delivery: Delivery) -> None:
        try:
            self.attempt(endpoint.id, delivery)
        except Exception as exc:  # noqa: BLE001 - said here; it comes back by itself
            _log.error("%s to %s: %s", delivery.id, endpoint.id, type(exc).__name__)
        finally:
            self._shares.ends(endpoint)

    def attempt(self, endpoint_id: str, delivery: Delivery) -> None:
        """Send *delivery*, if it still is to be sent, and keep what becomes of it.

        Raises:
            StoreUnavailableError: A server does not answer; the delivery comes back.
        """
        endpoint = self._endpoints.find(endpoint_id)
        if endpoint is None:
            self._deliveries.forget(endpoint_id)
        elif delivery.status != d.PENDING:
            self._deliveries.settle(endpoint_id, replace(delivery, next_at=None))
        elif reason := self._needless(endpoint, delivery):
            dropped = replace(delivery, status=d.DROPPED, reason=reason, next_at=None)
            self._deliveries.settle(endpoint_id, dropped)
            metrics.WEBHOOKS.labels(d.DROPPED).inc()
        else:
            self._send(endpoint, delivery)

    def _needless(self, endpoint: Endpoint, delivery: Delivery) -> str | None:
        if endpoint.disabled is not None:
            return d.DISABLED
        if delivery.type not in OF_A_TURN or delivery.is_forced:
            return None
        assert delivery.game_id is not None, "a turn of a game"
        assert delivery.turn_id is not None, "a turn of a game"
        assert delivery.seat is not None, "a turn of a seat"
        try:
            game = self._deps.games.read(delivery.game_id)
        except (GameNotFoundError, QuarantinedError):
            return d.TURN_OVER
        return None if is_open(game, delivery.turn_id, delivery.seat) else d.TURN_OVER

    def _send(self, endpoint: Endpoint, delivery: Delivery) -> None:
        at, began = self._deps.clock(), time.monotonic()
        outcome = self._outcome(endpoint, delivery, at)
        took = round(1_000 * (time.monotonic() - began))
        # Not the address: its query may hold what is nobody else's business.
        said = outcome.status or outcome.error
        _log.info("%s to %s: %s after %d ms", delivery.id, endpoint.id, said, took)
        is_slow = outcome.error == sending.TIMEOUT or took > _SLOW_MS
        self._shares.judge(endpoint.id, is_slow=is_slow)
        metrics.WEBHOOKS.labels(d.DELIVERED if outcome.is_done else d.FAILED).inc()
        self._judge(endpoint, outcome, at)
        self._deliveries.settle(endpoint.id, self._after(delivery, outcome, at))

    def _outcome(self, endpoint: Endpoint, delivery: Delivery, at: int) -> Outcome:
        keyring = self._deps.keyring
        try:
            keys = [_key(keyring, endpoint, endpoint.generation, endpoint.key_id)]
        except MissingKeyError:
            return Outcome(error=sending.NO_KEY)
        for one in endpoint.former_at(at):
            # A former key that is lost is no reason to say nothing with the one in force.
            with suppress(MissingKeyError):
                keys.append(_key(keyring, endpoint, one.generation, one.key_id))
        headers = headers_of(endpoint.signing, keys, delivery.id, at // 1_000, delivery.body)
        return self._sender.send(endpoint.url, headers, delivery.body)

    def _judge(self, endpoint: Endpoint, outcome: Outcome, at: int) -> None:
        """Disable an endpoint that does not want to be told, or has failed for too long."""
        if outcome.is_done:
            self._endpoints.succeeds(endpoint.id)
        elif outcome.status == _GONE_STATUS:
            self._disable(endpoint, GONE)
        elif at - self._endpoints.fails(endpoint.id, at) >= FAILING_MS:
            self._disable(endpoint, FAILING)

    def _disable(self, endpoint: Endpoint, reason: str) -> None:
        _log.warning("%s is disabled: %s", endpoint.id, reason)
        self._endpoints.change(
            endpoint.id, lambda one: one if one.disabled else replace(one, disabled=reason)
        )

    def _after(self, delivery: Delivery, outcome: Outcome, at: int) -> Delivery:
        attempts = (*delivery.attempts, Attempt(at, outcome.status, outcome.error))
        tries = delivery.tries + 1
        tried = replace(delivery, tries=tries, attempts=attempts[-d.ATTEMPTS_KEPT :])
        if outcome.is_done:
            return replace(tried, status=d.DELIVERED, next_at=None)
        if tries > len(RETRY_SECONDS) or outcome.status == _GONE_STATUS:
            return replace(tried, status=d.FAILED, next_at=None)
        wait = RETRY_SECONDS[tries - 1] * (1_000 + self._draw(_JITTER))
        wait = max(wait, 1_000 * (outcome.retry_after or 0))
        return replace(tried, next_at=self._deps.clock() + wait)


def _key(keyring: Keyring, endpoint: Endpoint, generation: int, key_id: str) -> bytes:
    return keyring.webhook_secret(endpoint.id, endpoint.created_at, generation, key_id)
