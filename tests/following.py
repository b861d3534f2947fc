"""A client that knows a game from its events alone, and a table where much happens.

It knows no rules: whose turn it is, who holds what and who has how many points is put
together from what the events say, as a program that follows a game has to.
"""

from datetime import datetime, timedelta

from tests.tables import BOT, full_table

DECK = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]
PLACES = {"left": 1, "right": -1}
OF_THE_DEAL = {"has_passed": False, "hand_size": 0, "tricks_taken": 0, "deal_points": 0}
NOTHING_HELD = {"hand": [], "passed": [], "received": [], "kitty": None}
MEMBERS = (
    *("status", "version", "created_at", "started_at", "last_event_at", "finished_at"),
    *(
        "visibility",
        "lobby",
        "practice",
        "spectators",
        "hints",
        "knowledge",
        "metadata",
        "clock",
        "rules",
    ),
    *("seats", "deal", "turn", "you", "result", "fairness", "origin"),
)
"""What of a state a client can know from events."""


class Followed:
    """A game as *seat*, or with None as anybody, knows it from the events it was `told`."""

    def __init__(self, seat=None):
        self.seat = seat
        self.version = 0
        self.state = {}
        self.heard = []

    def tell(self, event):
        """Take in the next event; there is no other way to learn anything."""
        assert event["seq"] == self.version + 1, "an event was lost, or came twice"
        self.version = event["seq"]
        self.heard.append(event)
        self._own = event["private"].get(str(self.seat), {})
        self._event, self._data = event, event["data"]
        getattr(self, "_" + event["type"].replace(".", "_"))(**event["data"])
        self.state |= {"version": event["seq"], "last_event_at": event["time"]}
        self._look_at_the_turn()

    # The table

    def _game_created(self, seats, **data):
        self.state = {
            **{name: data[name] for name in MEMBERS if name in data},
            "status": "lobby",
            "created_at": self._event["time"],
            **dict.fromkeys(("started_at", "finished_at", "deal", "turn", "you", "result")),
            "seats": [self._planned(**plan) for plan in seats],
        }
        if self.seat is not None:
            self.state["you"] = {"seat": self.seat, "timeouts": 0, **NOTHING_HELD}

    def _planned(self, seat, kind, level=None, name=None):
        whoever = self._bot(level, name) if kind == "bot" else self._empty()
        return {"seat": seat, "client_seed_given": False, "total": 0, **OF_THE_DEAL, **whoever}

    @staticmethod
    def _bot(level, name):
        kinds = {"kind": "bot", "controller": "bot", "bot_level": level}
        return {"name": name, "claimed": True, "ready": True, **kinds}

    @staticmethod
    def _empty():
        kinds = {"kind": "human", "controller": "human", "bot_level": None}
        return {"name": None, "claimed": False, "ready": False, **kinds}

    def _seat_claimed(self, seat, name, client_seed_given, **_):
        changes = {"name": name, "claimed": True, "client_seed_given": client_seed_given}
        self.state["seats"][seat] |= changes

    def _seat_updated(self, seat, **changes):
        told = {name: value for name, value in changes.items() if value is not None}
        self.state["seats"][seat] |= told

    def _seat_bot_assigned(self, seat, level, name):
        self.state["seats"][seat] |= {**self._bot(level, name), "client_seed_given": False}

    def _seat_released(self, seat, **_):
        left = {"claimed": False}  # in a running game a bot keeps the name
        if self.state["status"] == "lobby":
            left = {**self._empty(), "client_seed_given": False}
        self.state["seats"][seat] |= left

    _seat_kicked = _seat_released

    def _seat_token_rotated(self, **_):
        pass

    _host_token_rotated = _seat_token_rotated

    def _seat_control_changed(self, seat, to, level, **_):
        self.state["seats"][seat] |= {"controller": to, "bot_level": level}

    def _lobby_changed(self, lobby):
        self.state["lobby"] = lobby

    def _options_changed(self, changes):
        self.state |= changes

    def _game_started(self, **_):
        started = {"status": "active", "lobby": "closed", "started_at": self._event["time"]}
        self.state |= started

    # A deal

    def _deal_dealt(self, deal, dealer, hand_sizes, kitty_size, leader, **data):
        self._pass = data["pass"] if data["pass_count"] else None
        self.state["deal"] = {
            "number": deal,
            "pass": data["pass"],
            "dealer": dealer,
            "trick_number": 0,
            "leader": None,
            "hearts_broken": False,
            "trick": [],
            "carried": [],
            "kitty": {"size": kitty_size, "taken_by": None},
            "last_trick": None,
        }
        for seat, size in zip(self.state["seats"], hand_sizes, strict=True):
            seat |= {**OF_THE_DEAL, "hand_size": size}
        if self.seat is not None:
            self.state["you"] |= {**NOTHING_HELD, "hand": self._own["hand"]}
        if self._pass:
            self._open("pass", list(range(len(hand_sizes))))
        else:
            self._lead(1, leader)

    def _cards_passed(self, seat, count, **_):
        seats = self.state["seats"]
        seats[seat]["has_passed"] = True
        seats[seat]["hand_size"] -= count
        if seat == self.seat:
            to = (seat + PLACES[self._pass]) % len(seats)
            you, cards = self.state["you"], self._own["cards"]
            you["passed"] = [{"to": to, "cards": cards}]
            you["hand"] = [one for one in you["hand"] if one not in cards]
        self.state["turn"]["seats"].remove(seat)
        if not self.state["turn"]["seats"]:
            self.state["turn"] = None

    def _pass_completed(self, leader, **_):
        for seat in self.state["seats"]:
            seat["hand_size"] += self.state["rules"]["passing"]["count"]
        if self.seat is not None:
            received = self._own["received"]
            self.state["you"]["received"] = received
            self._take(*(one for gift in received for one in gift["cards"]))
        self._lead(1, leader)

    def _card_played(self, seat, card, broke_hearts, **_):
        deal, seats = self.state["deal"], self.state["seats"]
        deal["trick"].append({"seat": seat, "card": card})
        deal["hearts_broken"] |= broke_hearts
        seats[seat]["hand_size"] -= 1
        if seat == self.seat:
            self.state["you"]["hand"].remove(card)
        self.state["turn"] = None
        if len(deal["trick"]) < len(seats):
            self._open("play", [(seat + 1) % len(seats)])

    def _trick_completed(self, trick, winner, points, leader, takes_kitty, **_):
        deal, taker = self.state["deal"], self.state["seats"][winner]
        plays = deal["trick"]
        last = {"number": trick, "plays": plays, "winner": winner, "points": points}
        deal |= {"last_trick": last, "trick": []}
        taker["tricks_taken"] += 1
        taker["deal_points"] += points
        self._lead(trick + 1, leader)
        if takes_kitty:
            self.state["turn"] = None

    def _kitty_taken(self, seat, **_):
        self.state["deal"]["kitty"]["taken_by"] = seat
        if seat == self.seat:
            self.state["you"]["kitty"] = {"cards": self._own["cards"]}
        self._lead(self.state["deal"]["trick_number"], self.state["deal"]["leader"])

    def _moon_shot(self, seat, choice_required, **_):
        if choice_required:
            self._open("moon", [seat])

    def _hint_used(self, **_):
        """Nothing of the state, the turn stays open."""

    def _moon_chosen(self, **_):
        self.state["turn"] = None

    def _deal_scored(self, taken, totals, **_):
        self.state["turn"] = None
        for seat, points, total in zip(self.state["seats"], taken, totals, strict=True):
            seat |= {"deal_points": points, "total": total}

    def _game_finished(self, reveals, **result):
        del reveals
        finished = {"status": "finished", "finished_at": self._event["time"]}
        self.state |= {**finished, "result": result, "turn": None, "deal": None}
        for seat in self.state["seats"]:
            seat.update(OF_THE_DEAL)
        if self.seat is not None:
            self.state["you"] |= NOTHING_HELD

    # Who is to act

    def _take(self, *cards):
        you = self.state["you"]
        you["hand"] = sorted([*you["hand"], *cards], key=DECK.index)

    def _lead(self, number, leader):
        self.state["deal"]["leader"] = leader
        if leader is not None:  # after the last trick nobody leads
            self.state["deal"]["trick_number"] = number
            self._open("play", [leader])

    def _open(self, kind, seats):
        opened = {"id": self._event["seq"], "opened_at": self._event["time"]}
        self.state["turn"] = {"type": kind, "seats": seats, **opened}

    def _look_at_the_turn(self):
        """Say what follows from whose turn it is, and from who plays for whom."""
        turn, you, deal = (self.state[name] for name in ("turn", "you", "deal"))
        if turn is not None:
            turn |= self._deadline(turn)
        if you is not None:
            led = deal["trick"][0]["card"][1] if deal and deal["trick"] else None
            you |= {"to_act": turn is not None and self.seat in turn["seats"], "led_suit": led}

    def _deadline(self, turn):
        clock, seats = self.state["clock"], self.state["seats"]
        people = [seat for seat in turn["seats"] if seats[seat]["controller"] == "human"]
        if clock is None or not people:
            return {"deadline_at": None, "on_timeout": None}
        seconds = timedelta(seconds=clock[turn["type"] + "_seconds"])
        until = datetime.fromisoformat(turn["opened_at"]) + seconds
        text = until.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"deadline_at": text, "on_timeout": clock["on_timeout"]}


