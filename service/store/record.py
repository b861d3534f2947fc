"""How an event becomes a stored row.

The rows, and how they become events, are in `table_events` and `play_events`.
"""

from typing import TypeAlias, assert_never

from engine import events as e
from engine.cards import Card
from engine.commands import BotSeat, HumanSeat, TableOptions
from service.store import play_events, table_events
from service.store.advice_forms import advice_form
from service.store.clock_forms import clock_form
from service.store.forms import (
    Auto,
    Gift,
    Shot,
    Visibility,
    hands_form,
    number_of,
    numbers_of,
    opened_form,
    origin_form,
    packed,
    raw,
    rules_form,
    seed_chain_form,
    seed_form,
)
from service.store.forms import BotSeat as BotForm
from service.store.positions import position_form

Head: TypeAlias = tuple[int, table_events.ActorForm, bytes | None]
"""What stands between version and values: time, actor, cause."""


def row_of(event: e.Event, head: Head) -> play_events.AnyRow:  # noqa: C901, PLR0911, PLR0912 - one case per type
    """Return *event* as it is stored behind *head*.

    Raises:
        ValueError: A text that is stored as bytes is no lower-case hex, or a word is unknown.
    """
    match event:
        case e.CardPlayed():
            return _card_played(event, head)
        case e.TrickCompleted():
            return _trick_completed(event, head)
        case e.GameCreated():
            return _game_created(event, head)
        case e.SeatClaimed():
            return _seat_claimed(event, head)
        case e.SeatUpdated(seat=seat, name=name, client_seed_given=given):
            seed = seed_form(event.client_seed)
            return table_events.SeatUpdated(1, *head, seat, name, given, seed, event.ready)
        case e.GameStarted(client_seeds=seeds):
            return table_events.GameStarted(1, *head, tuple(seed_form(seed) for seed in seeds))
        case e.DealDealt():
            return _deal_dealt(event, head)
        case e.PositionSet(position=position):
            return play_events.PositionSet(1, *head, position_form(position))
        case e.CardsPassed():
            return _cards_passed(event, head)
        case e.PassCompleted():
            return _pass_completed(event, head)
        case e.KittyTaken(deal=deal, seat=seat, cards=kitty):
            return play_events.KittyTaken(1, *head, deal, seat, packed(kitty))
        case e.MoonShot(seat=seat, kind=kind, points=points):
            return play_events.MoonShot(
                1, *head, event.deal, seat, kind, points, event.choice_required
            )
        case e.MoonChosen(deal=deal, seat=seat, choice=choice):
            turn_id = event.turn_id
            return play_events.MoonChosen(1, *head, deal, seat, choice, _auto(event.auto), turn_id)
        case e.TurnTimedOut(turn_id=turn_id, seats=seats):
            return play_events.TurnTimedOut(
                1, *head, turn_id, seats, event.consecutive, event.policy
            )
        case e.TurnExtended(turn_id=turn_id, deadline_at=deadline_at):
            return play_events.TurnExtended(1, *head, turn_id, deadline_at, event.reason)
        case e.HintUsed():
            return _hint_used(event, head)
        case e.DealScored():
            return _deal_scored(event, head)
        case e.DealVoided(deal=deal, reason=reason, opened=opened):
            form = None if opened is None else opened_form(opened)
            return play_events.DealVoided(1, *head, deal, reason, form)
        case e.GameFinished():
            return _game_finished(event, head)
        case e.GameAborted():
            reveals = tuple(opened_form(deal) for deal in event.reveals)
            return play_events.GameAborted(1, *head, event.reason, event.totals, reveals)
        case e.OptionsChanged():
            return _options_changed(event, head)
        case e.LobbyChanged(is_open=is_open):
            return table_events.LobbyChanged(1, *head, is_open)
        case e.SeatBotAssigned(seat=seat, level=level, name=name):
            return table_events.SeatBotAssigned(1, *head, seat, level, name)
        case e.SeatReleased(seat=seat, grant=grant, reason=reason):
            return table_events.SeatReleased(1, *head, seat, grant, reason)
        case e.SeatKicked(seat=seat, grant=grant):
            return table_events.SeatKicked(1, *head, seat, grant)
        case e.SeatTokenRotated(seat=seat, grant=grant):
            return table_events.SeatTokenRotated(1, *head, seat, grant)
        case e.HostTokenRotated(grant=grant):
            return table_events.HostTokenRotated(1, *head, grant)
        case e.ControlChanged(seat=seat, level=level, reason=reason):
            return table_events.ControlChanged(1, *head, seat, level, reason)
        case other:
            assert_never(other)


