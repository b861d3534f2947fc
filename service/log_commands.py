"""From the events of a log, as plain values, back to what was asked for.

The values come from strangers: whatever is not what it should be is a ValueError,
KeyError or TypeError, and nothing of it reaches the engine.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from engine import commands as c
from engine import events as e
from engine.bots import LEVELS
from engine.cards import Card, card, code_of
from engine.conflicts import check_rules
from engine.errors import RuleViolation
from engine.notation.record import Start
from engine.notation.rules_text import rules_of_text, rules_text
from engine.position import Position
from engine.presets import preset_rules
from engine.readable import rules_from
from engine.rules import MOST_DEALS, RULES_VERSION, Rules
from engine.scoring import MoonChoice
from engine.seats import Seat, left_of
from engine.shuffle import NO_SEED
from engine.verify.copied import CopiedDeal
from engine.verify.rerun import dealt_hands
from service.names import is_name

Plain: TypeAlias = Mapping[str, Any]

_HASH: Final = re.compile("[0-9a-f]{64}", re.ASCII)
_GAME_ID: Final = re.compile("[0-9a-f]{32}", re.ASCII)
_WORD: Final = re.compile("[a-z_]{1,32}", re.ASCII)
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

    *seats* is how many there are, *client_seeds* those that were mixed into the deals. A fork
    goes on from its *position*.
    """

    event: Plain
    following: Plain | None
    seats: int
    client_seeds: tuple[str, ...]
    position: Position | None = None

    @property
    def data(self) -> Plain:
        """What everybody reads of the event."""
        data: Plain = self.event["data"]
        return data

    @property
    def seat(self) -> Seat:
        """The seat that the event is about."""
        return _seat(self.data["seat"], self.seats)

    @property
    def grant(self) -> int:
        """The number of the token that the event gives or takes."""
        return _number(self.data["grant"])

    @property
    def then(self) -> "At":
        """The event that follows."""
        assert self.following is not None, "asked before"
        return At(self.following, None, self.seats, self.client_seeds)

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


def rules_of(data: Plain) -> Rules:
    """Return the rules that *data* spells out, every value of which is checked.

    Raises:
        RulesConflict: They contradict themselves.
        ValueError: They are none.
    """
    try:
        rules = rules_from(data)
        check_rules(rules)
        preset_rules(rules.preset, rules.seats)
        again = rules_of_text(rules_text(rules), rules.preset, rules.seats)
    except (AttributeError, LookupError, TypeError) as exc:
        msg = "these are no rules"
        raise ValueError(msg) from exc
    if again != rules or rules.version != RULES_VERSION:
        msg = "these are rules that are written otherwise"
        raise ValueError(msg)
    # Not those of the data, in which true may stand for 1.
    return again


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
        commitment=_matching(_HASH, fairness["commitment"]),
        nonce="",
        key_id="",
        claim=claim,
        origin=origin_of(data["origin"]),
        seed_chain=seed_chain_of(fairness),
        position=at.position,
        practice=data["practice"] is True,
        visibility=_one_of((c.PUBLIC, c.UNLISTED), data["visibility"]),
        lobby=c.LobbyOptions(
            is_open=_is_open(data),
            auto_start=data["auto_start"] is True,
            fill_with_bots=data["fill_with_bots"] is True,
        ),
    )


def seed_chain_of(fairness: Plain) -> c.SeedChain | None:
    """Return the chain behind a seeded game as *fairness* names it, None in all others.

    Raises:
        LookupError: It is not said.
        ValueError: It is named by what is no commitment.
    """
    commitment = fairness["deals_commitment"]
    return None if commitment is None else c.SeedChain(_matching(_HASH, commitment))


