"""The ways to judge the moves of a decision: as its seat knows the cards, or as they are."""

from collections.abc import Sequence
from typing import assert_never

from engine.analysis.judged import Analysis
from engine.analysis.moons import judged_choices
from engine.analysis.passes import compared_passes, judged_passes
from engine.analysis.plays import judged_plays
from engine.analysis.tables import HiddenTable, OpenTable, Truth, WorldTable
from engine.bots.base import phase_of
from engine.commands import Move
from engine.state import TurnType
from engine.view import View


def analyse(view: View, sims: int, seed: bytes, also: Sequence[Move] = ()) -> Analysis:
    """Return what the moves of the seat of *view* are likely to bring, as far as it can know.

    *sims* is the number of playouts of all moves together, *seed* 32 bytes; the same arguments
    give the same answer everywhere. Of passes some forty are tried, and those of *also*; plays
    and choices of a moon are judged one and all.

    Raises:
        AssertionError: The seat is not to act, or a move of *also* is not one of its own.
    """
    return _analysed(view, HiddenTable(view, seed), sims, also)


def compare(view: View, moves: Sequence[Move], sims: int, seed: bytes) -> Analysis:
    """Return what these *moves* alone are likely to bring, in *sims* playouts of all.

    For moves that were chosen by what they brought in other worlds: the best of many was lucky
    there, and is not here, as long as *seed* is another one.

    Raises:
        AssertionError: The seat is not to act, or a move is not one of its own.
    """
    table = HiddenTable(view, seed)
    match phase_of(view):
        case TurnType.PASS:
            return compared_passes(view, table, sims, moves)
        case TurnType.PLAY:
            return judged_plays(view, table, sims, moves)
        case TurnType.MOON:
            return judged_choices(view)
        case other:
            assert_never(other)


def analyse_openly(
    view: View, truth: Truth, sims: int, seed: bytes, also: Sequence[Move] = ()
) -> Analysis:
    """Return what the moves of the seat of *view* would bring whoever sees all cards.

    As `analyse` does, but in the one world that is true; how the deal then goes on is still
    tried in many ways.

    Raises:
        AssertionError: The seat is not to act, or a move of *also* is not one of its own.
    """
    return _analysed(view, OpenTable(truth, seed), sims, also)


def _analysed(view: View, table: WorldTable, sims: int, also: Sequence[Move]) -> Analysis:
    match phase_of(view):
        case TurnType.PASS:
            return judged_passes(view, table, sims, also)
        case TurnType.PLAY:
            return judged_plays(view, table, sims)
        case TurnType.MOON:
            return judged_choices(view)
        case other:
            assert_never(other)
