import pytest

from engine.analysis.words import card_words, dearest_words
from engine.cards import cards, twins


def test_a_card_is_called_by_its_rank_and_suit():
    assert [card_words(code) for code in ("2C", "TD", "QS", "AH")] == [
        "two of clubs", "ten of diamonds", "queen of spades", "ace of hearts",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("dearest", "words"),
    [
        pytest.param(cards("QS"), "the queen of spades", id="one card"),
        pytest.param(twins(cards("QS")), "every queen of spades", id="two packs"),
        pytest.param(cards("9D"), "the nine of diamonds", id="any card of the rules"),
        pytest.param(cards("2H KH"), "every heart", id="hearts"),
        pytest.param(cards("AS AD"), "all the dearest cards", id="several suits"),
    ],
)
def test_the_dearest_cards_are_called_by_what_they_are(dearest, words):
    assert dearest_words(dearest) == words
