"""Recorded games keep reading to the same result."""

import pytest

from engine.cards import CODES
from engine.decide import decide
from engine.evolve import fold
from engine.presets import PRESETS
from engine.rules import RULES_VERSION
from engine.state import table_of
from tests.engine.recordings import (
    commands_of,
    line_of,
    lines_of,
    links_of,
    read,
    recorded_games,
    result_of,
    results_of_all,
)

GAMES = pytest.mark.parametrize("path", recorded_games(), ids=lambda path: path.stem)


@GAMES
def test_a_recorded_game_reads_to_the_result_it_had(path):
    assert result_of(fold(None, read(path))) == results_of_all()[path.stem]


def with_later(line, written):
    """*line* with those members of *written* that it does not have yet, however deep."""
    match line, written:
        case dict(), dict():
            return {**written, **{name: with_later(line[name], written.get(name)) for name in line}}
        case list(), list() if len(line) == len(written):
            return [with_later(*pair) for pair in zip(line, written, strict=True)]
        case _:
            return line


@GAMES
def test_a_recorded_game_is_written_as_it_was(path):
    for event, line in zip(read(path), lines_of(path), strict=True):
        written = line_of(event)
        assert written == with_later(line, written)


@GAMES
def test_a_recorded_game_is_decided_the_same_way_again(path):
    """A change of the rules that alters this raises `RULES_VERSION`."""
    events = read(path)
    links = links_of(events)
    if lines_of(path)[0]["data"]["rules"]["version"] != RULES_VERSION:
        pytest.skip("decided by an earlier reading of the rules")

    again, state = [], None
    for command in commands_of(events):
        caused = decide(state, command, links.__getitem__)
        again, state = again + caused, fold(state, caused)

    assert list(map(line_of, again)) == in_todays_words(map(line_of, events))


def in_todays_words(lines):
    """Return *lines* with what is told in another way now, though nothing else happened.

    Passes were once told in the order sent, and are in deck order now.
    """
    told, direction = [], None
    for line in lines:
        data, private = line["data"], line["private"]
        if line["type"] == "deal.dealt":
            direction = data["pass"]
        if line["type"] == "cards.passed" and direction != "scatter":
            ((seat, part),) = private.items()
            private = {seat: {"cards": sorted(part["cards"], key=CODES.index)}}
        told.append({**line, "private": private})
    return told


def test_every_preset_has_a_recorded_game_at_each_of_its_tables():
    games = [table_of(fold(None, read(path))).rules for path in recorded_games()]

    tables = {(name, seats) for name, preset in PRESETS.items() for seats in preset.seats}
    assert {(rules.preset, rules.seats) for rules in games} == tables


def test_every_result_belongs_to_a_recording():
    assert list(results_of_all()) == [path.stem for path in recorded_games()]
