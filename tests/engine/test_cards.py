"""Cards as bits: names, sets and order."""

import pytest

from engine.cards import (
    CLUBS,
    CODES,
    DIAMONDS,
    HEARTS,
    NO_CARDS,
    PACK_SIZE,
    QUEEN_OF_SPADES,
    SPADES,
    below,
    card,
    cards,
    code_of,
    codes_of,
    each,
    held,
    in_deck_order,
    lowest,
    named,
    one_of_each,
    rank_of,
    suit_of,
    twins,
    union,
)


def test_every_code_names_its_own_card():
    assert len(CODES) == len({card(code) for code in CODES}) == 52
    assert [code_of(card(code)) for code in CODES] == list(CODES)


def test_a_card_is_a_set_of_one():
    assert all(card(code).bit_count() == 1 for code in CODES)


def test_the_deck_begins_with_clubs_and_ends_with_hearts():
    assert (CODES[0], CODES[13], CODES[26], CODES[39], CODES[51]) == ("2C", "2D", "2S", "2H", "AH")


@pytest.mark.parametrize("code", ["", "Q", "SQ", "1S", "qs", "QSS", "10H", " QS"])
def test_other_texts_are_no_cards(code):
    with pytest.raises(ValueError, match="is not a card"):
        card(code)


def test_a_set_is_read_and_shown_in_deck_order():
    assert codes_of(cards("QS 2H TC")) == ["TC", "QS", "2H"]
    assert cards("") == NO_CARDS


def test_the_cards_of_a_set_come_lowest_first():
    assert [code_of(one) for one in each(cards("AH 2C QS"))] == ["2C", "QS", "AH"]
    assert code_of(lowest(cards("AH 9C QS"))) == "9C"
    assert lowest(NO_CARDS) == NO_CARDS


def test_a_higher_card_of_a_suit_is_a_larger_number():
    hearts = [card(f"{rank}H") for rank in "23456789TJQKA"]

    assert sorted(hearts) == hearts
    assert [rank_of(one) for one in hearts] == list(range(13))


def test_each_card_belongs_to_one_suit():
    suits = {"C": CLUBS, "D": DIAMONDS, "S": SPADES, "H": HEARTS}

    assert all(suit_of(card(code)) == suits[code[1]] for code in CODES)
    with pytest.raises(AssertionError):
        suit_of(NO_CARDS)


def test_constants_cover_a_second_pack():
    twin = card("QS") << PACK_SIZE

    assert twin & QUEEN_OF_SPADES
    assert suit_of(twin) == SPADES
    assert rank_of(twin) == rank_of(card("QS"))
    assert code_of(twin) == "QS"


def test_twins_stand_side_by_side():
    some = cards("2C QS AH") | card("QS") << PACK_SIZE

    assert codes_of(some) == ["2C", "QS", "QS", "AH"]
    assert [code_of(one) for one in in_deck_order(some)] == codes_of(some)
    assert codes_of(one_of_each(some)) == ["2C", "QS", "AH"]


def test_a_card_of_the_second_pack_is_one_of_each_where_it_stands_alone():
    second = cards("QS 2C") << PACK_SIZE

    assert one_of_each(second) == second
    assert one_of_each(second | card("2C")) == card("2C") | card("QS") << PACK_SIZE


def test_twins_name_each_other():
    second = card("QS") << PACK_SIZE

    assert named(second) == named(card("QS")) == card("QS")
    assert twins(second) == twins(card("QS")) == QUEEN_OF_SPADES
    assert held(card("QS"), second | card("2C")) == second
    assert held(second, cards("QS 2C")) == card("QS")
    assert held(second, QUEEN_OF_SPADES) == second
    assert held(card("QS"), cards("2C")) == NO_CARDS


def test_the_lowest_card_is_the_first_in_deck_order_of_either_pack():
    assert code_of(lowest(card("2C") << PACK_SIZE | card("3C"))) == "2C"
    assert code_of(lowest(cards("AH 9D") << PACK_SIZE)) == "9D"


@pytest.mark.parametrize("pack", [0, PACK_SIZE])
def test_below_a_card_are_the_lower_ones_of_its_suit_in_both_packs(pack):
    assert codes_of(below(card("4D") << pack)) == ["2D", "2D", "3D", "3D"]
    assert below(card("2C") << pack) == NO_CARDS


def test_a_union_has_the_cards_of_all():
    assert union([cards("2C 3C"), NO_CARDS, cards("3C QS")]) == cards("2C 3C QS")
