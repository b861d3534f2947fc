"""The same view, level and seed give the same move, in every process and Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.bots import LEVELS, choose
from tests.engine.bots.bot_games import BY_RULES, decisions, fingerprint, short

ROOT = Path(__file__).parents[3]
FINGERPRINTS = {
    ("random", 1): "02ad0b5951d8c7b1d590a6ac16f21877215e8889559aa1c8fce9469cfe844b99",
    ("easy", 1): "ff789b2ebe5484c056b1e1f2ff70b3274fdae355f78911ec24a9fc9fcc4f8fa6",
    ("medium", 1): "b7a133936dcff15bb3d9968fd6a775086f501c133228f5857511302bb78539a9",
    ("hard", 1): "10c86fa514294ab437a7756a02743b23dc4627586299944723de997588caf015",
    ("expert", 1): "56ffc79b3d54ea4a688ea9dfcee97e01f766964e5ad4a0e6541905ad5f7bd66f",
}


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


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_a_fresh_process_makes_the_same_moves(hash_seed):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.engine.bots.bot_games"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.split() == [fingerprint(level) for level in LEVELS]


@pytest.mark.parametrize("level", LEVELS)
def test_moves_change_only_with_the_version_of_a_level(level):
    assert fingerprint(level) == FINGERPRINTS[level, LEVELS[level].version]
