"""What answers look like: views, events and times as plain values for JSON."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from engine import clocks
from engine.cards import (
    Card,
    CardSet,
    code_of,
    codes_of,
    in_deck_order,
    one_of_each,
    rank_of,
    union,
)
from engine.commands import Origin
from engine.disclosure import (
    hands_data,
    hidden_seats,
    own_part,
    private_part,
    public_part,
)
from engine.passing import Transfers, pass_targets
from engine.playing import Trick, forbidden, riding
from engine.readable import Plain, rules_data
from engine.rules import Rules
from engine.scoring import MoonChoice, Result
from engine.seats import Seat
from engine.state import Table, TurnType
from engine.table_data import (
    fairness_data,
    lobby_word,
    options_data,
    origin_data,
)
from engine.view import DealView, SeatView, View, You, all_hands, kitty_of, view_for
from service import rule_texts
from service.deadlines import deadline_of
from service.directory import Line
from service.game import Game
from service.store.envelope import Actor, Stored
from service.store.event_types import type_of


class Viewer(NamedTuple):
    """Whose eyes an answer is for: a *seat*, the public, or everybody's cards at once."""

    seat: Seat | None = None
    everything: bool = False

    @property
    def tag(self) -> str:
        """How an ETag names this view."""
        return "p" if self.seat is None else f"s{self.seat}"


PUBLIC: Final = Viewer()
EVERYTHING: Final = Viewer(everything=True)

Answer: TypeAlias = Plain


def timestamp(ms: int | None) -> str | None:
    """Return *ms* since the epoch as RFC 3339 in UTC with milliseconds; None stays None."""
    return None if ms is None else clocks.timestamp(ms)


def date_of(ms: int) -> str:
    """Return the day of *ms* since the epoch in UTC: ``2026-11-29``."""
    return clocks.timestamp(ms)[:10]


def game_path(game_id: str) -> str:
    """Return the path of a game."""
    return f"/v1/games/{game_id}"


def state_data(game: Game, viewer: Viewer) -> Answer:
    """Return the state of *game* as *viewer* sees it; one shape for everybody."""
    view, times, path = view_for(viewer.seat, game.state), game.times, game_path(game.game_id)
    data: Answer = {
        "id": game.game_id,
        "status": view.status.value,
        "version": view.version,
        "revealed_version": view.revealed_version,
        "view": view_data(viewer),
        "created_at": timestamp(times.created_at),
        "started_at": timestamp(times.started_at),
        "last_event_at": timestamp(times.last_event_at),
        "finished_at": timestamp(times.finished_at),
        "visibility": game.table.visibility,
        "lobby": lobby_word(is_open=view.lobby_is_open),
        "practice": game.table.practice,
        **options_data(game.table.options),
        "clock": clocks.clock_data(game.table.clock),
        "rules": rules_data(view.rules),
        "seats": [_seat(seat, seen) for seat, seen in enumerate(view.seats)],
        "deal": None if view.deal is None else _deal(view.deal, view),
        "turn": turn_data(game),
        "you": None if view.you is None else _you(view.you, view, game.table),
        "result": None if view.result is None else _result(view.result),
        "fairness": fairness_data(view.commitment, view.deals_commitment),
        "origin": origin_data(game.table.origin),
        "links": {"self": path, "events": f"{path}/events?after={view.version}"},
    }
    if viewer.everything:
        data["hands"] = hands_data(all_hands(game.state))
        data["kitty_cards"] = codes_of(kitty_of(game.state))
    return data


def view_data(viewer: Viewer) -> Answer:
    """Return whose view an answer shows."""
    if viewer.everything:
        return {"kind": "all", "seat": None}
    return {"kind": "public" if viewer.seat is None else "seat", "seat": viewer.seat}


def turn_data(game: Game) -> Answer | None:
    """Return the open decision of *game*."""
    turn = game.turn
    if turn is None:
        return None
    clock, deadline = game.table.clock, deadline_of(game)
    return {
        "id": turn.id,
        "type": turn.type.value,
        "seats": list(turn.seats),
        "opened_at": timestamp(game.times.turn_opened_at),
        "deadline_at": timestamp(deadline),
        "on_timeout": clock.on_timeout.value if clock and deadline else None,
    }


