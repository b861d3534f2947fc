"""Hints in the engine: who may be given one, and what is left of it."""

from dataclasses import replace

import pytest

from engine import events as e
from engine.cards import PACK_SIZE, card
from engine.commands import (
    Advice,
    Advised,
    ChooseMoon,
    PassCards,
    PlayCard,
    TableOptions,
    TakeHint,
)
from engine.decide import decide
from engine.errors import (
    CardNotInHand,
    CorruptLogError,
    HintLimit,
    HintsDisabled,
    NotYourTurn,
    WrongPhase,
)
from engine.evolve import evolve
from engine.hints import check_advice, open_turn_for
from engine.scoring import MoonChoice
from engine.state import turn_of
from tests.table import a_deal, a_lobby, in_order, link

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


def advised(*moves):
    return TakeHint(0, 20, "hard", Advice(9, tuple(Advised(one, 120, 8) for one in moves), "x"))


def test_advice_from_elsewhere_has_to_be_allowed():
    game = a_deal(leads=0, seat0="2C 3D", seat1="3C 4D", seat2="4C 5D", seat3="5C 6D")
    game = replace(game, table=replace(game.table, options=TableOptions(hints=True)))

    check_advice(game, advised(PlayCard(0, card("2C")), PlayCard(0, card("3D"))))

    with pytest.raises(CardNotInHand):
        check_advice(game, advised(PlayCard(0, card("2C")), PlayCard(0, card("3C"))))
    for move in (PassCards(0, in_order("2C 3D")), ChooseMoon(0, MoonChoice.OTHERS_ADD)):
        with pytest.raises(WrongPhase):
            check_advice(game, advised(move))


def test_of_twins_either_is_allowed_when_one_is_advised():
    game = a_game()
    twin = card("2C") << PACK_SIZE
    held = replace(game, hands=(twin, *game.hands[1:]))

    check_advice(held, advised(PlayCard(0, card("2C"))))
