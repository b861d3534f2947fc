"""A driver: it plays whole games over HTTP and believes nothing it is told.

Every answer is validated by the service it asks. On the way it looks at the table through
all eyes, tries moves that are wrong, repeats commands, and remembers what it was shown, so
that `history.check` can compare it with the log afterwards.
"""

import json
import math
from copy import copy
from typing import NamedTuple

from tests.contract import closed, hints, knowledge
from tests.contract.asking import Reply
from tests.contract.spec import frames
from tests.contract.wrong_moves import wrong_moves

PUBLIC = None
WAIT = 25


class Sent(NamedTuple):
    """A move that was accepted."""

    seat: int
    body: dict
    key: str | None
    reply: Reply


class Driver:
    """Plays the seats of people at one table; *bots* lets the others play in this process.

    *care* from 0 to 1 is how often it looks closely. *between* two moves is given the driver,
    and says whether it has done something. *app* is the key of an app that opens its tables, or
    None. *tokens* is keyed by seat; *copied* is the deal with which a fork goes on. *served* has
    the state shown to each viewer at each version, *logs* the events, and *sent* the moves.
    """

    def __init__(self, service, rng, *, care, bots=None, between=lambda _: False):
        self.service = service
        self.rng = rng
        self.care = care
        self.bots = bots
        self.between = between
        self.tokens = {}
        self.seeds = {}
        self.served = {}
        self.logs = {}
        self.sent = []
        self.copied = None
        self.app = None
        self.is_for_all = True
        self.join_code = None
        self.refused = set()

    def key(self):
        # Not from the system: with fixed secrets of the service, a seed fixes a whole game.
        return self.rng.randbytes(16).hex()

    def is_careful(self):
        return self.rng.random() < self.care

    def token(self, viewer):
        """Return the token to look with as *viewer*.

        What is not for all to see, the host sees as all would.
        """
        others = None if self.is_for_all or viewer is not PUBLIC else self.host
        return self.tokens.get(viewer, others)

    def ask(self, method, path="", viewer=PUBLIC, **more):
        return self.service.ask(method, self.path + path, token=self.token(viewer), **more)

    def look(self, viewer):
        """Return the state that *viewer* sees, and check that its tag names it."""
        reply = self.ask("GET", viewer=viewer, status=200)
        state, tag = reply.json, reply.headers["ETag"]
        eyes = "p" if viewer is PUBLIC else f"s{viewer}"
        assert tag == f'"{state["version"]}-{eyes}"'
        known = self.served.setdefault((viewer, state["version"]), reply.body)
        assert reply.body == known, "a state is a function of version and viewer"
        if not self.is_for_all:
            closed.check_strangers(self, state)
        if self.is_careful():
            again = self.ask("GET", viewer=viewer, tag=f'W/"0-p", {tag}')
            is_same = again.headers["ETag"] == tag
            assert is_same or not self.is_quiet(state["turn"])
            assert again.status == (304 if is_same else 200)
        return state

    def follow(self, viewer):
        """Read on in the log as *viewer*, and check that nothing is left out."""
        log = self.logs.setdefault(viewer, [])
        while True:
            reply = self.ask("GET", f"/events?after={len(log)}&limit=500", viewer, status=200)
            page = reply.json
            log += page["items"]
            assert [one["seq"] for one in log[page["after"] :]] == list(
                range(page["after"] + 1, page["next_after"] + 1)
            )
            if not page["has_more"]:
                break
        if self.bots is not None and self.is_careful():
            self._check_stream(viewer, log)
        return page

    def _check_stream(self, viewer, log):
        """A stream tells the viewer what the log does; those in this process end at once."""
        after = self.rng.randint(max(0, len(log) - 100), len(log))
        reply = self.ask("GET", f"/stream?after={after}", viewer)
        told = [json.loads(one["data"]) for one in frames(reply.body) if "id" in one]
        assert told[: len(log) - after] == log[after:]
        first, *_ = frames(self.ask("GET", "/stream", viewer, status=200).body)
        state = json.loads(first["data"])
        known = self.served.get((viewer, state["version"]), first["data"])
        assert state == json.loads(known)

    def is_quiet(self, turn):
        """Return whether nothing happens unless the driver does it."""
        return turn is None or all(seat in self.tokens for seat in turn["seats"])

    # --- the lobby

    def open(self, body):
        """Create the table, twice with one key."""
        key = self.key()
        self._sit_down("/v1/games", body, key)

    def beside(self):
        """Return another driver like this one, who has seen nothing yet."""
        other = copy(self)
        other.tokens, other.seeds, other.served, other.logs, other.sent = {}, {}, {}, {}, []
        return other

    def fork(self, path, body):
        """Fork the game at *path*, twice with one key."""
        key = self.key()
        self._sit_down(f"{path}/forks", body, key)

    def _sit_down(self, target, body, key):
        reply, again = (
            self.service.ask("POST", target, token=self.app, body=body, key=key, status=201)
            for _ in range(2)
        )
        check_repeat(reply, again)
        made = reply.json
        self.game_id, self.host = made["id"], made["host_token"]
        self.path = f"/v1/games/{self.game_id}"
        assert made["fairness"]["commitment"].startswith(self.game_id)
        assert reply.headers["Location"] == self.path
        self.is_for_all = made["game"]["visibility"] != "private" and made["game"]["spectators"]
        self.join_code = made["join_code"]
        self.scatters = "scatter" in made["game"]["rules"]["passing"]["cycle"]
        if made["seat"] is not None:
            self.tokens[made["seat"]] = made["seat_token"]
        assert self.look(PUBLIC) == made["game"]

    def fill(self):
        """Claim every seat that is free, some with a client seed."""
        for seat in self.look(PUBLIC)["seats"]:
            if not seat["claimed"]:
                self._claim(seat["seat"])
        for seat in self.tokens:
            if seat not in self.seeds and self.rng.random() < 0.5:
                self._give_seed(seat)

    def _claim(self, seat):
        path = f"/seats/{self.rng.choice([seat, seat, ''])}/claim".replace("//", "/")
        body, key = self.claim_body(f"Seat {seat}"), self.key()
        if self.join_code is not None:
            wrong = {**body, "join_code": self.join_code[1:] + self.join_code[0]}
            self.refuse("wrong_join_code", "POST", path, PUBLIC, body=wrong)
        if self.rng.random() < 0.3:
            self.seeds[seat] = body["client_seed"] = self.rng.randbytes(32).hex()
        reply, again = (self.ask("POST", path, body=body, key=key, status=201) for _ in range(2))
        check_repeat(reply, again)
        assert reply.json["seat"] == seat
        self.tokens[seat] = reply.json["seat_token"]
        self.refuse(
            "seat_taken", "POST", f"/seats/{seat}/claim", PUBLIC, body=self.claim_body("Ben")
        )

    def claim_body(self, name):
        code = {} if self.join_code is None else {"join_code": self.join_code}
        return {"name": name, **code}

    def _give_seed(self, seat):
        path, seed, tag = f"/seats/{seat}", self.rng.randbytes(32).hex(), self.tag()
        body, other = {"client_seed": seed}, {"client_seed": seed[::-1]}
        self.refuse("version_mismatch", "PATCH", path, seat, body=body, tag='"0-p"')
        given = self.ask("PATCH", path, seat, body=body, tag=tag, status=200)
        assert self.ask("PATCH", path, seat, body=body, status=200).body == given.body
        self.refuse("client_seed_given", "PATCH", path, seat, body=other)
        self.seeds[seat] = seed

    def start(self):
        """Start the game, twice with one key."""
        version = self.look(PUBLIC)["version"]
        move = {"type": "play", "card": "QS"}
        for seat in self.tokens:
            self.refuse("game_not_started", "POST", "/moves", seat, body=move)
        late = {"expected_version": version + 1}
        assert self.as_host("/start", body=late, status=409).code == "version_conflict"
        body, key = {"expected_version": version}, self.key()
        reply, again = (self.as_host("/start", body=body, key=key, status=200) for _ in range(2))
        check_repeat(reply, again)
        assert self.as_host("/start", status=409).code == "game_already_started"

    def as_host(self, path, method="POST", **more):
        return self.service.ask(method, self.path + path, token=self.host, **more)

    def refuse(self, code, method, path, viewer, **more):
        before = self.tag()
        reply = self.ask(method, path, viewer, **more)
        assert (reply.status, reply.code) == (412 if "tag" in more else 409, code)
        assert self.tag() == before

    def tag(self):
        return self.ask("GET", status=200).headers["ETag"]

    # --- the game

    def abort(self):
        """Stop the game, twice with one key."""
        key = self.key()
        reply, again = (self.as_host("/abort", key=key, status=200) for _ in range(2))
        check_repeat(reply, again)
        assert (reply.json["status"], reply.json["result"]) == ("aborted", None)
        assert self.look(PUBLIC) == reply.json

    def play(self, moves=math.inf):
        """Play until the game is over, or until so many *moves* are made."""
        turn = None
        while len(self.sent) < moves:
            if turn is None or not self.is_quiet(turn) or self.is_careful():
                state = self.look(PUBLIC)
                if state["status"] != "active":
                    return
                turn = state["turn"]
            if self.between(self):
                turn = None
                continue
            turn = self._act(turn)

    def _act(self, turn):
        people = [seat for seat in turn["seats"] if seat in self.tokens]
        if not people or (len(people) < len(turn["seats"]) and self.rng.random() < 0.5):
            self._await_bots()
            return None
        seat = self.rng.choice(people)
        state = self.look(seat)
        if not state["you"]["to_act"]:
            return None
        forbidden = self._check_legal(seat, state)
        knowledge.check(self, seat, state)
        state = hints.taken(self, seat, state)
        if self.is_careful() and self.is_quiet(turn):
            self._check_refusals(seat, state, forbidden)
            closed.check(self, state)
        return self._move(seat, state)

    def attack(self):
        """Try moves that are wrong, if the game waits for nobody but the driver."""
        turn = self.look(PUBLIC)["turn"]
        if turn is None or not self.is_quiet(turn):
            return
        seat = self.rng.choice(turn["seats"])
        state = self.look(seat)
        self._check_refusals(seat, state, self._check_legal(seat, state))
        closed.check(self, state)

    def _await_bots(self):
        if self.bots is not None:
            self.bots(self.game_id)
            return
        seat = self.rng.choice([PUBLIC, *self.tokens])
        version = self.follow(seat)["version"]
        if not self.is_quiet(self.look(seat)["turn"]):
            self.ask("GET", f"/events?after={version}&wait={WAIT}", seat, status=200)

    def _move(self, seat, state):
        body = {**self._choice(state["you"]), "turn_id": state["turn"]["id"]}
        key = self.rng.choice([None, self.key()])
        is_quiet = self.is_quiet(state["turn"])
        if is_quiet and self.is_careful():
            body["expected_version"] = state["version"]
        reply = self.ask("POST", "/moves", seat, body=body, key=key, status=201)
        self.sent.append(Sent(seat, body, key, reply))
        self._check_outcome(seat, reply, state["version"] if is_quiet else None)
        if self.is_careful():
            self.repeat(self.sent[-1])
            self.repeat(self.rng.choice(self.sent))
        return reply.json["turn"]

    def _choice(self, you):
        move = self.rng.choice(you["legal_moves"])
        if move["type"] == "pass" and self.rng.random() < 0.5:
            return {"type": "pass", "cards": self.rng.sample(you["hand"], len(move["cards"]))}
        return move

    def _check_outcome(self, seat, reply, before):
        outcome = reply.json
        version, numbers = outcome["version"], [one["seq"] for one in outcome["events"]]
        first = version - len(numbers) + 1
        assert numbers == list(range(first, version + 1))
        assert before in {None, first - 1}
        assert reply.headers["ETag"] == f'"{version}-s{seat}"'
        assert reply.headers["Location"] == f"{self.path}/events/{first}"
        assert not reply.is_replay

    def repeat(self, sent):
        """Send a move once more in all the ways that count as a repeat; not if its seat is left."""
        seat, body, key, reply = sent
        if seat not in self.tokens:
            return
        if key is None:
            self._repeat(sent, self._shuffled(body), None, 200)
            return
        self._repeat(sent, body, key, reply.status)
        self._repeat(sent, body, self.rng.choice([None, self.key()]), 200)
        other = {**body, "turn_id": body["turn_id"] + 1}
        reused = self.ask("POST", "/moves", seat, body=other, key=key, status=409)
        assert reused.code == "idempotency_key_reused"

    def _shuffled(self, body):
        # Which card goes where is in their order only with scatter, to several seats.
        if body["type"] != "pass" or self.scatters:
            return body
        return {**body, "cards": self.rng.sample(body["cards"], len(body["cards"]))}

    def _repeat(self, sent, body, key, status):
        again = self.ask("POST", "/moves", sent.seat, body=body, key=key, status=status)
        check_repeat(sent.reply, again)

    # --- what is legal, and what is not

    def _check_legal(self, seat, state):
        """Hold the legal moves of *seat* against its state; return why the others are none."""
        legal = self.ask("GET", "/legal-moves?explain=true", seat, status=200).json
        you, turn = state["you"], state["turn"]
        assert legal["moves"] == you["legal_moves"]
        assert (legal["turn_id"], legal["to_act"], legal["why"]) == (turn["id"], True, None)
        forbidden = {one["card"]: one["code"] for one in legal["forbidden"]}
        assert len(forbidden) == len(legal["forbidden"])
        if turn["type"] == "play":
            cards = [move["card"] for move in legal["moves"]]
            assert sorted([*cards, *forbidden]) == sorted(set(you["hand"]))
        else:
            assert forbidden == {}
        if turn["type"] == "pass":
            assert legal["pass"]["from"] == you["hand"]
            assert legal["pass"]["count"] == len(legal["moves"][0]["cards"])
        return forbidden

    def _check_refusals(self, seat, state, forbidden):
        others = [other for other in self.tokens if other not in state["turn"]["seats"]]
        for other in others:
            why = self.ask("GET", "/legal-moves", other, status=200).json
            assert (why["to_act"], why["moves"], why["why"]) == (False, [], "not_your_turn")
        last = {sent.seat: sent.body for sent in self.sent if sent.seat in self.tokens}
        wrong = wrong_moves(seat, state, others, last, self.rng)
        for other, body, code in self.rng.sample(wrong, 3):
            self._try(other, body, code, state)
        # Rare codes first.
        for card in sorted(forbidden, key=lambda one: forbidden[one] in self.refused)[:2]:
            self._try(seat, {"type": "play", "card": card}, forbidden[card], state)
        assert self.look(seat) == state

    def _try(self, seat, body, code, state):
        key = self.rng.choice([None, self.key()])
        refused = self.ask("POST", "/moves", seat, body=body, key=key, status=409).json
        assert refused["code"] == code, (body, refused)
        assert refused["current_version"] == state["version"]
        own = state["you"]["legal_moves"] if seat == state["you"]["seat"] else []
        assert refused["legal_moves"] == own or seat in state["turn"]["seats"]
        self.refused.add(code)


def check_repeat(reply, again):
    """Assert that *again* is the answer that *reply* was, and says so."""
    assert again.body == reply.body
    assert again.headers["ETag"] == reply.headers["ETag"]
    assert again.is_replay
