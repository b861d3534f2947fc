"""What one reader knows of a state: the public facts and, for a seat, its own cards.

One `View` feeds the answers of the API and the bots alike. It is built from public facts
and the reader's own part; it is never a state with something removed.

Source: openapi.yaml, schema `Game`.
"""

from dataclasses import dataclass
from typing import TypeAlias

from engine.cards import NO_CARDS, Card, CardSet, suit_of, union
from engine.passing import Transfers, sent_by
from engine.playing import Situation, Tricks, legal_plays, riding
from engine.rules import Direction, Rules
from engine.scoring import Result, Shot
from engine.seats import PerSeat, Seat, put
from engine.state import (
    Between,
    Over,
    Passing,
    Player,
    Playing,
    Shooting,
    State,
    Status,
    Table,
    Turn,
    TurnType,
    all_taken,
    shown_deal,
    situation,
    status_of,
    table_of,
    turn_of,
)


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody sees of one seat.

    *bot_level* is the level of the bot that makes its moves, also for a person who has left.
    *taken* are the cards it took in this deal and *deal_points* their points; a kitty, which
    is hidden, is among them only once the deal is scored.
    """

    name: str | None
    is_bot: bool
    bot_level: str | None
    claimed: bool
    ready: bool
    client_seed_given: bool
    has_passed: bool
    hand_size: int
    tricks_taken: int
    deal_points: int
    total: int
    taken: CardSet


@dataclass(frozen=True, slots=True)
class DealView:
    """What everybody sees of the deal on the table.

    *scored* counts the deals scored before it. *trick_number* is 0 and *leader* None while
    cards are passed; *tricks* are the complete
    ones, *carried* the cards of the last ones that nobody won; *shot* is a moon or sun that
    is not scored yet.
    *kitty_size* is what the kitty had in the beginning, *kitty_taker* None while it lies there.
    """

    number: int
    scored: int
    dealer: Seat
    direction: Direction | None
    pass_count: int
    opening_card: Card | None
    trick_number: int
    leader: Seat | None
    hearts_broken: bool
    trick: tuple[Card, ...]
    tricks: Tricks
    shot: Shot | None
    kitty_size: int
    kitty_taker: Seat | None
    carried: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class You:
    """What a seat alone sees.

    *legal* are the cards it may play now, empty if it is not to play; *situation* is what
    that follows from, None if it is not to play. *kitty* are the cards of a kitty that it
    took, none if it did not.
    """

    seat: Seat
    to_act: bool
    hand: CardSet
    passed: Transfers
    received: Transfers
    legal: CardSet
    situation: Situation | None
    kitty: CardSet = NO_CARDS


@dataclass(frozen=True, slots=True)
class View:
    """A game as one reader sees it at *version*; *you* is None for the public."""

    version: int
    revealed_version: int
    status: Status
    lobby_is_open: bool
    rules: Rules
    commitment: str
    deals_commitment: str | None
    seats: PerSeat[SeatView]
    deal: DealView | None
    turn: Turn | None
    you: You | None
    result: Result | None


Shown: TypeAlias = Passing | Playing


def view_for(reader: Seat | None, state: State) -> View:
    """Return *state* as *reader* sees it; None is the public."""
    table, deal, turn = table_of(state), shown_deal(state), turn_of(state)
    return View(
        version=state.version,
        revealed_version=table.revealed_version,
        status=status_of(state),
        lobby_is_open=table.lobby.is_open,
        rules=table.rules,
        commitment=table.commitment,
        deals_commitment=table.deals_commitment,
        seats=_seats(table, deal, is_scored=isinstance(state, Between) and not state.voided),
        deal=None if deal is None else _deal(deal, state),
        turn=turn,
        you=None if reader is None else _you(reader, deal, turn),
        result=state.result if isinstance(state, Over) else None,
    )


def all_hands(state: State) -> PerSeat[CardSet]:
    """Return what every seat holds; for readers to whom the deal is open."""
    deal = shown_deal(state)
    return (NO_CARDS,) * table_of(state).rules.seats if deal is None else deal.hands


def kitty_of(state: State) -> CardSet:
    """Return the kitty of the deal on the table; for readers to whom the deal is open."""
    return NO_CARDS if shown_deal(state) is None else table_of(state).kitties[-1]


def taken_in_the_end(view: View) -> PerSeat[CardSet]:
    """Return all that each seat took in a deal whose last trick is over.

    Every card but those of the kitty has been seen by then, so the kitty is what is missing.
    """
    taken = tuple(seat.taken for seat in view.seats)
    taker = view.deal.kitty_taker if view.deal else None
    if taker is None:
        return taken
    return put(taken, taker, taken[taker] | view.rules.cards & ~union(taken))


def _seats(table: Table, deal: Shown | None, *, is_scored: bool) -> PerSeat[SeatView]:
    taken = (NO_CARDS,) * table.rules.seats
    if isinstance(deal, Playing):
        # Once a deal is scored the kitty has been counted before all eyes.
        taken = all_taken(deal) if is_scored else deal.taken
    return tuple(
        _seat(seat, player, table, deal, taken[seat]) for seat, player in enumerate(table.players)
    )


def _seat(seat: Seat, player: Player, table: Table, deal: Shown | None, taken: CardSet) -> SeatView:
    return SeatView(
        name=player.name,
        is_bot=player.is_bot,
        bot_level=player.playing_level,
        claimed=not player.is_free,
        ready=player.is_bot or player.ready,
        client_seed_given=player.client_seed is not None,
        has_passed=_has_passed(seat, deal),
        hand_size=0 if deal is None else deal.hands[seat].bit_count(),
        tricks_taken=deal.won[seat] if isinstance(deal, Playing) else 0,
        deal_points=table.rules.points_in(taken),
        total=table.totals[seat],
        taken=taken,
    )


def _has_passed(seat: Seat, deal: Shown | None) -> bool:
    if isinstance(deal, Passing):
        return deal.passed[seat] is not None
    return deal is not None and bool(deal.deal.passes)


def _deal(shown: Shown, state: State) -> DealView:
    deal, playing = shown.deal, shown if isinstance(shown, Playing) else None
    return DealView(
        number=deal.number,
        scored=shown.table.scored,
        dealer=deal.dealer,
        direction=deal.direction,
        pass_count=deal.pass_count,
        opening_card=deal.opening_card,
        trick_number=playing.number if playing else 0,
        leader=playing.leader if playing else None,
        hearts_broken=playing.hearts_broken if playing else False,
        trick=playing.trick if playing else (),
        tricks=playing.tricks if playing else (),
        shot=state.shot if isinstance(state, Shooting) else None,
        kitty_size=shown.table.kitties[-1].bit_count(),
        kitty_taker=deal.kitty_taker,
        carried=riding(playing.tricks) if playing else (),
    )


def _you(seat: Seat, deal: Shown | None, turn: Turn | None) -> You:
    to_act = turn is not None and seat in turn.seats
    if deal is None:
        return You(seat, to_act, NO_CARDS, (), (), NO_CARDS, None)
    facing = _facing(seat, deal, turn) if to_act else None
    return You(
        seat=seat,
        to_act=to_act,
        hand=deal.hands[seat],
        passed=_sent(seat, deal),
        received=deal.deal.received[seat] if deal.deal.received else (),
        legal=NO_CARDS if facing is None else legal_plays(facing),
        situation=facing,
        kitty=deal.table.kitties[-1] if deal.deal.kitty_taker == seat else NO_CARDS,
    )


def _facing(seat: Seat, deal: Shown, turn: Turn | None) -> Situation | None:
    if turn is None or turn.type is not TurnType.PLAY or not isinstance(deal, Playing):
        return None
    return situation(deal, seat)


def _sent(seat: Seat, shown: Shown) -> Transfers:
    passes = shown.passed if isinstance(shown, Passing) else shown.deal.passes
    chosen = passes[seat] if passes else None
    direction = shown.deal.direction
    if chosen is None or direction is None:
        return ()
    return sent_by(seat, chosen, direction, shown.table.rules.seats)


def led_suit(view: View) -> CardSet | None:
    """Return the suit of the trick on the table, or None if no card lies there."""
    trick = view.deal.trick if view.deal else ()
    return suit_of(trick[0]) if trick else None
