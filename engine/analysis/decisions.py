"""The decisions of a game, deal by deal, each with the moment in which it was made.

Only deals that were played to their end are told of: of a deal that was voided, or stopped
with its game, nobody knows what would have come of it.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from engine import events as e
from engine.cards import Card
from engine.commands import ChooseMoon, Move, PassCards, PlayCard
from engine.errors import CorruptLogError
from engine.evolve import evolve
from engine.seats import PerSeat
from engine.state import Passing, Playing, Shooting, State, Table, TurnType, table_of

ANALYSIS: Final = "hearts-analysis-1"
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


def played_deals(events: Iterable[e.Event]) -> Iterator[PlayedDeal]:
    """Yield the deals of the game with these *events* that were played to their end, in order.

    Raises:
        CorruptLogError: The events are no game.
    """
    events = tuple(events)
    links = _links(events)
    state: State | None = None
    beginning: State | None = None
    made: list[Decision] = []
    for seq, event in enumerate(events, 1):
        before, state = state, evolve(state, event)
        if isinstance(event, e.DealDealt | e.PositionSet):
            beginning, made = state, []
        elif before is not None and (found := _decision(seq, before, event)) is not None:
            made.append(found)
        elif isinstance(event, e.DealScored):
            if beginning is None or before is None:
                msg = f"event {seq} scores a deal that was not dealt"
                raise CorruptLogError(msg)
            link = links.get(event.deal, table_of(state).commitment)
            passes = _passes(before)
            yield PlayedDeal(event.deal, link, beginning, passes, event.points, tuple(made))


def _links(events: Iterable[e.Event]) -> Mapping[int, str]:
    found: dict[int, str] = {}
    for event in events:
        match event:
            case e.DealScored(opened=e.Opened() as opened):
                found[opened.deal] = opened.seed
            case e.GameFinished(reveals=reveals) | e.GameAborted(reveals=reveals):
                found |= {opened.deal: opened.seed for opened in reveals}
            case _:
                pass
    return found


def _decision(seq: int, before: State, event: e.Event) -> Decision | None:
    match event:
        case e.CardsPassed(seat=seat, cards=cards, auto=auto):
            return Decision(seq, 0, TurnType.PASS, _open(before), PassCards(seat, cards, auto))
        case e.CardPlayed(seat=seat, card=card, trick=trick, auto=auto):
            return Decision(seq, trick, TurnType.PLAY, _open(before), PlayCard(seat, card, auto))
        case e.MoonChosen(seat=seat, choice=choice, auto=auto):
            return Decision(seq, 0, TurnType.MOON, _open(before), ChooseMoon(seat, choice, auto))
        case _:
            return None


def _open(state: State) -> State:
    """Return *state* with its turn open, also where somebody else takes over with this move."""
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
