"""Recorded games: readable events, one a line, all private parts included.

`python -m tests.engine.recordings standard 4 17` records a new game of the preset at four
seats, played by the random moves of seed 17; `restless 4 17` one in which people come and
go, `voided 4 17` one in which deals are voided. A recording is never changed: later versions
of the engine read it to the same result, whatever became of the rules. What a line does not
have yet is read as its default.
"""

import json
import random
import re
import sys
from dataclasses import replace
from pathlib import Path

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.cards import card, codes_of, each, held, union
from engine.disclosure import private_part, public_part
from engine.evolve import evolve, fold
from engine.passing import picked
from engine.playing import riding
from engine.presets import preset_rules
from engine.readable import rules_from
from engine.rules import MOST_DEALS, Direction, Ending, Tie
from engine.scoring import MoonChoice, Reason, ShotKind
from engine.state import status_of, table_of
from tests.games import play_commands, play_game, restless_commands, voiding
from tests.table import apart

FOLDER = Path(__file__).with_name("recorded")
RESULTS = FOLDER / "results.json"


def recorded_games():
    """Return the files of all recordings, in order of their names."""
    return sorted(FOLDER.glob("*.jsonl"))


def read(path):
    """Return the events of one recording."""
    state, events = None, []
    for seq, line in enumerate(lines_of(path), 1):
        events.append(told_apart(event_of(seq, line), state))
        state = evolve(state, events[-1])
    return events


