"""What the net takes for a choice is what the rules allow, and what a search tries."""

import numpy as np
import pytest

from engine.bots.search import unlike_cards
from engine.cards import union
from engine.policy.choosing import legal_cards, unlike
from engine.state import TurnType
from engine.view import all_hands
from tests.engine.bots.bot_games import decisions, short

SUITS = tuple(0b1_1111_1111_1111 << 13 * suit for suit in range(4))


@pytest.mark.parametrize("level", ["random", "medium"])
def test_choices_are_legal_cards_unlike_each_other(level):
    seen = 0
    for one in decisions(short("standard", 4, 6), level):
        if one.view.turn.type is not TurnType.PLAY or not one.view.deal.trick_number:
            continue
        you, deal = one.view.you, one.view.deal
        if not deal.tricks and not deal.trick:
            continue  # the opening card is no choice
        own, pile = np.array([you.hand]), union(deal.trick)
        led = next((suit for suit in SUITS if deal.trick and deal.trick[0] & suit), 0)
        legal = legal_cards(own, led, is_broken=deal.hearts_broken, is_first=deal.trick_number == 1)
        assert legal.tolist() == [you.legal]
        others = union(all_hands(one.state)) | pile
        assert unlike(legal, own, others).tolist() == [union(unlike_cards(one.view))]
        seen += 1
    assert seen > 250
