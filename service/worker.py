"""The process that moves the bots: it takes hints from the queue, one after the other.

RQ's `SimpleWorker` with a loop of its own. RQ's would end when the queue's server restarts,
and would write down after each step what nobody reads. And RQ calls whatever a record
names: whoever can write to the queue could run any function. Here a record is believed in
nothing but the arguments of the functions listed.
"""

import logging
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Final, Protocol

from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import DequeueTimeout, DeserializationError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException
from rq.worker_registration import register

from engine.bots import Tempo
from engine.errors import CorruptLogError
from service import census, collecting, ending, metrics, stopping, tracing
from service.deps import Deps
from service.games import GameNotFoundError, Games, QuarantinedError
from service.job_limit import Limit, limited
from service.jobs import JOBS, make_hands
from service.logs import where
from service.notify import (
    ANALYSE,
    ANALYSIS_SECONDS,
    FAILURE_SECONDS,
    JOB_CLOCK_SECONDS,
    JOB_SECONDS,
)
from service.outage import Outage
from service.settings import Settings
from service.store.base import Expired
from service.sweeper import Backlog, Shared, Sweeper
from service.tempo import tempo_of
from service.trouble import Trouble
from service.urgency import Queued, Urgency
from service.wiring import (
    ANALYSES_QUEUE,
    ANSWERS_WITHIN_SECONDS,
    archive_after_ms,
    make_archiver,
    make_orders,
    make_queues,
)

_log = logging.getLogger(__name__)

POP_SECONDS: Final = 1
SLOW_SHARE: Final = 0.25
"""How much of its time a worker has for slow bots, though quick ones wait all the time."""

ANALYSES_SHARE: Final = 0.05
"""The same for analyses, though bots wait all the time: somebody waits for them, too."""

UNKNOWN_JOB: Final = "unknown_job"
"""What a job is called in traces that is none of ours, whatever its record says."""

_LIMITS: Final = MappingProxyType({ANALYSE: Limit(ANALYSIS_SECONDS, ANALYSIS_SECONDS)})
_PAUSE_SECONDS: Final = 0.25
_SHOW_EVERY_SECONDS: Final = 2.0
_SHOWN_SECONDS: Final = 60


class RefusedJobError(Exception):
    """A record names something that is no job of ours."""


class HandsLike(Protocol):
    """What a worker works with, as far as taking jobs is concerned."""

    @property
    def deps(self) -> Deps:
        """The parts of the process."""
        ...

    @property
    def trouble(self) -> Trouble:
        """What the workers of its queue tell each other."""
        ...


class HintJob(Job):
    """A record of the queue that can call nothing but *known*, with the *hands* of its worker."""

    hands: HandsLike
    known: ClassVar[Mapping[str, Callable[[Any, str], None]]] = JOBS

    @property
    def func(self) -> Callable[[str], None]:
        """The function to call.

        Raises:
            RefusedJobError: It is none of those that are known.
        """
        name = str(self.func_name)
        if name not in self.known or self.instance is not None:
            _log.error("refused a job that names %.80r", name)
            raise RefusedJobError
        return partial(self.known[name], self.hands)

    @property
    def title(self) -> str:
        """What it is called in traces: by its function, if that is one of those known."""
        with suppress(DeserializationError):
            name = str(self.func_name)
            if name in self.known:
                return name.rpartition(".")[2]
        return UNKNOWN_JOB

    def restore(self, raw_data: Mapping[bytes, bytes]) -> None:
        """Read the record, and forget what else RQ would do for it: calls, requests, repeats."""
        super().restore(raw_data)
        self._success_callback_name = None
        self._failure_callback_name = None
        self._stopped_callback_name = None
        self.webhooks = []
        self.retries_left = None
        self.repeats_left = None
        self.rate_limit_key = None
        self.failure_ttl = FAILURE_SECONDS


