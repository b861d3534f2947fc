import random

import pytest

from engine.cards import code_of
from engine.playouts.attempts import Attempt
from engine.playouts.tables import table_of
from engine.view import view_for
from tests.engine.bots.bot_games import TABLES, short
from tests.engine.playouts.positions import a_draw, seat_of, some_positions, start_in, world_in
from tests.table import a_deal, trick

ONE_PACK = [(preset, seats) for preset, seats in TABLES if short(preset, seats).deck.packs == 1]


def attempt(state, draw=1):
    return Attempt(table_of(state.table.rules), start_in(state), world_in(state), draw)


@pytest.mark.parametrize(("preset", "seats"), ONE_PACK)
def test_it_begins_with_a_legal_card_and_comes_to_an_end(preset, seats):
    rng = random.Random(f"{preset} {seats}")
    for state in some_positions(short(preset, seats), rng, 10):
        card = attempt(state, a_draw(rng)).card

        assert card & view_for(seat_of(state), state).you.legal


def test_who_has_the_top_cards_shoots():
    state = a_deal(
        seat0="AC KC AH KH", seat1="QC QS 2H 3H", seat2="JC 4H 5H 6H", seat3="7H 8H 9H TH"
    )

    assert attempt(state).succeeded


def test_one_penalty_for_another_seat_ends_it():
    state = a_deal(seat0="AC 2H", seat1="3C 3H", seat2="4C 4H", seat3="5C 5H")

    assert not attempt(state).succeeded


def test_a_trick_without_penalties_may_go_to_another():
    state = a_deal(
        seat0="2D AH",
        seat1="3D 3H",
        seat2="4D 4H",
        seat3="5D 5H",
        hearts_broken=True,
    )

    assert code_of(attempt(state).card) == "AH"
    assert attempt(state).succeeded


@pytest.mark.parametrize(
    ("hand", "lies", "card"),
    [
        pytest.param("2D 9D KD", "5D", "KD", id="as high as possible while others follow"),
        pytest.param("2D 9D KD", "5D 3D 4D", "9D", id="as low as wins in the last place"),
        pytest.param("2D 9D", "TD", "2D", id="the lowest under a higher card"),
        pytest.param("2C QH AS", "TD", "2C", id="what would lose when it cannot follow"),
    ],
)
def test_it_goes_for_the_trick(hand, lies, card):
    leader = 4 - len(lies.split())
    state = a_deal(
        seat0=hand, seat1="3C 4C 6C", seat2="5C KC AH", seat3="JC QC KH", trick=trick(leader, lies)
    )

    assert code_of(attempt(state).card) == card
