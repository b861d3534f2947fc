"""A process that is told to end while moves are on their way to it."""

import signal
from contextlib import ExitStack, closing
from functools import partial

import pytest

from tests.crowds import Client
from tests.processes import SECONDS, eventually
from tests.servers import OwnApi
from tests.tables import KEYS, Api, at_once, make_app, playing_table

MOVES = 20


def played(table, version):
    return [one for one in table.events(after=version) if one["type"] == "card.played"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_move_on_its_way_is_answered_or_can_be_sent_again(redis_db, tmp_path, number):
    """Fault case 121: whatever was answered is in the log, and nothing is there twice."""
    tables = [playing_table(Api(make_app(redis_db))) for _ in range(MOVES)]
    seats = [table.state()["turn"]["seats"][0] for table in tables]
    moves = [table.a_move(seat) for table, seat in zip(tables, seats, strict=True)]
    before = [table.version for table in tables]
    with closing(OwnApi(tmp_path / "api", redis_db, HEARTS_SECRET_KEYS=KEYS[0])) as api:
        eventually(lambda: is_live(api.address))
        with ExitStack() as stack:
            clients = [
                stack.enter_context(
                    Client(api.address, "POST", f"{table.path}/moves", table.tokens[seat], move)
                )
                for table, seat, move in zip(tables, seats, moves, strict=True)
            ]
            end = partial(api.process.send_signal, number)
            answers = at_once(*(one.finish for one in clients), end)[:MOVES]
        assert api.process.wait(SECONDS) in {0, -number}

    for table, seat, move, version, answer in zip(
        tables, seats, moves, before, answers, strict=True
    ):
        assert answer.status in {0, 201, 503}
        if answer.status == 201:
            assert len(played(table, version)) == 1
        assert table.move(seat, move).status_code in {200, 201}
        assert len(played(table, version)) == 1


def is_live(address):
    with Client(address, "GET", "/health/live") as client:
        return client.finish().status == 200
