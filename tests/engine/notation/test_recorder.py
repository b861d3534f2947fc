"""A record tells what its viewer may see, and no more."""

import random
import re

import pytest

from engine import commands as c
from engine import events as e
from engine.evolve import fold
from engine.notation.reader import read_game
from engine.notation.record import (
    AbortLine,
    ControlLine,
    DealLine,
    KittyLine,
    MoonLine,
    Outcome,
    PassLine,
    ScoreLine,
    TrickLine,
    sole_versions,
)
from engine.notation.recorder import Eyes, Header, record_of
from engine.notation.writer import write_game
from engine.rules import Direction
from engine.scoring import MoonChoice
from tests.engine.notation.records import ALL, events_of, record, text_of
from tests.games import play_commands, random_move
from tests.table import a_lobby, after, create, of_type, rules, step

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}


def game_until(stop, name="standard", seats=4, seed=1, **options):
    """Return the events of a game up to the first command after which *stop* is true."""
    chosen, events = rules(name, seats, **options), []
    for _, caused in play_commands(chosen, random.Random(seed)):
        events += caused
        if stop(events):
            return events
    raise AssertionError("it never happens")


def played(count):
    return lambda events: sum(isinstance(one, e.CardPlayed) for one in events) == count


def passed(count):
    return lambda events: sum(isinstance(one, e.CardsPassed) for one in events) == count


def after_commands(events, *commands):
    """Return *events* and what *commands* add to them."""
    state = fold(None, events)
    for command in commands:
        caused, state = step(state, command)
        events = [*events, *caused]
    return events


def of(kind, found):
    return [line for line in found.lines if isinstance(line, kind)]


def test_tags_say_who_plays_what():
    events = events_of("omnibus", 5, 1)

    tags = record(events).tags

    created, finished = events[0], events[-1]
    assert [*tags][:6] == ["HGN", "Game", "Date", "Site", "Seats", "Seat0"]
    assert tags["Game"] == created.commitment[:32] == tags["Commitment"][:32]
    assert (tags["Date"], tags["Site"], tags["Origin"]) == ("2026-11-29", "hearts-api", "-")
    assert [tags[f"Seat{seat}"] for seat in range(5)] == ["Ana", *["Easy Bot"] * 3, "Dag"]
    assert [tags[f"Kind{seat}"] for seat in range(5)] == ["human", *["bot:easy"] * 3, "human"]
    assert (tags["Preset"], tags["Seats"], tags["Removed"]) == ("omnibus", "5", "2C 2D")
    assert tags["Result"] == " ".join(map(str, finished.totals))
    assert tags["Winner"] == " ".join(map(str, finished.winners))
    assert tags["Termination"] == finished.reason
    assert tags["ClientSeeds"].split()[1:] == ["-"] * 4


def test_rules_are_spelled_out_in_the_order_of_the_options():
    events = events_of("omnibus", 5, 1, deck={"remove": ["2C", "3C"]}, reveal="game_end")

    options = record(events).tags["Rules"].split(";")

    assert options[-1] == "reveal=game_end"
    groups = [option.partition(".")[0] for option in options[:-1]]
    assert [*dict.fromkeys(groups)] == ["deck", "passing", "play", "scoring", "ending"]
    for option in (
        "deck.remove=2C,3C",
        "passing.cycle=left,right",
        "scoring.extra=JD:-10",
        "scoring.moon_absorbs_bonus=false",
        "scoring.sun_points=-",
    ):
        assert option in options


def test_the_links_of_all_deals_stand_in_their_order():
    for reveal in ("deal_end", "game_end"):
        events = events_of("standard", 4, 3, reveal=reveal)

        seeds = record(events).tags["Seeds"].split()

        opened = [one.opened for one in events if isinstance(one, e.DealScored) and one.opened]
        assert seeds == [one.seed for one in [*opened, *events[-1].reveals]]
        assert len(seeds) == len(of(DealLine, record(events)))


def test_a_deal_is_told_line_by_line():
    events = events_of("kitty", 5, 1, ending=ONE_DEAL)

    lines = record(events).lines

    kinds = [type(line) for line in lines]
    assert kinds[:4] == [DealLine, PassLine, TrickLine, KittyLine]
    assert kinds[-1] is ScoreLine
    assert len(of(TrickLine, record(events))) == 10
    assert len(lines[0].kitty) == 2


def test_a_trick_says_who_took_it_and_what_it_counts():
    events = events_of("omnibus", 4, 1)
    tricks = [one for one in events if isinstance(one, e.TrickCompleted)]

    told = of(TrickLine, record(events))

    assert [line.outcome for line in told] == [Outcome(one.winner, one.points) for one in tricks]
    assert [line.number for line in told] == [one.trick for one in tricks]
    text = text_of(events)
    assert re.search(r"^[0-9]+\. [0-3]:(..) (..) (..) (..) =[0-3]$", text, re.MULTILINE)
    assert re.search(r" =[0-3]\+[0-9]+$", text, re.MULTILINE)
    assert re.search(r" =[0-3]-[0-9]+$", text, re.MULTILINE)


def test_a_trick_that_nobody_took_says_so():
    for seed in range(30):
        events = events_of("cancellation", 6, 2 * seed + 1, ending=ONE_DEAL)
        tricks = [one for one in events if isinstance(one, e.TrickCompleted)]
        if None in [one.winner for one in tricks]:
            break

    told = of(TrickLine, record(events))

    riding = [one.winner for one in tricks].index(None)
    assert told[riding].outcome == Outcome(None, 0)
    assert (told[riding + 1].leader, told[riding].leader) == (told[riding].leader,) * 2
    carried = tricks[riding + 1]
    assert told[riding + 1].outcome == Outcome(carried.winner, carried.points)
    assert re.search(r"^[0-9]+\. .* =-$", text_of(events), re.MULTILINE)


