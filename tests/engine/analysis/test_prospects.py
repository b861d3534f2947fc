"""A moon that is worth going for is what a move is judged by."""

import pytest

from engine.analysis import analyse
from engine.analysis.prospects import Prospect, Shooting
from engine.cards import card
from engine.commands import PassCards
from engine.view import view_for
from tests.engine.bots import test_moon_pass as passes
from tests.engine.bots.test_moon_plan import SEED, SPOILT, STRONG, WEAK, dealt

SIMS = 1_000


def analysis(state):
    return analyse(view_for(0, state), SIMS, SEED)


def test_a_likely_moon_is_what_the_best_card_brings():
    found = analysis(dealt(STRONG))

    assert found.best.own_moon > 0.5
    assert found.best.points.mean < 13


def test_none_is_tried_once_another_has_a_penalty():
    assert Shooting(view_for(0, dealt(STRONG))).is_open
    assert not Shooting(view_for(0, dealt(STRONG, taken=SPOILT))).is_open


def test_a_weak_hand_gets_no_moon_from_it():
    assert analysis(dealt(WEAK)).best.own_moon < 0.1


@pytest.mark.parametrize(
    ("bold", "better"),
    [(3 * 13 - 1, 0), (3 * 13, 0), (3 * 13 + 1, 1), (3 * 13 + 8, 8), (3 * 26, 3 * 13)],
)
def test_a_moon_counts_for_what_it_gains_beyond_half_of_the_penalties(bold, better):
    prospect = Prospect(PassCards(0, ()), view_for(0, dealt(STRONG)))
    prospect.meek.gains, prospect.bold.gains = [-3, 3], [bold - 1, bold + 1]

    assert sum(prospect.better.gains) == 2 * better


def test_a_moon_that_was_given_up_counts_for_nothing():
    prospect = Prospect(PassCards(0, ()), view_for(0, dealt(STRONG)))
    prospect.meek.gains, prospect.bold.gains = [0, 0], [3 * 26]

    assert prospect.better is prospect.meek


def test_a_pass_of_losers_is_judged_by_the_moon_that_it_makes():
    view = passes.dealt(passes.STRONG)
    losers = PassCards(0, tuple(map(card, ("2D", "3D", "3H"))))
    found = analyse(view, SIMS, SEED, also=[losers])

    assert found.of(losers).own_moon > 0.5
    assert not found.is_better(found.best.move, losers)
