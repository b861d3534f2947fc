"""The same view, level and seed give the same move, in every process and Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.bots import LEVELS, choose
from engine.bots.easy_bot import EasyBot
from tests.engine.bots import choices
from tests.engine.bots.bot_games import BY_RULES, decisions, short

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("level", BY_RULES)
def test_the_same_view_and_seed_give_the_same_move_again(level):
    for decision in decisions(short("omnibus", 5), level):
        assert choose(decision.view, level, decision.seed) == decision.move


@pytest.mark.parametrize("level", ["random", "easy", "hard"])
def test_another_seed_gives_another_game(level):
    moves = [
        [choose(decision.view, level, seed) for seed in (bytes(32), b"\x01" * 32)]
        for decision in decisions(short("standard", 4, 1), level)
    ]

    assert any(first != second for first, second in moves)


def test_medium_leaves_nothing_to_chance():
    for decision in decisions(short("standard", 4), "medium"):
        assert choose(decision.view, "medium", b"\x01" * 32) == decision.move


def test_a_fresh_process_makes_the_same_moves():
    told = "from tests.engine.bots.choices import LEVELS, digest; print(*map(digest, LEVELS))"
    ran = subprocess.run(
        [sys.executable, "-c", told],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.split() == [choices.digest(level) for level in LEVELS]


@pytest.mark.parametrize("level", LEVELS)
def test_moves_change_only_with_the_version_of_a_level(level):
    """What to do about it is what the test says."""
    assert choices.complaint(level) is None


@pytest.fixture
def records(tmp_path, monkeypatch):
    """Keep what is recorded elsewhere, with what `easy` answered changed."""
    known = choices.recorded() | {choices.name("easy"): "f" * 64}
    (tmp_path / "choices.json").write_text(json.dumps(known))
    monkeypatch.setattr(choices, "RECORDED", tmp_path / "choices.json")
    monkeypatch.setattr(choices, "LEVELS", {name: LEVELS[name] for name in ("random", "easy")})


@pytest.mark.usefixtures("records")
def test_an_answer_that_has_changed_wants_another_version(capsys):
    assert choices.main() == 1

    said = capsys.readouterr().out
    assert "easy answers otherwise than it did as version 1: raise `version`" in said
    assert choices.recorded()[choices.name("easy")] == "f" * 64


@pytest.mark.usefixtures("records")
def test_another_version_is_recorded_beside_the_old_one(monkeypatch):
    old = choices.name("easy")
    monkeypatch.setattr(EasyBot, "version", 99)

    assert choices.complaint("easy") == "easy 99 is not recorded: run `make bot-choices`"
    assert choices.main() == 0

    assert choices.recorded()[old] == "f" * 64
    assert choices.recorded()["easy 99"] == choices.digest("easy")


@pytest.mark.usefixtures("records")
def test_a_version_that_nobody_has_played_with_can_be_taken_again():
    assert choices.main("easy") == 0

    assert choices.recorded()[choices.name("easy")] == choices.digest("easy")
