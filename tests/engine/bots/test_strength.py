"""How good the levels are, by duplicate matches."""

from itertools import pairwise

import pytest

from engine.events import DealScored
from tests.bench.strength import Kept
from tests.engine.bots.bot_games import BY_RULES, decisions, events_of, short
from tests.engine.bots.match import margin

NEIGHBOURS = tuple(pairwise(BY_RULES))


@pytest.mark.parametrize(("worse", "better"), NEIGHBOURS)
def test_a_level_beats_the_one_before_it_beyond_doubt(worse, better, capsys):
    found = margin(better, worse, "standard", 4, deals=240)

    with capsys.disabled():
        print(f"\n{better} beats {worse} by {found}")  # noqa: T201 - the figure belongs in the log
    assert found.deals == 240
    assert found.mean > 2 * found.error


def test_medium_beats_random_by_seven_and_a_half_points():
    assert margin("medium", "random", "standard", 4, deals=240).mean > 7.5


@pytest.mark.parametrize(("worse", "better"), NEIGHBOURS)
@pytest.mark.parametrize("preset", ["omnibus", "spot", "black_maria", "plain"])
@pytest.mark.parametrize(("seats", "deals"), [(3, 60), (7, 120)])
def test_a_level_beats_the_one_before_it_whatever_cards_count(worse, better, preset, seats, deals):
    found = margin(better, worse, preset, seats, deals)

    assert found.mean > 2 * found.error


def test_a_level_that_searches_beats_medium_beyond_doubt():
    found = margin("hard", "medium", "standard", 4, deals=40)

    assert found.mean > 2 * found.error


def test_a_game_that_is_kept_is_not_played_again(tmp_path):
    path = tmp_path / "games"
    played = margin("medium", "easy", "plain", 4, 3, kept=Kept(path))
    (game,) = Kept(path).items()

    assert margin("medium", "easy", "plain", 4, 3, kept=dict([game])) == played
    assert margin("medium", "easy", "plain", 4, 3, kept={game[0]: [1, 2, 3]}).mean == 2


def test_both_plays_of_a_deal_have_the_same_hands_and_every_direction_comes():
    rules = short("standard", 4, deals=4)
    dealt = [
        [deal.opened.hands for deal in events_of(decisions(rules, *pair), DealScored)]
        for pair in (("easy", "random"), ("random", "easy"))
    ]

    assert dealt[0] == dealt[1]
    assert len(dealt[0]) == len(set(rules.passing.cycle)) == 4