def origin_of(data: Plain | None) -> c.Origin | None:
    """Return where a game comes from as *data* says it.

    Raises:
        LookupError: A value is missing.
        ValueError: Nothing comes from there.
    """
    if data is None:
        return None
    kind, version = _one_of((c.IMPORT, c.FORK), data["kind"]), data["version"]
    if (kind == c.IMPORT) != (version is None):
        msg = "a fork leaves another game in the middle, an import at its end"
        raise ValueError(msg)
    game_id = _matching(_GAME_ID, data["game_id"])
    return c.Origin(kind, game_id, None if version is None else _number(version))


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
    hands = dealt_hands(rules, [list(map(_code, part["dealt"])) for part in own])
    totals = tuple(map(_points, data["totals"]))
    if hands is None or len(totals) != rules.seats:
        return Copied(None, "wrong_position")
    moves = [*_copied_passes(rules, data, own), *_copied_plays(rules, data)]
    start = Start(len(moves), _number(data["scored"]), totals)
    deal = CopiedDeal(rules, start, _number(data["deal"]), hands)
    try:
        for move in moves:
            deal.do(move)
    except RuleViolation as no:
        return Copied(None, no.code)
    return Copied(deal.position, "wrong_position")


def _copied_passes(rules: Rules, data: Plain, own: Sequence[Plain]) -> Iterator[c.Move]:
    for given in data["passed"]:
        seat = _seat(given, rules.seats)
        yield c.PassCards(seat, tuple(map(_card, own[seat]["passed"])))


def _copied_plays(rules: Rules, data: Plain) -> Iterator[c.Move]:
    tricks = [(trick["leader"], trick["cards"]) for trick in data["tricks"]]
    if data["leader"] is not None:
        tricks.append((data["leader"], data["trick"]))
    for given, cards in tricks:
        leader = _seat(given, rules.seats)
        for place, code in enumerate(cards):
            yield c.PlayCard(left_of(leader, rules.seats, place), _card(code))


def _plan(plan: Plain) -> c.SeatPlan:
    if plan["kind"] == "human":
        return c.HumanSeat()
    return c.BotSeat(_level(plan["level"]), _name(plan["name"]))


def _claim(at: At) -> c.ClaimSeat:
    seed = _client_seed(at) if at.data["client_seed_given"] is True else None
    return c.ClaimSeat(at.seat, _name(at.data["name"]), seed, at.grant)


def _client_seed(at: At) -> str:
    part = at.event["private"].get(str(at.seat))
    if part is not None:
        return _matching(_HASH, part["client_seed"])
    mixed = at.client_seeds[at.seat] if at.client_seeds else NO_SEED
    return _UNKNOWN_SEED if mixed == NO_SEED else mixed


def _update(at: At) -> c.Command:
    is_new = str(at.seat) in at.event["private"] or at.seat in at.event["hidden"]
    seed = _client_seed(at) if is_new else None
    return c.UpdateSeat(at.seat, _name(at.data["name"]), seed, at.data["ready"] is True)


def _release(at: At) -> c.Command:
    if at.data["reason"] == e.BOT_REMOVED:
        return c.OpenSeat(at.seat, at.grant)
    return c.ReleaseSeat(at.seat, _next_level(at), at.grant)


def _next_level(at: At) -> str:
    """Return the level of the bot that plays on, any where nobody has to."""
    if not at.is_followed_by(_CONTROL) or at.then.data["level"] is None:
        return next(iter(LEVELS))
    return _level(at.then.data["level"])


def _rotate(at: At) -> c.Command:
    if at.is_followed_by(_CONTROL) and at.then.data["reason"] == e.REISSUED:
        return c.ReissueSeatToken(at.seat, at.grant)
    return c.RotateSeatToken(at.seat, at.grant)


def _control(at: At) -> c.Command | None:
    match at.data["reason"], at.data["level"]:
        case e.HANDED_OVER, level:
            return c.HandOver(at.seat, _level(level))
        case e.RETURNED, _:
            return c.TakeBack(at.seat)
        case e.UNCHANGED, None:
            return c.TakeBack(at.seat)
        case e.UNCHANGED, level:
            return c.HandOver(at.seat, _level(level))
        case e.PLAYED, _ if at.following is not None and at.following["type"] in _MOVES:
            return _COMMANDS[at.following["type"]](at.then)
        case _:
            return None


