"""The levels of bots: one registry, and the one way to ask a bot for its move.

A view and a seed go in, a move comes out. `fallback_move` needs no bot: it is what is
played when a level fails.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, assert_never

from engine.bots.base import Bot, Tempo, deal_in, decision_seed, phase_of, seed_for, you_in
from engine.bots.easy_bot import EasyBot
from engine.bots.expert_bot import ExpertBot
from engine.bots.hard_bot import HardBot
from engine.bots.master_bot import MasterBot
from engine.bots.medium_bot import MediumBot
from engine.bots.random_bot import RandomBot
from engine.cards import in_deck_order, lowest
from engine.commands import FALLBACK, ChooseMoon, Move, PassCards, PlayCard
from engine.scoring import MoonChoice, Progress, safe_choice
from engine.state import TurnType
from engine.view import View, taken_in_the_end

__all__ = [
    "DEFAULT_LEVEL",
    "LEVELS",
    "Bot",
    "BotLevel",
    "Tempo",
    "choose",
    "decision_seed",
    "describe",
    "fallback_move",
    "seed_for",
]

_BOTS: Final[tuple[Bot, ...]] = (
    RandomBot(),
    EasyBot(),
    MediumBot(),
    HardBot(),
    ExpertBot(),
    MasterBot(),
)

LEVELS: Final[Mapping[str, Bot]] = MappingProxyType({bot.level: bot for bot in _BOTS})
"""Level → who plays it, the weakest first."""

DEFAULT_LEVEL: Final = "medium"
"""Plays the seats of a game that says nothing about them."""


class BotLevel(NamedTuple):
    """What people are told of a level; *name* is for a seat that was given none."""

    level: str
    version: int
    name: str
    summary: str


def describe() -> tuple[BotLevel, ...]:
    """Return what there is to say of each level, the weakest first."""
    return tuple(BotLevel(bot.level, bot.version, bot.name, bot.summary) for bot in _BOTS)


def choose(view: View, level: str, seed: bytes) -> Move:
    """Return the move that *level* makes for the seat of *view*; *seed* is 32 bytes.

    The same arguments give the same move everywhere.

    Raises:
        KeyError: There is no such level.
        AssertionError: The seat is not to act.
    """
    bot, seat = LEVELS[level], you_in(view).seat
    match phase_of(view):
        case TurnType.PASS:
            return PassCards(seat, bot.choose_pass(view, seed))
        case TurnType.PLAY:
            return PlayCard(seat, bot.choose_play(view, seed))
        case TurnType.MOON:
            return ChooseMoon(seat, bot.choose_moon(view, seed))
        case other:
            assert_never(other)


def fallback_move(view: View) -> Move:
    """Return the one fixed move for the seat of *view*, legal without any choice of a bot.

    It plays the legal card that is first in deck order, passes the first cards of the hand,
    and settles a moon as the option ``safety`` does.

    Raises:
        AssertionError: The seat is not to act.

    Source: docs/bots.md, "When a bot fails".
    """
    you = you_in(view)
    match phase_of(view):
        case TurnType.PASS:
            first = tuple(in_deck_order(you.hand))[: deal_in(view).pass_count]
            return PassCards(you.seat, first, FALLBACK)
        case TurnType.PLAY:
            return PlayCard(you.seat, lowest(you.legal), FALLBACK)
        case TurnType.MOON:
            return ChooseMoon(you.seat, _safe_choice(view), FALLBACK)
        case other:
            assert_never(other)


def _safe_choice(view: View) -> MoonChoice:
    deal = deal_in(view)
    assert deal.shot is not None, "a moon is settled once it is shot"
    taken = taken_in_the_end(view)
    totals = tuple(seat.total for seat in view.seats)
    # The running deal is the only one that is not scored.
    progress = Progress(deal.scored, deal.number)
    return safe_choice(deal.shot, taken, totals, progress, view.rules)