def test_passes_stand_in_the_order_in_which_they_were_made():
    events = game_until(passed(4))

    (line,) = of(PassLine, record(events))

    order = [one.seat for one in events if isinstance(one, e.CardsPassed)]
    assert [seat for seat, _ in line.passes] == order
    assert line.direction is Direction.LEFT


def test_a_deal_without_a_pass_has_no_line_of_it_and_one_that_holds_has():
    silent = game_until(played(1), passing={"count": 0})
    holding = game_until(played(1), "plain")

    assert of(PassLine, record(silent)) == []
    assert of(PassLine, record(holding)) == [PassLine(Direction.HOLD)]
    assert "\nP hold\n" in text_of(holding)


def test_a_moon_says_which_way_its_points_went():
    found = [
        (line, one.moon)
        for seed in range(40)
        for events in [events_of("standard", 7, seed)]
        for line, one in zip(
            of(MoonLine, record(events)),
            [one for one in events if isinstance(one, e.DealScored) and one.moon],
            strict=True,
        )
    ]

    assert found
    assert all(line == MoonLine(moon.seat, moon.choice) for line, moon in found)
    assert {moon.choice for _, moon in found} <= set(MoonChoice)


def test_kinds_say_the_version_of_a_level_that_has_moved_with_one_alone():
    events = after_commands(game_until(played(5)), c.KickSeat(0, "medium"))
    header = Header(versions={"easy": 3, "medium": 12})

    text = text_of(events, header=header)

    assert '\n[Kind1 "bot:easy/3"]\n' in text
    assert "\nC0 bot:medium/12 kicked\n" in text
    assert write_game(read_game(text).record) == text
    assert read_game(text).versions == header.versions


@pytest.mark.parametrize(
    ("named", "versions"),
    [
        ([("easy", 1), ("hard", 2), ("easy", 1)], {"easy": 1, "hard": 2}),
        ([("easy", 1), ("hard", 2), ("easy", 2)], {"hard": 2}),
        ([("easy", None), (None, None), ("hard", 2)], {"hard": 2}),
    ],
)
def test_a_level_of_two_versions_has_none(named, versions):
    assert sole_versions(named) == versions


def test_who_plays_stands_before_the_move_it_affects():
    events = game_until(played(5))
    state = fold(None, events)
    events = after_commands(
        events,
        c.KickSeat(0, "easy"),
        random_move(state, random.Random(1)),
        c.ReissueSeatToken(0),
    )

    *_, first, second, trick = record(events).lines

    assert first == ControlLine(0, "easy", "kicked")
    assert second == ControlLine(0, None, "reissued")
    assert (trick.number, len(trick.cards), trick.outcome) == (2, 2, None)
    assert "\nC0 bot:easy kicked\nC0 human reissued\n2. " in text_of(events)


def test_an_aborted_game_ends_with_its_last_move_and_says_so():
    events = after_commands(game_until(played(6)), c.AbortGame())

    found = record(events)

    assert isinstance(found.lines[-2], TrickLine)
    assert found.lines[-1] == AbortLine("host")
    assert [found.tags[name] for name in ("Result", "Winner")] == ["-", "-"]
    assert found.tags["Termination"] == "aborted"
    assert len(found.tags["Seeds"].split()) == 1


def test_a_lobby_is_a_game_without_lines():
    (created,), _ = step(None, create(rules("standard", 4)))

    found = record([created])

    assert found.lines == ()
    assert [found.tags[name] for name in ("Seat0", "ClientSeeds", "Seeds")] == ["-", "-", "-"]


@pytest.mark.parametrize("reader", [None, 0, 2])
def test_what_a_viewer_may_not_see_is_hidden(reader):
    events = game_until(passed(3))

    deal, passes = record(events, Eyes(reader)).lines

    hands = of_type(e.DealDealt, events).hands
    assert [hand is not None for hand in deal.hands] == [
        seat == reader for seat in range(len(hands))
    ]
    for seat, cards in passes.passes:
        assert (cards is not None) == (seat == reader)
    assert "? ? ?" in text_of(events, Eyes())


def test_only_who_took_the_kitty_sees_it():
    events = game_until(
        lambda events: any(isinstance(one, e.KittyTaken) for one in events), "kitty", 5
    )
    taker = of_type(e.KittyTaken, events).seat

    shown = {reader: record(events, Eyes(reader)).lines[0].kitty for reader in (None, *range(5))}

    assert {reader for reader, kitty in shown.items() if kitty is not None} == {taker}
    assert record(events, ALL).lines[0].kitty == shown[taker]


def test_what_is_open_is_whole_in_every_view():
    events = game_until(
        lambda events: sum(isinstance(one, e.DealDealt) for one in events) == 2, "kitty", 5
    )
    scored = next(n for n, one in enumerate(events, 1) if isinstance(one, e.DealScored))

    public = record(events, Eyes(revealed=scored)).lines

    assert public[:-1] == record(events).lines[:-1]
    assert set(public[-1].hands) == {None}
    assert public[-1].kitty is None


def test_names_are_written_so_that_they_are_read_back():
    table = a_lobby(None, None, "bot", 'A "B" \\C\\')
    game = after(table, c.ClaimSeat(0, '"'), c.ClaimSeat(1, "]"))

    tags = write_game(record_of(game.table, [], ALL, Header())).splitlines()

    assert '[Seat0 "\\""]' in tags
    assert '[Seat3 "A \\"B\\" \\\\C\\\\"]' in tags
