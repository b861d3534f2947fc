"""Commands and what they cause: phases, ends of deals, reveals. Seats are in test_lobby."""

from dataclasses import replace

import pytest

from engine.cards import CODES
from engine.commands import AbortGame, ChooseMoon
from engine.decide import decide
from engine.errors import NotYourTurn, RuleViolation, WrongPhase
from engine.events import (
    DealDealt,
    DealScored,
    GameAborted,
    GameFinished,
    MoonChosen,
    MoonShot,
)
from engine.evolve import fold
from engine.scoring import MoonChoice
from engine.shuffle import deal_hands
from engine.state import Over, Status, status_of, turn_of
from tests.games import play_game
from tests.table import (
    COMMITMENT,
    LINKS,
    STANDARD,
    a_deal,
    a_last_card,
    a_lobby,
    a_new_deal,
    after,
    last_card,
    link,
    of_type,
    pass_cards,
    play,
    refusal,
    rules,
    step,
    trick,
)

SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"
FULL = a_lobby("Ana", "Bea", "bot", "bot")


def no_link(deal):
    raise AssertionError(deal)


# Phases: fault case 9


PLAYING = a_deal(seat0="2C 3D", seat1="4C")
PASSING = a_new_deal(seat0="2C 3C 4C")
SHOOTING = after(a_last_card("", SLAM), last_card(a_last_card("", SLAM)))
FINISHED = after(
    a_last_card("2H", SLAM.replace("2H ", ""), totals=(0, 99, 5, 5)),
    last_card(a_last_card("2H", SLAM.replace("2H ", ""))),
)
ABORTED = after(PLAYING, AbortGame())
ABORTED_EARLY = after(a_lobby("Ana", None, "bot", "bot"), AbortGame())

MOVES = {
    "pass": pass_cards(0, "2C 3C 4C"),
    "play": play(0, "2C"),
    "moon": ChooseMoon(1, MoonChoice.OTHERS_ADD),
}
PHASES = {
    "lobby": (
        FULL,
        {"pass": "game_not_started", "play": "game_not_started", "moon": "game_not_started"},
    ),
    "pass": (PASSING, {"pass": None, "play": "wrong_phase", "moon": "wrong_phase"}),
    "play": (PLAYING, {"pass": "wrong_phase", "play": None, "moon": "wrong_phase"}),
    "moon": (SHOOTING, {"pass": "wrong_phase", "play": "wrong_phase", "moon": None}),
    "finished": (FINISHED, dict.fromkeys(MOVES, "game_not_active")),
    "aborted": (ABORTED, dict.fromkeys(MOVES, "game_not_active")),
    "aborted in the lobby": (ABORTED_EARLY, dict.fromkeys(MOVES, "game_not_active")),
}


@pytest.mark.parametrize(("game", "expected"), PHASES.values(), ids=PHASES)
def test_each_phase_takes_its_own_kind_of_move(game, expected):
    """Fault case 9."""
    assert {word: refusal(game, move) for word, move in MOVES.items()} == expected


def test_another_seat_waits_for_its_turn():
    with pytest.raises(NotYourTurn, match="turn of seat 0"):
        decide(PLAYING, play(1, "4C"), no_link)


def test_a_wrong_phase_says_what_the_table_waits_for():
    with pytest.raises(WrongPhase, match="waits for a pass"):
        decide(PASSING, play(0, "2C"), no_link)


def test_the_phase_is_asked_before_the_seat_and_the_seat_before_the_card():
    assert refusal(PLAYING, pass_cards(3, "2C")) == "wrong_phase"
    assert refusal(PLAYING, play(1, "AS")) == "not_your_turn"
    assert refusal(PLAYING, play(0, "AS")) == "card_not_in_hand"


# The end of a deal


def test_a_deal_is_scored_opened_and_followed_by_the_next():
    game = a_last_card("2H", SLAM.replace("2H ", ""), totals=(1, 2, 3, 4))

    events, after_deal = step(game, last_card(game))

    scored, dealt = of_type(DealScored, events), of_type(DealDealt, events)
    assert scored.totals == (2, 27, 3, 4)
    assert (scored.opened.deal, scored.opened.seed) == (1, LINKS[1])
    assert scored.opened.hands == game.table.dealt[0]
    assert (dealt.deal, dealt.dealer, dealt.direction) == (2, 0, "right")
    assert dealt.hands == deal_hands(STANDARD, LINKS[2], COMMITMENT[:32], 2, ["-"] * 4)
    assert after_deal.table.revealed_version == game.version + 3


