"""What each reader knows of a game."""

import pytest

from engine.cards import HEARTS, NO_CARDS, SPADES, cards
from engine.commands import AbortGame, ChangeOptions, ChooseMoon, KickSeat, ReissueSeatToken
from engine.scoring import MoonChoice, ShotKind
from engine.state import Status, TurnType
from engine.view import all_hands, led_suit, view_for
from tests.table import (
    a_deal,
    a_last_card,
    a_lobby,
    a_new_deal,
    after,
    last_card,
    names,
    pass_cards,
    play,
    rules,
    trick,
    with_swapped,
)

SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"
PASSED = [
    pass_cards(0, "2C 3C 4C"),
    pass_cards(1, "2D 3D 4D"),
    pass_cards(2, "2S 3S 4S"),
    pass_cards(3, "2H 3H 4H"),
]


def a_pass():
    return a_new_deal(
        seat0="2C 3C 4C 5C", seat1="2D 3D 4D 5D", seat2="2S 3S 4S 5S", seat3="2H 3H 4H 5H"
    )


# Secrecy


def test_a_view_does_not_change_when_hidden_cards_change():
    """Fault cases 45 and 48."""
    game = a_deal(seat0="2C 5D", seat1="QS", seat2="KH", seat3="AH")
    changed = with_swapped(game, cards("QS"), cards("AH"))

    assert changed != game
    assert view_for(0, changed) == view_for(0, game)
    assert view_for(2, changed) == view_for(2, game)
    assert view_for(None, changed) == view_for(None, game)
    assert view_for(1, changed) != view_for(1, game)


def test_the_public_sees_how_many_cards_are_held_and_no_card():
    view = view_for(None, a_deal(seat0="2C 5D", seat1="QS", seat2="KH", seat3="AH 2H 3H"))

    assert view.you is None
    assert [seat.hand_size for seat in view.seats] == [2, 1, 1, 3]


def test_who_does_not_act_sees_no_legal_cards():
    """Fault case 50."""
    game = a_deal(seat0="2C 5D", seat1="QS 3S", trick=trick(3, "9S 8S"))

    waiting, acting = view_for(0, game).you, view_for(1, game).you

    assert (waiting.to_act, waiting.legal, waiting.situation) == (False, NO_CARDS, None)
    assert acting.to_act
    assert names(acting.legal) == {"QS", "3S"}


def test_all_hands_are_for_readers_of_an_open_deal():
    game = a_deal(seat0="2C 5D", seat1="QS")

    assert all_hands(game) == (cards("2C 5D"), cards("QS"), NO_CARDS, NO_CARDS)
    assert all_hands(a_lobby("Ana", "bot", "bot", "bot")) == (NO_CARDS,) * 4


# The pass


def test_passed_cards_leave_the_hand_at_once():
    game = after(a_pass(), PASSED[0])

    mine = view_for(0, game)

    assert names(mine.you.hand) == {"5C"}
    assert mine.you.passed == ((1, cards("2C 3C 4C")),)
    assert mine.you.received == ()
    assert [seat.hand_size for seat in mine.seats] == [1, 4, 4, 4]
    assert [seat.has_passed for seat in mine.seats] == [True, False, False, False]


def test_a_seat_sees_its_own_pass_alone():
    """Fault case 52."""
    game = after(a_pass(), *PASSED[:3])

    assert [view_for(seat, game).you.passed for seat in range(4)] == [
        ((1, cards("2C 3C 4C")),),
        ((2, cards("2D 3D 4D")),),
        ((3, cards("2S 3S 4S")),),
        (),
    ]
    assert [view_for(seat, game).you.received for seat in range(4)] == [()] * 4


def test_a_seat_sees_what_it_received_when_all_have_passed():
    game = after(a_pass(), *PASSED)

    view = view_for(1, game)

    assert names(view.you.hand) == {"5D", "2C", "3C", "4C"}
    assert view.you.received == ((0, cards("2C 3C 4C")),)
    assert view.you.passed == ((2, cards("2D 3D 4D")),)
    assert all(seat.has_passed for seat in view.seats)


def test_scattered_cards_are_listed_by_who_gets_them():
    scatter = rules(seats=3, passing={"cycle": ["scatter"]})
    game = a_new_deal(rules=scatter, seat0="3C 4C 5C", seat1="3D 4D 5D", seat2="3S 4S 5S")

    view = view_for(0, after(game, pass_cards(0, "5C 3C")))

    assert view.you.passed == ((1, cards("5C")), (2, cards("3C")))


def test_while_cards_are_passed_nobody_leads():
    view = view_for(0, a_pass())

    assert (view.deal.trick_number, view.deal.leader) == (0, None)
    assert (view.deal.direction, view.deal.pass_count) == ("left", 3)
    assert view.turn.type is TurnType.PASS
    assert view.you.legal == NO_CARDS


