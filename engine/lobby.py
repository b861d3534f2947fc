"""The decider's part for seats: who sits where, with which token, and when it begins."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.conflicts import check_rules
from engine.dealing import next_deal
from engine.errors import (
    ClientSeedGiven,
    GameAlreadyStarted,
    GameFull,
    GameNotActive,
    GameNotStarted,
    LobbyClosed,
    NoSuchSeat,
    RulesConflict,
    SeatIsBot,
    SeatsNotFilled,
    SeatTaken,
)
from engine.evolve import evolve
from engine.rules import Rules
from engine.seats import Seat
from engine.shuffle import NO_SEED, Links
from engine.state import Lobby, Over, Player, State, Table, table_of


def decide_creation(command: c.CreateGame, links: Links) -> Iterator[e.Event]:
    """Yield what opening the table of *command* causes.

    Raises:
        RuleViolation: Its rules contradict each other, or its seat cannot be claimed.
    """
    check_rules(command.rules)
    people = sum(isinstance(plan, c.HumanSeat) for plan in command.seats)
    if command.practice and people != 1:
        msg = f"Practice is for one person, and {people} seats are for people."
        raise RulesConflict(msg, ("/practice", "/seats"))
    assert len(command.seats) == command.rules.seats, "a table has the seats of its rules"
    created = e.GameCreated(
        rules=command.rules,
        seats=command.seats,
        commitment=command.commitment,
        host_grant=1,
        nonce=command.nonce,
        key_id=command.key_id,
        lobby=command.lobby,
        origin=command.origin,
        position=command.position,
        practice=command.practice,
        visibility=command.visibility,
        seed_chain=command.seed_chain,
        options=command.options,
        clock=command.clock,
    )
    yield created
    lobby = _lobby(evolve(None, created))
    claims = [] if command.claim is None else [_claimed(lobby.table, command.claim)]
    yield from _with_start(lobby, claims, links, at_once=command.position is not None)


def decide_lobby(state: State, command: c.LobbyCommand, links: Links) -> Iterator[e.Event]:
    """Yield what *command* causes before the start, the start itself if it comes of it.

    Raises:
        RuleViolation: The rules do not allow it, or the game has started.
    """
    lobby = _lobby(state)
    if isinstance(command, c.StartGame):
        yield from _start(lobby, command.filler, links)
    else:
        yield from _with_start(lobby, list(_in_lobby(lobby.table, command)), links)


def _in_lobby(
    table: Table, command: c.ClaimSeat | c.ChangeOptions | c.UpdateSeat | c.AssignBot | c.OpenSeat
) -> Iterator[e.Event]:
    match command:
        case c.ClaimSeat():
            if not (table.lobby.is_open or command.invited):
                raise LobbyClosed("The host takes nobody in.")
            yield _claimed(table, command)
        case c.ChangeOptions():
            yield from _change(table, command)
        case c.UpdateSeat():
            yield from _update(table, command)
        case c.AssignBot():
            yield from _assign_bot(table, command)
        case c.OpenSeat():
            yield from _open_seat(table, command)
        case other:
            assert_never(other)


def said_again(state: State, command: c.LobbyCommand | c.SeatCommand) -> e.Event:
    """Return an event that says what holds already, after *command* that changes nothing."""
    table = table_of(state)
    match command:
        case c.UpdateSeat(seat=seat):
            name, ready = table.players[seat].name, table.players[seat].ready
            assert name is not None, "a claimed seat has a name"
            given = table.players[seat].client_seed is not None
            return e.SeatUpdated(seat, name, given, None, ready)
        case c.AssignBot(seat=seat, bot=bot):
            return e.SeatBotAssigned(seat, bot.level, bot.name)
        case c.HandOver(seat=seat) | c.TakeBack(seat=seat):
            return e.ControlChanged(seat, table.players[seat].stand_in, reasons.UNCHANGED)
        case _:  # of the host, and of no seat in particular
            return e.LobbyChanged(table.lobby.is_open)


def decide_seat(state: State, command: c.SeatCommand) -> Iterator[e.Event]:
    """Yield what *command* causes, in the lobby or in a running game.

    Raises:
        RuleViolation: Nobody holds the seat, or the game is over.
    """
    if isinstance(state, Over):
        raise GameNotActive("The game is over.")
    table, running = table_of(state), not isinstance(state, Lobby)
    if isinstance(command, c.RotateHostToken):
        yield e.HostTokenRotated(max(table.host_grant + 1, command.elapsed))
        return
    player = _person(table, command.seat)
    if isinstance(command, c.HandOver | c.TakeBack):
        yield from _controlled(player, command, running=running)
    else:
        yield from _come_or_gone(player, command, running=running)


def _come_or_gone(
    player: Player,
    command: c.ReleaseSeat | c.KickSeat | c.RotateSeatToken | c.ReissueSeatToken,
    *,
    running: bool,
) -> Iterator[e.Event]:
    grant = _next_grant(player, command.elapsed)
    # Where a bot plays already, nobody else has to.
    needs_bot = running and player.stand_in is None
    match command:
        case c.ReleaseSeat():
            yield e.SeatReleased(command.seat, grant, reasons.LEFT)
            yield from _taken_over(command.seat, command.level, reasons.RELEASED, needed=needs_bot)
        case c.KickSeat():
            _check_claimed(player, command.seat)
            yield e.SeatKicked(command.seat, grant)
            yield from _taken_over(command.seat, command.level, reasons.KICKED, needed=needs_bot)
        case c.RotateSeatToken():
            yield e.SeatTokenRotated(command.seat, grant)
        case c.ReissueSeatToken():
            if not running:
                _check_claimed(player, command.seat)
            yield e.SeatTokenRotated(command.seat, grant)
            if player.stand_in is not None:
                yield e.ControlChanged(command.seat, None, reasons.REISSUED)
        case other:
            assert_never(other)


def _taken_over(seat: Seat, level: str, reason: str, *, needed: bool) -> Iterator[e.Event]:
    if needed:
        yield e.ControlChanged(seat, level, reason)


def _controlled(
    player: Player, command: c.HandOver | c.TakeBack, *, running: bool
) -> Iterator[e.Event]:
    if not running:
        raise GameNotStarted("Nothing is dealt yet.")
    _check_claimed(player, command.seat)
    match command:
        case c.HandOver(seat=seat, level=level) if player.stand_in is None:
            yield e.ControlChanged(seat, level, command.reason or reasons.HANDED_OVER)
        case c.TakeBack(seat=seat) if player.stand_in is not None:
            yield e.ControlChanged(seat, None, reasons.RETURNED)
        case _:
            pass  # so it is already


def back_with(state: State, command: c.Move) -> Sequence[e.Event]:
    """Return what comes before *command* where its player, for whom a bot plays, makes it.

    What a bot plays for somebody is marked, so this is nobody else.
    """
    players = table_of(state).players
    if command.auto is not None or not players[command.seat].may_return:
        return ()
    return (e.ControlChanged(command.seat, None, reasons.PLAYED),)


def _lobby(state: State) -> Lobby:
    if isinstance(state, Lobby):
        return state
    if isinstance(state, Over) and not state.table.client_seeds:
        raise GameNotActive("The game was aborted before it started.")
    raise GameAlreadyStarted("The game has started.")


def _claimed(table: Table, command: c.ClaimSeat) -> e.SeatClaimed:
    seat = _free_seat(table, command.seat)
    grant = _next_grant(table.players[seat], command.elapsed)
    return e.SeatClaimed(seat, command.name, grant, command.client_seed, command.player_ref)


def _next_grant(player: Player, elapsed: int) -> int:
    # Never a number that was given before, not even where the log has lost its end.
    return max(player.grant + 1, elapsed)


def _free_seat(table: Table, wanted: Seat | None) -> Seat:
    if wanted is None:
        seat = next((seat for seat, player in enumerate(table.players) if player.is_free), None)
        if seat is None:
            raise GameFull("No human seat is free.")
        return seat
    if not _person(table, wanted).is_free:
        raise SeatTaken(f"Seat {wanted} is claimed.")
    return wanted


def _player(table: Table, seat: Seat) -> Player:
    if not 0 <= seat < len(table.players):
        raise NoSuchSeat(f"The table has {len(table.players)} seats.")
    return table.players[seat]


def _person(table: Table, seat: Seat) -> Player:
    player = _player(table, seat)
    if player.is_bot:
        raise SeatIsBot(f"Seat {seat} is a bot's.")
    return player


def _check_claimed(player: Player, seat: Seat) -> None:
    if not player.claimed:
        raise SeatsNotFilled([seat])


def _change(table: Table, command: c.ChangeOptions) -> Iterator[e.Event]:
    rules = None if command.rules == table.rules else command.rules
    visibility = None if command.visibility == table.visibility else command.visibility
    if rules is not None:
        _check_other_rules(table, rules)
    if rules is not None or visibility is not None:
        yield e.OptionsChanged(rules, visibility)
    if command.is_open not in {None, table.lobby.is_open}:
        yield e.LobbyChanged(is_open=not table.lobby.is_open)


def _check_other_rules(table: Table, rules: Rules) -> None:
    if table.position is not None:
        raise RulesConflict("A fork goes on by the rules of its origin.", ("/rules",))
    check_rules(rules)
    if rules.seats != table.rules.seats:
        msg = f"The table has {table.rules.seats} seats, the rules {rules.seats}."
        raise RulesConflict(msg, ("/seats",))


def _update(table: Table, command: c.UpdateSeat) -> Iterator[e.Event]:
    player = table.players[command.seat]
    name = player.name if command.name is None else command.name
    assert name is not None, "a claimed seat has a name"
    ready = player.ready if command.ready is None else command.ready
    new_seed = command.client_seed if command.client_seed != player.client_seed else None
    if new_seed is not None and player.client_seed is not None:
        raise ClientSeedGiven(f"Seat {command.seat} has given its client seed.")
    if (name, ready) != (player.name, player.ready) or new_seed is not None:
        given = new_seed is not None or player.client_seed is not None
        yield e.SeatUpdated(command.seat, name, given, new_seed, ready)


def _assign_bot(table: Table, command: c.AssignBot) -> Iterator[e.Event]:
    seat, bot = command.seat, command.bot
    player = _player(table, seat)
    _check_practice(table, is_change=not player.is_bot)
    if player.claimed:
        yield e.SeatKicked(seat, _next_grant(player, command.elapsed))
    if (player.level, player.name) != (bot.level, bot.name):
        yield e.SeatBotAssigned(seat, bot.level, bot.name)


def _open_seat(table: Table, command: c.OpenSeat) -> Iterator[e.Event]:
    seat = command.seat
    player = _player(table, seat)
    _check_practice(table, is_change=player.is_bot)
    if player.is_bot:
        yield e.SeatReleased(seat, _next_grant(player, command.elapsed), reasons.BOT_REMOVED)


def _check_practice(table: Table, *, is_change: bool) -> None:
    if table.practice and is_change:
        raise RulesConflict("Practice is for one person, in the same seat.", ("/kind",))


def _with_start(
    lobby: Lobby, events: Sequence[e.Event], links: Links, *, at_once: bool = False
) -> Iterator[e.Event]:
    """Yield *events*, and the start where nobody else is waited for after them.

    *at_once* nobody has to be ready.
    """
    yield from events
    after = lobby
    for event in events:
        after = _lobby(evolve(after, event))
    table, is_enough = after.table, _is_there if at_once else _is_set
    if (at_once or table.lobby.auto_start) and all(map(is_enough, table.players)):
        yield from _dealt_in(after, links)


def _is_there(player: Player) -> bool:
    return not player.is_free


def _is_set(player: Player) -> bool:
    return player.is_bot or (player.claimed and player.ready)


def _start(lobby: Lobby, filler: c.BotSeat | None, links: Links) -> Iterator[e.Event]:
    table = lobby.table
    free = [seat for seat, player in enumerate(table.players) if player.is_free]
    if free and (filler is None or not table.lobby.fill_with_bots or table.practice):
        raise SeatsNotFilled(free)
    for seat in free:
        assert filler is not None
        assigned = e.SeatBotAssigned(seat, filler.level, filler.name)
        yield assigned
        lobby = _lobby(evolve(lobby, assigned))
    yield from _dealt_in(lobby, links)


def _dealt_in(lobby: Lobby, links: Links) -> Iterator[e.Event]:
    table = lobby.table
    # One seed gives the same deals in every game, whatever the players have sent.
    given = [None if table.seed_chain else player.client_seed for player in table.players]
    seeds = tuple(seed or NO_SEED for seed in given)
    started = e.GameStarted(seeds)
    yield started
    table = table_of(evolve(lobby, started))
    yield next_deal(table, links) if table.position is None else e.PositionSet(table.position)
