"""Tables of people, with all their moves known beforehand.

The bench knows the service's secret, so it can deal what the service will deal and play
the game through the engine before the first request is sent.
"""

import json
import random
import secrets
from dataclasses import replace

from engine import commands as c
from engine.cards import code_of, each
from engine.decide import decide
from engine.evolve import fold
from engine.playing import legal_plays
from engine.presets import preset_rules
from engine.rules import Ending
from engine.scoring import MoonChoice
from engine.state import TurnType, situation, turn_of
from tests.bench.load import Connection, request_bytes

SEATS = 4


class Table:
    """A started game over HTTP, and the requests that play it."""

    def __init__(self, server, keyring, deals):
        self._connection, self._deals = Connection(server.address), deals
        key = secrets.token_urlsafe(24)
        rules = {"ending": {"target": None, "deals": deals, "tie": "share"}}
        body = {"rules": rules, "seats": [{"kind": "human"}] * SEATS}
        made = self._ask("POST", "/v1/games", None, body, [f"Idempotency-Key: {key}"])
        self.game_id, self.path = made["id"], f"/v1/games/{made['id']}"
        self.tokens = [self._claim(seat) for seat in range(SEATS)]
        self._ask("POST", f"{self.path}/start", made["host_token"])
        nonce = keyring.nonce("create", key, keyring.current)
        self._commitment = keyring.commitment(nonce, keyring.current)
        self._links = keyring.links(nonce, keyring.current, self._commitment)

    def _claim(self, seat):
        body = {"name": f"Player {seat}"}
        return self._ask("POST", f"{self.path}/seats/{seat}/claim", None, body)["seat_token"]

    def _ask(self, method, path, token, body=None, headers=()):
        raw = b"" if body is None else json.dumps(body).encode()
        self._connection.send(request_bytes(method, path, token, raw, headers))
        status, answer = self._connection.receive()
        if status >= 400:
            raise AssertionError(answer)
        return json.loads(answer)

    def moves(self):
        """Yield (version before it, request) for every move of the game."""
        rng, state = random.Random(7), self._started()
        while (turn := turn_of(state)) is not None:
            move = random_move(state, turn, rng)
            body = {**_body(move), "turn_id": turn.id}
            raw = json.dumps(body).encode()
            yield (
                state.version,
                request_bytes("POST", f"{self.path}/moves", self.tokens[move.seat], raw),
            )
            state = fold(state, decide(state, move, self._links))

    def _started(self):
        rules = preset_rules("standard", SEATS)
        rules = replace(rules, ending=Ending(None, self._deals, tie=type(rules.ending.tie).SHARE))
        seats = (c.HumanSeat(),) * SEATS
        state = None
        commands = [
            c.CreateGame(rules, seats, self._commitment, "", ""),
            *(c.ClaimSeat(seat, f"Player {seat}") for seat in range(SEATS)),
            c.StartGame(),
        ]
        for command in commands:
            state = fold(state, decide(state, command, self._links))
        return state


def random_move(state, turn, rng):
    seat = turn.seats[0]
    match turn.type:
        case TurnType.PASS:
            hand = list(each(state.hands[seat]))
            return c.PassCards(seat, tuple(rng.sample(hand, state.deal.pass_count)))
        case TurnType.PLAY:
            return c.PlayCard(seat, rng.choice(list(each(legal_plays(situation(state, seat))))))
        case TurnType.MOON:
            return c.ChooseMoon(seat, MoonChoice.OTHERS_ADD)


def _body(move):
    match move:
        case c.PassCards(cards=cards):
            return {"type": "pass", "cards": [code_of(one) for one in cards]}
        case c.PlayCard(card=card):
            return {"type": "play", "card": code_of(card)}
        case c.ChooseMoon(choice=choice):
            return {"type": "moon", "choice": choice.value}
