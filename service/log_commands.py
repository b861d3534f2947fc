"""From the events of a log, as plain values, back to what was asked for.

The values come from strangers: whatever is not what it should be is a ValueError,
KeyError or TypeError, and nothing of it reaches the engine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine import commands as c
from engine import reasons
from engine.analysis import HINT_BUDGETS
from engine.bots import LEVELS
from engine.errors import RuleViolation
from engine.notation.record import Start
from engine.position import Position
from engine.rules import MOST_DEALS, Rules
from engine.scoring import MoonChoice
from engine.seats import Seat, left_of
from engine.shuffle import NO_SEED
from engine.verify.copied import CopiedDeal
from engine.verify.rerun import dealt_hands
from service.log_clock import clock_of, moment_of
from service.log_hints import advice_of, hidden_advice
from service.log_values import (
    HASH,
    Plain,
    card_of,
    code_of_card,
    level_of,
    matching,
    name_of,
    number_of,
    one_of,
    options_of,
    origin_of,
    points_of,
    rules_of,
    seat_of,
    seed_chain_of,
)

_UNKNOWN_SEED: Final = "0" * 64
_CONTROL: Final = "seat.control_changed"
_MOVES: Final = frozenset({"cards.passed", "card.played", "moon.chosen"})


class HiddenError(Exception):
    """What was asked for is hidden in this view of the log; it is for the eyes of *seat*."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(f"hidden from all but seat {seat}")
        self.seat = seat


class At(NamedTuple):
    """An event of a log, the one that follows, and what the log says before its end.

    *later* is the event after those two. Whoever sits down was *invited* if it is a rematch.
    *seats* is how many there are, *client_seeds* those that were mixed into the deals. A fork
    goes on from its *position*.
    """

    event: Plain
    following: Plain | None
    seats: int
    client_seeds: tuple[str, ...]
    position: Position | None = None
    later: Plain | None = None
    invited: bool = False

    @property
    def data(self) -> Plain:
        """What everybody reads of the event."""
        data: Plain = self.event["data"]
        return data

    @property
    def seat(self) -> Seat:
        """The seat that the event is about."""
        return seat_of(self.data["seat"], self.seats)

    @property
    def grant(self) -> int:
        """The number of the token that the event gives or takes."""
        return number_of(self.data["grant"])

    @property
    def then(self) -> "At":
        """The event that follows.

        Raises:
            ValueError: None does.
        """
        if self.following is None:
            msg = "something has to follow"
            raise ValueError(msg)
        return At(self.following, self.later, self.seats, self.client_seeds)

    def is_followed_by(self, name: str) -> bool:
        """Return whether the event that follows has a type of that *name*."""
        return self.following is not None and self.following["type"] == name

    def own(self, name: str) -> Any:  # noqa: ANN401 - as the file has it
        """Return what only the seat of the event reads under that *name*.

        Raises:
            HiddenError: The view hides it.
        """
        part = self.event["private"].get(str(self.seat))
        if part is None and self.seat in self.event["hidden"]:
            raise HiddenError(self.seat)
        return part[name]


def command_of(at: At) -> c.Command | None:
    """Return the command that causes the event of *at*, None where none does by itself.

    Raises:
        HiddenError: The view hides what was asked for.
        RulesConflict: The rules contradict themselves.
        LookupError: A value is missing, or none of those that there are.
        TypeError: A value is of another kind.
        ValueError: A value is none that it could be.
    """
    make = _COMMANDS.get(at.event["type"])
    return None if make is None else make(at)


def _create(at: At) -> c.Command:
    data = at.data
    fairness = data["fairness"]
    claim = None
    if at.is_followed_by("seat.claimed"):
        claim = _claim(at.then)
    plans = tuple(_plan(plan) for plan in data["seats"])
    if len(plans) != at.seats:
        msg = "a plan for each seat is expected"
        raise ValueError(msg)
    return c.CreateGame(
        rules=rules_of(data["rules"]),
        seats=plans,
        commitment=matching(HASH, fairness["commitment"]),
        nonce="",
        key_id="",
        claim=claim,
        origin=origin_of(data["origin"]),
        seed_chain=seed_chain_of(fairness),
        clock=clock_of(data["clock"]),
        position=at.position,
        practice=data["practice"] is True,
        visibility=one_of(c.VISIBILITIES, data["visibility"]),
        options=options_of(data),
        lobby=c.LobbyOptions(
            is_open=_is_open(data),
            auto_start=data["auto_start"] is True,
            fill_with_bots=data["fill_with_bots"] is True,
        ),
    )


