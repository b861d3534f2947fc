"""What holds in every game by any rules, at every version."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import each, suit_of, twins, union
from engine.commands import Move, PlayCard
from engine.decide import decide
from engine.disclosure import own_part, private_part, public_part
from engine.events import (
    CardsPassed,
    DealDealt,
    DealScored,
    GameFinished,
    KittyTaken,
    MoonShot,
    PassCompleted,
    TrickCompleted,
)
from engine.evolve import evolve, fold
from engine.playing import forbidden, legal_plays, riding
from engine.presets import PRESETS, preset_rules
from engine.rules import Ending, Tie
from engine.state import (
    Passing,
    Playing,
    Status,
    TurnType,
    all_taken,
    shown_deal,
    situation,
    status_of,
    table_of,
    turn_of,
)
from engine.view import view_for
from tests.games import play_commands, restless_commands
from tests.strategies import rules_of_many_moons, valid_rules
from tests.table import event_with_swapped, link, refusal, with_swapped

SEEDS = st.integers(0, 2**32)
TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


def commands(rules, seed, deals=2):
    """Yield each command with the state before it and the events after it, for some deals."""
    state, scored = None, 0
    for command, events in play_commands(rules, random.Random(seed)):
        yield state, command, events
        state = fold(state, events)
        scored += sum(isinstance(event, DealScored) for event in events)
        if scored >= deals:
            return


def steps(rules, seed, deals=2):
    """Yield each event with the state before it and the state after it."""
    before = None
    for _, _, events in commands(rules, seed, deals):
        for event in events:
            after = evolve(before, event)
            yield before, event, after
            before = after


def states(rules, seed, deals=2):
    """Yield the state at every version."""
    return (after for _, _, after in steps(rules, seed, deals))


def log(rules, seed, deals=2):
    return [event for _, _, events in commands(rules, seed, deals) for event in events]


# Cards and points


@settings(max_examples=40)
@given(valid_rules(), SEEDS)
def test_every_card_is_in_one_place_at_every_version(rules, seed):
    """Fault case 23."""
    for state in states(rules, seed):
        deal = shown_deal(state)
        if deal is None:
            continue
        places = [*deal.hands]
        if isinstance(deal, Passing):
            places += [union(some) for some in deal.passed if some is not None]
        else:
            places += [*deal.taken, union(deal.trick), union(riding(deal.tricks))]
        places.append(deal.table.kitties[-1])
        assert union(places) == rules.cards
        assert sum(some.bit_count() for some in places) == len(rules.deck_order)


@settings(max_examples=40)
@given(valid_rules() | rules_of_many_moons(), SEEDS)
def test_points_add_up(rules, seed):
    """Fault cases 24 and 31."""
    totals = (0,) * rules.seats
    for event in log(rules, seed, deals=3):
        if isinstance(event, DealDealt):
            tricks = [0] * rules.seats
        if isinstance(event, TrickCompleted):
            tricks[event.winner or 0] += event.points
        if isinstance(event, KittyTaken):
            tricks[event.seat] += rules.points_in(event.cards)
        if isinstance(event, DealScored):
            assert list(event.taken) == tricks
            assert sum(event.taken) == rules.points_in(rules.cards)
            totals = tuple(map(sum, zip(totals, event.points, strict=True)))
            assert event.totals == totals
            if event.moon is None and rules.scoring.no_trick == 0:
                assert event.points == event.taken


@settings(max_examples=40)
@given(rules_of_many_moons(), SEEDS)
def test_a_moon_is_shot_by_whoever_took_all_penalty_cards(rules, seed):
    """Fault case 24."""
    for before, event, _ in steps(rules, seed, deals=3):
        if isinstance(event, TrickCompleted):
            continue
        taken = all_taken(before) if isinstance(before, Playing) else ()
        slam = bool(rules.penalties) and any(not rules.penalties & ~some for some in taken)
        if isinstance(event, MoonShot):
            assert slam or event.kind == "sun"
            assert not rules.penalties & ~taken[event.seat]
        if isinstance(event, DealScored) and event.moon is None and slam:
            assert rules.scoring.moon_needs != "penalties"


@settings(max_examples=40)
@given(valid_rules() | rules_of_many_moons(), SEEDS)
def test_places_and_winners_follow_from_totals(rules, seed):
    """Fault cases 27 and 28."""
    events = log(rules, seed, deals=4)
    end = events[-1]
    if not isinstance(end, GameFinished):
        return
    assert [place == 1 for place in end.places] == [
        seat in end.winners for seat in range(rules.seats)
    ]
    assert {end.totals[seat] for seat in end.winners} == {min(end.totals)}
    by_total = sorted(range(rules.seats), key=lambda seat: end.totals[seat])
    assert [end.places[seat] for seat in by_total] == sorted(end.places)
    assert len(end.winners) == 1 or end.reason == "too_long" or rules.ending.tie == "share"


# Log and fold


@settings(max_examples=40)
@given(valid_rules(), SEEDS, st.integers(1, 50))
def test_folding_in_steps_is_folding_at_once(rules, seed, steps):
    events, state = log(rules, seed), None

    for start in range(0, len(events), steps):
        state = fold(state, events[start : start + steps])

    assert state == fold(None, events)
    assert state.version == len(events)


@settings(max_examples=40)
@given(valid_rules() | rules_of_many_moons(), SEEDS)
def test_a_decision_is_a_function_and_changes_nothing(rules, seed):
    for state, command, _ in commands(rules, seed, deals=1):
        before = repr(state)
        assert decide(state, command, link) == decide(state, command, link)
        assert repr(state) == before


@settings(max_examples=40)
@given(valid_rules() | rules_of_many_moons(), SEEDS)
def test_a_decision_is_open_at_rest_and_never_inside_a_command(rules, seed):
    for state, _, events in commands(rules, seed):
        *inside, rest = (fold(state, events[: end + 1]) for end in range(len(events)))
        assert [turn_of(between) for between in inside] == [None] * len(inside)
        assert (turn_of(rest) is not None) == (status_of(rest) is Status.ACTIVE)


@settings(max_examples=40)
@given(valid_rules(), SEEDS)
def test_turns_open_at_a_version_that_is_reached(rules, seed):
    for state in states(rules, seed):
        turn = turn_of(state)
        if turn is None:
            continue
        assert turn.seats == tuple(sorted(turn.seats))
        assert turn.id <= state.version
        if turn.type is not TurnType.PASS:
            assert turn.id == state.version


# Seats that change hands


def restless(rules, seed):
    """Yield each command of a restless game with the state before it and the events after it."""
    state = None
    for command, events in restless_commands(rules, random.Random(seed)):
        yield state, command, events
        state = fold(state, events)


SHORT_RULES = valid_rules().map(lambda rules: replace(rules, ending=Ending(None, 1, tie=Tie.SHARE)))


@settings(max_examples=40)
@given(SHORT_RULES, SEEDS)
def test_one_alone_moves_for_each_seat_at_rest_and_nobody_inside_a_command(rules, seed):
    for state, _, events in restless(rules, seed):
        *inside, rest = (fold(state, events[: end + 1]) for end in range(len(events)))
        assert [turn_of(between) for between in inside] == [None] * len(inside)
        assert (turn_of(rest) is not None) == (status_of(rest) is Status.ACTIVE)
        if turn_of(rest) is not None:
            players = table_of(rest).players
            assert all(player.claimed is not bool(player.playing_level) for player in players)


@settings(max_examples=40)
@given(SHORT_RULES, SEEDS)
def test_whoever_comes_and_goes_changes_neither_cards_nor_turn(rules, seed):
    for state, command, events in restless(rules, seed):
        deal = None if state is None else shown_deal(state)
        if deal is None or isinstance(command, Move):
            continue
        rest = fold(state, events)
        assert turn_of(rest) == turn_of(state)
        assert shown_deal(rest).hands == deal.hands


@settings(max_examples=40)
@given(SHORT_RULES, SEEDS, st.integers(1, 50))
def test_a_restless_log_folds_the_same_in_steps(rules, seed, steps):
    events = [event for _, _, some in restless(rules, seed) for event in some]
    state = None

    for start in range(0, len(events), steps):
        state = fold(state, events[start : start + steps])

    assert state == fold(None, events)
    assert state.version == len(events)


# Legal plays


@settings(max_examples=40)
@given(valid_rules(), SEEDS)
def test_what_may_and_what_may_not_be_played_are_the_whole_hand(rules, seed):
    """Fault cases 1 and 10."""
    for state, command, _ in commands(rules, seed, deals=1):
        if not isinstance(command, PlayCard):
            continue
        at = situation(state, command.seat)
        legal, reasons = legal_plays(at), dict(forbidden(at))
        assert legal
        refused = twins(union(reasons)) & at.hand
        assert legal & refused == 0
        assert legal | refused == at.hand
        for one, reason in reasons.items():
            assert refusal(state, PlayCard(command.seat, one)) == reason.code
        for one in each(legal):
            assert refusal(state, PlayCard(command.seat, one)) is None


@settings(max_examples=40)
@given(valid_rules(), SEEDS)
def test_the_first_trick_takes_no_penalty_card_beside_a_harmless_one(rules, seed):
    """Fault case 1."""
    for state, command, _ in commands(rules, seed):
        if isinstance(command, PlayCard) and state.number == 1:
            hand = state.hands[command.seat]
            led = state.trick
            choice = (hand & suit_of(led[0]) or hand) if led else hand
            if rules.limits.barred_on_first_trick and choice & ~rules.penalties:
                opens = not led and state.deal.opening_card
                assert opens or not command.card & rules.penalties


# Secrecy


def hidden_from(reader, deal):
    """The cards that *reader* does not know: of other hands, less its own pass, and the kitty."""
    known = 0
    if reader is not None:
        passes = deal.passed if isinstance(deal, Passing) else deal.deal.passes
        known = union(passes[reader] or ()) if passes else 0
    takes = reader is not None and deal.deal.kitty_taker == reader
    kitty = 0 if takes else deal.table.kitties[-1]
    return kitty | union(hand for seat, hand in enumerate(deal.hands) if seat != reader) & ~known


@settings(max_examples=30)
@given(valid_rules(), SEEDS, st.randoms(use_true_random=False))
def test_a_view_does_not_change_when_hidden_cards_change(rules, seed, rng):
    """Fault cases 45 and 50."""
    for state in states(rules, seed, deals=1):
        if not isinstance(state, Passing | Playing):
            continue
        reader = rng.choice([None, *range(rules.seats)])
        hidden = list(each(hidden_from(reader, state)))
        if len(hidden) < 2:
            continue
        changed = with_swapped(state, *rng.sample(hidden, 2))
        assert view_for(reader, changed) == view_for(reader, state)


HIDING = DealDealt | CardsPassed | PassCompleted | KittyTaken


def taken_by(reader, event):
    return isinstance(event, KittyTaken) and event.seat == reader


@settings(max_examples=30)
@given(valid_rules(), SEEDS, st.randoms(use_true_random=False))
def test_no_reader_sees_in_an_event_which_hidden_cards_it_is_about(rules, seed, rng):
    """Fault cases 45 and 52."""
    game = next(state for state in states(rules, seed) if isinstance(state, Playing))
    private = [
        event
        for event in log(rules, seed, deals=1)
        if isinstance(event, HIDING) and event.deal == 1
    ]
    for reader in [None, *range(rules.seats)]:
        known = union(event.cards for event in private if taken_by(reader, event))
        hidden = list(each(hidden_from(reader, game) & ~known))
        if len(hidden) < 2:
            continue
        pair = rng.sample(hidden, 2)
        for event in private:
            changed = event_with_swapped(event, *pair)
            assert public_part(changed) == public_part(event)
            assert own_part(private_part(changed), reader) == own_part(private_part(event), reader)


@settings(max_examples=40)
@given(valid_rules(), SEEDS)
def test_only_the_seat_to_act_sees_what_it_may_play(rules, seed):
    """Fault case 50."""
    for state in states(rules, seed, deals=1):
        turn = turn_of(state)
        if not isinstance(state, Playing) or turn is None:
            continue
        for seat in range(rules.seats):
            view = view_for(seat, state)
            to_act = seat in turn.seats
            assert view.you.to_act == to_act
            assert bool(view.you.legal) == to_act


# Presets


@pytest.mark.whole_game
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_whole_games_of_every_preset_come_to_an_end(name, seats):
    """Fault cases 18 and 36."""
    events = log(preset_rules(name, seats), seed=seats, deals=256)

    over = fold(None, events)

    assert status_of(over) is Status.FINISHED
    assert isinstance(events[-1], GameFinished)
    assert over.result.reason == "target_reached"
