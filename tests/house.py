"""The service without HTTP: what stands behind it, over any store, and requests to it."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from operator import itemgetter
from threading import Barrier

from engine import commands as c
from engine import events as e
from engine.bots import LEVELS, Tempo
from engine.cards import each
from engine.errors import RuleViolation
from engine.evolve import evolve
from engine.playing import legal_plays
from engine.scoring import MoonChoice
from engine.shuffle import game_id_of
from engine.state import TurnType, situation, table_of
from service.command_handler import create_game, handle
from service.command_request import Caller, Guard, Request, cause_of
from service.deps import Deps
from service.games import Games
from service.jobs import Hands, think_due
from service.keyring import Keyring
from service.rewinds import watch
from service.store.envelope import Actor
from service.sweeper import Backlog, sweep
from service.tempo import tempo_of, waiting_bots
from service.watch import overlap
from tests.table import rules as rules_of

NOON = 1_790_000_000_000
KEYS = (b"a key that no other test uses -- ",)
HOST = Caller(Actor("host"), "host", 1)
OF_THE_HOST = c.AssignBot | c.OpenSeat | c.KickSeat | c.ReissueSeatToken


class House:
    """Tables over *store*, at the time *now* (ms), which tests move.

    *hinted* has the id of each game that a commit has made wait for a bot; *more* are other
    parts of the process. *held* is what its worker does later, with the time of each.
    """

    def __init__(self, store, keys=KEYS, hint=None, trouble=None, **more):
        self.now = NOON
        self.hinted, self.held = [], []
        self.trouble = trouble or MemoryTrouble()
        self.watch = MemoryWatch()
        self._hint = hint or self.hinted.append
        # The same deals in every run of a test.
        self._nonces = map("{:064x}".format, count(1)).__next__
        deps = Deps(
            store=store,
            games=Games(store),
            keyring=Keyring(keys),
            **{"notify": self._notify, "clock": lambda: self.now, **more},
        )
        self.deps = watch(deps)

    def _notify(self, game):
        if waiting_bots(game):
            self._hint(game.game_id)

    def restarted(self):
        """Return the same house in a new process: nothing but the store is remembered."""
        house = House(self.deps.store, hint=self._hint, trouble=self.trouble)
        house._nonces = self._nonces
        house.now, house.hinted, house.watch = self.now, self.hinted, self.watch
        return house

    def hands(self, timer=lambda: 0.0):
        """Return what a worker of this process plays with."""
        deps = replace(self.deps, notify=lambda _: None)
        parts = (self.trouble, lambda game_id, _: self._hint(game_id), self.watch, self.hold)
        return Hands(deps, *parts, timer=timer)

    def hold(self, seconds, act):
        """Remember *act* until its time has come."""
        self.held.append((self.now + round(1_000 * seconds), act))

    def wait_for_held(self):
        """Let time pass until everything that is held has been done, hints aside."""
        while self.held:
            self.held.sort(key=itemgetter(0))
            at, act = self.held.pop(0)
            self.now = max(self.now, at)
            act()

    def rest(self):
        """Do what the hints say, and sweep every second and a half, until nothing is due."""
        while True:
            while self.hinted:
                think_due(self.hands(), self.hinted.pop())
                self.wait_for_held()
            self.now += 1_500
            self.trouble.a_second_passes()
            if not self.sweep():
                return

    def sweep(self, quick=0, slow=0):
        """Sweep once, while so many hints are queued, and return who was found."""
        backlog = self.backlog(quick, slow)
        return sweep(self.deps.store, self.trouble, self._hint, backlog, self.now)

    def backlog(self, quick=0, slow=0):
        """Return that so many hints are queued."""
        return Backlog(quick, slow, lambda game_id: tempo_of(self.read(game_id)) is Tempo.SLOW)

    def rest_without_sweeping(self):
        """Do what the hints say; no time passes."""
        while self.hinted:
            think_due(self.hands(), self.hinted.pop())

    def over(self, store):
        """Return the same process with another way to the store."""
        self.deps = watch(replace(self.deps, store=store, games=Games(store)))
        return self

    def creation(self, *seats, rules=None, key=None, claim=None, lobby=c.LobbyOptions(), **more):
        """Return the id and the request of a new table: for each seat a bot's level, or None.

        *more* goes into the command as it is.
        """
        keyring = self.deps.keyring
        key_id = keyring.current
        nonce = self._nonces() if key is None else keyring.nonce("create", key, key_id)
        plans = tuple(c.BotSeat(level, level) if level else c.HumanSeat() for level in seats)
        commitment = keyring.commitment(nonce, key_id)
        rules = rules or rules_of(seats=len(seats))
        command = c.CreateGame(rules, plans, commitment, nonce, key_id, claim, lobby, **more)
        cause = cause_of("create", key, "create", {"seats": [str(plan) for plan in plans]})
        caller = Caller(Actor("host"), "create")
        return game_id_of(commitment), Request(caller, lambda _: command, cause)

    def open(self, *seats, **more):
        """Create a table and return its id."""
        game_id, request = self.creation(*seats, **more)
        create_game(self.deps, game_id, request)
        return game_id

    def started(self, *seats, **more):
        """Create a table, seat people at it, start it, and return its id."""
        game_id = self.open(*seats, **more)
        for seat, level in enumerate(seats):
            if level is None:
                self.claim(game_id, seat)
        self.ask(game_id, c.StartGame())
        return game_id

    def claim(self, game_id, seat=None, key=None, name="Ana", client_seed=None):
        """Claim a seat, or any."""
        caller = Caller(Actor("seat", seat), f"claim:{name}")
        command = c.ClaimSeat(seat, name, client_seed, 1)
        return self._handle(game_id, caller, command, key, Guard())

    def claim_as(self, game_id, command):
        """Claim a seat with *command*."""
        caller = Caller(Actor("seat", command.seat), f"claim:{command.name}")
        return self._handle(game_id, caller, command, None, Guard())

    def ask(self, game_id, command, key=None, guard=None):
        """Send *command* as whoever may: its seat with the token in force, else the host.

        *guard* is by default the open turn, where the command is a move.
        """
        game = self.read(game_id)
        if guard is None:
            is_move = isinstance(command, c.Move) and game.turn is not None
            guard = Guard(turn_id=game.turn.id) if is_move else Guard()
        return self._handle(game_id, self.caller(game, command), command, key, guard)

    def ask_as_player(self, game_id, move, grant):
        """Send *move* as whoever has the token of its seat, though a bot may play it."""
        caller = Caller(Actor("seat", move.seat), f"seat:{move.seat}", grant)
        return self._handle(game_id, caller, move, None, Guard())

    def guard(self, turn_id):
        """Return what refuses a move for any other turn."""
        return Guard(turn_id=turn_id)

    def request(self, game, command, key=None, guard=None):
        """Return the request that sends *command* as whoever may."""
        return self._request(self.caller(game, command), command, key, guard or Guard())

    def _handle(self, game_id, caller, command, key, guard):
        request = self._request(caller, command, key, guard)
        return handle(self.deps, game_id, request)

    def _request(self, caller, command, key, guard):
        cause = cause_of(caller.scope, key, type(command).__name__, {"of": str(command)})
        return Request(caller, lambda _: command, cause, guard)

    def caller(self, game, command):
        """Return who may give *command*: its seat, or the bot that plays it, else the host."""
        seat = None if isinstance(command, OF_THE_HOST) else getattr(command, "seat", None)
        if seat is None:
            return HOST._replace(grant=game.table.host_grant)
        player = game.table.players[seat]
        if player.playing_level:
            version = LEVELS[player.playing_level].version
            return Caller(Actor("bot", seat, player.playing_level, version), f"bot:{seat}")
        return Caller(Actor("seat", seat), f"seat:{seat}", player.grant)

    def read(self, game_id):
        """Return the game as the log has it."""
        return self.deps.games.read(game_id)

    def moves_without_authority(self, game_id):
        """Return the moves in the log by somebody who was not in charge of the seat just then."""
        state, found = None, []
        for one in self.log(game_id):
            if isinstance(one.event, e.CardPlayed | e.CardsPassed | e.MoonChosen):
                player = table_of(state).players[one.event.seat]
                is_free = player.is_bot or not player.claimed
                if (one.actor.level, one.actor.seat) != (player.playing_level, one.event.seat) or (
                    one.actor.kind == "seat" and is_free
                ):
                    found.append(one)
            state = evolve(state, one.event)
        return found

    def log(self, game_id):
        """Return all stored events of the game."""
        game = self.read(game_id)
        return self.deps.games.events(game, 1, game.version)


class MemoryWatch:
    """A `Watch` that tests tell of *outages*, each with its begin and end, or that it is odd."""

    def __init__(self):
        self.outages = []
        self.is_odd = self.is_unserved = False

    def is_back(self, now):
        del now
        return False

    def outage_ms(self, since, now):
        return None if self.is_odd else overlap((since, now), self.outages)


class MemoryTrouble:
    """A `Trouble` that forgets everything with its process."""

    def __init__(self):
        self.tries = Counter()
        self.leases = set()
        self.reserved = set()
        self.parked = set()
        self.swept = set()

    @contextmanager
    def attempt(self, decision):
        if decision in self.leases:
            yield 0
            return
        self.leases.add(decision)
        try:
            self.tries[decision] += 1
            yield self.tries[decision]
        finally:
            self.leases.discard(decision)

    def reserve(self, decision, since, _):
        if (decision, since) in self.reserved:
            return False
        self.reserved.add((decision, since))
        return True

    def forgive(self, decision):
        self.tries[decision] -= 1

    def park(self, game_id):
        self.parked.add(game_id)

    def not_parked(self, game_ids):
        return [game_id for game_id in game_ids if game_id not in self.parked]

    def to_rescue(self, game_ids):
        mine = [game_id for game_id in game_ids if game_id not in self.swept]
        self.swept.update(mine)
        return self.not_parked(mine)

    def a_second_passes(self):
        self.swept.clear()
        self.reserved.clear()


def code_of(refused):
    """Return the code of a refusal by the rules, or the name of what else refused."""
    reason = refused.reason
    return reason.code if isinstance(reason, RuleViolation) else type(reason).__name__


def legal_moves(game, seat=None):
    """Return some legal moves of *seat*, else of the first seat to act; at least one."""
    state, seat = game.state, game.turn.seats[0] if seat is None else seat
    match game.turn.type:
        case TurnType.PASS:
            hand, count = list(each(state.hands[seat])), state.deal.pass_count
            return [c.PassCards(seat, tuple(hand[:count])), c.PassCards(seat, tuple(hand[-count:]))]
        case TurnType.PLAY:
            return [c.PlayCard(seat, card) for card in each(legal_plays(situation(state, seat)))]
        case TurnType.MOON:
            return [c.ChooseMoon(seat, choice) for choice in MoonChoice]


class Together:
    """Another store, in which the first *count* appends wait for each other."""

    def __init__(self, inner, count):
        self._inner = inner
        self._barrier = Barrier(count)
        self._places = list(range(count))

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def append(self, *args):
        if self._places:
            self._places.pop()
            self._barrier.wait(10)
        return self._inner.append(*args)


class Overtaken:
    """Another store; before its next append *first* happens."""

    def __init__(self, inner, first):
        self._inner = inner
        self._first = first

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def append(self, *args):
        first, self._first = self._first, None
        if first:
            first()
        return self._inner.append(*args)


def at_once(calls):
    """Return what each of *calls* returns or raises, each on a thread of its own."""

    def run(call):
        try:
            return call()
        except Exception as exc:  # noqa: BLE001 - it is the answer
            return exc

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