class Copied(NamedTuple):
    """What a fork began with: a *position*, or None and the *code* of what is wrong with it."""

    position: Position | None
    code: str = ""


def copied_of(rules: Rules, event: Plain) -> Copied | None:
    """Return the position that *event* sets, played again; None where the view hides it.

    Raises:
        LookupError: A value is missing.
        TypeError: A value is of another kind.
        ValueError: A value is none that it could be.
    """
    data, own = event["data"], [event["private"].get(str(seat)) for seat in range(rules.seats)]
    if None in own:
        return None
    hands = dealt_hands(rules, [list(map(code_of_card, part["dealt"])) for part in own])
    totals = tuple(map(points_of, data["totals"]))
    if hands is None or len(totals) != rules.seats:
        return Copied(None, "wrong_position")
    moves = [*_copied_passes(rules, data, own), *_copied_plays(rules, data)]
    start = Start(len(moves), number_of(data["scored"]), totals)
    deal = CopiedDeal(rules, start, number_of(data["deal"]), hands)
    try:
        for move in moves:
            deal.do(move)
    except RuleViolation as no:
        return Copied(None, no.code)
    return Copied(deal.position, "wrong_position")


def _copied_passes(rules: Rules, data: Plain, own: Sequence[Plain]) -> Iterator[c.Move]:
    for given in data["passed"]:
        seat = seat_of(given, rules.seats)
        yield c.PassCards(seat, tuple(map(card_of, own[seat]["passed"])))


def _copied_plays(rules: Rules, data: Plain) -> Iterator[c.Move]:
    tricks = [(trick["leader"], trick["cards"]) for trick in data["tricks"]]
    if data["leader"] is not None:
        tricks.append((data["leader"], data["trick"]))
    for given, cards in tricks:
        leader = seat_of(given, rules.seats)
        for place, code in enumerate(cards):
            yield c.PlayCard(left_of(leader, rules.seats, place), card_of(code))


def _plan(plan: Plain) -> c.SeatPlan:
    if plan["kind"] == "human":
        return c.HumanSeat()
    return c.BotSeat(level_of(plan["level"]), name_of(plan["name"]))


def _change(at: At) -> c.Command:
    changes = at.data["changes"]
    return c.ChangeOptions(
        rules=rules_of(changes["rules"]) if "rules" in changes else None,
        visibility=(
            one_of(c.VISIBILITIES, changes["visibility"]) if "visibility" in changes else None
        ),
    )


def _claim(at: At) -> c.ClaimSeat:
    seed = _client_seed(at) if at.data["client_seed_given"] is True else None
    return c.ClaimSeat(at.seat, name_of(at.data["name"]), seed, at.grant, invited=at.invited)


def _client_seed(at: At) -> str:
    part = at.event["private"].get(str(at.seat))
    if part is not None:
        return matching(HASH, part["client_seed"])
    mixed = at.client_seeds[at.seat] if at.client_seeds else NO_SEED
    return _UNKNOWN_SEED if mixed == NO_SEED else mixed


def _update(at: At) -> c.Command:
    is_new = str(at.seat) in at.event["private"] or at.seat in at.event["hidden"]
    seed = _client_seed(at) if is_new else None
    return c.UpdateSeat(at.seat, name_of(at.data["name"]), seed, at.data["ready"] is True)


def _release(at: At) -> c.Command:
    if at.data["reason"] == reasons.BOT_REMOVED:
        return c.OpenSeat(at.seat, at.grant)
    return c.ReleaseSeat(at.seat, _next_level(at), at.grant)


def _next_level(at: At) -> str:
    """Return the level of the bot that plays on, any where nobody has to."""
    if not at.is_followed_by(_CONTROL) or at.then.data["level"] is None:
        return next(iter(LEVELS))
    return level_of(at.then.data["level"])


def _rotate(at: At) -> c.Command:
    if at.is_followed_by(_CONTROL) and at.then.data["reason"] == reasons.REISSUED:
        return c.ReissueSeatToken(at.seat, at.grant)
    return c.RotateSeatToken(at.seat, at.grant)


