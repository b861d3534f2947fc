"""From a running deal to a position, and from a position to a deal that goes on.

Like the fold it copies facts and knows no rules, but for one: what a trick counted is added
up once more, since a state does not keep it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from engine.cards import NO_CARDS, Card, CardSet, union
from engine.passing import told
from engine.playing import Trick, riding
from engine.position import PastTrick, Position
from engine.seats import PerSeat, Seat, put
from engine.state import Deal, Passing, Playing, Shooting, State, Table, turn_of

_Running: TypeAlias = Passing | Playing | Shooting


def position_of(state: State) -> Position | None:
    """Return where the deal of *state* stands; None where nobody is to decide anything."""
    if turn_of(state) is None:
        return None
    assert isinstance(state, _Running), "only who plays is waited for"
    shown = state.played if isinstance(state, Shooting) else state
    table, deal = shown.table, shown.deal
    before = Position(
        deal=deal.number,
        scored=table.scored,
        totals=table.totals,
        dealer=deal.dealer,
        direction=deal.direction,
        pass_count=deal.pass_count,
        opening_card=deal.opening_card,
        dealt=table.dealt[-1],
        kitty=table.kitties[-1],
        passed=_passed(shown),
        received=deal.received,
        kitty_taker=deal.kitty_taker,
        kitty_trick=deal.kitty_trick,
    )
    if isinstance(shown, Passing):
        return before
    return replace(
        before,
        tricks=_past(shown),
        leader=shown.leader,
        trick=shown.trick,
        hearts_broken=shown.hearts_broken,
        shot=state.shot if isinstance(state, Shooting) else None,
    )


def _passed(shown: Passing | Playing) -> PerSeat[tuple[Card, ...] | None]:
    """Return what was passed, told as it is now: old logs have it in the order of the choice."""
    passes = shown.passed if isinstance(shown, Passing) else shown.deal.passes
    direction = shown.deal.direction
    if direction is None:
        return ()
    return tuple(None if cards is None else told(cards, direction) for cards in passes)


def _past(game: Playing) -> tuple[PastTrick, ...]:
    past = []
    for number, (trick, winner) in enumerate(game.tricks):
        won = NO_CARDS if winner is None else union(trick.cards + riding(game.tricks[:number]))
        past.append(PastTrick(trick, winner, game.table.rules.points_in(won)))
    return tuple(past)


def resumed(version: int, table: Table, position: Position) -> _Running | None:
    """Return the deal of *position* at *table*, to go on at *version*; None if it is no deal."""
    if not _fits(table.rules.seats, position):
        return None
    table = replace(
        table,
        totals=position.totals,
        scored=position.scored,
        copied_deal=position.deal,
        dealt=(position.dealt,),
        kitties=(position.kitty,),
        numbers=(position.deal,),
        ended=position.deal - 1,
        position=None,
    )
    deal, hands = _deal(position), hands_in(position)
    if not _is_whole(position, hands):
        return None
    if None in position.passed:
        return Passing(version, table, deal, hands, position.passed, version)
    playing = _playing(version, table, deal, hands, position)
    if position.shot is None:
        return playing
    return Shooting(
        version, playing, position.shot, choice_required=True, choice=None, turn_id=version
    )


def _fits(seats: int, position: Position) -> bool:
    sizes = {len(position.dealt), len(position.totals)}
    passes = {len(position.passed), len(position.received)}
    tricks = (len(past.trick.cards) for past in position.tricks)
    waits = [None in position.passed, position.leader is not None, position.shot is not None]
    return (
        sizes == {seats}
        and passes <= {0, seats}
        and set(tricks) <= {seats}
        and len(position.trick) < seats
        and waits.count(True) == 1
    )


def _deal(position: Position) -> Deal:
    passes = tuple(cards for cards in position.passed if cards is not None)
    return Deal(
        number=position.deal,
        dealer=position.dealer,
        direction=position.direction,
        pass_count=position.pass_count,
        opening_card=position.opening_card,
        passes=() if None in position.passed else passes,
        received=position.received,
        kitty_taker=position.kitty_taker,
        kitty_trick=position.kitty_trick,
    )


def hands_in(position: Position) -> PerSeat[CardSet]:
    """Return what each seat still holds."""
    hands = list(position.dealt)
    for seat, cards in enumerate(position.passed[: len(hands)]):
        hands[seat] &= ~union(cards or ())
    for seat, gifts in enumerate(position.received[: len(hands)]):
        hands[seat] |= union(cards for _, cards in gifts)
    for seat, card in _played(position):
        hands[seat] &= ~card
    return tuple(hands)


def _is_whole(position: Position, hands: PerSeat[CardSet]) -> bool:
    """Return whether nobody gave or played what was not there."""
    under_way = () if position.received else [union(cards or ()) for cards in position.passed]
    sets = [*hands, *under_way, *(card for _, card in _played(position))]
    dealt = position.dealt
    counts = [sum(some.bit_count() for some in cards) for cards in (sets, dealt)]
    return counts[0] == counts[1] and union(sets) == union(dealt)


def _played(position: Position) -> Iterator[tuple[Seat, Card]]:
    seats = len(position.dealt)
    for past in position.tricks:
        yield from past.trick.plays(seats)
    if position.leader is not None:
        yield from Trick(position.leader, position.trick).plays(seats)


def _playing(
    version: int, table: Table, deal: Deal, hands: PerSeat[CardSet], position: Position
) -> Playing:
    taken, won = _taken(position)
    done = len(position.tricks)
    return Playing(
        version=version,
        table=table,
        deal=deal,
        hands=hands,
        leader=position.leader,
        trick=position.trick,
        number=done if position.leader is None else done + 1,
        taken=taken,
        won=won,
        tricks=tuple((past.trick, past.winner) for past in position.tricks),
        hearts_broken=position.hearts_broken,
        turn_id=version,
    )


def _taken(position: Position) -> tuple[PerSeat[CardSet], PerSeat[int]]:
    """Return the cards each seat took in tricks, and how many of them it took."""
    taken, won, riding_on = (NO_CARDS,) * len(position.dealt), (0,) * len(position.dealt), NO_CARDS
    for past in position.tricks:
        riding_on |= union(past.trick.cards)
        if past.winner is not None:
            taken = put(taken, past.winner, taken[past.winner] | riding_on)
            won = put(won, past.winner, won[past.winner] + 1)
            riding_on = NO_CARDS
    return taken, won
