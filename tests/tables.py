"""Tables over HTTP, in this process: requests of every kind, sound or not, and whole games.

Every answer is held to the contract before a test looks at it.
"""

import json
import random
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

from service.app import create_app
from service.games import Games
from service.jobs import Hands, play_due
from service.requests import DEPS, LINES
from service.rewinds import watch
from service.settings import load
from service.streams import Pace
from tests.contract.spec import validate
from tests.house import MemoryTrouble, MemoryWatch

KEYS = ("a secret that signs in tests only",)
HUMAN = {"kind": "human"}
BOT = {"kind": "bot", "level": "easy"}
UNKNOWN_GAME = "0" * 32
SHORT = {"ending": {"target": None, "deals": 1, "tie": "share"}}


def make_settings(url, *keys, revoked=(), **more):
    """Return settings with the store at *url* and *keys* as secrets, the first of them signing.

    *revoked* has the numbers of application keys, *more* other settings by name.
    """
    return load(
        {
            "HEARTS_EVENTS_URL": url,
            "HEARTS_SECRET_KEYS": ",".join(keys or KEYS),
            "HEARTS_REVOKED_KEYS": ",".join(revoked),
            "HEARTS_RATE_LIMITS": "off",
            **more,
        }
    )


def make_app(url, *keys, revoked=(), **more):
    """Return an app with `make_settings`, whose streams end as soon as they have begun."""
    app = create_app(make_settings(url, *keys, revoked=revoked, **more))
    app.extensions[LINES] = replace(app.extensions[LINES], pace=Pace(15, 0))
    return app


class Api:
    """The way into *app*; several threads may share it."""

    def __init__(self, app):
        self.app = app

    @property
    def deps(self):
        return self.app.extensions[DEPS]

    def over(self, store):
        """Let the app work with another store, and remember nothing; return the way into it."""
        self.app.extensions[DEPS] = watch(replace(self.deps, store=store, games=Games(store)))
        return self

    def ask(self, method, target, token=None, body=None, *, expect=None, **more):
        """Return the answer.

        *body* goes as JSON. *expect* is the status, with the code if it is a problem. Of *more*,
        *key* goes into `Idempotency-Key`, *headers* as they are, the rest to the test client.
        """
        headers = _headers(token, **{name: more.pop(name, None) for name in ("key", "headers")})
        if body is not None:
            more |= {"data": json.dumps(body), "content_type": "application/json"}
        answer = self.app.test_client().open(target, method=method, headers=headers, **more)
        validate(answer)
        if expect is not None:
            assert outcome_of(answer) == expect, f"{method} {target} {body} {answer.text}"
        return answer

    def send(self, method, target, data, token=None, **more):
        """Return the answer to *data*, bytes that are said to be JSON."""
        more = {"content_type": "application/json"} | more
        return self.ask(method, target, token, data=data, **more)


def _headers(token, key, headers):
    found = list(headers.items() if isinstance(headers, Mapping) else headers or ())
    if token is not None:
        found.append(("Authorization", f"Bearer {token}"))
    if key is not None:
        found.append(("Idempotency-Key", key))
    return found


def outcome_of(answer):
    """Return the status of *answer*, with its code if it is a problem."""
    if answer.content_type == "application/problem+json" and answer.data:
        return answer.status_code, answer.json["code"]
    return answer.status_code


def new_key():
    """Return an idempotency key that nobody else has."""
    return secrets.token_urlsafe(24)


def at_once(*calls):
    """Return what each of *calls* returns; they run on threads of their own and start together."""
    barrier = Barrier(len(calls))

    def run(call):
        barrier.wait(10)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


