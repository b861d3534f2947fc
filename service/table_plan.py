"""From the body of a create request to the rules and seats of a table."""

from collections.abc import Mapping
from typing import Any, Final

from engine import bots
from engine.commands import BotSeat, HumanSeat, SeatPlan
from engine.conflicts import check_rules
from engine.errors import RulesConflict
from engine.presets import DEFAULT_PRESET, PRESETS, preset_rules
from engine.readable import rules_data, rules_from
from engine.rules import RULES_VERSION, Rules
from engine.seats import PerSeat, Seat

_GROUPS: Final = ("deck", "passing", "play", "scoring", "ending")
_BOT_NAMES: Final = {level.level: level.name for level in bots.describe()}


def planned_table(body: Mapping[str, Any]) -> tuple[Rules, PerSeat[SeatPlan]]:
    """Return the rules and the seats that *body*, which fits its schema, asks for.

    Raises:
        RulesConflict: They contradict each other, or nobody can claim the seat; its fields
            point into the body.
    """
    given, seats = body.get("rules", {}), body.get("seats")
    count = _seat_count(given, seats)
    try:
        preset = given.get("preset", DEFAULT_PRESET)
        rules = changed_rules(preset_rules(preset, count), given)
    except RulesConflict as exc:
        fields = [f"/rules{field}" for field in exc.fields]
        raise RulesConflict(str(exc), _present(fields, given, seats)) from exc
    plan = _usual_seats(count) if seats is None else tuple(map(_seat_plan, seats))
    if "claim" in body:
        _check_claim(body["claim"]["seat"], plan, seats)
    return rules, plan


def forked_seats(body: Mapping[str, Any], count: int) -> PerSeat[SeatPlan]:
    """Return the *count* seats that *body*, which fits its schema, asks for.

    Raises:
        RulesConflict: The table has another number of them, or nobody can claim the seat; its
            fields point into the body.
    """
    seats = body.get("seats")
    if seats is not None and len(seats) != count:
        raise RulesConflict(f"The table has {count} seats.", ("/seats",))
    person = body["claim"]["seat"] if "claim" in body else 0
    usual = (HumanSeat() if seat == person else default_bot() for seat in range(count))
    plan = tuple(usual) if seats is None else tuple(map(_seat_plan, seats))
    if "claim" in body:
        _check_claim(person, plan, seats)
    return plan


def repatched_rules(rules: Rules, given: Mapping[str, Any]) -> Rules:
    """Return *rules* with what *given* changes; a preset in it is begun afresh.

    Raises:
        RulesConflict: They contradict each other; its fields point into the body.
    """
    if given.get("seats", rules.seats) != rules.seats:
        raise RulesConflict(f"The table has {rules.seats} seats.", ("/rules/seats",))
    try:
        base = preset_rules(given["preset"], rules.seats) if "preset" in given else rules
        return changed_rules(base, given)
    except RulesConflict as exc:
        raise RulesConflict(str(exc), [f"/rules{field}" for field in exc.fields]) from exc


def changed_rules(base: Rules, given: Mapping[str, Any]) -> Rules:
    """Return *base* with the options that *given* names.

    Raises:
        RulesConflict: They contradict each other; its fields point into the rules.
    """
    data = rules_data(base)
    merged = {**data, **{name: given[name] for name in ("reveal",) if name in given}}
    for group in _GROUPS:
        merged[group] = {**data[group], **given.get(group, {})}
    rules = rules_from(merged)
    check_rules(rules)
    _check_echo(given, rules)
    return rules


def default_bot() -> BotSeat:
    """Return who takes a seat that nobody has said anything about."""
    return named_bot(bots.DEFAULT_LEVEL)


def named_bot(level: str, name: str | None = None) -> BotSeat:
    """Return a bot of *level* under *name*, or under the usual one."""
    return BotSeat(level, name or _BOT_NAMES[level])


def _seat_count(given: Mapping[str, Any], seats: list[Any] | None) -> int:
    if seats is None:
        usual = PRESETS[given.get("preset", DEFAULT_PRESET)].usual_seats
        return int(given.get("seats", usual))
    if given.get("seats", len(seats)) != len(seats):
        msg = f"The rules have {given['seats']} seats, the table {len(seats)}."
        raise RulesConflict(msg, ("/seats", "/rules/seats"))
    return len(seats)


def _present(fields: list[str], given: Mapping[str, Any], seats: list[Any] | None) -> list[str]:
    # A number of seats that stands nowhere in the rules comes from the list of seats.
    from_list = seats is not None and "seats" not in given
    return ["/seats" if field == "/rules/seats" and from_list else field for field in fields]


def _check_claim(seat: Seat, plan: PerSeat[SeatPlan], seats: list[Any] | None) -> None:
    others = [] if seats is None else ["/seats"]
    if seat >= len(plan):
        raise RulesConflict(f"The table has {len(plan)} seats.", ["/claim/seat", *others])
    if isinstance(plan[seat], BotSeat):
        raise RulesConflict(f"A bot plays seat {seat}.", ["/claim/seat", *others])


def _check_echo(given: Mapping[str, Any], rules: Rules) -> None:
    if given.get("version", RULES_VERSION) != RULES_VERSION:
        msg = f"This service reads the rules as version {RULES_VERSION}."
        raise RulesConflict(msg, ("/version",))
    derived = rules_data(rules)["derived"]
    wrong = [name for name, value in given.get("derived", {}).items() if value != derived[name]]
    if wrong:
        fields = [f"/derived/{name}" for name in wrong]
        raise RulesConflict("What follows from the rules is something else.", fields)


def _usual_seats(count: int) -> PerSeat[SeatPlan]:
    return (HumanSeat(), *(default_bot(),) * (count - 1))


def _seat_plan(seat: Mapping[str, Any]) -> SeatPlan:
    if seat["kind"] == "human":
        return HumanSeat()
    return named_bot(seat["level"], seat.get("name"))
