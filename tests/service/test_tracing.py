"""When a process traces, and the spans of requests, jobs and the store, in this process."""

import logging
import re
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service import spans, tracing
from service.logs import LineFormatter
from service.notify import ANALYSE, PLAY_DUE, TELL_HOOKS, THINK_DUE
from service.urgency import Queued
from service.webhook_worker import HookWorker
from service.worker import HintWorker
from tests.processes import environment
from tests.tables import Api, make_app, playing_table

TRACE = "0af7651916cd43dd8448eb211c80319c"
SENDER = "00f067aa0ba902b7"
ASKED = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
UNKNOWN = f"/v1/games/{'0' * 32}"
NOWHERE = "redis://127.0.0.1:1"
# redis-py looks for OpenTelemetry by itself, and loads what it has to count with.
LOADED = """
import sys
if sys.argv[1:]:
    sys.modules["opentelemetry"] = None
import service.stream_server, service.wsgi, service.worker
service.worker.make_hands(service.settings.load())
print([one for one in sys.modules if "exporter" in one or "sdk.trace" in one])
print("service.spans" in sys.modules, "opentelemetry.context" in sys.modules)
"""


@pytest.fixture
def traced(monkeypatch):
    """Have this process trace, and return what takes the spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing._Here, "spans", spans.Spans(provider))
    return exporter


@pytest.fixture
def api(traced, redis_url):
    return Api(make_app(redis_url))


def taken(traced):
    """Return the spans since the last time, in the order of their ends."""
    found = traced.get_finished_spans()
    traced.clear()
    return found


def hexed(context):
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


@pytest.mark.parametrize(
    ("environ", "is_asked"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "hearts"}, False),
        (ASKED, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        (ASKED | {"OTEL_TRACES_EXPORTER": "none"}, False),
        (ASKED | {"OTEL_TRACES_EXPORTER": "console"}, True),
        (ASKED | {"OTEL_SDK_DISABLED": "True"}, False),
    ],
)
def test_the_standard_variables_ask_for_traces(environ, is_asked):
    assert tracing.is_asked(environ) == is_asked


def loaded(folder, *arguments):
    command = [sys.executable, "-c", LOADED, *arguments]
    ended = subprocess.run(
        command, env=environment(folder), capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
    return ended.stdout.splitlines()


def test_without_them_nothing_is_loaded_that_traces(tmp_path):
    assert loaded(tmp_path)[0] == "[]"


def test_without_the_packages_every_process_starts(tmp_path):
    assert loaded(tmp_path, "without") == ["[]", "False False"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"OTEL_TRACES_EXPORTER": "console"}, "OTEL_TRACES_EXPORTER is 'console', but only otlp"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "the protocol is 'grpc', but only http/protobuf"),
    ],
)
def test_what_is_asked_for_and_not_here_is_said_and_games_go_on(caplog, more, said):
    tracing.start("hearts-api", ASKED | more)

    (line,) = caplog.messages
    assert line.startswith(f"no traces: {said}")
    assert tracing._Here.spans is None


def test_packages_that_are_missing_are_said_and_games_go_on(caplog, monkeypatch):
    monkeypatch.delitem(sys.modules, "service.spans")
    monkeypatch.setitem(sys.modules, "opentelemetry.context", None)

    tracing.start("hearts-api", ASKED)

    assert caplog.messages == [f"no traces: {tracing._NOT_INSTALLED}"]
    assert tracing._Here.spans is None


def test_a_number_that_the_sdk_refuses_is_said_and_games_go_on(caplog, monkeypatch):
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")

    tracing.start("hearts-api", ASKED)

    (line,) = caplog.messages
    assert line.startswith("no traces: ")
    assert tracing._Here.spans is None


def test_a_request_is_a_span_with_its_route_and_what_it_did_in_the_store(api, traced):
    table = playing_table(api)
    taken(traced)

    table.ask("GET", viewer=0, expect=200)

    *steps, request = taken(traced)
    assert request.name == "GET /v1/games/<game_id:game_id>"
    assert dict(request.attributes) == {
        "http.request.method": "GET",
        "http.route": "/v1/games/<game_id:game_id>",
        "http.response.status_code": 200,
    }
    assert request.parent is None
    assert request.status.status_code is StatusCode.UNSET
    (step,) = steps
    assert step.name == "store tail"
    assert step.parent.span_id == request.context.span_id
    assert dict(step.attributes) == {
        "db.system.name": "redis",
        "db.operation.name": "XRANGE",
        "hearts.game.id": table.id,
        "hearts.game.version": table.version,
    }


def test_what_is_written_names_game_and_version_at_its_request_too(api, traced):
    table = playing_table(api)
    taken(traced)
    move = {"type": "play", "card": "2C", "turn_id": table.state()["turn"]["id"]}
    seat = table.state()["turn"]["seats"][0]
    taken(traced)

    version = table.move(seat, move, expect=201).json["version"]

    *steps, request = taken(traced)
    assert [one.name for one in steps] == ["store append"]
    assert steps[0].attributes["db.operation.name"] == "EVALSHA"
    for one in (*steps, request):
        assert one.attributes["hearts.game.id"] == table.id
        assert one.attributes["hearts.game.version"] == version


def test_a_path_that_is_none_is_no_name_and_no_attribute(api, traced):
    api.ask("GET", "/v1/nothing-of-the-kind?ticket=hst_secret", expect=(404, "not_found"))

    (request,) = taken(traced)
    assert request.name == "GET"
    assert dict(request.attributes) == {
        "http.request.method": "GET",
        "http.response.status_code": 404,
    }


def test_a_trace_is_continued_and_stands_in_the_log_lines(api, traced, caplog):
    caplog.set_level("INFO")
    caplog.handler.setFormatter(LineFormatter())
    header = f"00-{TRACE}-{SENDER}-01"

    api.ask("POST", "/v1/games", body={}, headers={"traceparent": header}, expect=201)
    api.ask("POST", "/v1/games", body={}, expect=201)

    first, second = (one for one in taken(traced) if one.name.startswith("POST"))
    assert hexed(first.parent) == (TRACE, SENDER)
    assert second.parent is None
    lines = [one for one in caplog.text.splitlines() if "POST /v1/games" in one]
    found = [re.search("trace=([^ ]*) ", one)[1] for one in lines]
    assert found == [hexed(one.context)[0] for one in (first, second)]
    assert found[0] == TRACE


def test_a_sender_that_traces_nothing_is_heeded(api, traced):
    api.ask("GET", "/v1", headers={"traceparent": f"00-{TRACE}-{SENDER}-00"}, expect=200)

    assert taken(traced) == ()


def test_nothing_else_that_a_sender_says_is_taken(api, traced):
    headers = {
        "traceparent": f"00-{TRACE}-{SENDER}-01",
        "tracestate": "vendor=whatever",
        "baggage": "name=Ana",
    }
    api.ask("GET", "/v1", headers=headers, expect=200)

    (request,) = taken(traced)
    assert not request.context.trace_state
    assert "vendor" not in request.to_json()
    assert "Ana" not in request.to_json()


def test_a_failure_is_an_error_with_no_text(traced):
    Api(make_app(NOWHERE)).ask("GET", UNKNOWN, expect=(503, "store_unavailable"))

    step, request = taken(traced)
    assert step.attributes["error.type"] == "StoreUnavailableError"
    assert request.attributes["error.type"] == "503"
    for one in (step, request):
        assert one.status.status_code is StatusCode.ERROR
        assert one.status.description is None
        assert one.events == ()


def test_a_stream_that_is_opened_is_one_short_span(api, traced):
    table = playing_table(api)
    taken(traced)

    with closing(
        api.app.test_client().get(f"/v1/games/{table.id}/stream", buffered=False)
    ) as open_:
        names = [one.name for one in taken(traced)]
        assert open_.status_code == 200

    assert names[-1] == "GET /v1/games/<game_id:game_id>/stream"
    assert taken(traced) == ()


def test_a_job_links_to_the_request_that_queued_it(traced):
    here = tracing._Here.spans
    with tracing.job("play_due", {"traceparent": f"00-{TRACE}-{SENDER}-01"}):
        queued = here.meta()
    with tracing.job("play_due", queued) as told:
        told(ValueError("QS is not yours"))

    first, second = taken(traced)
    assert [hexed(link.context) for link in first.links] == [(TRACE, SENDER)]
    assert [hexed(link.context) for link in second.links] == [hexed(first.context)]
    assert first.parent is second.parent is None
    assert second.attributes["error.type"] == "ValueError"
    assert "QS" not in second.to_json()


def test_the_log_lines_of_a_job_name_its_trace(traced, caplog):
    caplog.handler.setFormatter(LineFormatter())
    with tracing.job("play_due", None):
        logging.getLogger("service.jobs").warning("parked")

    (job,) = taken(traced)
    assert f" trace={hexed(job.context)[0]} " in caplog.text


@pytest.mark.parametrize(
    "meta", [None, {}, "x", [], {"traceparent": 1}, {"traceparent": "hst_x"}, {"name": "Ana"}]
)
def test_a_job_believes_its_record_nothing_else(traced, meta):
    with tracing.job("play_due", meta):
        pass

    (job,) = taken(traced)
    assert (job.name, dict(job.attributes), job.links) == ("play_due", {}, ())


@pytest.mark.parametrize(
    ("worker", "name", "title"),
    [
        (HintWorker, PLAY_DUE, "play_due"),
        (HintWorker, THINK_DUE, "think_due"),
        (HintWorker, ANALYSE, "analyse"),
        (HookWorker, TELL_HOOKS, "tell_hooks"),
        (HookWorker, PLAY_DUE, "unknown_job"),
        (HintWorker, "os.getpid", "unknown_job"),
        (HintWorker, "QS", "unknown_job"),
    ],
)
def test_a_job_is_called_by_what_it_does(redis_db, traced, worker, name, title):
    with Redis.from_url(redis_db) as client:
        queue = Queue("jobs", connection=client, serializer=JSONSerializer)
        taker = worker([Queued(queue, 0.0)], lambda: None)  # the jobs get nowhere
        made = {"args": ["no game"], "connection": client, "serializer": JSONSerializer}

        taker.execute_job(taker.job_class.create(name, **made), queue)

    assert [one.name for one in taken(traced)] == [title]


def test_outside_of_requests_and_jobs_the_store_is_not_traced(api, traced):
    table = playing_table(api)
    taken(traced)

    api.deps.store.tail(table.id, 0, b"")

    assert taken(traced) == ()
    assert tracing.meta() is None


class Hung(SpanExporter):
    """A way to a collector that never answers, until the test is over."""

    def __init__(self):
        self.over = threading.Event()

    def export(self, _):
        self.over.wait()
        return SpanExportResult.SUCCESS

    def shutdown(self):
        pass


def test_nobody_waits_for_long_for_a_collector_that_hangs(monkeypatch):
    hung = Hung()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(hung))
    monkeypatch.setattr(spans, "STOPS_WITHIN_SECONDS", 0.01)
    made = spans.Spans(provider)
    with made.job("play_due", None):
        pass

    made.stop()

    (sending,) = [one for one in threading.enumerate() if one.name == "traces"]
    hung.over.set()
    sending.join()


class Taker(SpanExporter):
    """A collector that takes spans or does not."""

    def __init__(self, *results):
        self.results = list(results)

    def export(self, _):
        return self.results.pop(0)


def test_a_collector_that_goes_and_comes_back_is_said_once_each(caplog):
    caplog.set_level("INFO")
    failure, success = SpanExportResult.FAILURE, SpanExportResult.SUCCESS
    told = spans._Told(Taker(failure, failure, failure, success, success))

    for _ in range(5):
        told.export([])

    first, second = caplog.messages
    assert first == "the collector of traces is down: no answer, or a refusal"
    assert second.startswith("the collector of traces is back")
