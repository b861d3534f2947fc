"""The decisions of a game, deal by deal, each with the moment in which it was made.

Only deals that were played to their end are told of: of a deal that was voided, or stopped
with its game, nobody knows what would have come of it.
"""

import hmac
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from engine import events as e
from engine.cards import Card
from engine.commands import ChooseMoon, Move, PassCards, PlayCard
from engine.errors import CorruptLogError
from engine.evolve import evolve
from engine.rules import Rules
from engine.seats import PerSeat
from engine.state import Passing, Playing, Shooting, State, Table, TurnType, table_of

ANALYSIS: Final = "hearts-analysis-3"
"""Names how decisions are judged, and the way from a deal's link to the chance for it."""


class Decision(NamedTuple):
    """A *move*, made by event *seq* in the moment *state*, in which its seat was to act.

    *trick* is numbered from 1, and 0 where cards are passed or a moon is settled.
    """

    seq: int
    trick: int
    phase: TurnType
    state: State
    move: Move

    @property
    def is_lead(self) -> bool:
        """Whether it is about the first card of a trick."""
        return isinstance(self.state, Playing) and not self.state.trick


class PlayedDeal(NamedTuple):
    """A deal from its *beginning*, the first moment in which somebody could act, to its *points*.

    *points* are by how much each total changed. *passes* has what each seat passed, and is
    empty where nobody did. *link* is the deal's, as 64 hex digits; a deal that was copied has
    none of its own, and the game's commitment stands for it.
    """

    number: int
    link: str
    beginning: State
    passes: PerSeat[tuple[Card, ...]]
    points: PerSeat[int]
    decisions: tuple[Decision, ...]

    @property
    def rules(self) -> Rules:
        """The rules it was played by."""
        return table_of(self.beginning).rules

    def seed(self, decision: Decision) -> bytes:
        """Return the 32 bytes from which all chance in judging *decision* is drawn.

        Source: docs/analysis.md, "Chance".
        """
        words = f"{decision.move.seat}|{decision.phase}|{decision.trick}"
        return self._seed(words)

    def second_seed(self, decision: Decision) -> bytes:
        """Return the same for judging the best move of *decision* against the one made, anew."""
        words = f"{decision.move.seat}|{decision.phase}|{decision.trick}|again"
        return self._seed(words)

    def outset_seed(self) -> bytes:
        """Return the same for what the hands were worth."""
        return self._seed("outset")

    def _seed(self, words: str) -> bytes:
        message = f"{ANALYSIS}|{words}".encode("ascii")
        return hmac.digest(bytes.fromhex(self.link), message, "sha256")


def played_deals(events: Iterable[e.Event]) -> list[PlayedDeal]:
    """Return the deals of the game with these *events* that were played to their end, in order.

    Raises:
        CorruptLogError: The events are no game.
    """
    finder = DealFinder()
    for event in events:
        finder.take(event)
    return finder.deals()


class DealFinder:
    """Finds the deals of a game, all or those *wanted*, in its events, one after the other."""

    def __init__(self, wanted: Container[int] | None = None) -> None:
        self._wanted = wanted
        self._state: State | None = None
        self._seq = 0
        self._beginning: State | None = None
        self._made: list[Decision] = []
        self._links: dict[int, str] = {}
        self._found: list[PlayedDeal] = []

    def take(self, event: e.Event) -> None:
        """Go on with the next *event*, from the first to the last.

        Raises:
            CorruptLogError: It cannot follow on those before.
        """
        before, state = self._state, evolve(self._state, event)
        self._state, self._seq = state, self._seq + 1
        self._links |= {opened.deal: opened.seed for opened in _opened_by(event)}
        if isinstance(event, e.DealDealt | e.PositionSet):
            self._beginning, self._made = state, []
        elif before is not None and (found := _decision(self._seq, before, event)) is not None:
            self._made.append(found)
        elif isinstance(event, e.DealScored):
            if self._beginning is None or before is None:
                msg = f"event {self._seq} scores a deal that was not dealt"
                raise CorruptLogError(msg)
            if self._wanted is None or event.deal in self._wanted:
                self._found.append(_played(event, self._beginning, before, self._made))

    def deals(self) -> list[PlayedDeal]:
        """Return what was found, once the last event was taken: links may stand there."""
        return [one._replace(link=self._links.get(one.number, one.link)) for one in self._found]


def _played(
    scored: e.DealScored, beginning: State, before: State, made: Iterable[Decision]
) -> PlayedDeal:
    link = table_of(before).commitment
    return PlayedDeal(scored.deal, link, beginning, _passes(before), scored.points, tuple(made))


def _opened_by(event: e.Event) -> Sequence[e.Opened]:
    match event:
        case e.DealScored(opened=e.Opened() as opened):
            return (opened,)
        case e.GameFinished(reveals=reveals) | e.GameAborted(reveals=reveals):
            return reveals
        case _:
            return ()


def _decision(seq: int, before: State, event: e.Event) -> Decision | None:
    match event:
        case e.CardsPassed(seat=seat, cards=cards, auto=auto):
            return Decision(seq, 0, TurnType.PASS, opened(before), PassCards(seat, cards, auto))
        case e.CardPlayed(seat=seat, card=card, trick=trick, auto=auto):
            return Decision(seq, trick, TurnType.PLAY, opened(before), PlayCard(seat, card, auto))
        case e.MoonChosen(seat=seat, choice=choice, auto=auto):
            return Decision(seq, 0, TurnType.MOON, opened(before), ChooseMoon(seat, choice, auto))
        case _:
            return None


def opened(state: State) -> State:
    """Return *state* with its turn open, also where somebody else takes over with the next move."""
    if not table_of(state).handing_over:
        return state
    match state:
        case Passing() | Playing():
            return replace(state, table=_settled(state.table))
        case Shooting(played=played):
            return replace(state, played=replace(played, table=_settled(played.table)))
        case _:
            return state


def _settled(table: Table) -> Table:
    return replace(table, handing_over=False)


def _passes(scored: State) -> PerSeat[tuple[Card, ...]]:
    match scored:
        case Playing(deal=deal) | Shooting(played=Playing(deal=deal)):
            return deal.passes
        case _:
            return ()
