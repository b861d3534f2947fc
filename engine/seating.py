"""The fold's part for seats and the table: who sits where, with which token, under which options.

Like the rest of the fold it copies facts and knows no rules.
"""

from dataclasses import replace
from typing import TypeAlias, assert_never

from engine import events as e
from engine.errors import CorruptLogError
from engine.seats import put
from engine.state import Between, Lobby, Over, Player, Shooting, State, Table, table_of

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
    if table.handing_over and not before.is_changing_hands:
        raise misplaced(state, event)
    player = _player_after(before, event, in_lobby=in_lobby)
    players = put(table.players, event.seat, player)
    is_half = player.is_changing_hands or _moves_next(event)
    handing_over = not in_lobby and is_half
    return _with_table(state, replace(table, players=players, handing_over=handing_over))


def after_move(state: State, event: e.CardPlayed | e.CardsPassed | e.MoonChosen) -> Table:
    """Return the table of *state* after the move with which somebody came back, *event*.

    Raises:
        CorruptLogError: A seat is left to nobody.
    """
    table = table_of(state)
    if any(player.is_changing_hands for player in table.players):
        raise misplaced(state, event)
    return replace(table, handing_over=False)


def _moves_next(event: _OfSeats) -> bool:
    return isinstance(event, e.ControlChanged) and event.reason == e.PLAYED


def _fits(player: Player, event: _OfSeats, *, in_lobby: bool) -> bool:
    match event:
        case e.SeatClaimed():
            return player.is_free
        case e.SeatBotAssigned():
            return not player.claimed
        case e.SeatReleased(reason=e.BOT_REMOVED):
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
    if event.reason == e.UNCHANGED:
        return player.claimed and player.stand_in == event.level
    if event.reason in {e.RELEASED, e.KICKED, e.REISSUED}:
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
                name=event.name, claimed=True, grant=event.grant, client_seed=event.client_seed
            )
        case e.SeatUpdated():
            seed = player.client_seed if event.client_seed is None else event.client_seed
            return player._replace(name=event.name, client_seed=seed, ready=event.ready)
        case e.SeatBotAssigned():
            return Player(level=event.level, name=event.name, grant=player.grant)
        case e.SeatReleased() | e.SeatKicked():
            if in_lobby:
                return Player(grant=event.grant)
            return player._replace(claimed=False, grant=event.grant, may_return=False)
        case e.SeatTokenRotated():
            return player._replace(claimed=True, grant=event.grant)
        case e.ControlChanged():
            may_return = event.level is not None and player.claimed
            return player._replace(stand_in=event.level, may_return=may_return)
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
        case e.OptionsChanged() if in_lobby and event.rules.seats == table.rules.seats:
            players = tuple(player._replace(ready=False) for player in table.players)
            return replace(table, rules=event.rules, players=players)
        case e.LobbyChanged() if in_lobby:
            return replace(table, lobby=replace(table.lobby, is_open=event.is_open))
        case e.HostTokenRotated() if not isinstance(state, Over | Between):
            return replace(table, host_grant=event.grant)
        case _:
            raise misplaced(state, event)


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
