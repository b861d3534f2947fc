"""The cards a seat may play, judged."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.analysis.judged import Analysis, key_of
from engine.analysis.prospects import Prospect, Shooting, analysis_of
from engine.analysis.sweeps import Sweep
from engine.analysis.tables import WorldTable
from engine.analysis.tallies import Tally
from engine.bots.base import you_in
from engine.bots.moon_plan import GLANCE
from engine.bots.search import unlike_cards
from engine.cards import Card, in_deck_order, named, one_of_each
from engine.commands import Move, PlayCard
from engine.playouts import kernel
from engine.playouts.shapes import Playout, World
from engine.playouts.starts import start_of
from engine.playouts.tables import table_of
from engine.view import View

FEWEST_WORLDS: Final = 2
"""Of fewer there is no error."""


def judged_plays(view: View, table: WorldTable, sims: int, only: Sequence[Move] = ()) -> Analysis:
    """Return what each card that may be played is likely to bring, in *sims* playouts of all.

    Cards that are alike are played out as one; those of *only* alone, if there are any.
    """
    wanted = {key_of(move, in_order=False) for move in only}
    groups = [
        group
        for group in _groups(view)
        if not wanted or any((named(one),) in wanted for one in group)
    ]
    trial = _Trial(view, groups)
    for number, world in enumerate(table.draw(max(FEWEST_WORLDS, sims // len(groups)))):
        trial.play(world, table.luck())
        if number == GLANCE - 1:
            trial.look_at_moons()
    return analysis_of(view, trial.prospects())


class _Trial:
    """The cards of *groups*, those of one alike, played out in one world after the other."""

    def __init__(self, view: View, groups: Sequence[Sequence[Card]]) -> None:
        self._groups, self._seat = groups, you_in(view).seat
        self._prospects = [
            [Prospect(PlayCard(self._seat, one), view) for one in group] for group in groups
        ]
        self._playout, self._start = Playout(table_of(view.rules)), start_of(view)
        self._sweep, self._shooting = Sweep(view), Shooting(view)

    def play(self, world: World, luck: int) -> None:
        """Play every card out in *world*."""
        for group, alike in zip(self._groups, self._prospects, strict=True):
            for bold in self._shooting.ways:
                tallies = [one.meek if bold == kernel.NOBODY else one.bold for one in alike]
                self._add(tallies, world, group[-1], luck, bold)

    def _add(
        self, tallies: list[Tally[PlayCard]], world: World, card: Card, luck: int, bold: int
    ) -> None:
        sweep = self._sweep
        if sweep.points and sweep.takes_all(world, card):
            for tally in tallies:
                tally.add_moon(sweep.points)
            return
        kernel.play_out(self._playout, self._start, world, named(card), luck, bold)
        for tally in tallies:
            tally.add(self._playout)

    def look_at_moons(self) -> None:
        """Give moons up where they look hopeless."""
        self._shooting.look_at(alike[0] for alike in self._prospects)

    def prospects(self) -> list[Prospect[PlayCard]]:
        """Return what came of each card."""
        return [one for alike in self._prospects for one in alike]


def _groups(view: View) -> Iterator[list[Card]]:
    """Yield the legal cards in deck order, those that are alike together."""
    stands_for_all = set(unlike_cards(view))
    group: list[Card] = []
    for one in in_deck_order(one_of_each(you_in(view).legal)):
        group.append(one)
        if one in stands_for_all:
            yield group
            group = []
