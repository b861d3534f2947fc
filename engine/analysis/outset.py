"""What the hands of a deal are worth at its beginning, if all play alike.

All cards lie open, everybody passes and plays by the same rules of thumb, and the deal is
played out again and again with a little chance. So it says how good the cards were, and
nothing of who held them.
"""

from typing import Final

from engine.analysis.decisions import PlayedDeal
from engine.bots.giving import Scales
from engine.cards import PACK_SIZE, CardSet, union
from engine.passing import picked, received, told
from engine.playouts import kernel
from engine.playouts.counting import score
from engine.playouts.shapes import Playout, Start
from engine.playouts.starts import first_start, start_of, world_of
from engine.playouts.tables import once, twice
from engine.playouts.tables import table_of as playing_table
from engine.seats import PerSeat
from engine.state import Passing, Playing, State, table_of, turn_of
from engine.view import view_for

PLAYOUTS: Final = 400
_BYTES: Final = 8
_MOST_CHANCE: Final = 2_147_483_646
"""The kernel's chance is a number from 1 to this."""

_STRIDE: Final = 1_664_525


def outset(deal: PlayedDeal) -> PerSeat[float]:
    """Return how many points each seat may expect at the beginning of *deal*.

    Where nothing is left to play but to settle a moon, these are the deal's points.

    Source: docs/analysis.md, "Play and cards".
    """
    state = deal.beginning
    match state:
        case Passing():
            hands = _passed(state)
            start = first_start(state.table.rules, hands, state.deal.number)
        case Playing():
            turn = turn_of(state)
            assert turn is not None, "somebody is to play"
            hands = state.hands
            start = start_of(view_for(turn.seats[0], state))
        case _:
            return tuple(map(float, deal.points))
    return _means(state, hands, start, deal.outset_seed())


def _means(state: State, hands: PerSeat[CardSet], start: Start, seed: bytes) -> PerSeat[float]:
    table = table_of(state)
    playout = Playout(playing_table(table.rules))
    world = world_of(hands, table.kitties[-1])
    sums = [0] * table.rules.seats
    luck = int.from_bytes(seed[:_BYTES], "big")
    for _ in range(PLAYOUTS):
        luck = luck % _MOST_CHANCE + 1
        kernel.play_out(playout, start, world, 0, luck)
        score(playout)
        for seat, player in enumerate(playout.players):
            sums[seat] += player.points
        luck *= _STRIDE
    return tuple(points / PLAYOUTS for points in sums)


def _passed(state: Passing) -> PerSeat[CardSet]:
    """Return the hands after the pass; who has not passed yet does so by rules of thumb."""
    rules, direction = state.table.rules, state.deal.direction
    assert direction is not None, "cards go somewhere"
    scales = Scales(rules)
    passes, kept = [], []
    for hand, done in zip(state.hands, state.passed, strict=True):
        given = done
        if given is None:
            count = state.deal.pass_count
            given = told(
                picked(scales.heaviest(once(hand) | twice(hand) << PACK_SIZE, count), hand),
                direction,
            )
        passes.append(given)
        kept.append(hand & ~union(given))
    gifts = received(tuple(passes), direction, rules.seats)
    return tuple(
        hand | union(some for _, some in got) for hand, got in zip(kept, gifts, strict=True)
    )
