"""How good the levels are, by duplicate matches."""

import pytest

from engine.events import DealScored
from tests.engine.bots.bot_games import decisions, events_of, short
from tests.engine.bots.match import margin


def test_easy_beats_random_beyond_doubt(capsys):
    found = margin("easy", "random", "standard", 4, deals=240)

    with capsys.disabled():
        print(f"\neasy beats random by {found}")  # noqa: T201 - the figure belongs in the log
    assert found.deals == 240
    assert found.mean > 2 * found.error


@pytest.mark.parametrize("preset", ["omnibus", "spot", "black_maria", "plain"])
@pytest.mark.parametrize("seats", [3, 7])
def test_easy_beats_random_whatever_cards_count(preset, seats):
    found = margin("easy", "random", preset, seats, deals=40)

    assert found.mean > 2 * found.error


def test_both_plays_of_a_deal_have_the_same_hands_and_every_direction_comes():
    rules = short("standard", 4, deals=4)
    dealt = [
        [deal.opened.hands for deal in events_of(decisions(rules, *pair), DealScored)]
        for pair in (("easy", "random"), ("random", "easy"))
    ]

    assert dealt[0] == dealt[1]
    assert len(dealt[0]) == len(set(rules.passing.cycle)) == 4
