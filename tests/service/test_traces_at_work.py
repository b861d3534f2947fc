"""Real processes that trace, before collectors that take, refuse and hang."""

import re
import socket
import threading
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from engine.cards import CODES
from tests.contract.asking import at
from tests.deploy.addresses import free_port
from tests.processes import SECONDS, eventually, hearts_up
from tests.servers import OwnApi

NAME = "Quentin Unmistakable"
SHORT = {"ending": {"target": None, "deals": 1, "tie": "share"}}
TRACE = "0af7651916cd43dd8448eb211c80319c"
TOKENS = re.compile("h(?:st|ht|ak|sk)_")
CARDS = re.compile(rf"(?<![0-9A-Za-z_+/-])(?:{'|'.join(CODES)})(?![0-9A-Za-z_+/-])")
IDS = {"trace_id", "span_id", "parent_span_id"}


class Collector:
    """Takes spans over OTLP/HTTP on loopback, and answers with *status*."""

    def __init__(self, status=200):
        taken = self.taken = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                taken.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._serving = threading.Thread(target=self._server.serve_forever)
        self._serving.start()
        self.environ = asking_for(self._server.server_port)

    def close(self):
        self._server.shutdown()
        self._serving.join()
        self._server.server_close()

    def spans(self):
        """Return process and span of all that was taken."""
        return [
            (values(each.resource.attributes)["service.name"], span)
            for request in self.taken
            for each in request.resource_spans
            for scope in each.scope_spans
            for span in scope.spans
        ]

    def named(self, process, name):
        return [span for found, span in self.spans() if (found, span.name) == (process, name)]


def asking_for(port):
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20unmistakable",
        "OTEL_BSP_SCHEDULE_DELAY": "50",
    }


def values(attributes):
    return {one.key: one.value.string_value or one.value.int_value for one in attributes}


def texts(message):
    """Yield every text and every run of bytes in *message* but ids, those of numbers, too."""
    for field, value in message.ListFields():
        if field.name in IDS:
            continue
        for one in value if field.is_repeated else [value]:
            if field.type == field.TYPE_MESSAGE:
                yield from texts(one)
            else:
                yield one.decode("latin-1") if isinstance(one, bytes) else str(one)


def play(service):
    """Play a game of one deal with three bots; return its id, and what is secret of it."""
    body = {"rules": SHORT, "claim": {"seat": 0, "name": NAME}}
    made = service.ask("POST", "/v1/games", body=body, status=201).json
    path, token = f"/v1/games/{made['id']}", made["seat_token"]
    host = {"Authorization": f"Bearer {made['host_token']}"}
    traced = host | {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
    assert service._send("POST", f"{path}/start", traced, None).status == 200
    while (state := next_turn(service, path, token))["turn"] is not None:
        legal = service.ask("GET", f"{path}/legal-moves", token=token, status=200).json
        move = {**legal["moves"][0], "turn_id": legal["turn_id"]}
        service.ask("POST", f"{path}/moves", token=token, body=move, status=201)
    assert state["status"] == "finished"
    service.ask("GET", f"{path}/export?ticket={token}", token=token)
    return made["id"], (token, made["host_token"], NAME, "Quentin", "unmistakable")


def next_turn(service, path, token):
    """Return the state once it is the seat's turn, or the game is over."""

    def mine():
        state = service.ask("GET", path, token=token, status=200).json
        return state if state["turn"] is None or 0 in state["turn"]["seats"] else None

    return eventually(mine)


def test_a_whole_game_is_traced_and_nothing_of_it_is_told(tmp_path):
    with closing(Collector()) as collector:
        with hearts_up(tmp_path, **collector.environ) as up:
            game_id, secrets = play(at(up.address))
            up.process.terminate()
            assert up.process.wait(SECONDS) == 0
            assert "traces" not in up.process.stderr.read()
        (start,) = collector.named("hearts-api", "POST /v1/games/<game_id:game_id>/start")
        moves = collector.named("hearts-api", "POST /v1/games/<game_id:game_id>/moves")
        jobs = collector.named("hearts-worker", "play_due")
        appends = collector.named("hearts-worker", "store append")
        told = [text for request in collector.taken for text in texts(request)]

    assert start.trace_id.hex() == TRACE
    assert 14 <= len(moves) <= 15
    last = values(moves[-1].attributes)
    assert (last["hearts.game.id"], last["http.response.status_code"]) == (game_id, 201)
    assert last["hearts.game.version"] > 60
    # A worker that has been at one table for long queues the rest of its game, too.
    queuers = {one.span_id for one in (start, *moves, *jobs)}
    assert {link.span_id for one in jobs for link in one.links} <= queuers
    assert any(one.links for one in jobs)
    assert {one.parent_span_id for one in appends} <= {one.span_id for one in jobs}
    assert len(appends) >= 39
    assert not [one for one in told if CARDS.search(one) or TOKENS.search(one)]
    assert not [one for one in told if any(secret in one for secret in secrets)]


@contextmanager
def away():
    yield free_port()


@contextmanager
def hanging():
    """Have somebody listen who never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("collector", [away, hanging])
@pytest.mark.parametrize("module", ["service.server", "service.stream_server"])
def test_a_collector_that_is_of_no_use_costs_a_line(tmp_path, redis_db, collector, module):
    with (
        collector() as port,
        closing(OwnApi(tmp_path / "api", redis_db, module=module, **asking_for(port))) as api,
    ):
        service = at(f"http://127.0.0.1:{api.address[1]}")

        def said():
            service.ask("POST", "/v1/games", body={}, status=201)
            return "the collector of traces is down" in api.log.read_text()

        eventually(said)
        for _ in range(20):
            service.ask("GET", "/v1", status=200)
        api.process.terminate()
        api.process.wait(SECONDS)

        assert len(api.log.read_text().splitlines()) == 1


def test_what_is_left_is_sent_at_a_normal_end(tmp_path, redis_db):
    with closing(Collector()) as collector:
        environ = collector.environ | {"OTEL_BSP_SCHEDULE_DELAY": "3600000"}
        with closing(OwnApi(tmp_path / "api", redis_db, **environ)) as api:
            service = at(f"http://127.0.0.1:{api.address[1]}")
            service.ask("GET", "/v1", status=200)
            assert collector.taken == []

            api.process.terminate()
            api.process.wait(SECONDS)

        assert len(collector.named("hearts-api", "GET /v1")) == 1


def test_a_collector_that_refuses_is_said_once(tmp_path, redis_db):
    with (
        closing(Collector(status=401)) as collector,
        closing(OwnApi(tmp_path / "api", redis_db, **collector.environ)) as api,
    ):
        service = at(f"http://127.0.0.1:{api.address[1]}")

        def refused_twice():
            service.ask("GET", "/v1", status=200)
            return len(collector.taken) > 1

        eventually(refused_twice)
        eventually(api.log.read_text)

        (line,) = api.log.read_text().splitlines()
        assert "the collector of traces is down" in line
        assert "unmistakable" not in line
