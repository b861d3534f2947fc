"""The spans of a process that traces: of requests, of jobs, and of what both do in the store.

Loaded only where `service.tracing` is asked for them: all of OpenTelemetry comes with it. A
span says which route, which kind of step, which game and version; never a card, a name, a
token, an address, a query or bytes of an event. So of an exception it has the class alone:
its text may say more.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from importlib import metadata
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    get_current_span,
    set_span_in_context,
    use_span,
)

from service.logs import log_context
from service.outage import Outage
from service.store.base import (
    EVERY,
    Expired,
    Marks,
    Position,
    Rewound,
    Row,
    VersionConflict,
)
from service.store.redis_store import RedisStore
from service.trace_context import Parent, header_of, parent_in

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

GAME: Final = "hearts.game.id"
VERSION: Final = "hearts.game.version"
ANSWERS_WITHIN_SECONDS: Final = 3.0
STOPS_WITHIN_SECONDS: Final = 2.0
_PROJECT: Final = "hearts-api"
_PARENT: Final = "traceparent"
_ERROR: Final = "error.type"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FACTS: Final = (VersionConflict, Rewound, Expired)
"""What a store says to be acted on; nothing is wrong then."""


class Spans:
    """Makes the spans of this process, which *provider* takes."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer(_PROJECT, metadata.version(_PROJECT))

    def around(self, app: "WSGIApplication", route: Callable[[], str | None]) -> "WSGIApplication":
        """Return *app* with a span for each request, until its answer is made.

        *route* names that of the request that is answered. A stream begins with its answer,
        so that its span is short.
        """
        return partial(self._answer, app, route)

    def _answer(
        self,
        app: "WSGIApplication",
        route: Callable[[], str | None],
        environ: "WSGIEnvironment",
        start_response: "StartResponse",
    ) -> Iterable[bytes]:
        given = environ["REQUEST_METHOD"]
        method = given if given in _METHODS else "_OTHER"
        span = self._tracer.start_span(
            method,
            _context(environ.get("HTTP_TRACEPARENT", "")),
            SpanKind.SERVER,
            {"http.request.method": method},
        )
        # The log lines of the request name the trace that they find there.
        environ["HTTP_TRACEPARENT"] = header_of(_named(span))

        def start(
            status: str, headers: list[tuple[str, str]], exc_info: "OptExcInfo | None" = None, /
        ) -> Callable[[bytes], object]:
            _describe(span, method, route(), int(status[:3]))
            return start_response(status, headers, exc_info)

        with _lasting(span):
            return app(environ, start)

    def open_store(self, url: str) -> RedisStore:
        """Return the store at *url*, with spans for what requests and jobs do with it."""
        return TracedStore(url, self)

    @contextmanager
    def asked(self, step: str, command: str, game_id: str | None = None) -> Iterator[Span]:
        """Trace a *step* of the store, which sends *command*, inside of a request or a job.

        Elsewhere nothing is traced: sweeps and streams read all day.
        """
        if not get_current_span().get_span_context().is_valid:
            yield INVALID_SPAN
            return
        said = {"db.system.name": "redis", "db.operation.name": command}
        named = said if game_id is None else said | {GAME: game_id}
        span = self._tracer.start_span(f"store {step}", kind=SpanKind.CLIENT, attributes=named)
        with _lasting(span):
            yield span

    @contextmanager
    def job(self, name: str, meta: object) -> Iterator[Callable[[Exception], None]]:
        """Trace the job *name* whose record says *meta*, and take what it fails with.

        It is a trace of its own, with a link to the request that queued it, if one did.
        """
        said = meta.get(_PARENT) if isinstance(meta, dict) else None
        parent = parent_in(said) if isinstance(said, str) else None
        links = [] if parent is None else [Link(_remote(parent))]
        span = self._tracer.start_span(name, Context(), SpanKind.CONSUMER, links=links)
        with _lasting(span), log_context(trace=_named(span).trace):
            yield partial(_fail, span)

    def meta(self) -> dict[str, str] | None:
        """Return what a job's record is to say of the request that queues it."""
        span = get_current_span()
        return {_PARENT: header_of(_named(span))} if span.get_span_context().is_valid else None

    def stop(self) -> None:
        """Send what is left, and wait two seconds for it at most."""
        # The SDK would wait half a minute for a collector that does not answer.
        sending = threading.Thread(target=self._provider.shutdown, name="traces", daemon=True)
        sending.start()
        sending.join(STOPS_WITHIN_SECONDS)


