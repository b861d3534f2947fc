import pytest

from engine.cards import card, cards
from engine.stakes import burden, points_of, relief, threat
from tests.table import STANDARD, rules

OMNIBUS = rules("omnibus")
SPOT = rules("spot")
BLACK_MARIA = rules("black_maria")
PLAIN = rules("plain")


def test_points_are_those_of_the_rules():
    assert [points_of(card(code), OMNIBUS) for code in ("QS", "2H", "JD", "AC")] == [13, 1, -10, 0]


@pytest.mark.parametrize(
    ("more", "less", "rules"),
    [
        pytest.param("KC", "QC", STANDARD, id="the higher rank"),
        pytest.param("KS", "AH", STANDARD, id="what may catch the dearest card"),
        pytest.param("KS", "JS", STANDARD, id="above the dearest card, not below"),
        pytest.param("AS", "AC", BLACK_MARIA, id="dear cards of any variant"),
        pytest.param("AH", "AS", SPOT, id="a heart that counts its rank"),
        pytest.param("AC", "AD", OMNIBUS, id="what may catch no bonus"),
    ],
)
def test_more_is_at_stake_with(more, less, rules):
    hand = cards(f"{more} {less}")

    assert threat(card(more), hand, rules) > threat(card(less), hand, rules)


def test_the_queen_in_ones_own_hand_threatens_no_king():
    king, hand = card("KS"), cards("KS QS")

    assert threat(king, hand, STANDARD) < threat(king, king, STANDARD)


def test_the_queen_of_spades_threatens_nobody_where_she_counts_nothing():
    assert threat(card("QS"), cards("QS"), PLAIN) == threat(card("QC"), cards("QC"), PLAIN)


def test_lower_cards_of_its_suit_guard_a_card():
    king = card("KD")

    assert burden(king, cards("KD 2D 3D"), STANDARD) < burden(king, cards("KD 2C 3C"), STANDARD)
    assert burden(king, cards("KD AD"), STANDARD) == burden(king, king, STANDARD)


def test_it_is_a_relief_to_throw_the_dearest_card_and_none_to_throw_a_bonus():
    hand = cards("QS AH KC JD 2C")

    def key(code):
        return relief(card(code), hand, OMNIBUS)

    assert sorted(["QS", "2C", "JD", "AH", "KC"], key=key) == ["JD", "2C", "KC", "AH", "QS"]


def test_stakes_are_whole_numbers_where_no_card_counts():
    nothing = rules(scoring={"queen_of_spades": 0, "hearts": {}, "moon": "off"})

    assert threat(card("AC"), cards("AC"), nothing) == 12
