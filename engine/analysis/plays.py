"""The cards a seat may play, judged."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.analysis.judged import Analysis, key_of
from engine.analysis.sweeps import Sweep
from engine.analysis.tables import WorldTable
from engine.analysis.tallies import Tally, analysis_of
from engine.bots.base import you_in
from engine.bots.search import unlike_cards
from engine.cards import Card, in_deck_order, named, one_of_each
from engine.commands import Move, PlayCard
from engine.playouts import kernel
from engine.playouts.shapes import Playout
from engine.playouts.starts import start_of
from engine.playouts.tables import table_of
from engine.view import View

FEWEST_WORLDS: Final = 2
"""Of fewer there is no error."""


def judged_plays(view: View, table: WorldTable, sims: int, only: Sequence[Move] = ()) -> Analysis:
    """Return what each card that may be played is likely to bring, in *sims* playouts of all.

    Cards that are alike are played out as one; those of *only* alone, if there are any.
    """
    seat = you_in(view).seat
    wanted = {key_of(move, in_order=False) for move in only}
    groups = [
        group
        for group in _groups(view)
        if not wanted or any((named(one),) in wanted for one in group)
    ]
    tallies = [[Tally(PlayCard(seat, one), view) for one in group] for group in groups]
    playout, start, sweep = Playout(table_of(view.rules)), start_of(view), Sweep(view)
    for world in table.draw(max(FEWEST_WORLDS, sims // len(groups))):
        luck = table.luck()
        for group, alike in zip(groups, tallies, strict=True):
            if sweep.points and sweep.takes_all(world, group[-1]):
                for tally in alike:
                    tally.add_moon(sweep.points)
                continue
            kernel.play_out(playout, start, world, named(group[-1]), luck)
            for tally in alike:
                tally.add(playout)
    return analysis_of(view, [tally for alike in tallies for tally in alike])


def _groups(view: View) -> Iterator[list[Card]]:
    """Yield the legal cards in deck order, those that are alike together."""
    stands_for_all = set(unlike_cards(view))
    group: list[Card] = []
    for one in in_deck_order(one_of_each(you_in(view).legal)):
        group.append(one)
        if one in stands_for_all:
            yield group
            group = []
