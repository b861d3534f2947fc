"""What the cards taken in a playout count, as the total of each player changes.

Compiled together with the kernel, and in its manner.
"""

from typing import Final

from engine.playouts.native import i64
from engine.playouts.shapes import Player, Playout, Table
from engine.playouts.suits import SUIT_BITS

NOTHING_SHOT: Final = -1000000


def score(state: Playout) -> None:
    """Count each player's *points* of a deal that was played out, as its total changes.

    A moon that leaves a choice goes to the others: against them both choices are worth the
    same.
    """
    table = state.table
    for player in state.players:
        worth: i64 = _shot(table, player)
        if worth != NOTHING_SHOT:
            _score_shot(state, player, worth)
            return
    for player in state.players:
        player.points = _sum(table.suits, table.worths, player)
        if player.taken == 0:
            player.points += table.no_trick
        elif table.bonuses:
            player.points += _sum(table.boon_suits, table.boons, player)


def put_end(state: Playout, found: list[i64]) -> None:
    """Count the points of a deal that was played out, and put its end behind *found*.

    First come the points of every seat, then who has shot a sun or the moon, and what that is
    worth: -1 and 0 where nobody has.
    """
    score(state)
    shooter: i64 = -1
    shot: i64 = 0
    number: i64 = 0
    for player in state.players:
        found.append(player.points)
        worth: i64 = NOTHING_SHOT if shooter >= 0 else _shot(state.table, player)
        if worth != NOTHING_SHOT:
            shooter = number
            shot = worth
        number += 1  # noqa: SIM113 - compiled, `enumerate` is slower
    found.append(shooter)
    found.append(shot)


def _shot(table: Table, player: Player) -> i64:
    """Return what the sun or the moon is worth that *player* has shot, or NOTHING_SHOT."""
    if table.has_sun and table.sun & ~player.taken | table.sun_twice & ~player.taken_twice == 0:
        return table.sun_points
    if table.moon and table.moon & ~player.taken | table.moon_twice & ~player.taken_twice == 0:
        return table.moon_points
    return NOTHING_SHOT


def _score_shot(state: Playout, shooter: Player, worth: i64) -> None:
    table = state.table
    for player in state.players:
        player.points = 0 if table.subtracts else worth
    shooter.points = -worth if table.subtracts else 0
    for player in state.players:
        if player.taken == 0:
            player.points += table.no_trick
        elif player is not shooter or not table.absorbs:
            player.points += _sum(table.boon_suits, table.boons, player)


def _sum(suits: list[i64], worths: list[list[i64]], player: Player) -> i64:
    points: i64 = 0
    number: i64 = 0
    for shift in suits:
        points += worths[number][player.taken >> shift & SUIT_BITS]
        if player.taken_twice:
            points += worths[number][player.taken_twice >> shift & SUIT_BITS]
        number += 1  # noqa: SIM113 - the same
    return points
