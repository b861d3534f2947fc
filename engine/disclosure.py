"""Who may read what of an event: the only redaction there is.

Each type of event says here, once, what everybody may read (`public_part`) and what only
one seat may (`private_part`). Views are built by adding the reader's own part to the
public one; nothing is ever taken out of a full event. Besides seats, a part may belong to
``table`` (cards nobody may see yet) or ``server`` (never shown to anybody).

Source: openapi.yaml, schema `Event`.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias, assert_never

from engine import events as e
from engine import reasons
from engine.advice_data import advice_data
from engine.cards import CardSet, code_of, codes_of
from engine.clocks import clock_data, timestamp
from engine.commands import BotSeat, HumanSeat
from engine.position_data import (
    TABLE,
    cards_data,
    gifts_data,
    position_data,
    private_position_data,
)
from engine.readable import Plain, card_data, rules_data
from engine.seats import PerSeat, Seat
from engine.table_data import fairness_data, lobby_word, options_data, origin_data

SERVER: Final = "server"

Reader: TypeAlias = Seat | None
"""A seat, or None for the public."""

Parts: TypeAlias = Mapping[str, Plain]
"""Seat number as text, ``table`` or ``server`` → what only that reader may read."""


def own_part(parts: Parts, reader: Reader, *, everything: bool = False) -> dict[str, Plain]:
    """Return the *parts* that *reader* may read; all but the server's with *everything*."""
    if everything:
        return {owner: part for owner, part in parts.items() if owner != SERVER}
    return {owner: part for owner, part in parts.items() if owner == str(reader)}


def hidden_seats(parts: Parts, shown: Mapping[str, Plain]) -> list[Seat]:
    """Return the seats, in order, whose part is not among *shown*."""
    return sorted(int(owner) for owner in parts.keys() - shown.keys() - {SERVER, TABLE})


def private_part(event: e.Event) -> Parts:  # noqa: C901, PLR0911 - one case per type
    """Return what each owner alone may read of *event*; empty if all is public."""
    match event:
        case e.DealDealt(hands=hands, kitty=kitty):
            parts = {str(seat): {"hand": codes_of(hand)} for seat, hand in enumerate(hands)}
            return {**parts, TABLE: {"kitty": codes_of(kitty)}} if kitty else parts
        case e.PositionSet(position=position):
            return private_position_data(position)
        case e.CardsPassed(seat=seat, cards=cards):
            return {str(seat): {"cards": cards_data(cards)}}
        case e.PassCompleted(received=received):
            return {str(seat): {"received": gifts_data(got)} for seat, got in enumerate(received)}
        case e.KittyTaken(seat=seat, cards=kitty):
            return {str(seat): {"cards": codes_of(kitty)}}
        case e.SeatClaimed(seat=seat, client_seed=seed, player_ref=ref):
            named = {} if ref is None else {SERVER: {"player_ref": ref}}
            return named if seed is None else {**named, str(seat): {"client_seed": seed}}
        case e.SeatUpdated(seat=seat, client_seed=seed):
            return {} if seed is None else {str(seat): {"client_seed": seed}}
        case e.HintUsed(seat=seat):
            return {str(seat): {"level": event.level, **advice_data(event.advice)}}
        case e.GameCreated():
            return {SERVER: _secrets(event)}
        case (
            e.CardPlayed()
            | e.TrickCompleted()
            | e.OptionsChanged()
            | e.LobbyChanged()
            | e.SeatBotAssigned()
            | e.SeatReleased()
            | e.SeatKicked()
            | e.SeatTokenRotated()
            | e.HostTokenRotated()
            | e.ControlChanged()
            | e.GameStarted()
            | e.MoonShot()
            | e.MoonChosen()
            | e.TurnTimedOut()
            | e.TurnExtended()
            | e.DealScored()
            | e.DealVoided()
            | e.GameFinished()
            | e.GameAborted()
        ):
            return {}
        case other:
            # Nobody has said who may see it.
            assert_never(other)


def public_part(event: e.Event) -> Plain:  # noqa: C901, PLR0911, PLR0912 - one case per type
    """Return what everybody may read of *event*."""
    match event:
        case e.CardPlayed():
            return _card_played(event)
        case e.TrickCompleted():
            return _trick_completed(event)
        case e.GameCreated():
            return _game_created(event)
        case e.SeatClaimed():
            return {
                "seat": event.seat,
                "name": event.name,
                "grant": event.grant,
                "client_seed_given": event.client_seed is not None,
            }
        case e.SeatUpdated():
            return {
                "seat": event.seat,
                "name": event.name,
                "ready": event.ready,
                "client_seed_given": event.client_seed_given,
            }
        case e.OptionsChanged():
            return {"changes": _changes(event)}
        case e.LobbyChanged():
            return {"lobby": lobby_word(is_open=event.is_open)}
        case e.SeatBotAssigned():
            return {"seat": event.seat, "level": event.level, "name": event.name}
        case e.SeatReleased():
            return {"seat": event.seat, "grant": event.grant, "reason": event.reason}
        case e.SeatKicked() | e.SeatTokenRotated():
            return {"seat": event.seat, "grant": event.grant}
        case e.HostTokenRotated():
            return {"grant": event.grant}
        case e.ControlChanged():
            return _control_changed(event)
        case e.GameStarted():
            return {"client_seeds": list(event.client_seeds)}
        case e.DealDealt():
            return _deal_dealt(event)
        case e.PositionSet(position=position):
            return position_data(position)
        case e.CardsPassed():
            return {
                "deal": event.deal,
                "seat": event.seat,
                "count": len(event.cards),
                "turn_id": event.turn_id,
                "auto": event.auto,
            }
        case e.PassCompleted():
            return {
                "deal": event.deal,
                "leader": event.leader,
                "opening_card": card_data(event.opening_card),
            }
        case e.KittyTaken():
            return {"deal": event.deal, "seat": event.seat, "count": event.cards.bit_count()}
        case e.MoonShot():
            return {
                "deal": event.deal,
                "seat": event.seat,
                "kind": event.kind.value,
                "points": event.points,
                "choice_required": event.choice_required,
            }
        case e.MoonChosen():
            return {
                "deal": event.deal,
                "seat": event.seat,
                "choice": event.choice.value,
                "turn_id": event.turn_id,
                "auto": event.auto,
            }
        case e.TurnTimedOut():
            return {
                "turn_id": event.turn_id,
                "seats": list(event.seats),
                "consecutive": event.consecutive,
                "policy": event.policy.value,
            }
        case e.TurnExtended():
            return {
                "turn_id": event.turn_id,
                "deadline_at": timestamp(event.deadline_at),
                "reason": event.reason,
            }
        case e.HintUsed():
            return {
                "deal": event.deal,
                "trick": event.trick,
                "seat": event.seat,
                "turn_id": event.turn_id,
            }
        case e.DealScored():
            return _deal_scored(event)
        case e.DealVoided():
            return {
                "deal": event.deal,
                "reason": event.reason,
                "reveal": _reveal(event.opened),
            }
        case e.GameFinished():
            return {
                "totals": list(event.totals),
                "places": list(event.places),
                "winners": list(event.winners),
                "reason": event.reason.value,
                "reveals": [_opened(deal) for deal in event.reveals],
            }
        case e.GameAborted():
            return {
                "reason": event.reason,
                "totals": list(event.totals),
                "reveals": [_opened(deal) for deal in event.reveals],
            }
        case other:
            assert_never(other)


