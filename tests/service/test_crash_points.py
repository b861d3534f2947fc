"""Every kind of command, with the process dying at every call it makes to store and queue.

Whatever happens, the client's repeat and the sweeper bring about what would have happened
anyway: the same log, once. Nothing here is random.
"""

from functools import cache, partial
from itertools import count
from typing import NamedTuple

import pytest

from engine import commands as c
from engine.cards import rank_of
from engine.shuffle import game_id_of
from engine.state import Playing, TurnType
from service.command_handler import create_game, handle
from service.command_request import Caller, Guard, Request, cause_of
from service.forking import Chain, check_forkable, fork_command, moment_at
from service.jobs import play_due
from service.store.base import StoreUnavailableError
from service.store.envelope import Actor
from tests.fakes import Died, Fault, FaultyStore, MemoryStore
from tests.house import House, legal_moves
from tests.table import rules

KEY = "k" * 22
MIXED = (None, None, "easy", "easy")
PEOPLE = (None,) * 4
JOB = "move a bot"
CALLS = ("append", "tail", "entries")
TRIES = 3
WAYS = {
    "before": (Fault.DIES_BEFORE, Fault.DIES_BEFORE),
    "done without answer": (Fault.LOST_AFTER, Fault.UNAVAILABLE),
    "after": (Fault.DIES_AFTER, Fault.DIES_AFTER),
}
"""What becomes of an append, and of a read."""


# The table before each kind of command


def _open(house, *seats, key="table", **more):
    return house.open(*seats, key=key.ljust(22, "-"), **more)


def _command(house, game_id, command, guard=None, key=KEY):
    game = house.read(game_id)

    def ask(house):
        # Without a key nothing but turn and move says that a repeat is one.
        return handle(house.deps, game_id, house.request(game, command, key, guard))

    return ask


def _move(house, game_id, *, by_key):
    game = house.read(game_id)
    guard = Guard() if by_key else Guard(turn_id=game.turn.id)
    return _command(house, game_id, legal_moves(game)[0], guard, KEY if by_key else None)


def _creation(house, claim=None):
    game_id, request = house.creation(*MIXED, key=KEY, claim=claim)
    return game_id, lambda house: create_game(house.deps, game_id, request)


def _fork(house, seats=PEOPLE, claim=None):
    """Fork a game that somebody has stopped, in the middle of a trick."""
    origin_id, _ = _mid_trick(house, 1)
    at = house.read(origin_id).version
    house.ask(origin_id, c.AbortGame())
    keyring, key_id = house.deps.keyring, house.deps.keyring.current
    nonce = keyring.nonce("fork", KEY, key_id, origin_id)
    chain = Chain(keyring.commitment(nonce, key_id), nonce, key_id)
    plan = [{"kind": "bot", "level": "easy"} if one else {"kind": "human"} for one in seats]
    body = {"seats": plan} | ({} if claim is None else {"claim": {"seat": claim, "name": "Ana"}})

    def ask(house):
        def command(_):
            origin = house.read(origin_id)
            check_forkable(origin, None, is_ours=False)
            return fork_command(moment_at(house.deps.games, origin, at), chain, body)

        caller = Caller(Actor("host"), "fork")
        request = Request(caller, command, cause_of("fork", KEY, "fork", body))
        return create_game(house.deps, game_id_of(chain.commitment), request)

    return game_id_of(chain.commitment), ask


def _lobby(house, command, seats=MIXED, claimed=(0,)):
    game_id = _open(house, *seats)
    for seat in claimed:
        house.claim(game_id, seat)
    return game_id, _command(house, game_id, command)


def _claim(house, seat):
    game_id = _open(house, *MIXED)
    return game_id, lambda house: house.claim(game_id, seat, KEY)


def _playing(house, until, *, by_key=True, seats=PEOPLE, rules=None):
    game_id = _open(house, *seats, rules=rules)
    for seat, level in enumerate(seats):
        if level is None:
            house.claim(game_id, seat)
    house.ask(game_id, c.StartGame())
    house.rest()
    while not until(game := house.read(game_id)):
        house.ask(game_id, legal_moves(game)[0])
        house.rest()
    return game_id, _move(house, game_id, by_key=by_key)