def test_a_choice_is_written_down():
    events = decide(SHOOTING, ChooseMoon(1, MoonChoice.SELF_SUBTRACT, auto="fallback"), link)

    assert events[0] == MoonChosen(1, 1, MoonChoice.SELF_SUBTRACT, SHOOTING.version, "fallback")
    assert of_type(DealScored, events).moon.choice is MoonChoice.SELF_SUBTRACT


def test_a_moon_without_a_choice_is_written_down_too():
    fixed = rules("bicycle")
    game = a_last_card("", SLAM, rules=fixed)

    events = decide(game, last_card(game), link)

    assert of_type(MoonShot, events).choice_required is False
    assert not [event for event in events if isinstance(event, MoonChosen)]


def test_a_game_that_opens_at_its_end_opens_all_deals_then():
    late = rules(reveal="game_end", ending={"target": None, "deals": 2})
    game = a_last_card("2H", SLAM.replace("2H ", ""), rules=late, deal=2, totals=(0, 0, 5, 6))

    events = decide(game, last_card(game), link)

    assert of_type(DealScored, events).opened is None
    opened = of_type(GameFinished, events).reveals
    assert [(deal.deal, deal.seed) for deal in opened] == [(1, LINKS[1]), (2, LINKS[2])]


def test_a_game_that_opens_each_deal_has_nothing_left_to_open():
    game = a_last_card("2H", SLAM.replace("2H ", ""), totals=(0, 99, 5, 5))

    events = decide(game, last_card(game), link)

    assert of_type(GameFinished, events).reveals == ()


def test_a_game_that_opens_at_its_end_opens_nothing_before():
    late = rules(reveal="game_end")
    game = a_last_card("2H", SLAM.replace("2H ", ""), rules=late)

    _, second = step(game, last_card(game))

    assert second.table.revealed_version == 0


# Aborting


def test_an_abort_opens_the_running_deal():
    second = a_deal(seat0="2C 3D", deal=2, totals=(5, 6, 7, 8))

    (aborted,) = decide(second, AbortGame(), link)

    assert aborted.totals == (5, 6, 7, 8)
    assert [(deal.deal, deal.seed) for deal in aborted.reveals] == [(2, LINKS[2])]


def test_an_abort_opens_every_deal_where_none_is_open_yet():
    second = a_deal(rules=rules(reveal="game_end"), seat0="2C 3D", deal=2)

    (aborted,) = decide(second, AbortGame(), link)

    assert [deal.deal for deal in aborted.reveals] == [1, 2]


@pytest.mark.parametrize("game", [PASSING, PLAYING, SHOOTING], ids=["pass", "play", "moon"])
def test_a_game_is_aborted_in_every_phase(game):
    events, over = step(game, AbortGame())

    assert of_type(GameAborted, events).reason == "host"
    assert isinstance(over, Over)
    assert status_of(over) is Status.ABORTED
    assert over.table.revealed_version == over.version


def test_an_abort_in_the_lobby_opens_nothing():
    (aborted,) = decide(FULL, AbortGame(), no_link)

    assert aborted.reveals == ()


@pytest.mark.parametrize("game", [FINISHED, ABORTED, ABORTED_EARLY])
def test_a_game_that_is_over_is_not_aborted(game):
    assert refusal(game, AbortGame()) == "game_not_active"


# Refusals


def test_a_repeated_card_adds_nothing():
    game = a_deal(seat0="7D 9D", trick=trick(3, "5D"))
    played = after(game, play(0, "7D"))

    with pytest.raises(RuleViolation):
        decide(played, play(0, "7D"), no_link)


def test_an_automatic_move_says_so():
    auto = replace(play(0, "2C"), auto="fallback")

    (played,) = decide(PLAYING, auto, no_link)

    assert played.auto == "fallback"


def test_the_turn_of_a_card_is_the_version_it_opened_at():
    events, game = step(PLAYING, play(0, "2C"))

    assert events[0].turn_id == turn_of(PLAYING).id == PLAYING.version
    assert turn_of(game).id == game.version


def test_whole_games_end_with_their_result(rng):
    events = play_game(STANDARD, rng)

    over = fold(None, events)

    assert isinstance(events[-1], GameFinished)
    assert status_of(over) is Status.FINISHED
    assert over.result.totals == events[-1].totals
    assert over.version == len(events)
    assert max(over.result.totals) >= 100


@pytest.mark.whole_game
def test_a_game_that_nobody_can_win_ends_with_its_last_link(rng):
    """Four cards, nothing counts: every deal is a tie."""
    endless = rules(
        deck={"remove": list(CODES[4:])},
        passing={"count": 0},
        scoring={"hearts": {}, "queen_of_spades": 0},
    )

    events = play_game(endless, rng)

    assert sum(isinstance(event, DealDealt) for event in events) == 256
    assert events[-1].reason == "too_long"
    assert events[-1].winners == (0, 1, 2, 3)
