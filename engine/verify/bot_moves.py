"""Making the moves of the bots again, each from what its seat saw and the seed it had.

Source: docs/bots.md, "Checking a bot's move".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias, assert_never

from engine import commands as c
from engine import events as e
from engine.analysis.decisions import opened
from engine.bots import LEVELS, choose, fallback_move, seed_for
from engine.bots.base import deal_in
from engine.cards import code_of, codes_of, union
from engine.evolve import evolve
from engine.rules import Direction
from engine.seats import Seat
from engine.state import State, TurnType, table_of
from engine.view import View, view_for

MoveEvent: TypeAlias = e.CardsPassed | e.CardPlayed | e.MoonChosen

_MOVES: Final = (e.CardsPassed, e.CardPlayed, e.MoonChosen)


class Mover(NamedTuple):
    """The bot that a file names for a move; *version* is None where it names none."""

    level: str
    version: int | None = None


class Comparison(StrEnum):
    """How a move compares with what its level makes of the same view and seed.

    All but the first two say why nobody can tell.
    """

    AGREES = "agrees"
    DIFFERS = "differs"
    FALLBACK = "fallback"
    PERHAPS_FALLBACK = "perhaps_fallback"
    TIMEOUT = "timeout"
    UNKNOWN_LEVEL = "unknown_level"
    OTHER_VERSION = "other_version"
    NO_VERSION = "no_version"
    NOT_OPENED = "not_opened"
    HIDDEN = "hidden"


COMPARED: Final = frozenset({Comparison.AGREES, Comparison.DIFFERS})
FALLBACKS: Final = frozenset({Comparison.FALLBACK, Comparison.PERHAPS_FALLBACK})
UNTOLD: Final = frozenset(Comparison) - COMPARED - FALLBACKS
"""Where nobody can tell: neither is it what the level makes of the view, nor the fallback."""


@dataclass(frozen=True, slots=True)
class BotMove:
    """A move of a bot: the one in the log as *said*, and the one made *again* from the view.

    Both are words: codes of cards, or a choice. *again* is None where nothing was made. *trick*
    is 0 for a pass and a moon. Where no version is named, *again* is what the one here makes;
    for a move of the clock that is enough, if it is the same.
    """

    deal: int
    phase: TurnType
    trick: int
    seat: Seat
    mover: Mover
    said: str
    again: str | None
    comparison: Comparison


def movers_in(events: Sequence[e.Event], versions: Mapping[str, int]) -> list[Mover | None]:
    """Return for each of *events* the bot that was to play, as the table has it.

    That is for a file that does not say who caused an event, but *versions* of levels.
    """
    state: State | None = None
    found: list[Mover | None] = []
    for event in events:
        level = None
        if isinstance(event, _MOVES):
            assert state is not None, "moves need a game"
            level = table_of(state).players[event.seat].playing_level
        found.append(None if level is None else Mover(level, versions.get(level)))
        state = evolve(state, event)
    return found


def bot_moves(
    events: Sequence[e.Event],
    movers: Sequence[Mover | None],
    links: Mapping[int, str],
    *,
    is_marked: bool = True,
) -> Iterator[BotMove]:
    """Yield each move of a bot in *events*, which begin with a game, made again.

    *movers* has the bot behind each event, None for anybody else; it may be shorter, and the
    game is then looked at as far. *links* are those of the deals that are open, by number.
    Where fallbacks are not *is_marked*, what looks like one counts as perhaps one.

    Raises:
        CorruptLogError: The events do not follow on each other.
    """
    state: State | None = None
    for event, named in zip(events, movers, strict=False):
        if isinstance(event, _MOVES):
            assert state is not None, "moves need a game"
            mover = named
            if event.auto == c.TIMEOUT:
                mover = _of_the_clock(state) or named
            if mover is not None:
                move = _judged(state, event, mover, links.get(event.deal))
                yield move if is_marked else _doubted(state, event, move)
        state = evolve(state, event)


def _doubted(state: State, event: MoveEvent, move: BotMove) -> BotMove:
    """Return *move*, of which the file would not say that the fallback made it."""
    view = view_for(event.seat, state)
    if move.comparison is Comparison.DIFFERS and move.said == _words(view, fallback_move(view)):
        return replace(move, comparison=Comparison.PERHAPS_FALLBACK)
    return move


def _of_the_clock(state: State) -> Mover | None:
    """Return who moves when somebody's time is up, for which no version is named."""
    clock = table_of(state).clock
    return None if clock is None else Mover(clock.bot_level)


def _judged(state: State, event: MoveEvent, mover: Mover, link: str | None) -> BotMove:
    view = view_for(event.seat, opened(state))  # the clock may just have put a bot in charge
    said, why_not = _words(view, event), _why_not(event, mover, link)
    again = _again(view, mover, link, why_not)
    match why_not:
        case None:
            comparison = Comparison.AGREES if again == said else Comparison.DIFFERS
        case Comparison.FALLBACK:
            comparison = why_not if again == said else Comparison.DIFFERS
        case Comparison.TIMEOUT:
            comparison = Comparison.AGREES if again == said else why_not
        case _:
            comparison = why_not
    phase, trick = _place(event)
    return BotMove(event.deal, phase, trick, event.seat, mover, said, again, comparison)


def _again(view: View, mover: Mover, link: str | None, why_not: Comparison | None) -> str | None:
    """Return the move that is made of *view* here, None where none can be made."""
    is_clock_s, turn = why_not is Comparison.TIMEOUT, view.turn
    is_moon = turn is not None and turn.type is TurnType.MOON
    if why_not is Comparison.FALLBACK or (is_clock_s and is_moon):
        return _words(view, fallback_move(view))  # which the view alone decides
    if link is None or mover.level not in LEVELS:
        return None
    if is_clock_s or why_not in {None, Comparison.NO_VERSION}:
        return _words(view, choose(view, mover.level, seed_for(view, link)))
    return None


def _place(event: MoveEvent) -> tuple[TurnType, int]:
    match event:
        case e.CardsPassed():
            return TurnType.PASS, 0
        case e.CardPlayed(trick=trick):
            return TurnType.PLAY, trick
        case e.MoonChosen():
            return TurnType.MOON, 0
        case other:
            assert_never(other)


def _why_not(event: MoveEvent, mover: Mover, link: str | None) -> Comparison | None:
    """Return why the move cannot be made again, None if it can."""
    if event.auto in _MARKED:
        return _MARKED[event.auto]
    if mover.level not in LEVELS:
        return Comparison.UNKNOWN_LEVEL
    if mover.version not in {None, LEVELS[mover.level].version}:
        return Comparison.OTHER_VERSION
    if link is None:
        return Comparison.NOT_OPENED
    return Comparison.NO_VERSION if mover.version is None else None


_MARKED: Final[Mapping[str | None, Comparison]] = {
    c.FALLBACK: Comparison.FALLBACK,
    c.TIMEOUT: Comparison.TIMEOUT,
}


def _words(view: View, move: MoveEvent | c.Move) -> str:
    match move:
        case e.CardsPassed(cards=cards) | c.PassCards(cards=cards):
            # The order says something only where each card goes to another seat.
            is_scattered = deal_in(view).direction is Direction.SCATTER
            codes = map(code_of, cards) if is_scattered else codes_of(union(cards))
            return " ".join(codes)
        case e.CardPlayed(card=card) | c.PlayCard(card=card):
            return code_of(card)
        case e.MoonChosen(choice=choice) | c.ChooseMoon(choice=choice):
            return choice.value
        case other:
            assert_never(other)
