"""The engine against a second reading of the rules that shares no code with it."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import code_of, codes_of
from engine.commands import PassCards, PlayCard
from engine.disclosure import public_part
from engine.events import DealDealt, DealScored, GameFinished
from engine.evolve import fold
from engine.playing import forbidden, legal_plays
from engine.presets import PRESETS, preset_rules
from engine.readable import rules_data
from engine.state import TurnType, situation, turn_of
from tests.engine import naive
from tests.games import play_commands
from tests.strategies import rules_of_many_moons, valid_rules


def readable(event):
    """An event as its type and public part, without the links and hands that it opens."""
    kind = re.sub(r"(?<!^)([A-Z])", r".\1", type(event).__name__).lower()
    hidden = {"reveal", "reveals"}
    return kind, {name: value for name, value in public_part(event).items() if name not in hidden}


def told(game, command, events):
    """What the naive game says must happen on *command*; hands are taken from the events."""
    match command:
        case PassCards(seat=seat, cards=some):
            expected = game.pass_cards(seat, [code_of(one) for one in some])
        case PlayCard(seat=seat, card=one):
            expected = game.play(seat, code_of(one))
        case _:
            expected = game.choose(command.seat, command.choice)
    for event in events:
        if isinstance(event, DealDealt):
            expected += game.deal(*dealt(event))
    return expected


def dealt(event):
    """The hands and the kitty of a deal."""
    return [codes_of(hand) for hand in event.hands], codes_of(event.kitty)


def compare(rules, rng, deals):
    """Play up to *deals* deals, comparing everything that can be seen; return the events."""
    game, state, log = None, None, []
    for command, events in play_commands(rules, rng):
        if game is not None:
            compare_choices(game, state)
            assert [readable(event) for event in events] == told(game, command, events)
        state, log = fold(state, events), log + events
        if game is None and isinstance(events[-1], DealDealt):
            game = naive.Game(rules_data(rules), version=len(log) - 1)
            assert [readable(events[-1])] == game.deal(*dealt(events[-1]))
        if sum(isinstance(event, DealScored) for event in log) >= deals:
            break
    return log


def compare_choices(game, state):
    turn = turn_of(state)
    assert game.to_act() == (turn.type, list(turn.seats))
    if turn.type is not TurnType.PLAY:
        return
    (seat,) = turn.seats
    legal, refused = game.choices(seat)
    at = situation(state, seat)
    assert sorted(legal) == sorted(codes_of(legal_plays(at)))
    assert refused == {code_of(one): no.code for one, no in forbidden(at)}


TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_presets_are_played_as_the_rules_read(name, seats):
    """Fault cases 1, 3, 5, 7, 14, 24 and 27."""
    for seed in range(2):
        compare(preset_rules(name, seats), random.Random(seed), deals=3)


@settings(max_examples=200)
@given(valid_rules(), st.integers(0, 2**32))
def test_any_rules_are_played_as_the_rules_read(rules, seed):
    """Fault cases 3, 7, 18, 24 and 27."""
    compare(rules, random.Random(seed), deals=3)


@settings(max_examples=80)
@given(rules_of_many_moons(), st.integers(0, 2**32))
def test_moons_and_suns_are_scored_as_the_rules_read(rules, seed):
    """Fault cases 24 and 26."""
    compare(rules, random.Random(seed), deals=3)


@pytest.mark.whole_game
@pytest.mark.parametrize("name", PRESETS)
def test_whole_games_are_played_as_the_rules_read(name):
    log = compare(preset_rules(name, PRESETS[name].usual_seats), random.Random(name), deals=256)

    assert isinstance(log[-1], GameFinished)
