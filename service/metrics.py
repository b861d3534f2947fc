"""What this process counts and times, for Prometheus; every process has its own numbers.

No label holds a card, a name, a token, or the id of a game: labels are words of the code.

Source: docs/operations.md, "Metrics". They are served on a port of their own.
"""

import logging
from collections.abc import Callable
from functools import cache
from typing import Final

from prometheus_client import Counter, Gauge, Histogram, start_http_server

_log = logging.getLogger(__name__)

_REQUEST_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30)
_FOLD_SECONDS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1)
_MOVE_SECONDS: Final = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_LATE_SECONDS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60)

ACCEPTED: Final = "accepted"
NO_ROUTE: Final = "none"

REQUESTS: Final = Histogram(
    "http_request_seconds",
    "Time until an answer begins.",
    ["route", "status"],
    buckets=_REQUEST_SECONDS,
)
COMMANDS: Final = Counter(
    "hearts_commands", "Commands to games, by kind and by what became of them.", ["type", "code"]
)
CONFLICTS: Final = Counter(
    "hearts_append_conflicts", "Appends that somebody else's was faster than; they are tried again."
)
REPLAYS: Final = Counter(
    "hearts_idempotent_replays",
    "Commands that had been carried out before and were answered again.",
)
EVENTS: Final = Counter("hearts_events", "Events appended to logs.", ["type"])
FOLD: Final = Histogram(
    "hearts_fold_seconds",
    "Time to read events of a log into a game.",
    buckets=_FOLD_SECONDS,
)
STREAMS_OPEN: Final = Gauge("hearts_streams_open", "Streams and waits that this process holds.")
STREAMS_REFUSED: Final = Counter(
    "hearts_stream_refused", "Streams and waits that were turned away, by reason.", ["reason"]
)
STREAM_LAG: Final = Histogram(
    "hearts_stream_lag_seconds",
    "Time from an event to its being sent to one of those who follow.",
    buckets=_LATE_SECONDS,
)
BOT_MOVE: Final = Histogram(
    "hearts_bot_move_seconds", "Time that a bot thinks.", ["level"], buckets=_MOVE_SECONDS
)
LATENESS: Final = Histogram(
    "hearts_due_lateness_seconds",
    "How long after its time a worker came to what is due: to a bot of either tempo, or the clock.",
    ["kind"],
    buckets=_LATE_SECONDS,
)
RATE_LIMITED: Final = Counter(
    "hearts_rate_limited", "Requests that were turned away, by policy.", ["policy"]
)
UNCOUNTED: Final = Counter(
    "hearts_rate_uncounted", "Requests that passed because nothing could be counted."
)
LATE_BOT: Final = LATENESS.labels("bot")
LATE_SLOW_BOT: Final = LATENESS.labels("slow_bot")
LATE_CLOCK: Final = LATENESS.labels("clock")
TIMEOUTS: Final = Counter("hearts_turn_timeouts", "Turns whose time was up.")
GAMES: Final = Gauge("hearts_games", "Games in the store, by how far they have come.", ["status"])
HINTS: Final = Gauge("hearts_hints_waiting", "Hints at bots that no worker has taken.", ["tempo"])
ARCHIVED: Final = Counter("hearts_games_archived", "Games that were put into small records.")
ARCHIVED_BYTES: Final = Counter("hearts_archived_bytes", "The bytes of those records.")
EXPIRED: Final = Counter("hearts_games_expired", "Games that were taken away for good.")
WEBHOOKS: Final = Counter(
    "hearts_webhook_attempts", "Messages to webhooks, by what became of an attempt.", ["result"]
)
QUARANTINED: Final = Gauge("hearts_games_quarantined", "Games that this process found closed.")


def time_request(route: str, status: str, seconds: float) -> None:
    """Note that a request to *route* was answered with *status* after *seconds*."""
    _requests_of(route, status).observe(seconds)


@cache
def _requests_of(route: str, status: str) -> Histogram:
    return REQUESTS.labels(route, status)


def count_command(kind: str, code: str) -> None:
    """Count a command of that *kind*, which came to *code*."""
    _commands_of(kind, code).inc()


@cache
def _commands_of(kind: str, code: str) -> Counter:
    return COMMANDS.labels(kind, code)


def count_event(name: str) -> None:
    """Count an event of the type *name*."""
    _events_of(name).inc()


@cache
def _events_of(name: str) -> Counter:
    # Looked up once: this is done for every event.
    return EVENTS.labels(name)


def show(gauge: Gauge, value: Callable[[], float]) -> None:
    """Let *gauge* show what *value* returns when it is asked for."""
    gauge.set_function(value)


def serve(host: str, port: int) -> None:
    """Answer on *port* of *host*, on a thread, what this process has counted; 0 is nowhere.

    A port that cannot be had is said, and games go on without.
    """
    if not port:
        return
    try:
        start_http_server(port, host)
    except OSError as exc:
        _log.error("no metrics: port %d of %s: %s", port, host, exc.strerror)
