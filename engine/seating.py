"""The fold's part for seats and the table: who sits where, with which token, under which options.

Like the rest of the fold it copies facts and knows no rules.
"""

from dataclasses import replace
from typing import TypeAlias, assert_never

from engine import events as e
from engine import reasons
from engine.errors import CorruptLogError
from engine.seats import PerSeat, put
from engine.state import (
    Between,
    Lobby,
    Over,
    Player,
    Shooting,
    State,
    Table,
    table_of,
    turn_of,
)

_OfSeats: TypeAlias = (
    e.SeatClaimed
    | e.SeatUpdated
    | e.SeatBotAssigned
    | e.SeatReleased
    | e.SeatKicked
    | e.SeatTokenRotated
    | e.ControlChanged
)
_BeforeTheStart: TypeAlias = e.SeatClaimed | e.SeatUpdated | e.SeatBotAssigned
_OfTheTable: TypeAlias = e.OptionsChanged | e.LobbyChanged | e.HostTokenRotated


def seated(state: State, event: _OfSeats) -> State:
    """Return *state* with what *event* changes about one seat.

    Raises:
        CorruptLogError: The event cannot follow on *state*.
    """
    in_lobby, table = isinstance(state, Lobby), table_of(state)
    elsewhere = e.ControlChanged if in_lobby else _BeforeTheStart
    if isinstance(state, Over | Between) or isinstance(event, elsewhere):
        raise misplaced(state, event)
    before = table.players[event.seat] if event.seat < len(table.players) else None
    if before is None or not _fits(before, event, in_lobby=in_lobby):
        raise misplaced(state, event)
    if table.handing_over and not (before.is_changing_hands or _follows(event)):
        raise misplaced(state, event)
    player = _player_after(before, event, in_lobby=in_lobby)
    players = put(table.players, event.seat, player)
    is_half = player.is_changing_hands or _goes_on(event, table, players)
    handing_over = not in_lobby and is_half
    return _with_table(state, replace(table, players=players, handing_over=handing_over))


def after_move(state: State, event: e.CardPlayed | e.CardsPassed | e.MoonChosen) -> Table:
    """Return the table of *state* after *event*, a move of whoever came back or was late.

    Raises:
        CorruptLogError: A seat is left to nobody.
    """
    table = table_of(state)
    if any(player.is_changing_hands for player in table.players):
        raise misplaced(state, event)
    player = table.players[event.seat]
    if event.auto is None and player.timeouts:
        players = put(table.players, event.seat, player._replace(timeouts=0))
        return replace(table, players=players, handing_over=False)
    return replace(table, handing_over=False) if table.handing_over else table


def timed(state: State, event: e.TurnTimedOut | e.TurnExtended) -> State:
    """Return *state* where the time of somebody is up, or there is more of it.

    What follows after a time-out is not said yet.

    Raises:
        CorruptLogError: Nobody waits for those seats.
    """
    turn, table = turn_of(state), table_of(state)
    if turn is None or turn.id != event.turn_id or table.clock is None:
        raise misplaced(state, event)
    if isinstance(event, e.TurnTimedOut):
        table = _late(state, event)
    return _with_table(state, table)


def hinted(state: State, event: e.HintUsed) -> State:
    """Return *state* where a seat has used its hint for the turn.

    Raises:
        CorruptLogError: It cannot have used one.
    """
    turn, table, seat = turn_of(state), table_of(state), event.seat
    if turn is None or turn.id != event.turn_id or seat not in turn.seats:
        raise misplaced(state, event)
    is_second = (turn.id, seat) in table.hints
    if is_second or not table.options.hints or table.players[seat].playing_level is not None:
        raise misplaced(state, event)
    before = tuple(one for one in table.hints if one[0] == turn.id)
    return _with_table(state, replace(table, hints=(*before, (turn.id, seat))))


def _late(state: State, event: e.TurnTimedOut) -> Table:
    table = table_of(state)
    players = table.players
    for seat in event.seats:
        if seat >= len(players) or players[seat].playing_level is not None:
            raise misplaced(state, event)
        players = put(players, seat, players[seat]._replace(timeouts=event.consecutive))
    return replace(table, players=players, handing_over=True)


def _follows(event: _OfSeats) -> bool:
    return isinstance(event, e.ControlChanged) and event.reason in {reasons.TIMEOUT, reasons.IDLE}


