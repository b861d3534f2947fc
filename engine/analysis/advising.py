"""Hints: an analysis as advice, from a seed that no bot uses.

Whoever has a deal's link can make every hint of the deal again, as every move of a bot; and
what a bot in the same place would draw, no hint tells.

Source: docs/hints.md.
"""

import hmac
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from engine.analysis.analyses import analyse
from engine.analysis.judged import Analysis
from engine.analysis.reasons import reason_text, why_best
from engine.bots.base import deal_in, phase_of, you_in
from engine.cards import in_deck_order, named, union
from engine.commands import Advice, Advised, ChooseMoon, Move, PassCards, PlayCard
from engine.rules import Rules
from engine.state import TurnType
from engine.view import SeatView, View

HINT_BUDGETS: Final[Mapping[str, int]] = MappingProxyType({"hard": 1_000, "expert": 2_000})
"""The levels that give hints → how many playouts one takes; half as many with two packs."""

_SEEDS: Final = "hearts-hint-1"
_HUNDREDTHS: Final = 100


def advise(view: View, level: str, link: str) -> Advice:
    """Return what *level* advises the seat of *view*, whose deal has this *link*.

    Raises:
        KeyError: No hints are given on that level.
        AssertionError: The seat is not to act.
    """
    sims, basis = HINT_BUDGETS[level] // view.rules.deck.packs, basis_of(view)
    return advice_of(analyse(basis, sims, hint_seed(basis, link)))


def basis_of(view: View) -> View:
    """Return what advice is made from: *view* without what may change while its seat thinks.

    That is who sits where and who moves for them, who else has passed, and how long the log is:
    nothing of it says where a card lies, or what a move is worth.

    Raises:
        AssertionError: The seat is not to act.
    """
    assert view.turn is not None, "nobody is to act"
    # What is on its way while cards are passed is counted with who gave it.
    given = deal_in(view).pass_count if view.turn.type is TurnType.PASS else 0
    return replace(
        view,
        version=0,
        revealed_version=0,
        lobby_is_open=False,
        seats=tuple(_anybody(seat, given) for seat in view.seats),
        turn=view.turn._replace(seats=(you_in(view).seat,)),
    )


def _anybody(seat: SeatView, given: int) -> SeatView:
    return replace(
        seat,
        name=None,
        is_bot=False,
        bot_level=None,
        claimed=False,
        ready=False,
        client_seed_given=False,
        has_passed=False,
        hand_size=seat.hand_size + (given if seat.has_passed else 0),
    )


def hint_seed(view: View, link: str) -> bytes:
    """Return the 32 bytes that the hint for the decision of *view* is drawn from."""
    phase = phase_of(view)
    trick = deal_in(view).trick_number if phase is TurnType.PLAY else 0
    message = f"{_SEEDS}|{you_in(view).seat}|{phase}|{trick}"
    return hmac.digest(bytes.fromhex(link), message.encode("ascii"), "sha256")


def advice_of(analysis: Analysis) -> Advice:
    """Return what *analysis* comes to."""
    ranking = tuple(
        Advised(
            _told(one.move, in_order=analysis.in_order),
            _hundredths(one.points.mean),
            _hundredths(one.points.error),
        )
        for one in analysis.judged
    )
    why, against = why_best(analysis)
    return Advice(analysis.worlds, ranking, *why, against)


def reason_for(analysis: Analysis, rules: Rules) -> str:
    """Return in plain words why the best move of *analysis* is named."""
    return reason_text(advice_of(analysis), rules)


def _told(move: Move, *, in_order: bool) -> Move:
    """Return *move* in cards of the first pack: which of two twins it is says nothing."""
    match move:
        case PassCards(seat=seat, cards=cards):
            some = cards if in_order else tuple(in_deck_order(union(cards)))
            return PassCards(seat, tuple(map(named, some)))
        case PlayCard(seat=seat, card=one):
            return PlayCard(seat, named(one))
        case ChooseMoon():
            return move


def _hundredths(points: float) -> int:
    return round(_HUNDREDTHS * points)