class HintWorker(SimpleWorker):
    """Takes jobs from *queued* until the process is to end, whatever becomes of their server.

    The queues have one connection, and the first is the most urgent.
    """

    job_class = HintJob

    def __init__(self, queued: Sequence[Queued], make_hands: Callable[[], HandsLike]) -> None:
        queues = [one.queue for one in queued]
        # Not prepared by RQ: it would ask the server, which may be down.
        super().__init__(
            queues,
            connection=queues[0].connection,
            prepare_for_work=False,
            serializer=JSONSerializer,
        )
        # What RQ tidies up is read no more trustingly than what is performed.
        for queue in queues:
            queue.job_class = self.job_class
        self._urgency = Urgency(queued)
        self.hostname, self.pid, self.ip_address = socket.gethostname(), os.getpid(), "unknown"
        self.birth_date = self.last_heartbeat = datetime.now(UTC)
        self._make_hands = make_hands
        self._hands = make_hands()
        self._shown_at = 0.0
        self._outage = Outage("the queue")

    @property
    def connection_timeout(self) -> int:
        """The least that RQ asks of the connection, in seconds; ours waits for longer."""
        return POP_SECONDS

    def serve(self) -> None:
        """Take and perform jobs until the process is to end; the one begun is finished."""
        while not stopping.is_stopping():
            try:
                self._take_one()
            except (RedisError, OSError) as exc:
                self._outage.begins(exc)
                time.sleep(_PAUSE_SECONDS)  # the main thread must not wait for `stopping`
            except Exception as exc:  # noqa: BLE001 - said here; the next job may be a good one
                self._put_aside(exc)
            else:
                self._outage.ends()
        with suppress(RedisError, OSError):
            self.register_death()  # type: ignore[no-untyped-call]  # as RQ has it

    def _take_one(self) -> None:
        if time.monotonic() - self._shown_at > _SHOW_EVERY_SECONDS:
            self._show()
        with suppress(DequeueTimeout):
            found = self.queue_class.dequeue_any(
                self._urgency.queues, POP_SECONDS, self.connection, self.job_class, self.serializer
            )
            if found is not None:
                job, queue = found
                began = time.monotonic()
                self.execute_job(job, queue)
                self._urgency.took(queue.name, time.monotonic() - began)
                return
        self._urgency.took(None, 0.0)

    def _put_aside(self, exc: Exception) -> None:
        """Drop the record that made RQ raise *exc*, if it was a record: nobody can read it."""
        _log.error("a job cannot be read: %s", where(exc))
        job_id = getattr(exc, "job_id", None)
        if job_id is not None:
            with suppress(RedisError, OSError):
                for queue in self.queues:
                    self.connection.lrem(queue.intermediate_queue_key, 1, job_id)
                self.connection.delete(self.job_class.key_for(job_id))

    def _show(self) -> None:
        """Tell RQ's lists and the readiness check that we are here, and let RQ tidy up."""
        with self.connection.pipeline() as pipe:
            pipe.hset(self.key, mapping=self.serialize())
            pipe.expire(self.key, _SHOWN_SECONDS)
            register(self, pipe)
            pipe.execute()
        self._hands.trouble.see_worker(self._hands.deps.clock())
        self._shown_at = time.monotonic()
        if self.should_run_maintenance_tasks:
            self.run_maintenance_tasks()  # type: ignore[no-untyped-call]  # as RQ has it

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Perform *job* and drop its record; a failed one is kept for a day, for operators."""
        assert isinstance(job, HintJob)
        job.hands = self._hands
        failure = self._failure_of(job)
        if failure is not None:
            job.ended_at = datetime.now(UTC)
            self.handle_job_failure(job, queue, exc_string=failure)
        with self.connection.pipeline(transaction=False) as pipe:
            pipe.lrem(queue.intermediate_queue_key, 1, job.id)
            if failure is None:
                pipe.delete(job.key)
            pipe.execute()

    def _failure_of(self, job: HintJob) -> str | None:
        with tracing.job(job.title, job.meta) as told:
            try:
                usual = Limit(JOB_SECONDS, JOB_CLOCK_SECONDS)
                with limited(_LIMITS.get(str(job.func_name), usual)):
                    job.perform()
            except Exception as exc:  # noqa: BLE001 - whatever it is, it is said and written down
                if isinstance(exc, JobTimeoutException):
                    # It may have struck between a question and its answer.
                    self._hands = self._make_hands()
                told(exc)
                failure = where(exc)
                _log.error("a job failed: %s", failure)
                return failure
        return None


def run_worker(settings: Settings, parent: int | None = None) -> None:
    """Move bots until `ending` says so of us and *parent*; servers that are down are waited for."""
    ending.stop_when_told(parent)
    tracing.start("hearts-worker")
    # RQ's own loggers would say more than the rest of the service is told to.
    logging.getLogger("rq").setLevel(logging.WARNING)
    logging.getLogger("rq.worker").setLevel(logging.NOTSET)
    hands, waiting = make_hands(settings), make_queues(settings)
    deps, shared = hands.deps, Shared(hands.trouble, hands.watch, make_orders(settings))
    backlog = partial(_backlog, waiting, deps.games)
    Sweeper(deps.store, shared, hands.hint, backlog, deps.clock).start()
    if archive_after_ms(settings):
        make_archiver(settings).start()
    collecting.collect_seldom()
    census.show(deps.store)
    census.show_hints(waiting)
    metrics.serve(settings.metrics_host, settings.metrics_port)
    HintWorker(_queued(settings), partial(make_hands, settings)).serve()
    tracing.stop()


def _queued(settings: Settings) -> list[Queued]:
    queues = make_queues(settings, answers_within=POP_SECONDS + ANSWERS_WITHIN_SECONDS)
    connection = queues[Tempo.QUICK].connection
    analyses = Queue(ANALYSES_QUEUE, connection=connection, serializer=JSONSerializer)
    return [
        Queued(queues[Tempo.QUICK], 0.0),
        Queued(queues[Tempo.SLOW], SLOW_SHARE),
        Queued(analyses, ANALYSES_SHARE),
    ]


def _backlog(queues: Mapping[Tempo, Queue], games: Games) -> Backlog:
    return Backlog(queues[Tempo.QUICK].count, queues[Tempo.SLOW].count, partial(_is_slow, games))


def _is_slow(games: Games, game_id: str) -> bool:
    try:
        game = games.read(game_id)
    except (GameNotFoundError, QuarantinedError, CorruptLogError, Expired):
        return False  # the job deals with it
    return tempo_of(game) is Tempo.SLOW
