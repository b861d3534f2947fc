"""The decider: the rules of the game as answers to commands.

`decide` returns what happens, or raises a `RuleViolation`; it changes nothing. A deal's
secret link is asked for only when that deal is dealt or opened.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.cards import NO_CARDS, held, union
from engine.clocks import Clock, OnAllIdle, OnTimeout
from engine.dealing import next_deal, opened_deal, unopened_deals
from engine.errors import (
    GameAlreadyStarted,
    GameNotActive,
    GameNotStarted,
    NotYourTurn,
    WrongPhase,
)
from engine.evolve import evolve
from engine.hints import decide_hint
from engine.lobby import back_with, decide_creation, decide_lobby, decide_seat
from engine.passing import picked, received, told, why_not_pass
from engine.playing import (
    Trick,
    breaks_hearts,
    opening,
    riding,
    takes_kitty,
    trick_winner,
    why_not,
)
from engine.scoring import (
    MoonChoice,
    Progress,
    Shot,
    deal_points,
    raw_points,
    result_of,
    settled_choice,
    shot,
)
from engine.seats import Seat
from engine.shuffle import Links
from engine.state import (
    Between,
    Lobby,
    Over,
    Passing,
    Playing,
    Shooting,
    State,
    Table,
    Turn,
    TurnType,
    all_taken,
    kitty_lies,
    situation,
    table_of,
    turn_of,
)


def decide(state: State | None, command: c.Command, links: Links) -> list[e.Event]:
    """Return the events that *command* causes; an empty list if it changes nothing.

    *state* is None before the game exists. *links* gives the secret link of a deal.

    Raises:
        RuleViolation: The rules do not allow the command now.
    """
    if isinstance(command, c.CreateGame):
        assert state is None, "a game is created once"
        return list(decide_creation(command, links))
    assert state is not None, "commands need a game"
    if isinstance(command, c.LobbyCommand):
        return list(decide_lobby(state, command, links))
    if isinstance(command, c.SeatCommand):
        return list(decide_seat(state, command))
    if isinstance(command, c.Move):
        return [*back_with(state, command), *_move(state, command, links)]
    return list(_unasked(state, command, links))


def _unasked(
    state: State, command: c.AbortGame | c.VoidDeal | c.ClockCommand | c.TakeHint, links: Links
) -> Iterator[e.Event]:
    match command:
        case c.AbortGame():
            yield _abort(state, command.reason or reasons.ABORTED_BY_HOST, links)
        case c.VoidDeal():
            yield from _void(state, command, links)
        case c.TimeOut():
            yield from _time_out(state, command, links)
        case c.ExtendTurn():
            yield _extended(state, command)
        case c.EndIdling():
            yield from _end_idling(state, links)
        case c.TakeHint():
            yield decide_hint(state, command)
        case other:
            assert_never(other)


def _move(state: State, command: c.Move, links: Links) -> Iterator[e.Event]:
    match command:
        case c.PlayCard():
            return _play(state, command, links)
        case c.PassCards():
            return _pass(state, command)
        case c.ChooseMoon():
            return _choose(state, command, links)
        case other:
            assert_never(other)


def _abort(state: State, reason: str, links: Links) -> e.Event:
    if isinstance(state, Over):
        raise GameNotActive("The game is over.")
    if reason == reasons.LOBBY_EXPIRED and not isinstance(state, Lobby):
        raise GameAlreadyStarted("The game has started.")
    table = table_of(state)
    return e.GameAborted(reason, table.totals, unopened_deals(table, links))


def _running_clock(state: State) -> Clock:
    _check_running(state)
    clock = table_of(state).clock
    if clock is None:
        raise WrongPhase("No clock runs.")
    return clock


def _time_out(state: State, command: c.TimeOut, links: Links) -> Iterator[e.Event]:
    clock, turn, seat, move = _running_clock(state), turn_of(state), command.seat, command.move
    assert turn is not None, "a log never rests inside a command"
    player = table_of(state).players[seat]
    if seat not in turn.seats or turn.id != command.turn_id or player.playing_level is not None:
        raise NotYourTurn(f"It is the turn of {_names(turn.seats)}.")
    timeouts = player.timeouts + 1
    yield e.TurnTimedOut(turn.id, (seat,), timeouts, clock.on_timeout)
    if clock.on_timeout is OnTimeout.ABORT:
        yield _abort(state, reasons.TIMEOUT, links)
        return
    if move is None or move.seat != seat:
        raise WrongPhase("A move is to be made for the seat.")
    if clock.on_timeout is OnTimeout.BOT_TAKEOVER and timeouts >= clock.takeover_after:
        yield e.ControlChanged(seat, clock.bot_level, reasons.TIMEOUT)
    yield from _move(state, replace(move, auto=c.TIMEOUT), links)


def _extended(state: State, command: c.ExtendTurn) -> e.Event:
    _running_clock(state)
    turn = turn_of(state)
    if turn is None or turn.id != command.turn_id:
        raise WrongPhase("That turn is over.")
    return e.TurnExtended(turn.id, command.deadline_at, command.reason)


def _end_idling(state: State, links: Links) -> Iterator[e.Event]:
    clock = _running_clock(state)
    if clock.idle_seconds is None:
        raise WrongPhase("Nobody has to come back.")
    if clock.on_all_idle is OnAllIdle.ABORT:
        yield _abort(state, reasons.ALL_IDLE, links)
        return
    for seat, player in enumerate(table_of(state).players):
        if player.claimed and player.playing_level is None:
            yield e.ControlChanged(seat, clock.bot_level, reasons.IDLE)


def _void(state: State, command: c.VoidDeal, links: Links) -> Iterator[e.Event]:
    _check_running(state)
    table = table_of(state)
    voided = e.DealVoided(table.deals, command.reason, opened_deal(table, links))
    yield voided
    yield _next(evolve(state, voided), links, command.skip)


def _open_turn(state: State, kind: TurnType, seat: Seat) -> Turn:
    _check_running(state)
    turn = turn_of(state)
    assert turn is not None, "a log never rests inside a command"
    if turn.type is not kind:
        raise WrongPhase(f"The table waits for a {turn.type}.")
    if seat not in turn.seats:
        raise NotYourTurn(f"It is the turn of {_names(turn.seats)}.")
    return turn


def _check_running(state: State) -> None:
    if isinstance(state, Lobby):
        raise GameNotStarted("Nothing is dealt yet.")
    if isinstance(state, Over):
        raise GameNotActive("The game is over.")


def _names(seats: tuple[Seat, ...]) -> str:
    word = "seat" if len(seats) == 1 else "seats"
    return f"{word} {', '.join(map(str, seats))}"


def _pass(state: State, command: c.PassCards) -> Iterator[e.Event]:
    turn = _open_turn(state, TurnType.PASS, command.seat)
    assert isinstance(state, Passing)
    deal, seat = state.deal, command.seat
    refusal = why_not_pass(command.cards, state.hands[seat], deal.pass_count)
    if refusal is not None:
        raise refusal

    assert deal.direction is not None
    cards = told(picked(command.cards, state.hands[seat]), deal.direction)
    passed = e.CardsPassed(deal.number, seat, cards, turn.id, command.auto)
    yield passed
    after = evolve(state, passed)
    assert isinstance(after, Passing)
    if turn_of(after) is None:
        yield _complete_pass(after)


def _complete_pass(game: Passing) -> e.PassCompleted:
    rules, deal = game.table.rules, game.deal
    assert deal.direction is not None
    passes = tuple(cards for cards in game.passed if cards is not None)
    gifts = received(passes, deal.direction, rules.seats)
    hands = tuple(
        hand | sum(cards for _, cards in gift) for hand, gift in zip(game.hands, gifts, strict=True)
    )
    leader, card = opening(rules, hands, deal.number)
    return e.PassCompleted(deal.number, leader, card, gifts)


def _play(state: State, command: c.PlayCard, links: Links) -> Iterator[e.Event]:
    turn = _open_turn(state, TurnType.PLAY, command.seat)
    assert isinstance(state, Playing)
    at = situation(state, command.seat)
    one = command.card if command.card & at.hand else held(command.card, at.hand)
    refusal = why_not(one or command.card, at)
    if refusal is not None:
        raise refusal

    breaks = not state.hearts_broken and breaks_hearts(one, at.limits)
    number = state.deal.number
    played = e.CardPlayed(number, state.number, command.seat, one, turn.id, breaks, command.auto)
    yield played
    game = evolve(state, played)
    assert isinstance(game, Playing)
    if turn_of(game) is None:
        yield from _complete_trick(game, links)


def _complete_trick(game: Playing, links: Links) -> Iterator[e.Event]:
    rules = game.table.rules
    assert game.leader is not None
    trick, carried = Trick(game.leader, game.trick), riding(game.tricks)
    is_last = not any(game.hands)
    winner = trick_winner(trick, rules.seats, cancel_pairs=rules.play.cancel_pairs)
    if winner is None and is_last:
        winner = game.leader
    won = NO_CARDS if winner is None else union((*game.trick, *carried))
    taken = e.TrickCompleted(
        deal=game.deal.number,
        trick=game.number,
        winner=winner,
        points=rules.points_in(won),
        cards=game.trick,
        leader=None if is_last else game.leader if winner is None else winner,
        takes_kitty=bool(won) and kitty_lies(game) and takes_kitty(rules, won, is_last=is_last),
        carried=carried,
    )
    yield taken
    game = _played(evolve(game, taken))
    if winner is not None and taken.takes_kitty:
        kitty = e.KittyTaken(game.deal.number, winner, game.table.kitties[-1])
        yield kitty
        game = _played(evolve(game, kitty))
    if game.leader is None:
        yield from _end_deal(game, links)


def _played(state: State) -> Playing:
    assert isinstance(state, Playing)
    return state


def _end_deal(game: Playing, links: Links) -> Iterator[e.Event]:
    table = game.table
    taken = all_taken(game)
    found = shot(taken, table.rules)
    if found is None:
        yield from _score(game, None, None, links)
        return

    choice = settled_choice(found, taken, table.totals, _progress(table), table.rules)
    due = choice is None
    shooting = e.MoonShot(game.deal.number, found.seat, found.kind, found.points, due)
    yield shooting
    if choice is not None:
        yield from _score(evolve(game, shooting), found, choice, links)


def _choose(state: State, command: c.ChooseMoon, links: Links) -> Iterator[e.Event]:
    turn = _open_turn(state, TurnType.MOON, command.seat)
    assert isinstance(state, Shooting)
    number = state.played.deal.number
    chosen = e.MoonChosen(number, command.seat, command.choice, turn.id, command.auto)
    yield chosen
    yield from _score(evolve(state, chosen), state.shot, command.choice, links)


def _score(
    state: State, found: Shot | None, choice: MoonChoice | None, links: Links
) -> Iterator[e.Event]:
    game = state.played if isinstance(state, Shooting) else _played(state)
    table, number = game.table, game.deal.number
    taken = all_taken(game)
    points = deal_points(taken, table.rules, found, choice)
    scored = e.DealScored(
        deal=number,
        taken=raw_points(taken, table.rules),
        points=points,
        totals=tuple(map(sum, zip(table.totals, points, strict=True))),
        moon=_moon(found, choice),
        opened=opened_deal(table, links),
    )
    yield scored
    yield _next(evolve(state, scored), links, skip=0)


def _moon(found: Shot | None, choice: MoonChoice | None) -> e.MoonScored | None:
    if found is None or choice is None:
        return None
    return e.MoonScored(found.seat, found.kind, found.points, choice)


def _progress(table: Table) -> Progress:
    return Progress(table.scored, table.deals)


def _next(state: State, links: Links, skip: int) -> e.Event:
    assert isinstance(state, Between)
    table = state.table
    spent = Progress(table.scored, table.deals + skip)
    result = result_of(table.totals, spent, table.rules)
    if result is None:
        return next_deal(table, links, skip)
    return e.GameFinished(
        totals=result.totals,
        places=result.places,
        winners=result.winners,
        reason=result.reason,
        reveals=unopened_deals(table, links),
    )