def event_data(stored: Stored, viewer: Viewer) -> Answer:
    """Return an event as *viewer* reads it: the same number and public part for everybody."""
    parts = private_part(stored.event)
    shown = own_part(parts, viewer.seat, everything=viewer.everything)
    return {
        "seq": stored.seq,
        "type": type_of(stored.event),
        "v": stored.v,
        "time": timestamp(stored.time),
        "actor": _actor(stored.actor),
        "data": public_part(stored.event),
        "private": shown,
        "hidden": hidden_seats(parts, shown),
    }


def moves_data(view: View) -> list[Answer]:
    """Return the legal moves of the view's seat, ready to be sent; one example of a pass."""
    you, turn = view.you, view.turn
    if you is None or turn is None or not you.to_act:
        return []
    match turn.type:
        case TurnType.PLAY:
            choice = in_deck_order(one_of_each(you.legal))
            return [{"type": "play", "card": code_of(one)} for one in choice]
        case TurnType.PASS:
            return [{"type": "pass", "cards": _example_pass(view, you)}]
        case TurnType.MOON:
            return [{"type": "moon", "choice": choice.value} for choice in MoonChoice]


def led_suit_data(view: View) -> str | None:
    """Return the letter of the suit led, None if no card lies on the table."""
    trick = view.deal.trick if view.deal else ()
    return code_of(trick[0])[1] if trick else None


def legal_moves_data(game: Game, seat: Seat, *, explain: bool) -> Answer:
    """Return what *seat* may do now, and with *explain* what it may not and why."""
    view = view_for(seat, game.state)
    to_act = view.you is not None and view.you.to_act
    return {
        "turn_id": view.turn.id if view.turn else None,
        "version": view.version,
        "to_act": to_act,
        "why": None if to_act else _why(view),
        "pass": _pass_offer(view),
        "moves": moves_data(view),
        "forbidden": _forbidden(view.you) if explain and view.you else None,
    }


def preset_data(
    name: str, summary: str, seats: Iterable[int], rules: Rules | None = None
) -> Answer:
    """Return a preset, with *rules* spelled out and explained."""
    data: Answer = {"name": name, "summary": summary, "seat_counts": list(seats)}
    return data if rules is None else {**data, **explained_data(rules)}


def explained_data(rules: Rules) -> Answer:
    """Return *rules* with a text for players, a sentence on every option, and what is unusual."""
    return {
        "rules": rules_data(rules),
        "language": rule_texts.ENGLISH,
        "text": rule_texts.text(rules),
        "options": [one._asdict() for one in rule_texts.options(rules)],
        "differences": [one._asdict() for one in rule_texts.differences(rules)],
    }


def line_data(game_id: str, line: Line, last: Stored) -> Answer:
    """Return a game as the list of games shows it; *last* is its last event."""
    seats = list(enumerate(line.seats))
    return {
        "id": game_id,
        "status": line.status,
        "version": last.seq,
        "preset": line.preset,
        "seat_count": len(seats),
        "open_seats": line.open_seats,
        "seats": [
            {"seat": seat, "name": name, "kind": _kind(is_bot=is_bot)}
            for seat, (name, is_bot) in seats
            if name is not None
        ],
        "clock": line.clock,
        "practice": line.practice,
        "dealing": line.dealing,
        "origin": origin_data(None if line.origin is None else Origin(*line.origin)),
        "created_at": timestamp(line.created_at),
        "last_event_at": timestamp(last.time),
        "metadata": line.metadata,
    }


def _kind(*, is_bot: bool) -> str:
    return "bot" if is_bot else "human"


