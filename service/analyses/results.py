"""The result of an analysis, as the API shows it."""

from collections.abc import Sequence
from typing import Any, Final

from engine.analysis.decisions import PlayedDeal
from engine.analysis.mistakes import sentence
from engine.analysis.reasons import Why
from engine.analysis.review import SeatReview, Verdict, seat_reviews
from engine.rules import Rules
from engine.state import TurnType
from service.analyses.records import Judged

_DIGITS: Final = 2


def result_data(deals: Sequence[PlayedDeal], judged: Judged) -> dict[str, Any]:
    """Return what came of judging *deals*, one at least, in their order."""
    verdicts = [judged.verdicts[seq] for seq in sorted(judged.verdicts)]
    reviews = [judged.deals[deal.number] for deal in deals]
    seats = len(deals[0].points)
    leads, rules = leads_of(deals), deals[0].rules
    return {
        "decisions": [_verdict_data(one) for one in verdicts],
        "deals": [
            {
                "deal": one.number,
                "points": list(one.points),
                "expected_points": [round(points, _DIGITS) for points in one.outset],
            }
            for one in reviews
        ],
        "seats": [_seat_data(one, rules, leads) for one in seat_reviews(reviews, verdicts, seats)],
    }


def leads_of(deals: Sequence[PlayedDeal]) -> frozenset[int]:
    """Return the numbers of the events in which the first card of a trick was played."""
    return frozenset(
        decision.seq for deal in deals for decision in deal.decisions if decision.is_lead
    )


def _verdict_data(verdict: Verdict) -> dict[str, Any]:
    phase = verdict.phase
    return {
        "seq": verdict.seq,
        "deal": verdict.deal,
        "trick": verdict.trick or None,
        "seat": verdict.seat,
        "move": _move_data(phase, verdict.move),
        "expected_points": verdict.points,
        "best": {
            "move": _move_data(phase, verdict.best),
            "expected_points": verdict.best_points,
        },
        "loss": verdict.loss,
        "error": verdict.error,
        "mistake": verdict.is_mistake,
        "dear": verdict.is_dear,
        "why": _why_data(verdict.why),
        "all_cards": {"best": _move_data(phase, verdict.open_best), "loss": verdict.open_loss},
    }


def _why_data(why: Why | None) -> dict[str, Any] | None:
    if why is None:
        return None
    return {"code": why.reason, "best": why.best, "other": why.other}


def _move_data(phase: str, words: Sequence[str]) -> dict[str, Any]:
    match phase:
        case TurnType.PLAY:
            return {"type": phase, "card": words[0]}
        case TurnType.PASS:
            return {"type": phase, "cards": list(words)}
        case _:
            return {"type": phase, "choice": words[0]}


def _seat_data(review: SeatReview, rules: Rules, leads: frozenset[int]) -> dict[str, Any]:
    return {
        "seat": review.seat,
        "decisions": review.decisions,
        "mistakes": review.mistakes,
        "average_loss": review.average_loss,
        "points": review.points,
        "even_points": review.even,
        "lost_by_cards": review.cards,
        "lost_by_play": review.play,
        "rest": review.rest,
        "dearest": [
            {"seq": one.seq, "text": sentence(one, rules, is_lead=one.seq in leads)}
            for one in review.dearest
        ],
    }