def known(state):
    """Return what of *state*, as the service tells it, a client can know from events alone."""
    found = {name: state[name] for name in MEMBERS}
    if found["you"] is not None:
        you = {name: value for name, value in found["you"].items() if name != "legal_moves"}
        kitty = you["kitty"] and {"cards": you["kitty"]["cards"]}
        found["you"] = you | {"kitty": kitty}
    return found


RULES = {
    "preset": "kitty",
    "seats": 7,
    "ending": {"target": None, "deals": 2, "tie": "share"},
}


def eventful_table(api):
    """Return a table of seven for `eventful_steps`, whose deals are the same every time."""
    return full_table(
        api,
        *[{"kind": "human"}] * 7,
        rules=RULES,
        clock={"play_seconds": 86_400, "pass_seconds": 7_200},
        dealing={"mode": "seeded", "seed": "5eed" * 16},
    )


def eventful_steps(table, rng):
    """Yield what is done at *table*, one thing after the other, each a few events long.

    Two deals with a kitty. One is kicked before the start, one goes in the middle, and bots
    play for both. *rng* chooses moves, so nothing depends on luck.
    """
    yield lambda: table.tell(3, ready=True)
    yield lambda: table.tell(1, name="Zoë")
    yield lambda: table.ask("PATCH", "", "host", {"lobby": "closed"}, expect=200)
    yield lambda: table.order(6, kick=True)
    del table.tokens[6]
    yield lambda: table.order(6, **BOT)
    yield lambda: table.reissue(2)
    yield table.start
    while (turn := table.state()["turn"]) is not None:
        if table.state()["deal"]["number"] == 2 and 5 in table.tokens:
            yield lambda: table.release(5)
            del table.tokens[5]
            continue
        people = [seat for seat in turn["seats"] if seat in table.tokens]
        if people:
            seat, move = people[0], table.a_move(people[0], rng)
            yield lambda seat=seat, move=move: table.move(seat, move, expect=201)
        else:
            yield table.let_bots_play
