"""What a seat can know, as plain values for JSON."""

from collections.abc import Iterable
from typing import TypeAlias

from engine.cards import Card, code_of
from engine.knowledge import Possible, QueenKnowledge, SeatKnowledge, knowledge_of
from engine.readable import Plain
from engine.view import View

Answer: TypeAlias = Plain


def knowledge_data(view: View) -> Answer:
    """Return what the seat of *view* can know of the running deal.

    Raises:
        AssertionError: It is the public's view, or nothing is dealt.
    """
    known = knowledge_of(view)
    return {
        "version": view.version,
        "turn_id": view.turn.id if view.turn else None,
        "seat": known.seat,
        "deal": known.deal,
        "played": _codes(known.played),
        "unseen": _codes(known.unseen),
        "seats": [_seat(one) for one in known.seats],
        "kitty": {"size": known.kitty_size, "holds": _codes(known.kitty_holds)},
        "queen": _queen(known.queen),
        "can_hold": {code_of(one): _possible(where) for one, where in known.can_hold.items()},
    }


def _codes(cards: Iterable[Card]) -> list[str]:
    return [code_of(one) for one in cards]


def _seat(known: SeatKnowledge) -> Answer:
    return {
        "seat": known.seat,
        "hand_size": known.hand_size,
        "void": list(known.void),
        "holds": _codes(known.holds),
    }


def _queen(known: QueenKnowledge) -> Answer:
    return {
        "in_hand": known.in_hand,
        "played": known.played,
        "unseen": known.unseen,
        **_possible(known.places),
    }


def _possible(where: Possible) -> Answer:
    return {"seats": list(where.seats), "kitty": where.kitty}
