"""Clients that lose their connection at every event, and never the thread of the game."""

from contextlib import ExitStack, closing
from random import Random

import pytest
import requests

from tests.following import Followed, eventful_steps, eventful_table, known
from tests.processes import eventually
from tests.service.test_stream_process import FORMS, SECONDS, Stream, serving
from tests.tables import Api, make_app

ME = 3


class ByStream:
    """Follows by connections that each bring one event; *goes_on* says how it comes back."""

    def __init__(self, server, seat, goes_on):
        self.followed = Followed(seat)
        self._server = server
        self._goes_on = goes_on

    def wait(self, table, stack):
        """Wait for the next event of *table*, which has not happened; return how to have it."""
        stream = stack.enter_context(closing(self._opened(table)))
        return lambda: self._hear(stream)

    def catch_up(self, table):
        """Hear all that has happened, one event each time."""
        while self.followed.version < table.version:
            with closing(self._opened(table)) as stream:
                self._hear(stream)

    def is_told_to_stop(self, table):
        """Return whether there is nothing more to come back for."""
        with closing(self._opened(table)) as stream:
            return stream.status == 204

    def _opened(self, table):
        cursor = self.followed.version
        way = {"query": f"?after={cursor}"} if self._goes_on == "after" else {"cursor": cursor}

        def is_let_in():
            stream = Stream(self._server, table, self.followed.seat, **way)
            if stream.status in {200, 204}:
                return stream
            stream.close()  # those that were cut off are noticed soon
            return None

        return eventually(is_let_in)

    def _hear(self, stream):
        frame = stream.next("message")
        assert int(frame["id"]) == frame["data"]["seq"]
        self.followed.tell(frame["data"])


class ByPoll:
    """Follows by pages of one event each."""

    def __init__(self, server, seat):
        self.followed = Followed(seat)
        self._server = server

    def wait(self, table, stack):
        del stack
        return lambda: self._hear(table)

    def catch_up(self, table):
        while self.followed.version < table.version:
            self._hear(table)

    def is_told_to_stop(self, table):
        page = self._page(table)
        return page["complete"] and not page["items"]

    def _hear(self, table):
        (event,) = self._page(table)["items"]
        self.followed.tell(event)

    def _page(self, table):
        token = table.token(self.followed.seat)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        query = {"after": self.followed.version, "limit": 1, "wait": 20}
        url = f"{self._server.base}{table.path}/events"
        answer = requests.get(url, query, headers=headers, timeout=SECONDS)
        answer.raise_for_status()
        return answer.json()


@pytest.fixture(scope="module", params=FORMS)
def server(request, redis_url, tmp_path_factory):
    """A process for streams with few places, so that it has to notice who was cut off."""
    folder = tmp_path_factory.mktemp("following")
    more = {"HEARTS_API_THREADS": "32", "HEARTS_STREAMS_PER_ADDRESS": "8"}
    with serving(folder, redis_url, request.param, **more) as found:
        yield found


@pytest.mark.whole_game
def test_whoever_is_cut_off_at_every_event_knows_the_whole_game(server, redis_url):
    """Fault cases 113, 115 and 116: seven seats, both views, and each way to come back.

    Each client waits while the game goes on, is cut off after one event, and comes back for
    the next. After every command it knows the state as the service tells it.
    """
    clients = [
        *(ByStream(server, seat, way) for seat in (ME, None) for way in ("after", "header")),
        *(ByPoll(server, seat) for seat in (ME, None)),
    ]
    table = eventful_table(Api(make_app(redis_url)))
    for client in clients:
        client.catch_up(table)
    for step in eventful_steps(table, Random(7)):
        with ExitStack() as stack:
            waiting = [client.wait(table, stack) for client in clients]
            step()
            for hear in waiting:
                hear()
        states = {seat: known(table.state(seat)) for seat in (ME, None)}
        for client in clients:
            client.catch_up(table)
            assert client.followed.state == states[client.followed.seat]

    assert table.state()["status"] == "finished"
    for client in clients:
        assert client.followed.heard == table.events(client.followed.seat)
        assert client.is_told_to_stop(table)
