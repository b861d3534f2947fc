"""Whole games as the log has them: events of `tests.games` with time, actor and cause."""

import hashlib

from engine import commands as c
from engine import events as e
from engine.evolve import fold
from engine.state import table_of
from service.store.codec import encode
from service.store.envelope import Actor, Cause, Stored
from service.store.event_types import version_of
from tests.forks import fork_commands
from tests.games import play_commands, restless_commands, voiding

CREATED_AT = 1_790_000_000_000


def stored_game(rules, rng, created_at=CREATED_AT):
    """Return the stored events of one whole game; about a second and a half apart."""
    return _stored(play_commands(rules, rng), rng, created_at)


def voided_game(rules, rng, chance=0.02, skips=(0, 0, 3), created_at=CREATED_AT):
    """Return the stored events of one whole game in which deals are voided."""
    return _stored(play_commands(rules, rng, voiding(chance, skips=skips)), rng, created_at)


def restless_game(rules, rng, created_at=CREATED_AT):
    """Return the stored events of one whole game in which people come and go."""
    return _stored(restless_commands(rules, rng), rng, created_at)


def stored_fork(rules, rng, created_at=CREATED_AT):
    """Return the stored events of one whole fork, from anywhere in the first deal of a game."""
    return _stored(fork_commands(rules, rng), rng, created_at)


def _stored(commands, rng, now):
    stored, state = [], None
    for number, (command, events) in enumerate(commands):
        cause = cause_of(number)
        actor = _actor_of(command, events, state)
        for event in events:
            seq = len(stored) + 1
            who = Actor("seat", event.seat) if isinstance(event, e.SeatClaimed) else actor
            stored.append(Stored(seq, now, who, cause, event, version_of(event)))
            cause = None
        state = fold(state, events)
        now += rng.randrange(200, 3_000)
    return stored


def entries_of(stored):
    """Return the entries that *stored*, a log from event 1, makes."""
    return [encode(one, stored[0].time) for one in stored]


def whole_stream(rules, rng, created_at=CREATED_AT):
    """Return the entries of one whole game."""
    return entries_of(stored_game(rules, rng, created_at))


def cause_of(number):
    """Return a cause that no other *number* has."""
    digest = hashlib.sha256(str(number).encode()).digest()
    return Cause(digest[:8], digest[8:16])


def _actor_of(command, events, state):
    match command:
        case c.ClaimSeat():
            return Actor("seat", events[0].seat)
        case c.UpdateSeat() | c.ReleaseSeat() | c.RotateSeatToken():
            return Actor("seat", command.seat)
        case c.PassCards() | c.PlayCard() | c.ChooseMoon():
            level = table_of(state).players[command.seat].playing_level
            bot = Actor("bot", command.seat, level, 1)
            return Actor("seat", command.seat) if level is None else bot
        case c.VoidDeal():
            return Actor("system")
        case _:
            return Actor("host")
