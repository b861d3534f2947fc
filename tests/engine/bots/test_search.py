import random

import pytest

from engine.bots.search import best_play, unlike_cards
from engine.cards import codes_of, union
from engine.state import Playing
from engine.view import view_for
from tests.engine.bots.bot_games import TABLES, decisions, short
from tests.engine.bots.other_worlds import other_world
from tests.table import a_deal, rules, trick

SEED = bytes(range(32))


def alike(state, seat=0):
    return codes_of(union(unlike_cards(view_for(seat, state))))


def plays(preset, seats):
    """Return every fifth play of a deal in which the seats play at random."""
    game = decisions(short(preset, seats, 1), "random")
    return [one for one in game if isinstance(one.state, Playing)][::5]


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_the_card_is_legal_whatever_is_hidden_and_the_same_again(preset, seats):
    rng = random.Random(f"{preset} {seats}")
    for one in plays(preset, seats):
        seat = one.view.you.seat
        found = best_play(one.view, one.seed, 20)
        other = view_for(seat, other_world(one.state, seat, rng))

        assert found & one.view.you.legal
        assert best_play(other, one.seed, 20) == found


def test_neighbours_are_tried_once_by_the_highest():
    state = a_deal(seat0="2C 3C 4C 7C 9C", seat1="5C 6D 7D 8D 9D", seat2="8C")

    assert alike(state) == ["4C", "7C", "9C"]


def test_a_card_that_has_been_played_separates_nothing_but_one_on_the_table_does():
    state = a_deal(seat1="6C 8C", seat2="2D 3D", trick=trick(0, "7C"))

    assert alike(state, 1) == ["6C", "8C"]


def test_cards_that_count_differently_are_not_alike():
    state = a_deal(seat0="JS QS KS", leads=0, rules=rules("black_maria"))

    assert alike(state) == ["JS", "QS", "KS"]


def test_where_pairs_cancel_every_card_is_tried():
    state = a_deal(seat0="2C 3C 4C", rules=rules("cancellation", 6))

    assert alike(state) == ["2C", "3C", "4C"]


def test_another_seed_means_other_worlds():
    some = plays("standard", 4)

    assert [best_play(one.view, bytes(32), 20) for one in some] != [
        best_play(one.view, SEED, 20) for one in some
    ]
