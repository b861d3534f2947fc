from dataclasses import replace

import pytest

from engine.bots.memory import recall
from engine.bots.outlook import Outlook
from engine.cards import card, cards, codes_of, each
from engine.view import view_for
from tests.table import a_deal, rules, trick

OMNIBUS = rules("omnibus")


@pytest.mark.parametrize(
    ("on_table", "hand", "loses"),
    [
        pytest.param("TD", "9D", True, id="a lower card"),
        pytest.param("TD", "JD", False, id="a higher card"),
        pytest.param("TD", "AC", True, id="another suit"),
        pytest.param("TD AC", "JD", False, id="a higher card of another suit lies there"),
        pytest.param("", "2D", False, id="a lead"),
    ],
)
def test_a_card_loses_if_it_is_not_above_the_best_of_the_suit_led(on_table, hand, loses):
    seat = len(on_table.split())
    game = a_deal(trick=trick(0, on_table), **{f"seat{seat}": hand})

    assert _outlook(game, seat).loses(card(hand)) == loses


@pytest.mark.parametrize(
    ("on_table", "points", "more"),
    [
        pytest.param("4D 5D 6D", 0, "", id="nothing lies there"),
        pytest.param("4D QS 5D", 13, "", id="the queen lies there"),
        pytest.param("4D QS 5D", 13, "2D 3D", id="others of the suit stay"),
        pytest.param("4D 2H 3H", 2, "", id="two hearts lie there"),
    ],
)
def test_the_last_to_play_knows_what_a_trick_costs(on_table, points, more):
    game = a_deal(seat3=f"KD {more}", trick=trick(0, on_table))
    free = a_deal(seat3=f"KD {more}", trick=trick(0, "4D 5D 6D"))

    cost, nothing = (_prices(one, 3)["KD"] for one in (game, free))

    assert cost - nothing == pytest.approx(points, abs=1)


def test_a_card_thrown_is_priced_by_what_it_no_longer_costs():
    game = a_deal(seat1="QS AH KC 2H", trick=trick(0, "9D"))

    prices = _prices(game, 1)

    assert sorted(prices, key=prices.get) == ["QS", "AH", "KC", "2H"]


def test_the_king_of_spades_is_dear_to_lead_until_the_queen_is_gone():
    game = a_deal(seat0="KS 2S", leads=0)
    gone = _after(game, trick(1, "QS 3S 4S 5S"))

    assert _prices(game, 0)["KS"] > 3
    assert _prices(gone, 0)["KS"] < _prices(game, 0)["KS"] / 2


def test_a_lead_is_dearer_where_somebody_is_void():
    game = a_deal(seat0="9D 2C", leads=0, hearts_broken=True)
    void = _after(game, trick(1, "3D QC KD 4D"))
    not_void = _after(game, trick(1, "3D QD KD 4D"))

    assert _prices(void, 0)["9D"] > _prices(not_void, 0)["9D"] + 1


def test_a_lead_is_dearest_where_the_void_seat_is_known_to_hold_the_queen():
    void = _after(a_deal(seat0="AD 2C", leads=0, hearts_broken=True), trick(1, "3D QC KD 4D"))
    view = view_for(0, void)
    passed = [
        replace(view, you=replace(view.you, passed=((seat, cards("QS")),))) for seat in (1, 2)
    ]

    elsewhere, there = (_outlook_of(one).price(card("AD")) for one in passed)

    assert there > elsewhere + 5


def test_a_first_trick_without_points_costs_nothing():
    game = a_deal(seat1="AC KC", trick=trick(0, "2C"), first_trick=True)

    assert _prices(game, 1)["AC"] < 0


def test_a_bonus_is_worth_a_trick_and_is_not_thrown_away():
    taken = a_deal(rules=OMNIBUS, trick=trick(0, "4D 5D 6D"), seat3="JD AC")
    thrown = a_deal(rules=OMNIBUS, trick=trick(0, "4S 5S 6S"), seat3="JD AC")

    assert _prices(taken, 3)["JD"] < -5
    assert _prices(thrown, 3)["JD"] > 5


def test_a_bonus_is_not_led_while_somebody_may_go_over_it():
    game = a_deal(rules=OMNIBUS, seat0="JD 4C", leads=0)
    safe = _after(game, trick(1, "QD KD AD 2D"))

    assert _prices(game, 0)["JD"] > _prices(game, 0)["4C"]
    assert _prices(safe, 0)["JD"] < -5


def test_where_no_card_counts_every_play_is_free():
    nothing = rules(scoring={"queen_of_spades": 0, "hearts": {}, "moon": "off"})
    game = a_deal(rules=nothing, seat0="AC 2D QS 5H", leads=0, hearts_broken=True)

    assert set(_prices(game, 0).values()) == {0.0}


def _prices(game, seat):
    outlook = _outlook(game, seat)
    (hand,) = (view_for(seat, game).you.legal,)
    return dict(zip(codes_of(hand), map(outlook.price, each(hand)), strict=True))


def _outlook(game, seat):
    return _outlook_of(view_for(seat, game))


def _outlook_of(view):
    return Outlook(view.you.situation, recall(view), view.rules)


def _after(game, *played):
    return replace(game, tricks=tuple((one, one.leader) for one in played))