def _changes(event: e.OptionsChanged) -> Plain:
    rules = {} if event.rules is None else {"rules": rules_data(event.rules)}
    return rules if event.visibility is None else {**rules, "visibility": event.visibility}


def _control_changed(event: e.ControlChanged) -> Plain:
    now, before = ("human", "bot") if event.level is None else ("bot", "human")
    return {
        "seat": event.seat,
        "from": now if event.reason == reasons.UNCHANGED else before,
        "to": now,
        "level": event.level,
        "reason": event.reason,
    }


def _secrets(event: e.GameCreated) -> Plain:
    chain, application = event.seed_chain, event.options.application
    return {
        "nonce": event.nonce,
        "key_id": event.key_id,
        **({} if chain is None else {"seed": chain.seed}),
        **({} if application is None else {"application": application}),
    }


def _game_created(event: e.GameCreated) -> Plain:
    chain = event.seed_chain
    return {
        "rules": rules_data(event.rules),
        "seats": [_seat_plan(seat, plan) for seat, plan in enumerate(event.seats)],
        "lobby": lobby_word(is_open=event.lobby.is_open),
        "auto_start": event.lobby.auto_start,
        "fill_with_bots": event.lobby.fill_with_bots,
        "practice": event.practice,
        "visibility": event.visibility,
        **options_data(event.options),
        "fairness": fairness_data(event.commitment, None if chain is None else chain.commitment),
        "host_grant": event.host_grant,
        "origin": origin_data(event.origin),
        "clock": clock_data(event.clock),
    }


def _seat_plan(seat: Seat, plan: HumanSeat | BotSeat) -> Plain:
    if isinstance(plan, BotSeat):
        return {"seat": seat, "kind": "bot", "level": plan.level, "name": plan.name}
    return {"seat": seat, "kind": "human"}


def _deal_dealt(event: e.DealDealt) -> Plain:
    return {
        "deal": event.deal,
        "dealer": event.dealer,
        "hand_sizes": [hand.bit_count() for hand in event.hands],
        "kitty_size": event.kitty.bit_count(),
        "pass": event.direction and event.direction.value,
        "pass_count": event.pass_count,
        "leader": event.leader,
        "opening_card": card_data(event.opening_card),
    }


def _card_played(event: e.CardPlayed) -> Plain:
    return {
        "deal": event.deal,
        "trick": event.trick,
        "seat": event.seat,
        "card": code_of(event.card),
        "turn_id": event.turn_id,
        "broke_hearts": event.broke_hearts,
        "auto": event.auto,
    }


def _trick_completed(event: e.TrickCompleted) -> Plain:
    return {
        "deal": event.deal,
        "trick": event.trick,
        "winner": event.winner,
        "points": event.points,
        "cards": cards_data(event.cards),
        "leader": event.leader,
        "takes_kitty": event.takes_kitty,
        "carried": cards_data(event.carried),
    }


def _deal_scored(event: e.DealScored) -> Plain:
    return {
        "deal": event.deal,
        "taken": list(event.taken),
        "points": list(event.points),
        "totals": list(event.totals),
        "moon": None if event.moon is None else _moon(event.moon),
        "reveal": _reveal(event.opened),
    }


def _moon(moon: e.MoonScored) -> Plain:
    return {
        "seat": moon.seat,
        "kind": moon.kind.value,
        "points": moon.points,
        "choice": moon.choice.value,
    }


def _opened(deal: e.Opened) -> Plain:
    return {"deal": deal.deal, **_revealed(deal)}


def _reveal(opened: e.Opened | None) -> Plain | None:
    return None if opened is None else _revealed(opened)


def _revealed(deal: e.Opened) -> Plain:
    return {
        "seed": deal.seed,
        "hands": hands_data(deal.hands),
        "kitty": codes_of(deal.kitty),
    }


def hands_data(hands: PerSeat[CardSet]) -> list[list[str]]:
    """Return the codes of each seat's cards, in deck order."""
    return [codes_of(hand) for hand in hands]
