"""Whether this process traces what it does: the standard variables of OpenTelemetry say so.

Without them, and without the extra `otel`, nothing of OpenTelemetry is loaded, and what could
be traced is left as it is: apps and stores are wrapped at the start or not at all.

Source: docs/operations.md, "Traces".
"""

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Final

from service.store.redis_store import RedisStore

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from service.spans import Spans

_log = logging.getLogger(__name__)

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SECRETS: Final = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
"""What no request needs to know of: a collector's keys stand there."""

_EXPORTER: Final = "OTEL_TRACES_EXPORTER"
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL: Final = "http/protobuf"
_NOT_INSTALLED: Final = (
    "the environment asks for them, but OpenTelemetry is not installed; hearts-api[otel] brings it"
)


class _Here:
    """What this process has: *spans* from the start on, if it traces."""

    spans: "Spans | None" = None


def is_asked(environ: Mapping[str, str]) -> bool:
    """Tell whether *environ* asks for traces."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    exporter = environ.get(_EXPORTER, "").strip()
    return exporter != "none" if exporter else any(environ.get(name) for name in ENDPOINTS)


def start(name: str, environ: Mapping[str, str] = os.environ) -> None:
    """Trace what this process does under *name*, if *environ* asks for it.

    The variables are not ours and often set for many programs at once. So what cannot be
    done for them is said, and games go on without.
    """
    if not is_asked(environ):
        return
    problem = _unsupported(environ) or _begin(name)
    if problem is not None:
        _log.warning("no traces: %s", problem)


def _unsupported(environ: Mapping[str, str]) -> str | None:
    exporter = environ.get(_EXPORTER, "").strip() or "otlp"
    if exporter != "otlp":
        return f"{_EXPORTER} is {exporter!r}, but only otlp is here"
    protocol = next(filter(None, map(environ.get, _PROTOCOLS)), _PROTOCOL)
    if protocol != _PROTOCOL:
        return f"the protocol is {protocol!r}, but only {_PROTOCOL} is here"
    return None


def _begin(name: str) -> str | None:
    """Return why there are no traces, None if there are."""
    try:
        _Here.spans = import_module("service.spans").exporting(name)
    except ModuleNotFoundError as exc:
        if (exc.name or "").partition(".")[0] != "opentelemetry":
            raise
        return _NOT_INSTALLED
    except ValueError as exc:  # of a number in the environment
        return str(exc)
    return None


def stop() -> None:
    """Send what is left, as far as the collector takes it in a moment."""
    spans, _Here.spans = _Here.spans, None
    if spans is not None:
        spans.stop()


def around(app: "WSGIApplication", route: Callable[[], str | None]) -> "WSGIApplication":
    """Return *app* with a span for each request; *route* names that of the one that is answered."""
    return app if _Here.spans is None else _Here.spans.around(app, route)


def open_store(url: str) -> RedisStore:
    """Return the store at *url*, with spans for what requests and jobs do with it."""
    return RedisStore(url) if _Here.spans is None else _Here.spans.open_store(url)


def job(name: str, meta: object) -> AbstractContextManager[Callable[[Exception], None]]:
    """Trace the job *name* whose record says *meta*; what is given is told how it failed."""
    return nullcontext(_nobody) if _Here.spans is None else _Here.spans.job(name, meta)


def _nobody(_: Exception) -> None:
    """Hear how a job failed that is not traced."""


def meta() -> dict[str, str] | None:
    """Return what a job's record is to say of who queues it."""
    return None if _Here.spans is None else _Here.spans.meta()