def lines_of(path):
    """Return the lines of one recording as plain values."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def line_of(event):
    """Return *event* as a plain value."""
    type_name = re.sub(r"(?<!^)([A-Z])", r".\1", type(event).__name__).lower()
    return {
        "type": type_name,
        "data": public_part(event),
        "private": dict(private_part(event)),
    }


def record(preset, seats, seed, deals):
    """Return the events of a game of some deals, ties shared."""
    rules = replace(
        preset_rules(preset, seats), ending=Ending(target=None, deals=deals, tie=Tie.SHARE)
    )
    return play_game(rules, random.Random(seed))


def record_restless(seats, seed):
    """Return the events of a game of two deals in which people come and go."""
    ending = Ending(target=None, deals=2, tie=Tie.SHARE)
    rules = replace(preset_rules("standard", seats), ending=ending)
    commands = restless_commands(rules, random.Random(seed))
    return [event for _, events in commands for event in events]


def record_voided(seats, seed):
    """Return the events of a game of two deals in which others are voided."""
    ending = Ending(target=None, deals=2, tie=Tie.SHARE)
    rules = replace(preset_rules("standard", seats), ending=ending)
    choose = voiding(0.02, skips=(0, 0, 3))
    commands = play_commands(rules, random.Random(seed), choose)
    return [event for _, events in commands for event in events]


def save(name, events):
    """Write a new recording, and what it came to; a recording that is there stays."""
    lines = [json.dumps(line_of(event), separators=(",", ":")) for event in events]
    with (FOLDER / f"{name}.jsonl").open("x", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)
    results = {**results_of_all(), name: result_of(fold(None, events))}
    entries = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results)]
    RESULTS.write_text("{\n" + ",\n".join(entries) + "\n}\n", "ascii")


def result_of(state):
    """Return what a game came to, as a plain value."""
    table, result = table_of(state), state.result
    return {
        "version": state.version,
        "status": status_of(state).value,
        "totals": list(table.totals),
        "winners": None if result is None else list(result.winners),
        "places": None if result is None else list(result.places),
        "reason": None if result is None else result.reason.value,
    }


def results_of_all():
    """Return what each recording came to when it was made, by its name."""
    return json.loads(RESULTS.read_text("ascii")) if RESULTS.exists() else {}


# Twins: a line says codes, and which of two equal cards is which is settled here


def told_apart(event, state):  # noqa: PLR0911 - one case per event
    """Return *event*, read from a line, with the very cards that *state* knows by these codes."""
    match event:
        case e.DealDealt():
            *hands, kitty = apart([*event.hands, event.kitty])
            return replace(event, hands=tuple(hands), kitty=kitty)
        case e.CardsPassed(seat=seat, cards=cards):
            return replace(event, cards=picked(cards, state.hands[seat]))
        case e.PassCompleted():
            left = [union(cards) for cards in state.passed]
            return replace(event, received=tuple(_gifts(got, left) for got in event.received))
        case e.CardPlayed(seat=seat, card=one):
            return replace(event, card=held(one, state.hands[seat]))
        case e.TrickCompleted():
            return replace(event, cards=state.trick, carried=riding(state.tricks))
        case e.KittyTaken():
            return replace(event, cards=state.table.kitties[-1])
        case e.DealScored(opened=e.Opened() as opened) | e.DealVoided(opened=e.Opened() as opened):
            return replace(event, opened=_as_dealt(opened, state))
        case e.GameFinished() | e.GameAborted():
            reveals = tuple(_as_dealt(opened, state) for opened in event.reveals)
            return replace(event, reveals=reveals)
        case _:
            return event


def _gifts(received, left):
    """Return the cards that came from each giver, taking them from what is *left* of its pass."""
    gifts = []
    for giver, some in received:
        gifts.append((giver, union(picked(tuple(each(some)), left[giver]))))
        left[giver] &= ~gifts[-1][1]
    return tuple(gifts)


def _as_dealt(opened, state):
    table = table_of(state)
    place = table.numbers.index(opened.deal)
    hands, kitty = table.dealt[place], table.kitties[place]
    assert [*map(codes_of, hands)] == [*map(codes_of, opened.hands)]
    assert codes_of(kitty) == codes_of(opened.kitty)
    return replace(opened, hands=hands, kitty=kitty)


# Reading: from plain values back to events


def event_of(seq, line):
    """Return the event of line number *seq*."""
    data = line["data"]
    if line["type"] == "moon.chosen":
        data = {"turn_id": seq - 1, **data}  # nothing came between a shot and its choice
    return READERS[line["type"]](data, line["private"])


def _cards(codes):
    return union(apart(card(code) for code in codes))


def _in_order(codes):
    return tuple(card(code) for code in codes)


def _hands(hands):
    return tuple(_cards(codes) for codes in hands)


def _card(code):
    return None if code is None else card(code)


def _only(private, name):
    """Return the member *name* of the only private part, or None."""
    return next((part[name] for part in private.values()), None)


def _created(data, private):
    return e.GameCreated(
        rules=rules_from(data["rules"]),
        seats=tuple(
            c.BotSeat(seat["level"], seat["name"]) if seat["kind"] == "bot" else c.HumanSeat()
            for seat in data["seats"]
        ),
        commitment=data["fairness"]["commitment"],
        host_grant=data["host_grant"],
        nonce=private["server"]["nonce"],
        key_id=private["server"]["key_id"],
        lobby=c.LobbyOptions(
            is_open=data.get("lobby", "open") == "open",
            auto_start=data.get("auto_start", False),
            fill_with_bots=data.get("fill_with_bots", False),
        ),
    )


def _dealt(data, private):
    seats = range(len(data["hand_sizes"]))
    return e.DealDealt(
        deal=data["deal"],
        dealer=data["dealer"],
        direction=None if data["pass"] is None else Direction(data["pass"]),
        pass_count=data["pass_count"],
        leader=data["leader"],
        opening_card=_card(data["opening_card"]),
        hands=tuple(_cards(private[str(seat)]["hand"]) for seat in seats),
        kitty=_cards(private.get("table", {"kitty": []})["kitty"]),
    )


def _pass_completed(data, private):
    gifts = [private[str(seat)]["received"] for seat in range(len(private))]
    return e.PassCompleted(
        deal=data["deal"],
        leader=data["leader"],
        opening_card=_card(data["opening_card"]),
        received=tuple(
            tuple((gift["from"], _cards(gift["cards"])) for gift in some) for some in gifts
        ),
    )


def _moon(data):
    if data is None:
        return None
    return e.MoonScored(
        data["seat"], ShotKind(data["kind"]), data["points"], MoonChoice(data["choice"])
    )


def _opened(deal, data):
    if data is None:
        return None
    return e.Opened(deal, data["seed"], _hands(data["hands"]), _cards(data.get("kitty", [])))


def _scored(data, _):
    return e.DealScored(
        deal=data["deal"],
        taken=tuple(data["taken"]),
        points=tuple(data["points"]),
        totals=tuple(data["totals"]),
        moon=_moon(data["moon"]),
        opened=_opened(data["deal"], data["reveal"]),
    )


def _reveals(data):
    return tuple(_opened(deal["deal"], deal) for deal in data["reveals"])


READERS = {
    "game.created": _created,
    "seat.claimed": lambda data, private: e.SeatClaimed(
        data["seat"], data["name"], data["grant"], _only(private, "client_seed")
    ),
    "seat.updated": lambda data, private: e.SeatUpdated(
        data["seat"],
        data["name"],
        client_seed_given=data["client_seed_given"],
        client_seed=_only(private, "client_seed"),
        ready=data.get("ready", False),
    ),
    "options.changed": lambda data, _: e.OptionsChanged(rules_from(data["changes"]["rules"])),
    "lobby.changed": lambda data, _: e.LobbyChanged(is_open=data["lobby"] == "open"),
    "seat.bot.assigned": lambda data, _: e.SeatBotAssigned(**data),
    "seat.released": lambda data, _: e.SeatReleased(**data),
    "seat.kicked": lambda data, _: e.SeatKicked(**data),
    "seat.token.rotated": lambda data, _: e.SeatTokenRotated(**data),
    "host.token.rotated": lambda data, _: e.HostTokenRotated(**data),
    "control.changed": lambda data, _: e.ControlChanged(
        data["seat"], data["level"], data["reason"]
    ),
    "game.started": lambda data, _: e.GameStarted(tuple(data["client_seeds"])),
    "deal.dealt": _dealt,
    "cards.passed": lambda data, private: e.CardsPassed(
        data["deal"],
        data["seat"],
        _in_order(_only(private, "cards")),
        data["turn_id"],
        data["auto"],
    ),
    "pass.completed": _pass_completed,
    "card.played": lambda data, _: e.CardPlayed(**data | {"card": card(data["card"])}),
    "trick.completed": lambda data, _: e.TrickCompleted(
        **data | {name: _in_order(data[name]) for name in ("cards", "carried") if name in data}
    ),
    "kitty.taken": lambda data, private: e.KittyTaken(
        data["deal"], data["seat"], _cards(_only(private, "cards"))
    ),
    "moon.shot": lambda data, _: e.MoonShot(**data | {"kind": ShotKind(data["kind"])}),
    "moon.chosen": lambda data, _: e.MoonChosen(**data | {"choice": MoonChoice(data["choice"])}),
    "deal.scored": _scored,
    "deal.voided": lambda data, _: e.DealVoided(
        data["deal"], data["reason"], _opened(data["deal"], data["reveal"])
    ),
    "game.finished": lambda data, _: e.GameFinished(
        totals=tuple(data["totals"]),
        places=tuple(data["places"]),
        winners=tuple(data["winners"]),
        reason=Reason(data["reason"]),
        reveals=_reveals(data),
    ),
    "game.aborted": lambda data, _: e.GameAborted(
        data["reason"], tuple(data["totals"]), _reveals(data)
    ),
}


# Deciding again: from events back to what was asked


def commands_of(events):  # noqa: C901, PLR0912 - one case per event
    """Yield the commands that led to *events*."""
    for event, following in zip(events, [*events[1:], None], strict=True):
        match event:
            case e.GameCreated():
                yield c.CreateGame(
                    event.rules,
                    event.seats,
                    event.commitment,
                    event.nonce,
                    event.key_id,
                    lobby=event.lobby,
                )
            case e.SeatClaimed():
                yield c.ClaimSeat(event.seat, event.name, event.client_seed, event.grant)
            case e.SeatUpdated():
                yield c.UpdateSeat(event.seat, event.name, event.client_seed, event.ready)
            case e.OptionsChanged(rules=rules):
                yield c.ChangeOptions(rules=rules)
            case e.LobbyChanged(is_open=is_open):
                yield c.ChangeOptions(is_open=is_open)
            case e.SeatBotAssigned(seat=seat, level=level, name=name):
                yield c.AssignBot(seat, c.BotSeat(level, name))
            case e.SeatReleased(seat=seat, grant=grant, reason=reasons.BOT_REMOVED):
                yield c.OpenSeat(seat, grant)
            case e.SeatReleased(seat=seat, grant=grant):
                yield c.ReleaseSeat(seat, getattr(following, "level", "easy"), grant)
            case e.SeatKicked(seat=seat, grant=grant):
                yield c.KickSeat(seat, getattr(following, "level", "easy"), grant)
            case e.SeatTokenRotated(seat=seat, grant=grant):
                yield c.ReissueSeatToken(seat, grant)
            case e.HostTokenRotated(grant=grant):
                yield c.RotateHostToken(grant)
            case e.GameStarted():
                yield c.StartGame()
            case e.CardsPassed():
                yield c.PassCards(event.seat, event.cards, event.auto)
            case e.CardPlayed():
                yield c.PlayCard(event.seat, event.card, event.auto)
            case e.MoonChosen():
                yield c.ChooseMoon(event.seat, event.choice, event.auto)
            case e.DealVoided(deal=deal, reason=reason):
                later = getattr(following, "deal", MOST_DEALS + 1)
                yield c.VoidDeal(reason, later - deal - 1)
            case e.GameAborted():
                yield c.AbortGame()
            case _:
                continue  # a consequence of the command before


def links_of(events):
    """Return the link of each deal that was opened in *events*."""
    links = {}
    for event in events:
        match event:
            case (
                e.DealScored(opened=e.Opened() as opened)
                | e.DealVoided(opened=e.Opened() as opened)
            ):
                links[opened.deal] = opened.seed
            case e.GameFinished(reveals=reveals) | e.GameAborted(reveals=reveals):
                links |= {opened.deal: opened.seed for opened in reveals}
            case _:
                continue
    return links


if __name__ == "__main__":
    name, seats, seed, *more = sys.argv[1:]
    special = {"restless": record_restless, "voided": record_voided}
    if name in special:
        save(f"{name}-{seats}", special[name](int(seats), int(seed)))
    else:
        deals = int(more[0]) if more else 1
        save(f"{name}-{seats}", record(name, int(seats), int(seed), deals))