def _goes_on(event: _OfSeats, before: Table, players: PerSeat[Player]) -> bool:
    """Return whether a move, or the same for another seat, comes of the same command."""
    if not isinstance(event, e.ControlChanged):
        return False
    if event.reason == reasons.IDLE:
        return not all(player.playing_level or not player.claimed for player in players)
    return event.reason == reasons.PLAYED or (
        event.reason == reasons.TIMEOUT and before.handing_over
    )


def _fits(player: Player, event: _OfSeats, *, in_lobby: bool) -> bool:
    match event:
        case e.SeatClaimed():
            return player.is_free
        case e.SeatBotAssigned():
            return not player.claimed
        case e.SeatReleased(reason=reasons.BOT_REMOVED):
            return player.is_bot and in_lobby
        case e.SeatUpdated() | e.SeatReleased() | e.SeatKicked():
            return player.claimed
        case e.SeatTokenRotated():
            return player.claimed or player.stand_in is not None
        case e.ControlChanged():
            return _may_change(player, event)
        case other:
            assert_never(other)


def _may_change(player: Player, event: e.ControlChanged) -> bool:
    if event.reason == reasons.UNCHANGED:
        return player.claimed and player.stand_in == event.level
    if event.reason in {reasons.RELEASED, reasons.KICKED, reasons.REISSUED}:
        return player.is_changing_hands or (player.may_return and event.level is None)
    if event.level is None:
        return player.may_return
    return player.claimed and player.stand_in is None


def _player_after(  # noqa: PLR0911 - one line per event
    player: Player, event: _OfSeats, *, in_lobby: bool
) -> Player:
    match event:
        case e.SeatClaimed():
            return Player(
                name=event.name,
                claimed=True,
                grant=event.grant,
                client_seed=event.client_seed,
                player_ref=event.player_ref,
            )
        case e.SeatUpdated():
            seed = player.client_seed if event.client_seed is None else event.client_seed
            return player._replace(name=event.name, client_seed=seed, ready=event.ready)
        case e.SeatBotAssigned():
            return Player(level=event.level, name=event.name, grant=player.grant)
        case e.SeatReleased() | e.SeatKicked():
            if in_lobby:
                return Player(grant=event.grant)
            return player._replace(claimed=False, grant=event.grant, may_return=False, timeouts=0)
        case e.SeatTokenRotated():
            return player._replace(claimed=True, grant=event.grant)
        case e.ControlChanged():
            may_return = event.level is not None and player.claimed
            timeouts = 0 if event.level is None else player.timeouts
            return player._replace(stand_in=event.level, may_return=may_return, timeouts=timeouts)
        case other:
            assert_never(other)


def table_changed(state: State, event: _OfTheTable) -> State:
    """Return *state* with what *event* changes about the whole table.

    Raises:
        CorruptLogError: The event cannot follow on *state*.
    """
    return _with_table(state, _changed(state, event))


def _changed(state: State, event: _OfTheTable) -> Table:
    table, in_lobby = table_of(state), isinstance(state, Lobby)
    match event:
        case e.OptionsChanged(rules=rules) if in_lobby:
            if rules is None:
                return _seen_by(table, event.visibility)
            if rules.seats == table.rules.seats:
                players = tuple(player._replace(ready=False) for player in table.players)
                return _seen_by(replace(table, rules=rules, players=players), event.visibility)
            raise misplaced(state, event)
        case e.LobbyChanged() if in_lobby:
            return replace(table, lobby=replace(table.lobby, is_open=event.is_open))
        case e.HostTokenRotated() if not isinstance(state, Over | Between):
            return replace(table, host_grant=event.grant)
        case _:
            raise misplaced(state, event)


def _seen_by(table: Table, visibility: str | None) -> Table:
    return table if visibility is None else replace(table, visibility=visibility)


def _with_table(state: State, table: Table) -> State:
    version = state.version + 1
    if isinstance(state, Shooting):
        played = replace(state.played, table=table)
        return replace(state, version=version, played=played)
    return replace(state, version=version, table=table)


def misplaced(state: State | None, event: e.Event) -> CorruptLogError:
    """Return what is wrong with a log in which *event* follows on *state*."""
    where = "nothing" if state is None else f"{type(state).__name__} at version {state.version}"
    return CorruptLogError(f"{type(event).__name__} cannot follow on {where}")
