import random

import pytest

from engine import events as e
from engine.analysis.decisions import played_deals
from engine.commands import ChooseMoon, PassCards, PlayCard
from engine.view import view_for
from tests.engine.recordings import read, recorded_games
from tests.games import play_game
from tests.table import rules

_MADE = {e.CardsPassed: PassCards, e.CardPlayed: PlayCard, e.MoonChosen: ChooseMoon}
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}


@pytest.mark.parametrize("path", recorded_games(), ids=lambda path: path.stem)
def test_every_decision_of_a_deal_that_was_scored_is_there_once(path):
    events = read(path)
    scored = {event.deal for event in events if isinstance(event, e.DealScored)}
    made = [
        (seq, event.seat, _MADE[type(event)])
        for seq, event in enumerate(events, 1)
        if isinstance(event, tuple(_MADE)) and event.deal in scored
    ]

    found = [one for deal in played_deals(events) for one in deal.decisions]

    assert [(one.seq, one.move.seat, type(one.move)) for one in found] == made
    for one in found:
        view = view_for(one.move.seat, one.state)
        assert view.you.to_act
        assert view.turn.type is one.phase


@pytest.mark.parametrize("path", recorded_games(), ids=lambda path: path.stem)
def test_a_deal_has_the_points_that_it_was_scored_with(path):
    events = read(path)

    found = {deal.number: deal.points for deal in played_deals(events)}

    assert found == {one.deal: one.points for one in events if isinstance(one, e.DealScored)}


def test_a_trick_has_one_lead():
    events = a_game()

    for deal in played_deals(events):
        leads = [one.trick for one in deal.decisions if one.is_lead]
        assert leads == list(range(1, 14))


def test_a_deal_knows_what_everybody_passed():
    events = a_game()
    deal = next(iter(played_deals(events)))

    made = {one.move.seat: one.move.cards for one in deal.decisions if one.trick == 0}

    assert deal.passes == tuple(made[seat] for seat in range(4))


def test_every_decision_has_chance_of_its_own_from_its_deal_s_link():
    events = a_game()
    deals = list(played_deals(events))

    seeds = [deal.seed(one) for deal in deals for one in deal.decisions]
    seeds += [deal.outset_seed() for deal in deals]

    assert len(set(seeds)) == len(seeds)
    assert len(deals[0].link) == 64
    assert deals[0].link != deals[1].link


def a_game():
    return play_game(rules(ending=TWO_DEALS), random.Random(3))