def _pass(at: At) -> c.Command:
    return c.PassCards(at.seat, tuple(map(_card, at.own("cards"))), _auto(at))


def _void(at: At) -> c.Command:
    reason, following = at.data["reason"], at.following
    if reason not in e.VOID_REASONS:
        msg = f"{reason!r} voids no deal"
        raise ValueError(msg)
    deal = _number(at.data["deal"])
    if following is None or following["type"] == "game.finished":
        # Where a game ends with it, no link was left.
        return c.VoidDeal(reason, 0 if following is None else MOST_DEALS)
    return c.VoidDeal(reason, max(0, _number(following["data"]["deal"]) - deal - 1))


def _is_open(data: Plain) -> bool:
    return bool(data["lobby"] == "open")


def _auto(at: At) -> str | None:
    auto: str | None = at.data["auto"]
    if auto is not None and auto not in c.AUTOMATIC:
        msg = f"{auto!r} is no reason for an automatic move"
        raise ValueError(msg)
    return auto


def _matching(pattern: re.Pattern[str], value: Any) -> str:  # noqa: ANN401 - as the file has it
    if not isinstance(value, str) or not pattern.fullmatch(value):
        msg = f"{value!r} is not what is written here"
        raise ValueError(msg)
    return value


def _name(value: Any) -> str:  # noqa: ANN401 - as the file has it
    if not isinstance(value, str) or not is_name(value):
        msg = f"{value!r} is no name"
        raise ValueError(msg)
    return value


def _level(value: Any) -> str:  # noqa: ANN401 - as the file has it
    level = _matching(_WORD, value)
    if level not in LEVELS:
        msg = f"there are no bots of level {level}"
        raise ValueError(msg)
    return level


def _number(value: Any) -> int:  # noqa: ANN401 - as the file has it
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        msg = f"{value!r} is no number"
        raise ValueError(msg)
    return value


def _seat(value: Any, seats: int) -> Seat:  # noqa: ANN401 - as the file has it
    if _number(value) >= seats:
        msg = f"there is no seat {value}"
        raise ValueError(msg)
    seat: Seat = value
    return seat


def _points(value: Any) -> int:  # noqa: ANN401 - as the file has it
    if not isinstance(value, int) or isinstance(value, bool):
        msg = f"{value!r} is no number of points"
        raise TypeError(msg)
    return value


def _one_of(words: Sequence[str], value: Any) -> str:  # noqa: ANN401 - as the file has it
    return words[words.index(value)]


def _code(value: Any) -> str:  # noqa: ANN401 - as the file has it
    return code_of(_card(value))


def _card(value: Any) -> Card:  # noqa: ANN401 - as the file has it
    return card(value if isinstance(value, str) else "")


_COMMANDS: Final[Mapping[str, Callable[[At], c.Command | None]]] = {
    "game.created": _create,
    "seat.claimed": _claim,
    "seat.updated": _update,
    "game.options_changed": lambda at: c.ChangeOptions(rules_of(at.data["changes"]["rules"])),
    "lobby.changed": lambda at: c.ChangeOptions(is_open=_is_open(at.data)),
    "seat.bot_assigned": lambda at: c.AssignBot(
        at.seat, c.BotSeat(_level(at.data["level"]), _name(at.data["name"]))
    ),
    "seat.released": _release,
    "seat.kicked": lambda at: c.KickSeat(at.seat, _next_level(at), at.grant),
    "seat.token_rotated": _rotate,
    _CONTROL: _control,
    "host.token_rotated": lambda at: c.RotateHostToken(at.grant),
    "game.started": lambda _: c.StartGame(),
    "cards.passed": _pass,
    "card.played": lambda at: c.PlayCard(at.seat, _card(at.data["card"]), _auto(at)),
    "moon.chosen": lambda at: c.ChooseMoon(at.seat, MoonChoice(at.data["choice"]), _auto(at)),
    "deal.voided": _void,
    "game.aborted": lambda _: c.AbortGame(),
}
