"""The same position as one seat knows it, with the cards that it cannot see changed about."""

from dataclasses import replace
from itertools import combinations

from engine.cards import NO_CARDS, each, union
from engine.playing import Situation, Trick, breaks_hearts, legal_plays
from engine.state import Passing, Playing

SWAPS_TRIED = 8
KITTY = -1


def other_world(state, seat, rng):
    """Return *state* with hidden cards swapped between the seats other than *seat*.

    Everything *seat* knows stays true: its own cards, the sizes of hands, whom it passed
    which cards, and that every card on the table was legal when it was played. Secrets of
    other seats that are behind them (hands as dealt, passes, gifts) are wiped out.
    """
    if isinstance(state, Passing):
        return _before_play(state, seat, rng)
    if isinstance(state, Playing):
        return _in_play(state, seat, rng)
    return state


def _before_play(state, seat, rng):
    """Share out anew all that the others hold and have passed, and the kitty."""
    others = [other for other in range(len(state.hands)) if other != seat]
    held = {other: state.hands[other] | union(state.passed[other] or ()) for other in others}
    kitty = state.table.kitties[-1]
    unseen = list(each(union(held.values()) | kitty))
    rng.shuffle(unseen)
    hands, passed = list(state.hands), list(state.passed)
    for other in others:
        if passed[other] is not None:
            passed[other] = tuple(unseen.pop() for _ in passed[other])
        hands[other] = union(unseen.pop() for _ in range(hands[other].bit_count()))
    state = replace(state, hands=tuple(hands), passed=tuple(passed))
    return _forgetful(_with_kitty(state, union(unseen)), seat)


def _with_kitty(state, kitty):
    kitties = (*state.table.kitties[:-1], kitty)
    return replace(state, table=replace(state.table, kitties=kitties))


def _in_play(state, seat, rng):
    others = [other for other in range(len(state.hands)) if other != seat]
    pairs, known = list(combinations(others, 2)), _gifts_of(state, seat)
    if state.table.kitties[-1] and state.deal.kitty_taker != seat:
        pairs += [(other, KITTY) for other in others]
    for _ in range(SWAPS_TRIED):
        state = _swapped(state, rng.choice(pairs), known, rng)
    return _forgetful(state, seat)


def _gifts_of(state, seat):
    return union(some for gifts in state.deal.received for giver, some in gifts if giver == seat)


def _swapped(state, pair, known, rng):
    """Return *state* with one card of each of *pair* swapped, if their plays stay legal."""
    held = [*state.hands, state.table.kitties[-1]]
    free = [list(each(held[place] & ~known)) for place in pair]
    if not all(free):
        return state
    cards = [rng.choice(some) for some in free]
    for place, own, new in zip(pair, cards, reversed(cards), strict=True):
        held[place] ^= own ^ new
    *hands, kitty = held
    changed = _with_kitty(replace(state, hands=tuple(hands)), kitty)
    return changed if _is_consistent(changed, [place for place in pair if place >= 0]) else state


def _is_consistent(state, seats):
    """Return whether every card that *seats* have played was legal from the hands they hold."""
    rules, opening = state.table.rules, state.deal.opening_card
    tricks = _tricks_so_far(state, rules.seats)
    hands = {seat: state.hands[seat] | _played_by(seat, tricks) for seat in seats}
    broken = False
    for number, trick in enumerate(tricks):
        on_table = ()
        for seat, one in trick:
            hand = hands.get(seat, one)
            at = Situation(hand, on_table, rules.limits, number == 0, broken, opening)
            if not one & legal_plays(at):
                return False
            if seat in hands:
                hands[seat] ^= one
            on_table = (*on_table, one)
            broken = broken or breaks_hearts(one, rules.limits)
    return True


def _tricks_so_far(state, seats):
    running = Trick(state.leader, state.trick)
    return [trick.plays(seats) for trick in [*(trick for trick, _ in state.tricks), running]]


def _played_by(seat, tricks):
    return union(one for trick in tricks for who, one in trick if who == seat)


def _forgetful(state, seat):
    deal, table = state.deal, state.table
    nothing = tuple(NO_CARDS for _ in state.hands)
    passes = tuple(own if who == seat else () for who, own in enumerate(deal.passes))
    received = tuple(own if who == seat else () for who, own in enumerate(deal.received))
    return replace(
        state,
        deal=replace(deal, passes=passes, received=received),
        table=replace(table, dealt=(*table.dealt[:-1], nothing), nonce="", key_id=""),
    )
