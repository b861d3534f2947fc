import hashlib
import hmac
from collections import Counter

import pytest

from engine.bots.base import Draws, decision_seed, phase_of, seed_for
from engine.cards import NO_CARDS, cards, each, union
from engine.state import TurnType
from engine.view import view_for
from tests.table import a_deal, a_last_card, a_lobby, a_new_deal, after, last_card, link

LINK = "ac16f8fc975cfbaaf8777b3d3dbc69763a2c0c2991269124d010af264c53f681"


@pytest.mark.parametrize(
    ("seat", "phase", "trick", "message"),
    [
        (2, TurnType.PLAY, 13, b"hearts-bot-1|2|play|13"),
        (0, TurnType.PASS, 0, b"hearts-bot-1|0|pass|0"),
        (6, TurnType.MOON, 0, b"hearts-bot-1|6|moon|0"),
    ],
)
def test_a_seed_is_the_hash_of_seat_phase_and_trick_under_the_deals_link(
    seat, phase, trick, message
):
    expected = hmac.new(bytes.fromhex(LINK), message, hashlib.sha256).digest()

    assert decision_seed(LINK, seat, phase, trick) == expected


def test_the_seed_of_a_play_is_that_of_its_trick():
    game = a_deal(seat2="2C 5D", leads=2)

    assert seed_for(view_for(2, game), LINK) == decision_seed(LINK, 2, TurnType.PLAY, 2)


def test_the_seed_of_a_pass_has_no_trick():
    game = a_new_deal(seat1="2C 5D 9H")

    assert seed_for(view_for(1, game), LINK) == decision_seed(LINK, 1, TurnType.PASS, 0)


def test_the_seed_of_a_moon_has_no_trick():
    game = a_last_card("", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS")
    game = after(game, last_card(game))

    assert seed_for(view_for(1, game), LINK) == decision_seed(LINK, 1, TurnType.MOON, 0)


@pytest.mark.parametrize(
    "view",
    [
        view_for(None, a_deal(seat0="2C")),
        view_for(1, a_deal(seat0="2C", seat1="3C")),
        view_for(0, a_lobby("Ana", "bot", "bot", "bot")),
    ],
    ids=["the public", "the turn of others", "the lobby"],
)
def test_nothing_is_asked_of_a_seat_that_is_not_to_act(view):
    with pytest.raises(AssertionError):
        phase_of(view)


def test_draws_are_the_bytes_of_counted_hashes_without_the_uneven_rest():
    seed = bytes(range(32))
    blocks = [b"hearts-bot-1|draw|%d" % number for number in range(3)]
    stream = b"".join(hmac.new(seed, block, hashlib.sha256).digest() for block in blocks)
    expected = [byte % 13 for byte in stream if byte < 247]

    draws = Draws(seed)

    assert [draws.below(13) for _ in expected] == expected


def test_the_same_seed_draws_the_same_cards():
    hand = cards("2C 9D QS KH AH")

    assert Draws(link_bytes(1)).cards(hand, 3) == Draws(link_bytes(1)).cards(hand, 3)


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_as_many_distinct_cards_are_drawn_as_asked_for(count):
    hand = cards("2C 9D QS KH AH")

    drawn = Draws(link_bytes(2)).cards(hand, count)

    assert len(drawn) == union(drawn).bit_count() == count
    assert union(drawn) & ~hand == NO_CARDS


def test_every_card_is_drawn_equally_often():
    hand, draws = cards("2C 9D QS KH AH"), Draws(link_bytes(3))

    drawn = Counter(draws.card(hand) for _ in range(5_000))

    # Chi squared with 4 degrees of freedom exceeds 18.5 once in a thousand; the seed is fixed.
    assert sum((drawn[one] - 1_000) ** 2 / 1_000 for one in each(hand)) < 18.5


def test_every_order_of_a_sample_comes_equally_often():
    hand, draws = cards("2C 9D QS"), Draws(link_bytes(4))

    drawn = Counter(draws.cards(hand, 2) for _ in range(6_000))

    assert len(drawn) == 6
    assert sum((times - 1_000) ** 2 / 1_000 for times in drawn.values()) < 20.5


def link_bytes(number):
    return bytes.fromhex(link(number))
