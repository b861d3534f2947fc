import pytest

from engine.bots.giving import heaviest, scales_of
from engine.cards import cards, union
from tests.engine.bots.bot_games import TABLES
from tests.table import STANDARD, names, rules

OMNIBUS = rules("omnibus")
BLACK_MARIA = rules("black_maria")
SPOT = rules("spot")
PLAIN = rules("plain")


@pytest.mark.parametrize(
    ("hand", "given", "rules"),
    [
        pytest.param(
            "2C 3C 5C QS KS AS 4D 5D 6D 7D 2H 3H 4H", "QS KS AS", STANDARD, id="queen and above"
        ),
        pytest.param(
            "2C 3C 4C 5C 6C 7C 8C JD KD 2H 3H 4H 5H", "JD KD", STANDARD, id="a short suit whole"
        ),
        pytest.param(
            "2S 3S 4S 5S 6S QS 9C TC JC QC KC AC 2H", "AC KC QC", STANDARD, id="not a guarded queen"
        ),
        pytest.param(
            "2C 3C 4C 5C 6C 7C 2D 3D 4D 5D JH QH AH", "JH QH AH", STANDARD, id="high hearts"
        ),
        pytest.param(
            "2C 3C 4C 2D 3D 4D 5D 6D KS AS 2H 3H 4H", "KS AS", BLACK_MARIA, id="the dear of others"
        ),
        pytest.param(
            "9C TC JC QC KC AC 9S TS JS 2H 3H 4H AH", "AH", SPOT, id="what a heart's rank costs"
        ),
    ],
)
def test_it_gives_away(hand, given, rules):
    passed = heaviest(cards(hand), 3, rules)

    assert names(union(passed)) >= names(cards(given))


@pytest.mark.parametrize(
    ("hand", "kept", "rules"),
    [
        pytest.param("2C 3C 4C 9D TD JD 2S 3S 4S QS AC KC QC", "2S 3S 4S", STANDARD, id="guards"),
        pytest.param("2C JD 9S TS JS KC AC 2H 3H 4H 5H 6H 7H", "JD", OMNIBUS, id="a bonus card"),
        pytest.param("2C KC AC 3D 4D 5D 6D AD TS JS 3H 4H 5H", "AD", OMNIBUS, id="what catches it"),
        pytest.param("2C 3C AC 2S 3S 4S QS 2D 3D AD KD 2H AH", "QS", PLAIN, id="a harmless queen"),
    ],
)
def test_it_keeps(hand, kept, rules):
    passed = heaviest(cards(hand), 3, rules)

    assert not names(union(passed)) & names(cards(kept))


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_pass_of_any_size_takes_distinct_cards_of_the_hand(preset, seats):
    table = rules(preset, seats)
    hand = union(table.deck_order[:: table.seats][: table.hand_size])

    for count in range(table.hand_size + 1):
        passed = heaviest(hand, count, table)

        assert len(passed) == union(passed).bit_count() == count
        assert not union(passed) & ~hand


def test_scales_are_shared_by_rules_whose_cards_weigh_the_same():
    assert scales_of(STANDARD) is scales_of(rules(ending={"deals": 3, "target": None}))
    assert scales_of(STANDARD) is not scales_of(BLACK_MARIA)
    assert scales_of(STANDARD) is not scales_of(rules(seats=5))
