"""Hints in the engine: who may be given one, and what is left of it."""

from dataclasses import replace

import pytest

from engine import events as e
from engine.cards import card
from engine.commands import Advice, Advised, PlayCard, TableOptions, TakeHint
from engine.decide import decide
from engine.errors import (
    CorruptLogError,
    HintLimit,
    HintsDisabled,
    NotYourTurn,
    WrongPhase,
)
from engine.evolve import evolve
from engine.hints import open_turn_for
from engine.state import turn_of
from tests.table import a_deal, a_lobby, link

ADVICE = Advice(9, (Advised(PlayCard(0, card("2C")), 120, 8),), "only_move")


def a_game(**more):
    game = a_deal(leads=0, seat0="2C", seat1="3C", seat2="4C", seat3="5C")
    table = replace(game.table, options=TableOptions(hints=True), **more)
    return replace(game, table=table)


def test_a_hint_is_noted_and_the_turn_stays_open():
    game = a_game()

    (used,) = decide(game, TakeHint(0, 20, "hard", ADVICE), link)
    after = evolve(game, used)

    assert used == e.HintUsed(1, 2, 0, 20, "hard", ADVICE)
    assert turn_of(after) == turn_of(game)
    assert after.version == game.version + 1
    assert after.table.hints == ((20, 0),)


def test_a_second_hint_in_a_turn_is_refused():
    game = a_game(hints=((20, 0),))

    with pytest.raises(HintLimit):
        decide(game, TakeHint(0, 20, "expert", ADVICE), link)
    with pytest.raises(CorruptLogError):
        evolve(game, e.HintUsed(1, 2, 0, 20, "hard", ADVICE))


def test_hints_of_earlier_turns_are_forgotten():
    game = a_game(hints=((15, 0), (15, 3)))
    (used,) = decide(game, TakeHint(0, 20, "hard", ADVICE), link)

    assert evolve(game, used).table.hints == ((20, 0),)


def test_who_is_not_to_act_gets_none():
    with pytest.raises(NotYourTurn):
        open_turn_for(1, a_game())


def test_a_turn_that_is_over_gets_none():
    with pytest.raises(WrongPhase):
        decide(a_game(), TakeHint(0, 19, "hard", ADVICE), link)
    with pytest.raises(CorruptLogError):
        evolve(a_game(), e.HintUsed(1, 2, 0, 19, "hard", ADVICE))


def test_a_table_without_hints_gives_none_and_tells_of_none():
    game = a_deal(leads=0, seat0="2C", seat1="3C", seat2="4C", seat3="5C")

    with pytest.raises(HintsDisabled):
        open_turn_for(0, game)
    with pytest.raises(HintsDisabled):
        open_turn_for(0, a_lobby("Ana", "Bea", "Cid", None))
    with pytest.raises(CorruptLogError):
        evolve(game, e.HintUsed(1, 2, 0, 20, "hard", ADVICE))