def _game_created(event: e.GameCreated, head: Head) -> table_events.GameCreated:
    return table_events.GameCreated(
        1,
        *head,
        rules_form(event.rules),
        tuple(_plan(plan) for plan in event.seats),
        raw(event.commitment),
        event.host_grant,
        raw(event.nonce),
        event.key_id,
        event.lobby.is_open,
        event.lobby.auto_start,
        event.lobby.fill_with_bots,
        origin_form(event.origin),
        None if event.position is None else position_form(event.position),
        event.practice,
        _visibility(event.visibility),
        seed_chain_form(event.seed_chain),
        _options(event.options),
        clock_form(event.clock),
    )


def _seat_claimed(event: e.SeatClaimed, head: Head) -> table_events.SeatClaimed:
    return table_events.SeatClaimed(
        1,
        *head,
        event.seat,
        event.name,
        event.grant,
        seed_form(event.client_seed),
        event.player_ref,
    )


def _options_changed(event: e.OptionsChanged, head: Head) -> table_events.OptionsChanged:
    rules, seen = event.rules, event.visibility
    return table_events.OptionsChanged(
        1,
        *head,
        None if rules is None else rules_form(rules),
        None if seen is None else _visibility(seen),
    )


def _deal_dealt(event: e.DealDealt, head: Head) -> play_events.DealDealt:
    return play_events.DealDealt(
        1,
        *head,
        event.deal,
        event.dealer,
        event.direction,
        event.pass_count,
        event.leader,
        _number(event.opening_card),
        hands_form(event.hands),
        packed(event.kitty),
    )


def _cards_passed(event: e.CardsPassed, head: Head) -> play_events.CardsPassed:
    cards = numbers_of(event.cards)
    return play_events.CardsPassed(
        1, *head, event.deal, event.seat, cards, event.turn_id, _auto(event.auto)
    )


def _pass_completed(event: e.PassCompleted, head: Head) -> play_events.PassCompleted:
    received = tuple(
        tuple(Gift(giver, packed(cards)) for giver, cards in gifts) for gifts in event.received
    )
    return play_events.PassCompleted(
        1, *head, event.deal, event.leader, _number(event.opening_card), received
    )


def _card_played(event: e.CardPlayed, head: Head) -> play_events.CardPlayed:
    return play_events.CardPlayed(
        1,
        *head,
        event.deal,
        event.trick,
        event.seat,
        number_of(event.card),
        event.turn_id,
        event.broke_hearts,
        _auto(event.auto),
    )


def _trick_completed(event: e.TrickCompleted, head: Head) -> play_events.TrickCompleted:
    return play_events.TrickCompleted(
        1,
        *head,
        event.deal,
        event.trick,
        event.winner,
        event.points,
        numbers_of(event.cards),
        event.leader,
        event.takes_kitty,
        numbers_of(event.carried),
    )


def _hint_used(event: e.HintUsed, head: Head) -> play_events.HintUsed:
    return play_events.HintUsed(
        1,
        *head,
        event.deal,
        event.trick,
        event.seat,
        event.turn_id,
        event.level,
        advice_form(event.advice),
    )


def _deal_scored(event: e.DealScored, head: Head) -> play_events.DealScored:
    moon, opened = event.moon, event.opened
    return play_events.DealScored(
        1,
        *head,
        event.deal,
        event.taken,
        event.points,
        event.totals,
        None if moon is None else Shot(moon.seat, moon.kind, moon.points, moon.choice),
        None if opened is None else opened_form(opened),
    )


def _game_finished(event: e.GameFinished, head: Head) -> play_events.GameFinished:
    return play_events.GameFinished(
        1,
        *head,
        event.totals,
        event.places,
        event.winners,
        event.reason,
        tuple(opened_form(deal) for deal in event.reveals),
    )


def _plan(plan: HumanSeat | BotSeat) -> BotForm | None:
    return None if isinstance(plan, HumanSeat) else BotForm(plan.level, plan.name)


def _options(options: TableOptions) -> table_events.OptionsForm:
    return table_events.OptionsForm(
        options.spectators,
        options.knowledge,
        dict(options.metadata),
        options.application,
        options.hints,
    )


def _number(one: Card | None) -> int | None:
    return None if one is None else number_of(one)


def _visibility(word: str) -> Visibility:
    match word:
        case "public":
            return "public"
        case "unlisted":
            return "unlisted"
        case "private":
            return "private"
    msg = f"{word!r} is no visibility"
    raise ValueError(msg)


def _auto(auto: str | None) -> Auto:
    if auto is None:
        return None
    match auto:
        case "fallback":
            return "fallback"
        case "takeover":
            return "takeover"
        case "timeout":
            return "timeout"
    msg = f"{auto!r} is no reason for an automatic move"
    raise ValueError(msg)
