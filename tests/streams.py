"""Whole games as the log has them: events of `tests.games` with time, actor and cause."""

import hashlib

from engine import commands as c
from service.store.codec import encode
from service.store.envelope import Actor, Cause, Stored
from service.store.event_types import version_of
from tests.games import play_commands, restless_commands

CREATED_AT = 1_790_000_000_000


def stored_game(rules, rng, created_at=CREATED_AT):
    """Return the stored events of one whole game; about a second and a half apart."""
    commands = play_commands(rules, rng)
    return _stored(commands, rng, created_at, lambda command, _: actor_of(command, rules.seats))


def restless_game(rules, rng, created_at=CREATED_AT):
    """Return the stored events of one whole game in which people come and go."""
    return _stored(restless_commands(rules, rng), rng, created_at, _actor_of_restless)


def _stored(commands, rng, now, actor_of):
    stored = []
    for number, (command, events) in enumerate(commands):
        cause = cause_of(number)
        actor = actor_of(command, events)
        for event in events:
            seq = len(stored) + 1
            stored.append(Stored(seq, now, actor, cause, event, version_of(event)))
            cause = None
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


def actor_of(command, seats):
    """Return who gave *command* in a game of `tests.games.play_commands`."""
    if isinstance(command, c.CreateGame | c.StartGame | c.AbortGame):
        return Actor("host")
    seat = seats - 1 if command.seat is None else command.seat
    if seat in {0, seats - 1}:
        return Actor("seat", seat)
    return Actor("bot", seat, "easy", 1)


def _actor_of_restless(command, events):
    match command:
        case c.ClaimSeat():
            return Actor("seat", events[0].seat)
        case c.UpdateSeat() | c.ReleaseSeat() | c.RotateSeatToken():
            return Actor("seat", command.seat)
        case c.PassCards() | c.PlayCard() | c.ChooseMoon() if command.auto is None:
            return Actor("seat", command.seat)
        case c.PassCards() | c.PlayCard() | c.ChooseMoon():
            return Actor("bot", command.seat, "easy", 1)
        case _:
            return Actor("host")
