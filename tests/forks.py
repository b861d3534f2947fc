"""Forks on the engine alone: a game that goes on from where another one stood."""

import random
from dataclasses import replace

from engine import commands as c
from engine import events as e
from engine.decide import decide
from engine.evolve import fold
from engine.resuming import position_of
from engine.shuffle import chain
from engine.state import table_of, turn_of
from tests.games import play_commands, random_move
from tests.table import rules

SHORT = {"target": None, "deals": 3, "tie": "share"}
LINKS = tuple(link.hex() for link in chain(b"a fork's own chain of links ----"))
ORIGIN = c.Origin(c.FORK, "0f" * 16, 43)
BOT = c.BotSeat("medium", "Medium Bot")


def link(deal):
    """Return the link of a deal of the fork."""
    return LINKS[deal]


def fork_command(state, seats=None, claim=0, practice=None):
    """Return the command that forks the game of *state*; a person at seat *claim* and bots."""
    rules = table_of(state).rules
    if seats is None:
        seats = tuple(c.HumanSeat() if seat == claim else BOT for seat in range(rules.seats))
    people = sum(isinstance(plan, c.HumanSeat) for plan in seats)
    return c.CreateGame(
        rules=rules,
        seats=seats,
        commitment=LINKS[0],
        nonce="00" * 32,
        key_id="key",
        claim=None if claim is None else c.ClaimSeat(claim, "Ana"),
        origin=ORIGIN,
        position=position_of(state),
        practice=people == 1 if practice is None else practice,
        visibility=c.UNLISTED,
    )


def forked(state, **more):
    """Return the events with which a fork of the game of *state* begins."""
    return decide(None, fork_command(state, **more), link)


def played_on(events, moves):
    """Yield the state after *events*, and after each of *moves* with what that has caused."""
    state = fold(None, events)
    yield state, events
    for move in moves:
        caused = decide(state, move, link)
        state = fold(state, caused)
        yield state, caused


def fork_of(made, rng, at=None, deal=1, origin=ORIGIN):
    """Return the events of a fork of a random game, played to its end.

    It goes on from where move *at* of deal *deal* was made, by default from anywhere in it.
    """
    commands = fork_commands(made, rng, at, deal, origin)
    return [event for _, events in commands for event in events]


def fork_commands(made, rng, at=None, deal=1, origin=ORIGIN):
    """Yield each command of such a fork with the events it caused; the last seat is a bot's."""
    deals = deals_of(made, rng)
    for _ in range(deal):
        rests, _ = next(deals)
    start = rests[rng.randrange(len(rests)) if at is None else at]
    people = (c.HumanSeat(),) * (made.seats - 1)
    state = None
    for command in (
        replace(fork_command(start, seats=(*people, BOT)), origin=origin),
        *(c.ClaimSeat(seat, "Dag") for seat in range(1, made.seats - 1)),
        c.StartGame(),
    ):
        events = decide(state, command, link)
        state = fold(state, events)
        yield command, events
    while turn_of(state) is not None:
        command = random_move(state, rng)
        events = decide(state, command, link)
        state = fold(state, events)
        yield command, events


def told_alike(event):
    """Return *event* without what a fork has of its own: numbers of turns, and its link."""
    if isinstance(event, e.CardPlayed | e.CardsPassed | e.MoonChosen):
        return replace(event, turn_id=0)
    if isinstance(event, e.DealScored) and event.opened is not None:
        return replace(event, opened=replace(event.opened, seed=""))
    return event


def deals_of(made, rng, choose=None):
    """Yield for each deal of a game the states at rest in it, and the moves with their events.

    The states are as many as the moves: move *i* is made in state *i*.
    """
    state, moves, rests = None, [], []
    for command, events in play_commands(made, rng, choose):
        if isinstance(command, c.Move):
            rests.append(state)
            moves.append((command, events))
        state = fold(state, events)
        if any(isinstance(event, e.DealScored) for event in events):
            yield rests, moves
            rests, moves = [], []


def states_of(made, rng):
    """Yield the states at rest of the first deal of a game."""
    rests, _ = next(deals_of(made, rng))
    return iter(rests)


def a_position(kind, seed=0):
    """Return a state of that *kind* in the second deal of a game."""
    made = rules(scoring={"hearts": {"2": 1}, "queen_of_spades": 0, "moon": "shooter_choice"})
    deals = deals_of(replace(made, ending=rules(ending=SHORT).ending), random.Random(seed))
    next(deals)
    rests, _ = next(deals)
    return [state for state in rests if isinstance(state, kind)][-1]