class Table:
    """One game; *host* is the host's token, *tokens* those of seats, *path* the game's."""

    def __init__(self, api, made):
        self.api = api
        self.id = made["id"]
        self.path = f"/v1/games/{self.id}"
        self.host = made["host_token"]
        self.tokens = {}
        if made["seat"] is not None:
            self.tokens[made["seat"]] = made["seat_token"]

    def through(self, api):
        """Return the same table, reached another way."""
        other = Table.__new__(Table)
        other.__dict__ |= self.__dict__ | {"api": api}
        return other

    def ask(self, method, path="", viewer=None, body=None, **more):
        """Ask about this game; *viewer* is a seat, ``host``, or None."""
        token = more.pop("token", self.token(viewer))
        return self.api.ask(method, self.path + path, token, body, **more)

    def token(self, viewer):
        return self.host if viewer == "host" else self.tokens.get(viewer)

    @property
    def version(self):
        return self.state()["version"]

    def state(self, viewer=None):
        return self.ask("GET", viewer=viewer, expect=200).json

    def events(self, viewer=None, after=0):
        return self.ask("GET", f"/events?limit=500&after={after}", viewer, expect=200).json["items"]

    def claim(self, seat, name="Ana", **more):
        made = self.ask("POST", f"/seats/{seat}/claim", body={"name": name}, expect=201, **more)
        self.tokens[seat] = made.json["seat_token"]

    def start(self):
        self.ask("POST", "/start", "host", expect=200)
        return self

    def tell(self, seat, **body):
        """Change what *seat* says of itself."""
        return self.ask("PATCH", f"/seats/{seat}", seat, body, expect=200)

    def order(self, seat, **body):
        """Change who sits at *seat*, as the host."""
        return self.ask("PATCH", f"/seats/{seat}", "host", body, expect=200)

    def reissue(self, seat):
        """Give *seat* another token, as the host, and use it from now on."""
        made = self.order(seat, reissue=True)
        self.tokens[seat] = made.json["seat_token"]
        return made

    def release(self, seat):
        """Leave *seat*."""
        return self.ask("POST", f"/seats/{seat}/release", seat, expect=200)

    def let_bots_play(self):
        """Make the moves that bots are to make, as a worker does."""
        parts = MemoryTrouble(), lambda _: None, MemoryWatch(), lambda *_: None
        hands = Hands(self.api.deps, *parts, timer=lambda: 0.0)
        play_due(hands, self.id)

    def move(self, seat, body, **more):
        """Return the answer to a move."""
        return self.ask("POST", "/moves", seat, body, **more)

    def a_move(self, seat, rng=None):
        """Return a legal move of *seat*, with its turn."""
        legal = self.ask("GET", "/legal-moves", seat, expect=200).json
        move = rng.choice(legal["moves"]) if rng else legal["moves"][0]
        return {**move, "turn_id": legal["turn_id"]}

    def play(self, rng=None, until=None):
        """Make legal moves until *until*, asked with the open turn, is true, or the game is over.

        Returns the open turn, None if there is none.
        """
        turn = self.state()["turn"]
        while turn is not None and not (until and until(turn)):
            seat = turn["seats"][0]
            turn = self.move(seat, self.a_move(seat, rng), expect=201).json["turn"]
        return turn

    def pass_cards(self):
        """Let everybody pass; return the first turn of the play."""
        return self.play(until=lambda turn: turn["type"] == "play")


def open_table(api, *seats, **body):
    """Create a table of *seats*, four people if none are named, with *body* beside them."""
    body = {"seats": list(seats) or [HUMAN] * 4} | body
    return Table(api, api.ask("POST", "/v1/games", body=body, expect=201).json)


def full_table(api, *seats, **body):
    """Create a table and seat a person wherever none sits."""
    table = open_table(api, *seats, **body)
    for seat in table.state()["seats"]:
        if not seat["claimed"]:
            table.claim(seat["seat"], name=f"Person {seat['seat']}")
    return table


def started_table(api, *seats, **body):
    """Create a table, seat people and start the game."""
    return full_table(api, *seats, **body).start()


def forked_halfway(origin):
    """Return a fork of *origin*, which is over, that people have played to its end."""
    body = {"at_version": origin.version // 2, "seats": [HUMAN] * 4}
    body["claim"] = {"seat": 0, "name": "Ana"}
    table = Table(origin.api, origin.ask("POST", "/forks", None, body, expect=201).json)
    for seat in range(1, 4):
        table.claim(seat)
    if table.state()["status"] == "lobby":
        table.start()
    table.play(random.Random(3))
    return table


def playing_table(api, *seats, **body):
    """Return a table where nothing is passed and the first card is to be led."""
    rules = body.pop("rules", {})
    rules = {**rules, "passing": {"cycle": ["hold"]}}
    return started_table(api, *seats, rules=rules, **body)
