"""A deal goes on in another game as it would have in its own."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.errors import CorruptLogError
from engine.evolve import evolve, fold
from engine.presets import PRESETS
from engine.resuming import hands_in, position_of
from engine.state import Passing, Playing, Shooting, table_of, turn_of
from engine.view import view_for
from tests.forks import SHORT, a_position, deals_of, forked, played_on, told_alike
from tests.games import pairing_move, play_commands
from tests.strategies import rules_of_many_moons, valid_rules
from tests.table import rules

TABLES = [(name, seats) for name, one in PRESETS.items() for seats in one.seats]
MIXES = {
    "no pass": rules(passing={"count": 0}, ending=SHORT),
    "hold": rules(passing={"cycle": ["hold"]}, ending=SHORT),
    "scatter": rules(passing={"cycle": ["scatter"]}, ending=SHORT),
    "all at the end": rules(reveal="game_end", ending=SHORT),
    "kitty in the last trick": rules(
        seats=5, deck={"remove": "none", "leftover": "kitty", "kitty_to": "last_trick"}
    ),
    "kitty with points": rules(
        seats=7, deck={"remove": "none", "leftover": "kitty", "kitty_to": "first_penalty_trick"}
    ),
}


def seen(state):
    """Return what each reader sees of the deal, and what may be decided."""
    views = [view_for(reader, state) for reader in (None, *range(table_of(state).rules.seats))]
    return [
        (
            view.deal,
            view.turn and (view.turn.type, view.turn.seats),
            view.you,
            [(seat.hand_size, seat.tricks_taken, seat.taken, seat.total) for seat in view.seats],
        )
        for view in views
    ]


def goes_on_alike(rests, moves, at):
    """Fork before move *at*, make the rest of the moves there, and compare all of it."""
    fork = played_on(forked(rests[at]), [move for move, _ in moves[at:]])
    state, _ = next(fork)
    for before, (_, events) in zip(rests[at:], moves[at:], strict=True):
        assert seen(state) == seen(before)
        state, caused = next(fork)
        own = [told_alike(event) for event in caused if not isinstance(event, e.DealDealt)]
        wanted = [told_alike(event) for event in events if not isinstance(event, e.DealDealt)]
        assert own[: len(wanted)] == wanted or _ends_later(own, wanted)


def _ends_later(own, wanted):
    # Links that are opened at the end of the game are each game's own.
    return own[:-1] == wanted[:-1] and isinstance(own[-1], e.GameFinished)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_deal_of_every_preset_goes_on_as_it_did(name, seats):
    rng = random.Random(f"{name} {seats}")
    for rests, moves in deals_of(rules(name, seats=seats, ending=SHORT), rng, pairing_move):
        for at in {0, len(moves) - 1, rng.randrange(len(moves))}:
            goes_on_alike(rests, moves, at)


@pytest.mark.parametrize("made", MIXES.values(), ids=MIXES)
def test_a_deal_goes_on_as_it_did_from_wherever_it_is_forked(made):
    rests, moves = next(deals_of(made, random.Random(7)))

    for at in range(len(moves)):
        goes_on_alike(rests, moves, at)


@settings(max_examples=40, deadline=None)
@given(made=st.one_of(valid_rules(), rules_of_many_moons()), seed=st.integers(0, 10**6))
def test_a_deal_under_any_rules_goes_on_as_it_did(made, seed):
    rng = random.Random(seed)
    for _, (rests, moves) in zip(range(3), deals_of(made, rng), strict=False):
        goes_on_alike(rests, moves, rng.randrange(len(moves)))


@pytest.mark.parametrize("kind", [Passing, Playing, Shooting])
def test_the_position_of_a_fork_is_the_one_it_was_made_from(kind):
    origin = a_position(kind)

    fork = fold(None, forked(origin))

    assert position_of(fork) == position_of(origin)
    assert position_of(fork).moves > 0
    assert table_of(fork).deals == 2


def test_the_passes_of_an_old_log_are_told_in_deck_order():
    origin = a_position(Playing)
    backwards = tuple(cards[::-1] for cards in origin.deal.passes)
    old = replace(origin, deal=replace(origin.deal, passes=backwards))

    assert position_of(old) == position_of(origin)
    assert position_of(old).passed == origin.deal.passes != backwards


def test_a_fork_starts_at_once_if_everybody_is_there():
    kinds = [type(event) for event in forked(a_position(Playing))]

    assert kinds == [e.GameCreated, e.SeatClaimed, e.GameStarted, e.PositionSet]


def test_a_fork_waits_for_the_people_it_has_seats_for():
    origin = a_position(Playing)
    people = (c.HumanSeat(),) * 4

    events = forked(origin, seats=people)
    later = [c.ClaimSeat(seat, "Bea") for seat in (1, 2, 3)]
    *_, (full, _), (begun, started) = played_on(events, [*later, c.StartGame()])

    assert [type(event) for event in events] == [e.GameCreated, e.SeatClaimed]
    assert turn_of(full) is None
    assert [type(event) for event in started] == [e.GameStarted, e.PositionSet]
    assert position_of(begun) == position_of(origin)


def test_nobody_has_a_position_before_the_first_deal_or_after_the_last():
    states = [None]
    for _, events in play_commands(rules(ending={"target": None, "deals": 1}), random.Random(1)):
        for event in events:
            states.append(evolve(states[-1], event))

    assert position_of(states[1]) is None
    assert position_of(states[-1]) is None
    assert all((position_of(one) is None) == (turn_of(one) is None) for one in states[1:])


def test_the_deal_after_a_copied_one_comes_from_the_forks_own_chain():
    rests, moves = next(deals_of(rules(ending=SHORT), random.Random(3)))

    *_, (state, events) = played_on(forked(rests[5]), [move for move, _ in moves[5:]])

    assert [type(event) for event in events[-2:]] == [e.DealScored, e.DealDealt]
    assert events[-1].deal == table_of(state).deals == 2
    assert events[-1].hands != moves[-1][1][-1].hands


MAIMED = {
    "a card that was not dealt": lambda one: replace(one, dealt=(0, *one.dealt[1:])),
    "a seat too many": lambda one: replace(one, dealt=(*one.dealt, 0)),
    "no total": lambda one: replace(one, totals=()),
    "nobody to act": lambda one: replace(one, leader=None),
    "a trick that is full": lambda one: replace(one, trick=one.tricks[0].trick.cards),
}


@pytest.mark.parametrize("maim", MAIMED.values(), ids=MAIMED)
def test_a_position_that_no_deal_has_is_not_folded(maim):
    created, *others, _ = forked(a_position(Playing))
    position = maim(created.position)

    state = fold(None, [replace(created, position=position), *others])
    with pytest.raises(CorruptLogError):
        evolve(state, e.PositionSet(position))


def test_a_fork_sets_no_other_position_than_the_one_it_was_made_with():
    created, *others, _ = forked(a_position(Playing))
    state = fold(None, [created, *others])

    with pytest.raises(CorruptLogError):
        evolve(state, e.PositionSet(position_of(a_position(Playing, seed=1))))


def test_everybody_holds_what_was_dealt_less_what_is_gone():
    origin = a_position(Playing)

    assert hands_in(position_of(origin)) == origin.hands