def _timed_out(at: At) -> c.Command:
    turn_id, then = number_of(at.data["turn_id"]), at.then
    if then.event["type"] == "game.aborted":
        (seat,) = at.data["seats"]
        return c.TimeOut(seat_of(seat, at.seats), turn_id, None)
    if then.event["type"] == _CONTROL:
        then = then.then
    move = _COMMANDS[then.event["type"]](then)
    if not isinstance(move, c.Move):
        msg = "whoever is late has a move made"
        raise TypeError(msg)
    return c.TimeOut(move.seat, turn_id, move)


def _extended(at: At) -> c.Command:
    reason = one_of(reasons.EXTENSION_REASONS, at.data["reason"])
    return c.ExtendTurn(number_of(at.data["turn_id"]), moment_of(at.data["deadline_at"]), reason)


def _hint(at: At) -> c.Command:
    turn_id = number_of(at.data["turn_id"])
    try:
        level = one_of(tuple(HINT_BUDGETS), at.own("level"))
    except HiddenError:
        # It changes nothing but that the seat was advised, which everybody sees.
        level, advice = next(iter(HINT_BUDGETS)), hidden_advice(at.seat)
    else:
        advice = advice_of(at.event["private"][str(at.seat)], at.seat)
    return c.TakeHint(at.seat, turn_id, level, advice)


def _aborted(at: At) -> c.Command:
    reason = at.data["reason"]
    if reason == reasons.LOBBY_EXPIRED:
        return c.AbortGame(reason)
    return c.EndIdling() if reason == reasons.ALL_IDLE else c.AbortGame()


def _control(at: At) -> c.Command | None:
    reason, level = at.data["reason"], at.data["level"]
    if reason == reasons.PLAYED and at.following is not None and at.following["type"] in _MOVES:
        return _COMMANDS[at.following["type"]](at.then)
    if reason == reasons.IDLE:
        return c.EndIdling()
    if reason not in {reasons.HANDED_OVER, reasons.RETURNED, reasons.UNCHANGED}:
        return None
    return c.TakeBack(at.seat) if level is None else c.HandOver(at.seat, level_of(level))


def _pass(at: At) -> c.Command:
    return c.PassCards(at.seat, tuple(map(card_of, at.own("cards"))), _auto(at))


def _void(at: At) -> c.Command:
    reason, following = at.data["reason"], at.following
    if reason not in reasons.VOID_REASONS:
        msg = f"{reason!r} voids no deal"
        raise ValueError(msg)
    deal = number_of(at.data["deal"])
    if following is None or following["type"] == "game.finished":
        # Where a game ends with it, no link was left.
        return c.VoidDeal(reason, 0 if following is None else MOST_DEALS)
    return c.VoidDeal(reason, max(0, number_of(following["data"]["deal"]) - deal - 1))


def _is_open(data: Plain) -> bool:
    return bool(data["lobby"] == "open")


def _auto(at: At) -> str | None:
    auto: str | None = at.data["auto"]
    if auto is not None and auto not in c.AUTOMATIC:
        msg = f"{auto!r} is no reason for an automatic move"
        raise ValueError(msg)
    return auto


_COMMANDS: Final[Mapping[str, Callable[[At], c.Command | None]]] = {
    "game.created": _create,
    "seat.claimed": _claim,
    "seat.updated": _update,
    "game.options_changed": _change,
    "lobby.changed": lambda at: c.ChangeOptions(is_open=_is_open(at.data)),
    "seat.bot_assigned": lambda at: c.AssignBot(
        at.seat, c.BotSeat(level_of(at.data["level"]), name_of(at.data["name"]))
    ),
    "seat.released": _release,
    "seat.kicked": lambda at: c.KickSeat(at.seat, _next_level(at), at.grant),
    "seat.token_rotated": _rotate,
    _CONTROL: _control,
    "host.token_rotated": lambda at: c.RotateHostToken(at.grant),
    "game.started": lambda _: c.StartGame(),
    "cards.passed": _pass,
    "card.played": lambda at: c.PlayCard(at.seat, card_of(at.data["card"]), _auto(at)),
    "moon.chosen": lambda at: c.ChooseMoon(at.seat, MoonChoice(at.data["choice"]), _auto(at)),
    "deal.voided": _void,
    "turn.timed_out": _timed_out,
    "turn.extended": _extended,
    "hint.used": _hint,
    "game.aborted": _aborted,
}
