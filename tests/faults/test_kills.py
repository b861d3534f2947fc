"""Processes killed in mid-game: what was answered stays, and the bots go on by themselves.

Fault cases 82, 91 and 97.
"""

import random
import sys

import pytest
import requests

from tests.contract.asking import at
from tests.processes import SECONDS, children_of, eventually, hearts_up, watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

BOT = {"kind": "bot", "level": "easy"}
HUMAN = {"kind": "human"}


class Table:
    """A game at a service that may be away for a moment; Ana sits in seat 0 if a human does."""

    def __init__(self, address, seats, deals):
        self.service = at(address)
        claim = {"seat": 0, "name": "Ana"} if HUMAN in seats else None
        made = self.service.ask(
            "POST",
            "/v1/games",
            body={
                "seats": seats,
                "rules": {"ending": {"target": None, "deals": deals, "tie": "share"}},
                **({"claim": claim} if claim else {}),
            },
            status=201,
        ).json
        self.path, self.token = f"/v1/games/{made['id']}", made["seat_token"]
        self.service.ask("POST", f"{self.path}/start", token=made["host_token"], status=200)
        self.answered = []

    def ask(self, method, path="", body=None):
        """Return the answer, None while nobody is there to give it."""
        try:
            reply = self.service.ask(method, self.path + path, token=self.token, body=body)
        except requests.ConnectionError:
            return None
        return None if reply.status == 503 else reply

    def state(self):
        return eventually(self.ask_state).json

    def ask_state(self):
        return self.ask("GET")

    def play(self, moves):
        """Play *moves* moves of Ana, or to the end; keep what was answered."""
        for _ in range(moves):
            state = eventually(self.waits_or_ends)
            if state["status"] != "active":
                return
            move = state["you"]["legal_moves"][0] | {"turn_id": state["turn"]["id"]}
            reply = eventually(lambda move=move: self.ask("POST", "/moves", move))
            assert reply.status in (200, 201)  # 200 if the first try had landed unheard
            self.answered.append((move, reply.json))

    def waits_or_ends(self):
        state = self.state()
        return state if state["status"] != "active" or state["you"]["to_act"] else None

    def log(self):
        """Return all events as Ana reads them, by number."""
        page, events = {"has_more": True, "next_after": 0}, {}
        while page["has_more"]:
            page = self.ask("GET", f"/events?after={page['next_after']}&limit=500").json
            events |= {event["seq"]: event for event in page["items"]}
        return events

    def check_answers(self):
        """Everything that was answered is in the log, and is answered again alike."""
        log = self.log()
        assert list(log) == list(range(1, len(log) + 1))
        for _, answer in self.answered:
            assert [log[event["seq"]] for event in answer["events"]] == answer["events"]
        move, answer = self.answered[-1]
        assert self.ask("POST", "/moves", move).json == answer


@pytest.mark.parametrize("part", ["valkey-server", "service.server", "service worker"])
def test_bots_go_on_by_themselves_after_a_kill(tmp_path, part):
    with hearts_up(tmp_path) as up:
        table = Table(up.address, [BOT] * 4, deals=200)
        eventually(lambda: table.state()["version"] > 50)

        with watched(up.children(part)) as processes:
            for process in processes:
                process.kill()
            assert all(process.ends_within(SECONDS) for process in processes)
        version = table.state()["version"]
        eventually(lambda: table.state()["version"] > version)

        assert table.state()["status"] == "active"


def test_a_game_survives_the_kills_of_every_process_in_turn(tmp_path):
    with hearts_up(tmp_path) as up:
        table = Table(up.address, [HUMAN, BOT, BOT, BOT], deals=3)
        for part in ["service worker", "valkey-server", "service.server"] * 3:
            table.play(3)
            with watched(up.children(part)[:1]) as [process]:
                process.kill()
                assert process.ends_within(SECONDS)
        table.play(200)

        table.check_answers()
        assert table.state()["result"]["reason"] == "deals_played"


@pytest.mark.parametrize("seed", range(2))
def test_after_the_kill_of_everything_the_next_start_has_lost_nothing(tmp_path, seed):
    with hearts_up(tmp_path) as up:
        port = up.address.rpartition(":")[2]
        table = Table(up.address, [HUMAN, BOT, BOT, BOT], deals=2)
        table.play(8)
        with watched([up.pid, *children_of(up.pid)]) as everyone:
            for process in random.Random(seed).sample(everyone, len(everyone)):
                process.kill()
            assert all(process.ends_within(SECONDS) for process in everyone[1:])

    with hearts_up(tmp_path, HEARTS_PORT=port):
        table.check_answers()
        table.play(200)

        assert table.state()["result"]["reason"] == "deals_played"
