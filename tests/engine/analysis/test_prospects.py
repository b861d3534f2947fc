"""A moon that is worth going for is what a move is judged by."""

import pytest

from engine.analysis import analyse
from engine.analysis.judged import DEAR, OWN_MOON
from engine.analysis.passes import _better_half
from engine.analysis.prospects import Prospect, Shooting, analysis_of
from engine.cards import card
from engine.commands import PassCards, PlayCard
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


def a_prospect(meek, bold, code="2C", moons=0):
    """Return a prospect with these gains, *moons* of the bold ones by shooting it."""
    prospect = Prospect(PlayCard(0, card(code)), view_for(0, dealt(STRONG)))
    for tally, gains in ((prospect.meek, meek), (prospect.bold, bold)):
        for _ in gains:
            tally.add_moon((0, 26, 26, 26))
        tally.gains = gains
    prospect.meek.outcomes = [0] * len(meek)
    prospect.bold.outcomes = [OWN_MOON] * moons + [0] * (len(bold) - moons)
    return prospect


@pytest.mark.parametrize(
    ("bold", "better"),
    [(3 * 13 - 1, 0), (3 * 13, 0), (3 * 13 + 1, 1), (3 * 13 + 8, 8), (3 * 26, 3 * 13)],
)
def test_a_moon_counts_for_what_it_gains_beyond_half_of_the_penalties(bold, better):
    prospect = a_prospect([-3, 3], [bold - 1, bold + 1])

    assert sum(prospect.better.gains) == 2 * better


def test_a_moon_that_was_given_up_counts_for_nothing():
    prospect = a_prospect([0, 0], [3 * 26])

    assert prospect.better is prospect.in_full is prospect.meek


def test_in_full_a_moon_counts_for_all_that_it_gains_if_it_clearly_gains_something():
    clear = a_prospect([0, 0, 0, 0], [4, 5, 6, 7])
    luck = a_prospect([0, 0, 0, 0], [-30, 26, 26, 26])
    loss = a_prospect([0, 0, 0, 0], [-4, -5, -6, -7])

    assert clear.in_full is clear.bold
    assert luck.in_full is luck.meek
    assert loss.in_full is loss.meek


def test_who_goes_for_a_moon_is_no_worse_than_the_meek_where_it_gains_more_in_full():
    meek = a_prospect([12, 16, 12, 16], [-40] * 4, "2C")
    bold = a_prospect([-40] * 4, [40, 44, 40, 44], "3C")
    found = analysis_of(view_for(0, dealt(STRONG)), [bold, meek])

    assert found.best.move == meek.move
    assert not found.is_better(meek.move, bold.move)
    assert found.rival(bold.move).move == bold.move


def test_who_could_have_gone_for_a_moon_has_lost_what_it_gains_beyond_what_bots_ask_of_one():
    meek = a_prospect([12, 16, 12, 16], [-40] * 4, "2C")
    bold = a_prospect([-40] * 4, [75, 79, 75, 79], "3C")
    found = analysis_of(view_for(0, dealt(STRONG)), [meek, bold])

    assert found.rival(meek.move).move == bold.move
    assert found.difference(bold.move, meek.move) == ((77 - 39 - 14) / 4, 0.0)


def test_a_move_has_the_chance_of_a_moon_with_a_plan_for_it_and_without():
    found = analysis_of(view_for(0, dealt(STRONG)), [a_prospect([78] * 4, [79] * 4, moons=3)])
    cautious, in_full = (reading.judged[0] for reading in found.readings)

    assert (cautious.is_bold, cautious.own_moon, cautious.bold_moon) == (False, 0.0, 0.75)
    assert (in_full.is_bold, in_full.own_moon, in_full.bold_moon) == (True, 0.75, 0.75)


def test_a_moon_given_up_has_the_chance_of_rules_of_thumb():
    found = analysis_of(view_for(0, dealt(STRONG)), [a_prospect([78, 78], [79], moons=1)])

    assert len(found.readings) == 1
    assert (found.best.is_bold, found.best.own_moon, found.best.bold_moon) == (False, 0.0, 0.0)


def test_a_pass_of_losers_is_judged_by_the_moon_that_it_makes():
    view = passes.dealt(passes.STRONG)
    losers = PassCards(0, tuple(map(card, ("2D", "3D", "3H"))))
    found = analyse(view, SIMS, SEED, also=[losers])

    assert found.of(losers).own_moon > 0.5
    assert not found.is_better(found.best.move, losers)


def test_who_takes_all_that_is_left_takes_the_dearest_card_too():
    tally = a_prospect([], []).meek
    tally.add_moon((0, 26, 26, 26))

    assert tally.outcomes == [OWN_MOON | DEAR]


def test_of_passes_the_boldest_stays_to_the_end_beside_those_that_bots_prefer():
    meek = [a_prospect([gain, gain], [-40, -40], f"{gain}C") for gain in range(2, 10)]
    bold = a_prospect([-40, -40], [30, 30], "AH")
    left = _better_half([*meek, bold], [])

    assert bold not in sorted(left, key=lambda one: -sum(one.better.gains))[:5]
    assert bold in left
    assert len(left) == 6
