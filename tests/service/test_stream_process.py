"""Streams from real processes: both forms, cut connections, crowds, slow clients, the end."""

import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from random import Random

import pytest
import requests
from redis import Redis

from tests.contract.spec import frames, validate
from tests.processes import eventually
from tests.servers import OwnApi
from tests.tables import KEYS, SHORT, Api, make_app, started_table

SECONDS = 30
FORMS = ["service.stream_server", "service.server"]


@contextmanager
def serving(folder, url, module, **more):
    """Run a process of *module* that has the keys of other tests."""
    server = OwnApi(folder, url, module=module, HEARTS_SECRET_KEYS=KEYS[0], **more)
    with closing(server):
        server.base = "http://{}:{}".format(*server.address)
        eventually(lambda: is_live(server))
        yield server


def is_live(server):
    try:
        return requests.get(f"{server.base}/health/live", timeout=SECONDS).status_code == 200
    except requests.ConnectionError:
        return False


@pytest.fixture(scope="module")
def api(redis_url):
    return Api(make_app(redis_url))


@pytest.fixture(scope="module", params=FORMS)
def server(request, redis_url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    more = {"HEARTS_API_THREADS": "32", "HEARTS_STREAMS_PER_ADDRESS": "1000"}
    with serving(folder, redis_url, request.param, HEARTS_HEARTBEAT_SECONDS="1", **more) as found:
        found.is_threadless = request.param == FORMS[0]
        yield found


@pytest.fixture
def table(api):
    return started_table(api)


class Stream:
    """An open stream; *frames* has what came so far, in the order of coming."""

    def __init__(self, server, table, viewer=None, cursor=None, query=""):
        self.socket = socket.create_connection(server.address, timeout=SECONDS)
        token = table.token(viewer)
        lines = [f"GET {table.path}/stream{query} HTTP/1.1", "Host: here"]
        lines += [] if token is None else [f"Authorization: Bearer {token}"]
        lines += [] if cursor is None else [f"Last-Event-ID: {cursor}"]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = dict(iter(self._header, None))
        self.rest, self.frames = b"", []

    def _header(self):
        line = self.file.readline().decode().rstrip("\r\n")
        return tuple(line.lower().split(": ", 1)) if line else None

    def next(self, name=None):
        """Return the next frame, or the next of that *name*; None at the end."""
        while True:
            while b"\n\n" not in self.rest:
                length = int(self.file.readline() or b"0", 16)
                if not length:
                    return None
                self.rest += self.file.read(length)
                self.file.readline()
            text, _, self.rest = self.rest.partition(b"\n\n")
            for frame in frames(text):
                frame["data"] = json.loads(frame["data"])
                self.frames.append(frame)
                if name in (None, frame["event"]):
                    return frame

    def close(self):
        self.file.close()
        self.socket.close()


def opened(server, table, *arguments, **more):
    return closing(Stream(server, table, *arguments, **more))


def test_headers_and_a_first_frame_come_at_once(server, table):
    """Fault case 117."""
    with opened(server, table) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.next()["event"] == "snapshot"


def test_a_quiet_stream_has_heartbeats(server, table):
    """Fault case 120."""
    with opened(server, table) as stream:
        stream.next()

        assert [stream.next()["event"] for _ in range(2)] == ["heartbeat"] * 2


def test_a_move_is_seen_by_all_who_follow(server, table):
    with ExitStack() as stack:
        viewers = [0, 1, 2, 3, None, "host"]
        streams = [stack.enter_context(opened(server, table, viewer)) for viewer in viewers]
        for stream in streams:
            stream.next("snapshot")
        table.pass_cards()
        version = table.version
        for viewer, stream in zip(viewers, streams, strict=True):
            while int(stream.next("message")["id"]) < version:
                pass
            messages = [one["data"] for one in stream.frames if one["event"] == "message"]

            first = messages[0]["seq"] - 1
            assert messages == table.events(viewer, first)
            assert messages[-1]["seq"] == version


def test_a_long_poll_ends_with_a_move(server, table):
    version = table.version
    url = f"{server.base}{table.path}/events?after={version}&wait=25"
    with ThreadPoolExecutor(1) as pool:
        polling = pool.submit(requests.get, url, timeout=SECONDS)
        table.pass_cards()
        page = polling.result()

    assert page.json()["items"][0]["seq"] == version + 1


def test_the_answers_of_a_stream_process_keep_to_the_contract(server, table):
    base = server.base + table.path
    for path in ("", "/events", "/stream?x=1", "/states/1", "/nothing"):
        validate(requests.get(base + path, timeout=SECONDS))
    validate(requests.head(f"{base}/stream", timeout=SECONDS))
    validate(requests.post(f"{base}/stream", timeout=SECONDS))
    validate(requests.post(f"{base}/moves", json={"type": "play"}, timeout=SECONDS))
    validate(requests.post(f"{base}/moves", data=b"[" * 20_000, timeout=SECONDS))
    odd = requests.get(f"{server.base}/v1/%ff%2f?%ff", timeout=SECONDS)
    assert odd.status_code == 404


def test_a_finished_game_ends_its_streams(server, api):
    table = started_table(api, rules=SHORT)
    with opened(server, table, 1) as stream:
        table.play(Random(1))
        *_, end = iter(stream.next, None)

    assert (end["event"], end["data"]) == ("stream.end", {"reason": "game_over"})
    ids = [int(one["id"]) for one in stream.frames if one["event"] == "message"]
    assert ids == list(range(ids[0], table.version + 1))


DEATHS = {
    "it is replaced": lambda table: table.ask("POST", "/seats/1/rotate-token", 1, expect=201),
    "the host replaces it": lambda table: table.order(1, reissue=True),
    "its player is kicked": lambda table: table.order(1, kick=True),
    "its player leaves": lambda table: table.release(1),
}


@pytest.mark.parametrize("die", DEATHS.values(), ids=DEATHS)
def test_a_token_that_dies_closes_every_door_that_it_opened(server, table, die):
    made = table.ask("POST", "/stream-tickets", 1, expect=201).json["ticket"]
    ticket, version, token = f"?ticket={made}", table.version, table.tokens[1]
    waiting = f"{server.base}{table.path}/events?after={version}&wait=25"
    headers = {"Authorization": f"Bearer {token}"}
    with (
        opened(server, table, 1) as stream,
        opened(server, table, query=ticket) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        polling = pool.submit(requests.get, waiting, headers=headers, timeout=SECONDS)
        for one in (stream, other):
            one.next("snapshot")
        die(table)

        for one in (stream, other):
            assert one.next("stream.end")["data"] == {"reason": "unauthorized"}
            assert one.next() is None
            assert [frame["event"] for frame in one.frames if "private" in frame["data"]] == []
        assert polling.result().json()["code"] == "token_revoked"
    for arguments in ({"viewer": 1}, {"query": ticket}):
        with opened(server, table, **arguments) as stream:
            assert stream.status == 401


# Who is there


def presence(stream):
    return tuple(stream.next("presence")["data"].values())


def test_processes_tell_each_other_who_is_connected(redis_url, tmp_path, table):
    """Whichever process they follow by; one that is killed takes its seats along."""
    more = {"HEARTS_HEARTBEAT_SECONDS": "1"}
    with (
        serving(tmp_path / "one", redis_url, FORMS[0], **more) as server,
        serving(tmp_path / "two", redis_url, FORMS[1], **more) as other,
        opened(server, table) as watching,
        opened(other, table, 2) as stream,
    ):
        assert presence(watching) == presence(stream) == (2, True)
        made = table.ask("POST", "/stream-tickets", 0, expect=201).json["ticket"]
        with opened(server, table, query=f"?ticket={made}"):
            assert presence(watching) == presence(stream) == (0, True)
        assert presence(watching) == presence(stream) == (0, False)
        other.process.kill()
        assert presence(watching) == (2, False)

    assert all("id" not in one for one in watching.frames if one["event"] == "presence")


# Limits


def test_one_more_stream_than_a_token_may_have_is_refused(server, table):
    with ExitStack() as stack:
        for _ in range(4):
            assert stack.enter_context(opened(server, table, 0)).status == 200
        with opened(server, table, 0) as refused:
            assert refused.status == 429
            assert int(refused.headers["retry-after"]) >= 1
        with opened(server, table, 1) as other:
            assert other.status == 200


def test_a_client_that_goes_away_leaves_its_place(server, table):
    for _ in range(4):
        with opened(server, table, 0) as stream:
            stream.next()

    def is_let_in():
        with opened(server, table, 0) as stream:
            return stream.status == 200

    # A thread notices with its next heartbeat, a loop at once.
    assert eventually(is_let_in)


@pytest.mark.parametrize(
    ("module", "room"),
    [("service.stream_server", 3), ("service.server", 4)],
)
def test_a_process_that_is_full_says_when_to_come_back(redis_url, tmp_path, table, module, room):
    """Fault case 110: the new one is refused, and nothing else suffers."""
    more = {"HEARTS_API_THREADS": "8", "HEARTS_STREAMS": "3"}
    with serving(tmp_path, redis_url, module, **more) as server, ExitStack() as stack:
        for _ in range(room):
            assert stack.enter_context(opened(server, table)).status == 200
        with opened(server, table) as refused:
            assert refused.status == 503
            assert 5 <= int(refused.headers["retry-after"]) < 10
        assert is_live(server)


def test_an_address_has_its_share(redis_url, tmp_path, table):
    header = {"HEARTS_ADDRESS_HEADER": "X-Real-IP", "HEARTS_STREAMS_PER_ADDRESS": "2"}
    with serving(tmp_path, redis_url, FORMS[0], **header) as server, ExitStack() as stack:
        url = f"{server.base}{table.path}/stream"

        def status(address):
            answer = requests.get(url, headers={"X-Real-IP": address}, stream=True, timeout=SECONDS)
            stack.callback(answer.close)
            return answer.status_code

        assert [status("192.0.2.1") for _ in range(3)] == [200, 200, 429]
        assert status("192.0.2.2") == 200


def test_streams_need_no_connections_to_the_store(redis_url, tmp_path, table):
    """Fault case 111."""
    more = {"HEARTS_STREAMS_PER_ADDRESS": "1000", "HEARTS_API_THREADS": "16"}
    with (
        serving(tmp_path, redis_url, FORMS[0], **more) as server,
        ExitStack() as stack,
        Redis.from_url(redis_url) as client,
    ):
        streams = [stack.enter_context(opened(server, table)) for _ in range(200)]
        for stream in streams:
            stream.next()
        before = len(client.client_list())
        table.pass_cards()
        for stream in streams:
            stream.next("message")

        assert len(client.client_list()) <= before + 4


# Slow clients


def test_slow_clients_keep_nobody_waiting(redis_url, tmp_path, table):
    """Two hundred send their heads byte by byte, or read nothing of their streams."""
    more = {"HEARTS_STREAMS_PER_ADDRESS": "1000", "HEARTS_API_THREADS": "16"}
    with serving(tmp_path, redis_url, FORMS[0], **more) as server, ExitStack() as stack:
        dribbling = [socket.create_connection(server.address) for _ in range(200)]
        for one in dribbling:
            stack.enter_context(one)
            one.sendall(b"G")
        for _ in range(200):
            stack.enter_context(opened(server, table))
        with opened(server, table, 2) as stream:
            stream.next()
            for letter in b"ET /v1 HT":
                for one in dribbling:
                    one.sendall(bytes([letter]))
                began = time.monotonic()
                assert is_live(server)
                assert time.monotonic() - began < SECONDS / 2
            table.pass_cards()
            while int(stream.next("message")["id"]) < table.version:
                pass


@pytest.mark.parametrize("module", FORMS)
def test_whoever_left_does_not_keep_the_place(redis_url, tmp_path, table, module):
    """Not even until the next heartbeat, which is an hour of tries away."""
    more = {"HEARTS_STREAMS_PER_TOKEN": "2", "HEARTS_HEARTBEAT_SECONDS": "60"}
    with serving(tmp_path, redis_url, module, **more) as server:
        for _ in range(2):
            with opened(server, table, 0) as stream:
                assert stream.status == 200

        def status():
            with opened(server, table, 0) as stream:
                return stream.status

        began = time.monotonic()
        eventually(lambda: status() == 200)
        assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("module", FORMS)
def test_who_reads_nothing_is_cut_off(redis_url, tmp_path, api, module, monkeypatch):
    """Its place is free again, and it may come back with its cursor."""
    monkeypatch.setattr("service.listener._UNREAD_MILLISECONDS", 1_000)
    rules = {"ending": {"target": None, "deals": 9, "tie": "share"}}
    table = started_table(api, rules=rules)
    table.play(Random(1), until=lambda turn: turn["id"] > 400)
    more = {"HEARTS_STREAMS_PER_TOKEN": "1", "HEARTS_HEARTBEAT_SECONDS": "1"}
    with (
        serving(tmp_path, redis_url, module, **more) as server,
        socket.socket() as deaf,
    ):
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(server.address)
        head = [f"GET {table.path}/stream?after=0 HTTP/1.1", "Host: here"]
        head += [f"Authorization: Bearer {table.tokens[0]}", "", ""]
        deaf.sendall("\r\n".join(head).encode())
        deaf.recv(1)

        def status():
            with opened(server, table, 0) as stream:
                return stream.status

        assert status() == 429
        eventually(lambda: status() == 200)


# The end


@pytest.mark.parametrize("module", FORMS)
def test_streams_end_with_their_process(redis_url, tmp_path, table, module):
    """Fault case 121: each is told to come back, and elsewhere it goes on."""
    more = {"HEARTS_API_THREADS": "64"}
    with serving(tmp_path / "one", redis_url, module, **more) as server, ExitStack() as stack:
        streams = [stack.enter_context(opened(server, table)) for _ in range(20)]
        for stream in streams:
            stream.next("snapshot")
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)

        for stream in streams:
            assert stream.next("stream.end")["data"] == {"reason": "rotate"}
            assert stream.next() is None
        assert server.process.wait(SECONDS) == 0
        assert time.monotonic() - began < SECONDS / 3
        cursor = streams[0].frames[0]["id"]
    table.pass_cards()
    with (
        serving(tmp_path / "two", redis_url, module, **more) as server,
        opened(server, table, cursor=cursor) as stream,
    ):
        assert int(stream.next("message")["id"]) == int(cursor) + 1


def test_an_old_stream_ends(redis_url, tmp_path, table):
    settings = {"HEARTS_STREAM_SECONDS": "1"}
    with (
        serving(tmp_path, redis_url, FORMS[0], **settings) as server,
        opened(server, table) as stream,
    ):
        assert stream.next("stream.end")["data"] == {"reason": "rotate"}


def test_a_store_that_was_away_costs_nobody_a_stream(own_server, tmp_path):
    table = started_table(Api(make_app(own_server.url)))
    with (
        serving(tmp_path, own_server.url, FORMS[0], HEARTS_HEARTBEAT_SECONDS="1") as server,
        opened(server, table) as stream,
    ):
        stream.next("snapshot")
        own_server.kill()
        stream.next("heartbeat")
        own_server.start()
        table.pass_cards()

        assert int(stream.next("message")["id"]) == int(stream.frames[0]["id"]) + 1


def test_a_killed_process_loses_no_event(redis_url, tmp_path, table):
    """Fault case 116: the next process goes on after the last id."""
    with serving(tmp_path / "one", redis_url, FORMS[0]) as server, opened(server, table) as stream:
        cursor = stream.next("snapshot")["id"]
        server.process.kill()
        server.process.wait(SECONDS)
    table.pass_cards()
    with (
        serving(tmp_path / "two", redis_url, FORMS[0]) as server,
        opened(server, table, cursor=cursor) as stream,
    ):
        assert int(stream.next("message")["id"]) == int(cursor) + 1
