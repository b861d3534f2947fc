"""Positions of real games to play out from, and what the engine makes of the same plays."""

import random
from pathlib import Path
from types import ModuleType

import engine.playouts
from engine import commands as c
from engine import events as e
from engine.cards import each, held
from engine.decide import decide
from engine.evolve import fold
from engine.playing import legal_plays
from engine.playouts.counting import score
from engine.playouts.starts import start_of, world_of
from engine.scoring import MoonChoice
from engine.shuffle import chain
from engine.state import Playing, Shooting, situation, turn_of
from engine.view import kitty_of, view_for
from tests.games import pairing_move, random_move

LINKS = [link.hex() for link in chain(bytes(32))]
MOST_DRAWS = 2147483646


def positions(rules, rng):
    """Yield every state of one deal in which a card is to be played, with random plays between."""
    links = [link.hex() for link in chain(rng.randbytes(32))]
    seats = (c.BotSeat("random", "Bot"),) * rules.seats
    state = None
    for command in (c.CreateGame(rules, seats, links[0], "", ""), c.StartGame()):
        state = fold(state, decide(state, command, links.__getitem__))
    choose = rng.choice([random_move, pairing_move])
    while True:
        if isinstance(state, Playing):
            yield state
        events = decide(state, choose(state, rng), links.__getitem__)
        if any(isinstance(event, e.DealScored | e.MoonShot) for event in events):
            return
        state = fold(state, events)


def some_positions(rules, rng, count):
    """Return *count* states of one deal, or all if there are fewer."""
    found = list(positions(rules, rng))
    return rng.sample(found, min(count, len(found)))


def seat_of(state):
    """Return the seat that is to act."""
    return turn_of(state).seats[0]


def start_in(state):
    """Return the start of *state*, made from the view of the seat that is to act."""
    return start_of(view_for(seat_of(state), state))


def world_in(state):
    """Return the world as it is."""
    return world_of(state.hands, kitty_of(state))


def a_draw(rng):
    """Return a beginning of chance."""
    return rng.randint(1, MOST_DRAWS)


def traced():
    """Return the kernel's own source with one line more, and the list to which it adds plays."""
    source = Path(engine.playouts.__path__[0]) / "kernel.py"
    mark = "        # The card is played.\n"
    text = source.read_text()
    assert text.count(mark) == 1
    module, plays = ModuleType("traced_kernel"), []
    module.PLAYS = plays
    exec(compile(text.replace(mark, "        PLAYS.append(card)\n"), source, "exec"), vars(module))  # noqa: S102 - the source of the kernel itself
    return module, plays


class IllegalPlayError(AssertionError):
    """A playout plays a card that the table does not allow."""


def replayed(state, plays):
    """Return the points of the deal of *state* after *plays*, then any to the end.

    Raises:
        IllegalPlayError: One of *plays* is not allowed.
    """
    rng = random.Random(len(plays))
    for number, one in enumerate(plays):
        assert isinstance(state, Playing), "more cards were played than there are"
        seat = seat_of(state)
        card = held(one, state.hands[seat])
        if not card & legal_plays(situation(state, seat)):
            raise IllegalPlayError(state, plays[: number + 1])
        state, points = _after(state, c.PlayCard(seat, card))
    while points is None:
        if isinstance(state, Shooting):
            move = c.ChooseMoon(seat_of(state), MoonChoice.OTHERS_ADD)
        else:
            move = random_move(state, rng)
        state, points = _after(state, move)
    return points


def _after(state, move):
    events = decide(state, move, LINKS.__getitem__)
    scored = [event.points for event in events if isinstance(event, e.DealScored)]
    return fold(state, events), scored[0] if scored else None


def after_play(state, card):
    """Return *state* after *card* was played, or None if that was the last of the deal."""
    state, _ = _after(state, c.PlayCard(seat_of(state), card))
    return state if isinstance(state, Playing) and state.deal.number == 1 else None


def gains_of(points):
    """Return what each seat gains with *points*: the others' sum, less its own for each of them."""
    return [sum(points) - len(points) * own for own in points]


def played(playout):
    """Return the points of each player of a playout."""
    score(playout)
    return [player.points for player in playout.players]


def hand_cards(some):
    """Return the cards of a set as a list."""
    return list(each(some))