def _passing(house, left, **more):
    return _playing(
        house,
        lambda game: game.turn.type is TurnType.PASS and len(game.turn.seats) == left,
        **more,
    )


def _mid_trick(house, lying, **more):
    return _playing(
        house,
        lambda game: isinstance(game.state, Playing) and len(game.state.trick) == lying,
        **more,
    )


def _beside_bots(house):
    game_id = _open(house, *MIXED)
    for seat in (0, 1):
        house.claim(game_id, seat)
    house.ask(game_id, c.StartGame())
    house.hinted.clear()
    return game_id, _move(house, game_id, by_key=True)


def _before_bots(house):
    def is_next(game):
        return isinstance(game.state, Playing) and game.turn.seats == (1,)

    return _playing(house, is_next, seats=MIXED)


def _last_card(house, deals, **more):
    def is_last(game):
        return isinstance(game.state, Playing) and sum(map(bool, game.state.hands)) == 1

    return _playing(house, is_last, rules=rules(ending={"deals": deals}), **more)


def _moon(house, *, by_key=True):
    options = {
        "seats": 7,
        "passing": {"cycle": ["hold"]},
        "play": {"opening_lead": "eldest", "first_trick_points": "allowed"},
    }
    game_id = _open(house, *(None,) * 7, rules=rules(**options), key="0" * 20 + "38")
    for seat in range(7):
        house.claim(game_id, seat)
    game = house.ask(game_id, c.StartGame()).game
    (shooter,) = game.turn.seats
    while game.turn.type is TurnType.PLAY:
        game = house.ask(game_id, _for_the_moon(game, shooter)).game
    assert game.turn.seats == (shooter,), "the moon was not shot"
    return game_id, _move(house, game_id, by_key=by_key)


def _for_the_moon(game, shooter):
    moves = legal_moves(game)
    if game.turn.seats == (shooter,):
        return max(moves, key=lambda move: rank_of(move.card))
    points_in = game.table.rules.points_in
    return max(moves, key=lambda move: (points_in(move.card), -rank_of(move.card)))


def _job(house):
    game_id = _open(house, *MIXED)
    for seat in (0, 1):
        house.claim(game_id, seat)
    house.ask(game_id, c.StartGame())
    # Time flies for this worker: after every move it leaves the table with a further hint.
    return game_id, lambda house: play_due(house.hands(count().__next__), game_id)


def _abort(house):
    game_id, _ = _mid_trick(house, 1)
    return game_id, _command(house, game_id, c.AbortGame())


KINDS = {
    "create": _creation,
    "create and sit down": partial(_creation, claim=c.ClaimSeat(0, "Ana")),
    "fork": _fork,
    "fork and wake the bots": partial(_fork, seats=(None, "easy", "easy", "easy"), claim=0),
    "fork for bots alone": partial(_fork, seats=("easy",) * 4),
    "claim a seat": partial(_claim, seat=1),
    "claim any seat": partial(_claim, seat=None),
    "change the name": partial(_lobby, command=c.UpdateSeat(0, name="Bo")),
    "give a client seed": partial(_lobby, command=c.UpdateSeat(0, client_seed="5" * 64)),
    "start": partial(_lobby, command=c.StartGame(), claimed=(0, 1)),
    "abort in the lobby": partial(_lobby, command=c.AbortGame()),
    "abort a deal": _abort,
    "pass": partial(_passing, left=4),
    "pass beside bots": _beside_bots,
    "pass as the last": partial(_passing, left=1),
    "play": partial(_mid_trick, lying=1),
    "play before bots": _before_bots,
    "end a trick": partial(_mid_trick, lying=3),
    "end a deal": partial(_last_card, deals=2),
    "end a game": partial(_last_card, deals=1),
    "settle a moon": _moon,
    "pass without a key": partial(_passing, left=4, by_key=False),
    "play without a key": partial(_mid_trick, lying=1, by_key=False),
    "end a deal without a key": partial(_last_card, deals=2, by_key=False),
    "settle a moon without a key": partial(_moon, by_key=False),
    JOB: _job,
}


