"""Games of bots alone: every move is asked for with the view and the seed of its seat."""

import hashlib
from itertools import cycle, islice
from typing import NamedTuple

from engine import events as e
from engine.bots import LEVELS, choose, seed_for
from engine.commands import BotSeat, CreateGame, Move, StartGame
from engine.decide import decide
from engine.evolve import fold
from engine.presets import PRESETS
from engine.shuffle import chain
from engine.state import State, table_of, turn_of
from engine.view import View, view_for
from tests.table import rules

TABLES = tuple((name, seats) for name, preset in PRESETS.items() for seats in preset.seats)

SEARCHING = ("hard", "expert", "master")
BY_RULES = tuple(level for level in LEVELS if level not in SEARCHING)
"""Levels that answer within a millisecond: they can play hundreds of games in a test."""


class Decision(NamedTuple):
    """One move of a bot, what it was made from, and what it caused."""

    state: State
    view: View
    seed: bytes
    level: str
    move: Move
    events: list[e.Event]


def decisions(rules, *levels, game=0, ask=choose):
    """Yield every decision of one game whose seats are filled with *levels* in turn.

    *game* numbers the secret chain, so that equal numbers deal equal hands. *ask* gets view,
    level and seed, and says the move.
    """
    links = links_of(game)
    seated = tuple(islice(cycle(levels), rules.seats))
    state = fold(None, opening(rules, seated, links.__getitem__))
    while (turn := turn_of(state)) is not None:
        seat = turn.seats[0]
        view = view_for(seat, state)
        seed = seed_for(view, links[len(table_of(state).dealt)])
        move = ask(view, seated[seat], seed)
        events = decide(state, move, links.__getitem__)
        yield Decision(state, view, seed, seated[seat], move, events)
        state = fold(state, events)


def events_of(game, kind):
    """Return every event of *kind* in the decisions of *game*."""
    return [event for decision in game for event in decision.events if isinstance(event, kind)]


def short(preset, seats, deals=2):
    """Return the rules of *preset*, but over after some deals."""
    return rules(preset, seats, ending={"target": None, "deals": deals, "tie": "share"})


def links_of(game):
    """Return the links of the chain numbered *game*, by deal; the first is its commitment."""
    return [link.hex() for link in chain(hashlib.sha256(b"%d" % game).digest())]


def opening(rules, levels, links):
    """Return the events that open and start a game of bots of *levels*, one a seat."""
    plans = tuple(BotSeat(level, "Robo") for level in levels)
    events, state = [], None
    for command in (CreateGame(rules, plans, links(0), "00" * 32, "key"), StartGame()):
        events += decide(state, command, links)
        state = fold(None, events)
    return events
