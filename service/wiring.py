"""The composition root: the parts of a process, put together from its settings.

Connections are opened when they are first used, so nothing here waits for a server.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

from engine.bots import Tempo
from engine.clocks import MILLISECONDS
from service import tracing
from service.analyses.orders import Orders
from service.analyses.records import Records
from service.archiving import Archiver
from service.counters import Counters
from service.deadlines import Waits
from service.deps import Clock, Deps
from service.feeds import Feeds
from service.game import Game
from service.games import Games
from service.health import Health
from service.keyring import Keyring
from service.live import Bell
from service.notify import ANALYSE, Hints, Notify, NotifyHooks
from service.places import Places
from service.presence import Presence
from service.retention import DAY_MS, Retention
from service.rewinds import watch
from service.settings import Settings
from service.steady import SharedClock, SteadyClock
from service.store.redis_store import RedisStore
from service.streams import Bounds, Lines, Pace
from service.trouble import Trouble
from service.watch import Watch
from service.webhooks.deliveries import Deliveries
from service.webhooks.endpoints import Endpoints
from service.webhooks.sending import Sender

QUEUES: Final[Mapping[Tempo, str]] = MappingProxyType(
    {Tempo.QUICK: "hearts", Tempo.SLOW: "hearts-slow"}
)
HOOKS_QUEUE: Final = "hearts-webhooks"
ANALYSES_QUEUE: Final = "hearts-analyses"
_HOOKS_TROUBLE: Final = "hearts-jobs:webhooks"
ANSWERS_WITHIN_SECONDS: Final = 1.0
COUNTS_WITHIN_SECONDS: Final = 0.25
TIME_WITHIN_SECONDS: Final = 0.5


class Hooks(NamedTuple):
    """What the API knows of webhooks; *anywhere* says that targets need not be public."""

    endpoints: Endpoints
    deliveries: Deliveries
    anywhere: bool


def make_deps(settings: Settings) -> Deps:
    """Return what commands work with."""
    store = tracing.open_store(settings.events_url)
    deps = Deps(
        store=store,
        games=Games(store),
        keyring=Keyring(settings.secret_keys, settings.revoked_keys),
        notify=_make_notify(settings),
        clock=SharedClock(SteadyClock(), _time_of_workers(settings)),
        waits=Waits(MILLISECONDS * 3_600 * settings.lobby_hours, settings.bot_delay_ms),
    )
    return watch(deps)


def _time_of_workers(settings: Settings) -> Callable[[], int | None]:
    # Now and again a request waits for it, also while the queue is away.
    return Watch(connect(settings.queue_url, TIME_WITHIN_SECONDS)).time


def _make_notify(settings: Settings) -> Callable[[Game], None]:
    bots, hooks = Notify(make_queues(settings)), NotifyHooks(make_hooks_queue(settings))

    def notify(game: Game) -> None:
        bots(game)
        hooks(game)

    return notify


def make_health(settings: Settings, deps: Deps) -> Health:
    """Return what tells whether the parts behind *deps* are there."""
    trouble = make_trouble(settings)
    return Health(
        deps=deps,
        queues=tuple(make_queues(settings).values()),
        store_health=RedisStore(settings.events_url).health,
        seen_at=trouble.worker_seen_at,
        not_parked=trouble.not_parked,
        durability=settings.durability,
    )


def make_archiver(settings: Settings) -> Archiver:
    """Return what archives the games that are over, and takes away those that expire."""
    store, clock = RedisStore(settings.archive_url), SteadyClock()
    return Archiver(
        store, archive_after_ms(settings), clock, make_retention(settings, store, clock)
    )


def make_retention(settings: Settings, store: RedisStore, clock: Clock) -> Retention | None:
    """Return what takes games away that are over for too long, None if they are kept for ever."""
    if not settings.retain_days:
        return None
    forget = make_orders(settings).forget
    return Retention(store, settings.retain_days * DAY_MS, clock, forget)


def archive_after_ms(settings: Settings) -> int:
    """Return after how long games are archived, in ms; 0 is never.

    A game is archived before it expires, also where none is archived otherwise.
    """
    afters = (MILLISECONDS * settings.archive_after_seconds, DAY_MS * settings.retain_days)
    return min((one for one in afters if one), default=0)


def make_bell(settings: Settings) -> Bell:
    """Return the bell of this process."""
    return Bell(RedisStore(settings.events_url).client)


def make_waits(settings: Settings) -> Places:
    """Return the room for requests that wait: each has a thread, and half of them may."""
    return Places(settings.api_threads // 2)


def make_lines(settings: Settings, bell: Bell, places: Places, *, threadless: bool) -> Lines:
    """Return the streams of this process, for which there are *places*."""
    presence = Presence(partial(connect, settings.queue_url), settings.heartbeat_seconds)
    return Lines(
        feeds=Feeds(bell, presence, read_first=threadless),
        presence=presence,
        places=places,
        bounds=Bounds(settings.streams_per_token, settings.streams_per_address),
        pace=Pace(settings.heartbeat_seconds, settings.stream_seconds),
        address_header=settings.address_header,
    )


def make_counters(settings: Settings) -> Counters:
    """Return what counts requests, in a store that can be lost."""
    client = connect(settings.rate_url, COUNTS_WITHIN_SECONDS)
    return Counters(client, settings.secret_keys[0])


def make_trouble(settings: Settings) -> Trouble:
    """Return what workers tell each other."""
    return Trouble(connect(settings.queue_url))


def make_hooks_trouble(settings: Settings) -> Trouble:
    """Return what those who look after webhooks tell each other."""
    return Trouble(connect(settings.queue_url), _HOOKS_TROUBLE)


def make_hooks(settings: Settings) -> Hooks:
    """Return the endpoints of webhooks and their deliveries."""
    client = connect(settings.webhooks_url)
    anywhere = settings.webhook_targets == "any"
    return Hooks(Endpoints(client), Deliveries(client), anywhere)


def make_orders(settings: Settings) -> Orders:
    """Return the analyses that were asked for, and how workers are told of them."""
    hints = Hints(make_analyses_queue(settings), ANALYSE, "the queue of analyses")
    return Orders(Records(connect(settings.queue_url)), hints.hint, hints.waiting)


def make_sender(settings: Settings) -> Sender:
    """Return what sends messages to webhooks."""
    return Sender(anywhere=settings.webhook_targets == "any")


def make_watch(settings: Settings) -> Watch:
    """Return the watch that all workers keep; each thread has its own."""
    return Watch(connect(settings.queue_url))


def make_queues(
    settings: Settings, answers_within: float = ANSWERS_WITHIN_SECONDS
) -> Mapping[Tempo, Queue]:
    """Return the queues of hints to bots, over a connection of their own."""
    client = connect(settings.queue_url, answers_within)
    return {tempo: _queue(name, client) for tempo, name in QUEUES.items()}


def make_hooks_queue(settings: Settings, answers_within: float = ANSWERS_WITHIN_SECONDS) -> Queue:
    """Return the queue of games that webhooks are to tell of, over a connection of its own."""
    return _queue(HOOKS_QUEUE, connect(settings.queue_url, answers_within))


def make_analyses_queue(settings: Settings) -> Queue:
    """Return the queue of analyses to go on with, over a connection of its own."""
    return _queue(ANALYSES_QUEUE, connect(settings.queue_url))


def _queue(name: str, client: Redis) -> Queue:
    return Queue(name, connection=client, serializer=JSONSerializer)


def connect(url: str, answers_within: float = ANSWERS_WITHIN_SECONDS) -> Redis:
    """Return a client that sends nothing twice and waits *answers_within* seconds.

    Asking again is for the caller to decide: what came to a queue before its answer was
    lost would come a second time.
    """
    return Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=answers_within,
        socket_connect_timeout=min(answers_within, ANSWERS_WITHIN_SECONDS),
        # Under RESP3 redis-py lets stale connections out of the pool unchecked.
        protocol=2,
    )
