"""A position as its event tells it: the part for all, and those for one reader each."""

from typing import Final

from engine.cards import CardSet, code_of, codes_of
from engine.passing import Transfers
from engine.position import PastTrick, Position
from engine.readable import Plain, card_data
from engine.resuming import hands_in
from engine.scoring import Shot

TABLE: Final = "table"
"""Owner of the cards that nobody may see yet."""


def position_data(position: Position) -> Plain:
    """Return what everybody may read of *position*."""
    return {
        "deal": position.deal,
        "scored": position.scored,
        "totals": list(position.totals),
        "dealer": position.dealer,
        "hand_sizes": [hand.bit_count() for hand in hands_in(position)],
        "kitty": {
            "size": position.kitty.bit_count(),
            "taken_by": position.kitty_taker,
            "trick": position.kitty_trick,
        },
        "pass": position.direction and position.direction.value,
        "pass_count": position.pass_count,
        "passed": [seat for seat, cards in enumerate(position.passed) if cards is not None],
        "opening_card": card_data(position.opening_card),
        "hearts_broken": position.hearts_broken,
        "tricks": [_past_trick(number, past) for number, past in enumerate(position.tricks, 1)],
        "leader": position.leader,
        "trick": cards_data(position.trick),
        "moon": None if position.shot is None else _shot(position.shot),
    }


def _past_trick(number: int, past: PastTrick) -> Plain:
    (leader, cards), winner, points = past
    return {
        "trick": number,
        "leader": leader,
        "cards": cards_data(cards),
        "winner": winner,
        "points": points,
    }


def _shot(shot: Shot) -> Plain:
    return {"seat": shot.seat, "kind": shot.kind.value, "points": shot.points}


def private_position_data(position: Position) -> dict[str, Plain]:
    """Return what each owner alone may read of *position*, by owner."""
    hands, passed, received = hands_in(position), position.passed, position.received
    parts = {
        str(seat): {
            "dealt": codes_of(dealt),
            "hand": codes_of(hand),
            "passed": _passed(passed[seat]) if seat < len(passed) else None,
            "received": gifts_data(received[seat] if seat < len(received) else ()),
            "kitty": codes_of(position.kitty) if position.kitty_taker == seat else None,
        }
        for seat, (dealt, hand) in enumerate(zip(position.dealt, hands, strict=True))
    }
    if position.kitty and position.kitty_taker is None:
        return {**parts, TABLE: {"kitty": codes_of(position.kitty)}}
    return parts


def _passed(cards: tuple[CardSet, ...] | None) -> list[str] | None:
    return None if cards is None else cards_data(cards)


def gifts_data(gifts: Transfers) -> list[Plain]:
    """Return who gave which cards, as a client reads it."""
    return [{"from": giver, "cards": codes_of(some)} for giver, some in gifts]


def cards_data(some: tuple[CardSet, ...]) -> list[str]:
    """Return the codes of *some* cards, in their order."""
    return [code_of(one) for one in some]
