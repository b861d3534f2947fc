"""The process that tells webhooks: it takes hints from a queue of its own, sweeps, and sends.

It is a process of its own so that no slow target keeps a bot waiting, and that of all
processes only this one needs a way out.
"""

import logging
import re
import threading
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple

from engine.errors import CorruptLogError
from service import collecting, ending, metrics, stopping, tracing
from service.deps import Deps
from service.games import GameNotFoundError, QuarantinedError
from service.logs import log_context
from service.notify import TELL_HOOKS, NotifyHooks
from service.outage import Outage
from service.settings import Settings
from service.store.base import EventStore
from service.trouble import Trouble
from service.urgency import Queued
from service.webhooks.courier import Courier
from service.webhooks.telling import Teller
from service.wiring import (
    ANSWERS_WITHIN_SECONDS,
    make_deps,
    make_hooks,
    make_hooks_queue,
    make_hooks_trouble,
    make_sender,
)
from service.worker import POP_SECONDS, HintJob, HintWorker

_log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.5
GRACE_MS: Final = 1_000
"""How long a hint may be on its way before the sweeper comes."""

LOOKED_AT: Final = 500
_ENDS_WITHIN_SECONDS: Final = 1.0
"""How long attempts that are under way have at the end."""

_GAME_ID: Final = re.compile("[0-9a-f]{32}")


class HookHands(NamedTuple):
    """What this process works with."""

    deps: Deps
    trouble: Trouble
    teller: Teller


def make_hook_hands(settings: Settings) -> HookHands:
    """Return what a process with *settings* works with."""
    deps, hooks = make_deps(settings), make_hooks(settings)
    teller = Teller(deps, hooks.endpoints, hooks.deliveries)
    return HookHands(deps, make_hooks_trouble(settings), teller)


def tell_hooks(hands: HookHands, game_id: str) -> None:
    """Write down what webhooks are to be told of the game.

    A hint, not an order: doubled, late or lost, it changes only the delay.

    Raises:
        ValueError: No game has such an id.
        StoreUnavailableError: A server does not answer; the sweeper will come again.
    """
    if not _GAME_ID.fullmatch(game_id):
        raise ValueError("a hint that names no game")
    with log_context(game=game_id):
        try:
            hands.teller.tell(game_id)
        except (GameNotFoundError, QuarantinedError, CorruptLogError) as exc:
            hands.trouble.park(game_id)
            _log.info("parked, webhooks cannot be told of it: %s", exc)


class HookJob(HintJob):
    """A record of the queue of webhooks."""

    known: ClassVar[Mapping[str, Callable[[HookHands, str], None]]] = MappingProxyType(
        {TELL_HOOKS: tell_hooks}
    )


class HookWorker(HintWorker):
    """Takes the jobs of the queue of webhooks."""

    job_class = HookJob


def sweep_hooks(
    store: EventStore, trouble: Trouble, hint: Callable[[str], None], now: int
) -> list[str]:
    """Hint at the games that webhooks have waited for too long at *now* (ms), and return them.

    Raises:
        StoreUnavailableError: The store does not say who waits.
        RedisError: The queue's server does not say who is parked.
    """
    waiting = [one.game_id for one in store.hooks_due(now - GRACE_MS, LOOKED_AT)]
    found = trouble.to_rescue(waiting) if waiting else []
    for game_id in found:
        hint(game_id)
    return found


def _sweep(hands: HookHands, hint: Callable[[str], None]) -> None:
    outage = Outage("sweeping for webhooks")
    while not stopping.wait(SWEEP_SECONDS):
        try:
            sweep_hooks(hands.deps.store, hands.trouble, hint, hands.deps.clock())
        except Exception as exc:  # noqa: BLE001 - said once; who waits must be looked for again
            outage.begins(exc)
        else:
            outage.ends()


def run_webhooks(settings: Settings, parent: int | None = None) -> None:
    """Tell webhooks until `ending` says so of us and *parent*; what is down is waited for."""
    ending.stop_when_told(parent)
    tracing.start("hearts-webhooks")
    logging.getLogger("rq").setLevel(logging.WARNING)
    logging.getLogger("rq.worker").setLevel(logging.NOTSET)
    hands, hooks = make_hook_hands(settings), make_hooks(settings)
    hint = NotifyHooks(make_hooks_queue(settings)).hint
    threading.Thread(target=_sweep, args=[hands, hint], name="hooks sweeper", daemon=True).start()
    courier = Courier(hands.deps, hooks.endpoints, hooks.deliveries, make_sender(settings))
    courier.start()
    collecting.collect_seldom()
    metrics.serve(settings.metrics_host, settings.metrics_port)
    queue = make_hooks_queue(settings, answers_within=POP_SECONDS + ANSWERS_WITHIN_SECONDS)
    HookWorker([Queued(queue, 0.0)], partial(make_hook_hands, settings)).serve()
    courier.close(_ENDS_WITHIN_SECONDS)
    tracing.stop()
