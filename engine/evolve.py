"""The fold: what each event changes. It copies facts and knows no rules.

On the path of a card, states are built directly: `dataclasses.replace` costs twice as much.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, assert_never

from engine import events as e
from engine.cards import union
from engine.commands import BotSeat, HumanSeat
from engine.playing import Trick, riding
from engine.resuming import resumed
from engine.scoring import Result, Shot
from engine.seating import (
    after_move,
    hinted,
    misplaced,
    seated,
    table_changed,
    timed,
)
from engine.seats import PerSeat, Seat, put
from engine.state import (
    Between,
    Deal,
    Lobby,
    Over,
    Passing,
    Player,
    Playing,
    Shooting,
    State,
    Table,
    table_of,
    turn_of,
)


def evolve(  # noqa: PLR0911 - one line per kind of event
    state: State | None, event: e.Event
) -> State:
    """Return the state after *event*; *state* is None before the first.

    Raises:
        CorruptLogError: The event cannot follow on *state*.
    """
    match event:
        case e.CardPlayed():
            return _card_played(_playing(state, event), event)
        case e.TrickCompleted():
            return _trick_completed(_playing(state, event), event)
        case e.GameCreated():
            if state is not None:
                raise misplaced(state, event)
            return Lobby(1, _table(event))
        case _ if state is None:
            raise misplaced(state, event)
        case (
            e.SeatClaimed()
            | e.SeatUpdated()
            | e.SeatBotAssigned()
            | e.SeatReleased()
            | e.SeatKicked()
            | e.SeatTokenRotated()
            | e.ControlChanged()
        ):
            return seated(state, event)
        case e.OptionsChanged() | e.LobbyChanged() | e.HostTokenRotated():
            return table_changed(state, event)
        case e.TurnTimedOut() | e.TurnExtended():
            return timed(state, event)
        case e.HintUsed():
            return hinted(state, event)
        case _:
            return _between_cards(state, event)


def fold(state: State | None, events: Iterable[e.Event]) -> State | None:
    """Return the state after all of *events*.

    Raises:
        CorruptLogError: An event cannot follow on the one before.
    """
    for event in events:
        state = evolve(state, event)
    return state


def _card_played(game: Playing, event: e.CardPlayed) -> Playing:
    seat, card = event.seat, event.card
    if not _is_next(game, seat) or not game.hands[seat] & card:
        raise misplaced(game, event)
    version, table = game.version + 1, game.table
    if table.handing_over or table.players[seat].timeouts:
        table = after_move(game, event)
    return Playing(
        version,
        table,
        game.deal,
        put(game.hands, seat, game.hands[seat] ^ card),
        game.leader,
        (*game.trick, card),
        game.number,
        game.taken,
        game.won,
        game.tricks,
        game.hearts_broken or event.broke_hearts,
        version,
    )


def _is_next(game: Playing, seat: Seat) -> bool:
    lying, seats, leader = len(game.trick), len(game.hands), game.leader
    if leader is None or lying == seats or game.deal.kitty_due:
        return False
    return seat == (leader + lying) % seats


def _trick_completed(game: Playing, event: e.TrickCompleted) -> Playing:
    full, carried = len(game.trick) == len(game.hands), event.carried
    if game.leader is None or not full or event.cards != game.trick:
        raise misplaced(game, event)
    if carried != riding(game.tricks):
        raise misplaced(game, event)
    version, winner = game.version + 1, event.winner
    taken, won = game.taken, game.won
    if winner is not None:
        cards = union(event.cards + carried)
        taken = put(taken, winner, taken[winner] | cards)
        won = put(won, winner, won[winner] + 1)
    return Playing(
        version,
        game.table,
        replace(game.deal, kitty_due=True) if event.takes_kitty else game.deal,
        game.hands,
        event.leader,
        (),
        game.number if event.leader is None else game.number + 1,
        taken,
        won,
        (*game.tricks, (Trick(game.leader, event.cards), winner)),
        game.hearts_broken,
        version,
    )


def _kitty_taken(version: int, game: Playing, event: e.KittyTaken) -> Playing:
    _, winner = game.tricks[-1]
    if event.seat != winner or event.cards != game.table.kitties[-1]:
        raise misplaced(game, event)
    deal = replace(game.deal, kitty_due=False, kitty_taker=event.seat, kitty_trick=len(game.tricks))
    return replace(game, version=version, deal=deal, turn_id=version)


_Seldom = (
    e.GameStarted
    | e.DealDealt
    | e.PositionSet
    | e.CardsPassed
    | e.PassCompleted
    | e.KittyTaken
    | e.MoonShot
    | e.MoonChosen
    | e.DealScored
    | e.DealVoided
    | e.GameFinished
    | e.GameAborted
)


def _between_cards(  # noqa: C901, PLR0911, PLR0912 - one line per event and the phase it follows on
    state: State, event: _Seldom
) -> State:
    version = state.version + 1
    match event, state:
        case e.GameStarted(), Lobby():
            _check_per_seat(state, event, event.client_seeds)
            table = replace(_closed(state.table), client_seeds=event.client_seeds)
            return Between(version, table, None)
        case e.DealDealt(), Between():
            return _dealt(version, state, event)
        case e.PositionSet(), Between(last=None):
            return _position_set(version, state, event)
        case e.CardsPassed(), Passing():
            return _passed(version, state, event)
        case e.PassCompleted(), Passing():
            return _pass_completed(version, state, event)
        case e.KittyTaken(), Playing(deal=Deal(kitty_due=True)):
            return _kitty_taken(version, state, event)
        case e.MoonShot(), Playing(leader=None, deal=Deal(kitty_due=False)):
            shot = Shot(event.seat, event.kind, event.points)
            return Shooting(version, state, shot, event.choice_required, None, version)
        case e.MoonChosen(), Shooting(choice_required=True, choice=None):
            return _moon_chosen(version, state, event)
        case e.DealScored(), Playing(leader=None, deal=Deal(kitty_due=False)) | Shooting():
            return _scored(version, state, event)
        case e.DealVoided(), Passing() | Playing() | Shooting():
            return _voided(version, state, event)
        case e.GameFinished(), Between(table=table, last=Passing() | Playing()):
            result = Result(event.totals, event.places, event.winners, event.reason)
            return Over(version, replace(table, revealed_version=version), result)
        case e.GameAborted(), Lobby() | Passing() | Playing() | Shooting():
            table = _closed(table_of(state))
            return Over(version, replace(table, revealed_version=version), None)
        case _:
            raise misplaced(state, event)


def _table(event: e.GameCreated) -> Table:
    return Table(
        rules=event.rules,
        players=tuple(_player(plan) for plan in event.seats),
        commitment=event.commitment,
        nonce=event.nonce,
        key_id=event.key_id,
        host_grant=event.host_grant,
        lobby=event.lobby,
        client_seeds=(),
        totals=(0,) * event.rules.seats,
        dealt=(),
        kitties=(),
        scored=0,
        revealed_version=0,
        origin=event.origin,
        position=event.position,
        practice=event.practice,
        visibility=event.visibility,
        seed_chain=event.seed_chain,
        options=event.options,
        clock=event.clock,
    )


def _player(plan: HumanSeat | BotSeat) -> Player:
    match plan:
        case BotSeat(level=level, name=name):
            return Player(level=level, name=name)
        case HumanSeat():
            return Player()
        case other:
            assert_never(other)


def _closed(table: Table) -> Table:
    return replace(table, lobby=replace(table.lobby, is_open=False))


def _dealt(version: int, before: Between, event: e.DealDealt) -> Passing | Playing:
    table = before.table
    _check_per_seat(before, event, event.hands)
    is_next = event.deal == table.deals + 1 or (before.voided and event.deal > table.deals)
    if not is_next or table.position is not None:
        raise misplaced(before, event)
    table = replace(
        table,
        dealt=(*table.dealt, event.hands),
        kitties=(*table.kitties, event.kitty),
        numbers=(*table.numbers, event.deal),
    )
    deal = Deal(
        number=event.deal,
        dealer=event.dealer,
        direction=event.direction,
        pass_count=event.pass_count,
        opening_card=event.opening_card,
        passes=(),
        received=(),
    )
    if event.leader is None:
        nobody = (None,) * table.rules.seats
        return Passing(version, table, deal, event.hands, nobody, version)
    return _opened(version, Passing(version, table, deal, event.hands, (), version), event.leader)


def _position_set(version: int, before: Between, event: e.PositionSet) -> State:
    waiting = before.table.position
    running = None if event.position != waiting else resumed(version, before.table, waiting)
    if running is None:
        raise misplaced(before, event)
    return running


def _opened(version: int, game: Passing, leader: Seat) -> Playing:
    seats = game.table.rules.seats
    return Playing(
        version=version,
        table=game.table,
        deal=game.deal,
        hands=game.hands,
        leader=leader,
        trick=(),
        number=1,
        taken=(0,) * seats,
        won=(0,) * seats,
        tricks=(),
        hearts_broken=False,
        turn_id=version,
    )


def _passed(version: int, game: Passing, event: e.CardsPassed) -> Passing:
    given = union(event.cards)
    hand = game.hands[event.seat]
    if given & ~hand or game.passed[event.seat] is not None:
        raise misplaced(game, event)
    return replace(
        game,
        version=version,
        table=after_move(game, event),
        hands=put(game.hands, event.seat, hand ^ given),
        passed=put(game.passed, event.seat, event.cards),
    )


def _pass_completed(version: int, game: Passing, event: e.PassCompleted) -> Playing:
    if None in game.passed:
        raise misplaced(game, event)
    hands = tuple(
        hand | union(cards for _, cards in received)
        for hand, received in zip(game.hands, event.received, strict=True)
    )
    passes = tuple(cards for cards in game.passed if cards is not None)
    deal = replace(
        game.deal, opening_card=event.opening_card, passes=passes, received=event.received
    )
    return _opened(version, replace(game, deal=deal, hands=hands), event.leader)


def _moon_chosen(version: int, state: Shooting, event: e.MoonChosen) -> Shooting:
    played = replace(state.played, table=after_move(state, event))
    return replace(state, version=version, played=played, choice=event.choice)


def _scored(version: int, state: Playing | Shooting, event: e.DealScored) -> Between:
    if isinstance(state, Shooting) and state.choice_required and state.choice is None:
        raise misplaced(state, event)
    _check_per_seat(state, event, event.totals)
    played = state.played if isinstance(state, Shooting) else state
    table = replace(
        played.table,
        totals=event.totals,
        scored=played.table.scored + 1,
        ended=played.table.deals,
        revealed_version=version if event.opened else played.table.revealed_version,
    )
    return Between(version, table, replace(played, table=table))


def _voided(version: int, state: Passing | Playing | Shooting, event: e.DealVoided) -> Between:
    shown = state.played if isinstance(state, Shooting) else state
    table = shown.table
    if event.deal != table.deals or turn_of(state) is None:
        raise misplaced(state, event)
    table = replace(
        table,
        ended=event.deal,
        voided_versions=(*table.voided_versions, version),
        revealed_version=version if event.opened else table.revealed_version,
    )
    return Between(version, table, replace(shown, table=table), voided=True)


def _check_per_seat(state: State, event: e.Event, values: PerSeat[Any]) -> None:
    if len(values) != table_of(state).rules.seats:
        raise misplaced(state, event)


def _playing(state: State | None, event: e.Event) -> Playing:
    if isinstance(state, Playing):
        return state
    raise misplaced(state, event)