class TracedStore(RedisStore):
    """The store at *url*, with *spans* for its appends and for what is read of games."""

    def __init__(self, url: str, spans: Spans) -> None:
        super().__init__(url)
        self._spans = spans

    def tail(self, game_id: str, version: int, head: bytes) -> list[bytes]:
        """Return the entries after *version*, as `EventStore` says."""
        with self._spans.asked("tail", "XRANGE", game_id) as span:
            found = super().tail(game_id, version, head)
            span.set_attribute(VERSION, version + len(found))
        return found

    def entries(self, game_id: str, first: int, last: int) -> list[bytes]:
        """Return the entries numbered *first* to *last*, as `EventStore` says."""
        with self._spans.asked("entries", "XRANGE", game_id) as span:
            found = super().entries(game_id, first, last)
            span.set_attribute(VERSION, first + len(found) - 1)
        return found

    def append(
        self, game_id: str, version: int, head: bytes, entries: Sequence[bytes], marks: Marks
    ) -> None:
        """Append *entries* after *version* with *marks*, as `EventStore` says."""
        around = get_current_span()
        with self._spans.asked("append", "EVALSHA", game_id) as span:
            super().append(game_id, version, head, entries, marks)
            for one in (span, around):
                one.set_attributes({GAME: game_id, VERSION: version + len(entries)})

    def last(self, game_ids: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return version and last entry of each of *game_ids*, as `EventStore` says."""
        with self._spans.asked("last", "XREVRANGE"):
            return super().last(game_ids)

    def directory(
        self,
        after: Position | None,
        limit: int,
        *,
        newest_first: bool,
        lists: Sequence[str] = (EVERY,),
        until: Position | None = None,
    ) -> list[Row]:
        """Return at most *limit* lines of *lists* between two places, as `EventStore` says."""
        with self._spans.asked("directory", "ZRANGE"):
            return super().directory(
                after, limit, newest_first=newest_first, lists=lists, until=until
            )


class _Told(SpanExporter):
    """*exporter*, with one line when its collector goes and one when it is back."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._outage = Outage("the collector of traces")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send *spans*."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._outage.ends()
        else:
            self._outage.begins(ConnectionError("no answer, or a refusal"))
        return result

    def shutdown(self) -> None:
        """Send nothing any more."""
        self._exporter.shutdown()


def exporting(name: str) -> Spans:
    """Return spans that are sent to the collector of the environment, from the process *name*.

    Raises:
        ValueError: The environment says what the SDK cannot do.
    """
    # The SDK's time-out is long, and the variable for it in seconds or milliseconds by taste.
    exporter = _Told(OTLPSpanExporter(timeout=ANSWERS_WITHIN_SECONDS))
    # What would end it at exit waits for half a minute.
    provider = TracerProvider(resource=_resource(name), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    _quieten()
    return Spans(provider)


def _resource(name: str) -> Resource:
    own = Resource({"service.namespace": "hearts", "service.version": metadata.version(_PROJECT)})
    given = own.merge(Resource.create())
    if str(given.attributes["service.name"]).startswith("unknown_service"):
        return given.merge(Resource({"service.name": name}))
    return given


def _quieten() -> None:
    """Leave what is to be said of a collector that is away to us, who say it once."""
    if logging.getLogger().isEnabledFor(logging.DEBUG):
        return
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


@contextmanager
def _lasting(span: Span) -> Iterator[None]:
    """Let *span* be what steps belong to until this ends, and end with it."""
    # The SDK would write down the texts of exceptions.
    with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except Exception as exc:
            _fail(span, exc)
            raise


def _fail(span: Span, exc: Exception) -> None:
    span.set_attribute(_ERROR, type(exc).__name__)
    if not isinstance(exc, _FACTS):
        span.set_status(StatusCode.ERROR)


def _describe(span: Span, method: str, route: str | None, status: int) -> None:
    span.set_attribute("http.response.status_code", status)
    if route is not None:
        span.update_name(f"{method} {route}")
        span.set_attribute("http.route", route)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        span.set_attribute(_ERROR, str(status))
        span.set_status(StatusCode.ERROR)


def _context(header: str) -> Context:
    parent = parent_in(header)
    if parent is None:
        return Context()
    return set_span_in_context(NonRecordingSpan(_remote(parent)), Context())


def _remote(parent: Parent) -> SpanContext:
    flags = TraceFlags(int(parent.flags, 16) & TraceFlags.SAMPLED)
    return SpanContext(
        int(parent.trace, 16), int(parent.span, 16), is_remote=True, trace_flags=flags
    )


def _named(span: Span) -> Parent:
    found = span.get_span_context()
    flags = found.trace_flags & TraceFlags.SAMPLED
    return Parent(f"{found.trace_id:032x}", f"{found.span_id:016x}", f"{flags:02x}")