def _seat(seat: Seat, seen: SeatView) -> Answer:
    return {
        "seat": seat,
        "name": seen.name,
        "kind": _kind(is_bot=seen.is_bot),
        "controller": _kind(is_bot=seen.bot_level is not None),
        "bot_level": seen.bot_level,
        "claimed": seen.claimed,
        "ready": seen.ready,
        "client_seed_given": seen.client_seed_given,
        "has_passed": seen.has_passed,
        "hand_size": seen.hand_size,
        "tricks_taken": seen.tricks_taken,
        "deal_points": seen.deal_points,
        "total": seen.total,
    }


def _deal(deal: DealView, view: View) -> Answer:
    seats = len(view.seats)
    trick = () if deal.leader is None else Trick(deal.leader, deal.trick).plays(seats)
    return {
        "number": deal.number,
        "pass": None if deal.direction is None else deal.direction.value,
        "dealer": deal.dealer,
        "trick_number": deal.trick_number,
        "leader": deal.leader,
        "hearts_broken": deal.hearts_broken,
        "trick": _plays(trick),
        "carried": [code_of(one) for one in deal.carried],
        "kitty": {"size": deal.kitty_size, "taken_by": deal.kitty_taker},
        "last_trick": _last_trick(deal, view),
    }


def _plays(plays: Iterable[tuple[Seat, Card]]) -> list[Answer]:
    return [{"seat": seat, "card": code_of(one)} for seat, one in plays]


def _last_trick(deal: DealView, view: View) -> Answer | None:
    if not deal.tricks:
        return None
    *before, (trick, winner) = deal.tricks
    taken = () if winner is None else (*riding(tuple(before)), *trick.cards)
    return {
        "number": len(deal.tricks),
        "plays": _plays(trick.plays(len(view.seats))),
        "winner": winner,
        "points": view.rules.points_in(union(taken)),
    }


def _you(you: You, view: View, table: Table) -> Answer:
    return {
        "seat": you.seat,
        "to_act": you.to_act,
        "timeouts": table.players[you.seat].timeouts,
        "hand": codes_of(you.hand),
        "passed": _transfers(you.passed, "to"),
        "received": _transfers(you.received, "from"),
        "kitty": _kitty(you.kitty, view.rules),
        "led_suit": led_suit_data(view),
        "legal_moves": moves_data(view),
    }


def _kitty(kitty: CardSet, rules: Rules) -> Answer | None:
    return {"cards": codes_of(kitty), "points": rules.points_in(kitty)} if kitty else None


def _transfers(transfers: Transfers, other: str) -> list[Answer]:
    return [{other: seat, "cards": codes_of(some)} for seat, some in transfers]


def _result(result: Result) -> Answer:
    return {
        "totals": list(result.totals),
        "places": list(result.places),
        "winners": list(result.winners),
        "reason": result.reason.value,
    }


def _actor(actor: Actor) -> Answer:
    named = {"seat": actor.seat, "level": actor.level, "version": actor.version}
    return {
        "kind": actor.kind,
        **{name: value for name, value in named.items() if value is not None},
    }


def _example_pass(view: View, you: You) -> list[str]:
    count = view.deal.pass_count if view.deal else 0
    highest = sorted(in_deck_order(you.hand), key=rank_of)[-count:]
    return codes_of(sum(highest))


def _why(view: View) -> str:
    if view.turn is not None:
        return "not_your_turn"
    return "game_not_started" if view.status == "lobby" else "game_not_active"


def _pass_offer(view: View) -> Answer | None:
    you, deal = view.you, view.deal
    is_pass = view.turn is not None and view.turn.type is TurnType.PASS
    if not is_pass or you is None or not you.to_act or deal is None or deal.direction is None:
        return None
    return {
        "direction": deal.direction.value,
        "to": list(pass_targets(deal.direction, you.seat, len(view.seats))),
        "count": deal.pass_count,
        "from": codes_of(you.hand),
    }


def _forbidden(you: You) -> list[Answer]:
    if you.situation is None:
        return []
    return [
        {"card": code_of(one), "code": why.code, "rule": why.option, "detail": str(why)}
        for one, why in forbidden(you.situation)
    ]