class Hints:
    """The queue as the process under test reaches it; *fault* is what becomes of each hint."""

    def __init__(self):
        self.calls = 0
        self.kept = []
        self.fault = None

    def __call__(self, game_id):
        self.calls += 1
        if self.fault is Fault.DIES_BEFORE:
            raise Died
        if self.fault is not Fault.UNAVAILABLE:  # whoever hints does not hear of a lost one
            self.kept.append(game_id)
        if self.fault is Fault.DIES_AFTER:
            raise Died


class Run:
    """One kind of command, at its table, in a process that remembers the game or does not."""

    def __init__(self, kind, *, warm):
        self.kind, table = kind, _table_before(kind)
        self.game_id, self._ask, self._now = table.game_id, table.ask, table.now
        self._store = MemoryStore()
        self._store.streams = {one: list(entries) for one, entries in table.streams.items()}
        self._store.due = dict(table.due)
        self.hints, self.faulty = Hints(), FaultyStore(self._store, methods=CALLS)
        self._first = self._process(self.faulty, self.hints)
        if warm:
            self._first.deps.games.find(self.game_id)
        self.faulty.calls.clear()

    def _process(self, store, hint):
        house = House(store, hint=hint)
        house.now = self._now
        return house

    def settle(self, *plan, at_hint=None, again=()):
        """Ask, with calls going wrong as planned; return what the client and the log say at last.

        After a death or no answer, the client asks other processes for the same, whose
        calls go wrong as *again* says. A job is not repeated: that is the sweeper's.
        """
        self.faulty._plan = iter(plan)
        self.hints.fault = at_hint
        process, store = self._first, FaultyStore(self._store, again, CALLS)
        outcome = None
        for _ in range(TRIES):
            try:
                outcome = self._ask(process)
            except (Died, StoreUnavailableError):
                if self.kind == JOB:
                    break
                process = self._process(store, self.hints.kept.append)
            else:
                break
        log = self._log_at_rest()
        assert outcome is not None or self.kind == JOB, "the client got no answer"
        return outcome and [one.event for one in outcome.events], log

    def _log_at_rest(self):
        house = self._process(self._store, None)
        house.hinted.extend(self.hints.kept)
        house.rest()
        return [(one.seq, one.actor, one.event) for one in house.log(self.game_id)]


class Table(NamedTuple):
    """A table, and what *ask* asks of it, by way of a house."""

    game_id: str
    ask: object
    streams: dict
    due: dict
    now: int


@cache
def _table_before(kind):
    house = House(MemoryStore())
    game_id, ask = KINDS[kind](house)
    store = house.deps.store
    return Table(game_id, ask, store.streams, store.due, house.now)


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_happens_at_any_call_changes_nothing_but_the_delay(kind, warm):
    plain = Run(kind, warm=warm)
    expected = plain.settle()
    calls = plain.faulty.calls
    assert "append" in calls

    for at, call in enumerate(calls):
        for at_append, at_read in WAYS.values():
            plan = [None] * at + [at_append if call == "append" else at_read]
            assert Run(kind, warm=warm).settle(*plan) == expected, plan


@pytest.mark.parametrize("kind", KINDS)
def test_what_becomes_of_a_hint_changes_nothing_but_the_delay(kind):
    expected = Run(kind, warm=True).settle()

    for fault in (Fault.DIES_BEFORE, Fault.UNAVAILABLE, Fault.DIES_AFTER):
        assert Run(kind, warm=True).settle(at_hint=fault) == expected, fault


@pytest.mark.parametrize("kind", KINDS)
def test_a_repeat_may_be_struck_as_well(kind):
    plain = Run(kind, warm=True)
    expected = plain.settle()
    before = [None] * plain.faulty.calls.index("append")

    for first, _ in WAYS.values():
        for fault in (Fault.UNAVAILABLE, Fault.DIES_BEFORE, Fault.DIES_AFTER):
            for at in range(3):
                again = [None] * at + [fault]
                assert Run(kind, warm=True).settle(*before, first, again=again) == expected, again


def test_moves_before_a_bot_give_a_hint():
    hinting = set()
    for kind in KINDS:
        run = Run(kind, warm=True)
        run.settle()
        if run.hints.calls:
            hinting.add(kind)

    assert hinting >= {"start", "pass beside bots", "play before bots", JOB}
