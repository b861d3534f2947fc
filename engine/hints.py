"""Hints: who may be told now what to do, what may be advised, and what is noted of it."""

from engine import commands as c
from engine import events as e
from engine.cards import held
from engine.errors import (
    GameNotActive,
    GameNotStarted,
    HintLimit,
    HintsDisabled,
    NotYourTurn,
    RuleViolation,
    WrongPhase,
)
from engine.passing import why_not_pass
from engine.playing import why_not
from engine.seats import Seat
from engine.state import (
    Lobby,
    Over,
    Passing,
    Playing,
    Shooting,
    State,
    Turn,
    shown_deal,
    situation,
    table_of,
    turn_of,
)


def open_turn_for(seat: Seat, state: State) -> Turn:
    """Return the turn in which *seat* may be given a hint now.

    Raises:
        RuleViolation: It may not.
    """
    table, turn = table_of(state), turn_of(state)
    if not table.options.hints:
        raise HintsDisabled("This table plays without hints.")
    if isinstance(state, Lobby):
        raise GameNotStarted("Nothing is dealt yet.")
    if isinstance(state, Over):
        raise GameNotActive("The game is over.")
    assert turn is not None, "a log never rests inside a command"
    if seat not in turn.seats:
        raise NotYourTurn(f"It is not the turn of seat {seat}.")
    if table.players[seat].playing_level is not None:
        raise NotYourTurn(f"A bot plays seat {seat}.")
    if (turn.id, seat) in table.hints:
        raise HintLimit(f"Seat {seat} has had its hint for turn {turn.id}.")
    return turn


def check_advice(state: State, command: c.TakeHint) -> None:
    """Make sure that *command* advises its seat nothing but what it may do now.

    For advice that comes from elsewhere: what is found here is made of the moves there are.

    Raises:
        RuleViolation: The seat may be given no hint, or may not make one of the moves.
    """
    turn = open_turn_for(command.seat, state)
    assert command.advice is not None, "there is advice to look at"
    for one in command.advice.ranking:
        refusal = _why_not(state, turn, one.move)
        if refusal is not None:
            raise refusal


def _why_not(state: State, turn: Turn, move: c.Move) -> RuleViolation | None:
    match state, move:
        case Passing(), c.PassCards(seat=seat, cards=cards):
            return why_not_pass(cards, state.hands[seat], state.deal.pass_count)
        case Playing(), c.PlayCard(seat=seat, card=one):
            at = situation(state, seat)
            return why_not(held(one, at.hand) or one, at)
        case Shooting(), c.ChooseMoon():
            return None
        case _:
            return WrongPhase(f"The table waits for a {turn.type}.")


def decide_hint(state: State, command: c.TakeHint) -> e.HintUsed:
    """Return the event that *command* causes.

    Raises:
        RuleViolation: The seat may be given no hint, or that turn is over.
    """
    turn = open_turn_for(command.seat, state)
    if turn.id != command.turn_id:
        raise WrongPhase("That turn is over.")
    deal = shown_deal(state)
    assert deal is not None, "turns are in deals"
    assert command.advice is not None, "who may be given a hint is given one"
    return e.HintUsed(
        deal=deal.deal.number,
        trick=state.number if isinstance(state, Playing) else 0,
        seat=command.seat,
        turn_id=turn.id,
        level=command.level,
        advice=command.advice,
    )