def test_nobody_has_passed_in_a_deal_without_a_pass():
    hold = rules(passing={"cycle": ["hold"]})

    view = view_for(0, a_new_deal(rules=hold, seat0="2C", seat1="3C"))

    assert not any(seat.has_passed for seat in view.seats)
    assert view.deal.direction == "hold"


# Tricks


def test_tricks_and_points_are_seen_as_they_are_taken():
    game = after(
        a_deal(trick=trick(0, "2D 3D QS"), seat3="4D 5C", seat0="6C", seat1="7C", seat2="8C"),
        play(3, "4D"),
    )

    view = view_for(None, game)

    assert view.seats[3].tricks_taken == 1
    assert view.seats[3].deal_points == 13
    assert view.seats[3].total == 0
    assert view.deal.tricks == ((trick(0, "2D 3D QS 4D"), 3),)
    assert (view.deal.leader, view.deal.trick_number, view.deal.trick) == (3, 3, ())


@pytest.mark.parametrize(
    ("led", "suit"), [(None, None), (trick(0, "2H 3C"), HEARTS), (trick(0, "QS"), SPADES)]
)
def test_the_suit_led(led, suit):
    assert led_suit(view_for(None, a_deal(trick=led, seat1="2C", seat2="2D"))) == suit


def test_no_suit_is_led_in_a_lobby():
    assert led_suit(view_for(None, a_lobby("Ana", "bot", "bot", "bot"))) is None


# Before, between and after the deals


def test_a_lobby_shows_who_sits_where():
    view = view_for(None, a_lobby("Ana", None, "bot", "bot"))

    assert view.status is Status.LOBBY
    assert [seat.name for seat in view.seats] == ["Ana", None, "Easy Bot", "Easy Bot"]
    assert [seat.claimed for seat in view.seats] == [True, False, True, True]
    assert [seat.bot_level for seat in view.seats] == [None, None, "easy", "easy"]
    assert (view.deal, view.turn, view.result) == (None, None, None)


def test_a_lobby_shows_who_is_ready_and_whether_it_is_open():
    lobby = a_lobby("Ana", "Bea", None, "bot", ready=[1], is_open=False)

    assert [seat.ready for seat in view_for(None, lobby).seats] == [False, True, False, True]
    assert not view_for(None, lobby).lobby_is_open
    assert view_for(None, after(lobby, ChangeOptions(is_open=True))).lobby_is_open


def test_a_seat_in_other_hands_says_whose_it_is_and_who_plays():
    left = view_for(None, after(a_deal(seat0="2C"), KickSeat(0, "easy"))).seats[0]
    back = after(a_deal(seat0="2C"), KickSeat(0, "easy"), ReissueSeatToken(0))

    assert (left.name, left.is_bot, left.bot_level, left.claimed) == ("Eva", False, "easy", False)
    seat = view_for(None, back).seats[0]
    assert (seat.is_bot, seat.bot_level, seat.claimed) == (False, None, True)


def test_a_bot_sees_of_a_seat_in_its_care_what_its_player_saw():
    game = a_deal(seat0="2C 5D", seat1="QS", seat2="KH", seat3="AH")
    before, left = (view_for(0, one).you for one in (game, after(game, KickSeat(0, "easy"))))

    assert left == before


def test_a_seat_in_a_lobby_holds_nothing():
    you = view_for(0, a_lobby("Ana", None, "bot", "bot")).you

    assert (you.hand, you.legal, you.passed, you.received, you.to_act) == (0, 0, (), (), False)


def test_a_moon_in_the_air_is_seen_by_all():
    game = a_last_card("", SLAM)

    view = view_for(3, after(game, last_card(game)))

    assert (view.deal.shot.seat, view.deal.shot.kind) == (1, ShotKind.MOON)
    assert (view.turn.type, view.turn.seats) == (TurnType.MOON, (1,))
    assert not view.you.to_act


def test_a_finished_game_shows_its_result_and_no_deal():
    game = a_last_card("", SLAM, totals=(90, 90, 5, 6))

    view = view_for(None, after(game, last_card(game), ChooseMoon(1, MoonChoice.OTHERS_ADD)))

    assert view.status is Status.FINISHED
    assert view.result.totals == (116, 90, 31, 32)
    assert [seat.total for seat in view.seats] == [116, 90, 31, 32]
    assert (view.deal, view.turn) == (None, None)
    assert view.revealed_version == view.version


def test_an_aborted_game_has_no_result():
    view = view_for(None, after(a_deal(seat0="2C"), AbortGame()))

    assert (view.status, view.result, view.deal) == (Status.ABORTED, None, None)
