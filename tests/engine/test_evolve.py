"""The fold: facts are copied, and a log that makes no sense is refused."""

from dataclasses import replace

import pytest

from engine.cards import cards
from engine.commands import AbortGame
from engine.decide import decide
from engine.errors import CorruptLogError
from engine.events import (
    CardPlayed,
    CardsPassed,
    DealDealt,
    DealScored,
    GameFinished,
    GameStarted,
    MoonChosen,
    MoonShot,
    PassCompleted,
    SeatClaimed,
    TrickCompleted,
)
from engine.evolve import evolve, fold
from engine.scoring import MoonChoice, Reason, ShotKind
from engine.state import Between, Over, Playing
from tests.games import play_game
from tests.table import (
    STANDARD,
    a_deal,
    a_last_card,
    a_lobby,
    a_new_deal,
    after,
    create,
    in_order,
    last_card,
    link,
    pass_cards,
    play,
    step,
    trick,
)

SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


def test_nothing_folds_to_nothing():
    assert fold(None, []) is None


@pytest.mark.parametrize("steps", [1, 2, 7, 100])
def test_a_log_folds_the_same_in_steps(steps, rng):
    events = play_game(STANDARD, rng)
    state = None

    for start in range(0, len(events), steps):
        state = fold(state, events[start : start + steps])

    assert state == fold(None, events)


def test_the_version_counts_the_events(rng):
    state = None
    for number, event in enumerate(play_game(STANDARD, rng), 1):
        state = evolve(state, event)
        assert state.version == number


def a_deal_played_out():
    """A deal after its last trick, before it is scored; seat 1 took all that counts."""
    game = a_last_card("", SLAM)
    card_and_trick = decide(game, last_card(game), link)[:2]
    return fold(game, card_and_trick)


def test_results_stand_as_they_were_written():
    """A rule that is mended later does not change what is in the log."""
    odd = DealScored(
        deal=1,
        taken=(1, 1, 1, 1),
        points=(9, 9, 9, 9),
        totals=(7, 7, 7, 7),
        moon=None,
        opened=None,
    )
    finished = GameFinished((7, 7, 7, 7), (1, 2, 3, 4), (3,), Reason.TOO_LONG, ())

    between = evolve(a_deal_played_out(), odd)
    over = evolve(between, finished)

    assert between.table.totals == (7, 7, 7, 7)
    assert over.result.winners == (3,)
    assert over.result.places == (1, 2, 3, 4)


def test_a_trick_goes_to_whom_the_log_says():
    full = a_deal(trick=trick(0, "2C 3C 4C 5C"), seat0="6C")
    written = TrickCompleted(1, 2, winner=0, points=3, cards=full.trick, leader=2)

    game = evolve(full, written)

    assert game.taken[0] == cards("2C 3C 4C 5C")
    assert game.won == (1, 0, 0, 0)
    assert (game.leader, game.number, game.trick) == (2, 3, ())


def test_a_scored_deal_stays_in_sight_until_the_next_is_dealt():
    between = evolve(a_deal_played_out(), SCORED)

    assert isinstance(between, Between)
    assert between.last.taken[1] & cards("QS")


PLAYED = CardPlayed(1, 2, 0, cards("2C"), 20, broke_hearts=False, auto=None)
SCORED = DealScored(1, (0,) * 4, (0,) * 4, (0,) * 4, None, None)
MOON = MoonShot(1, 1, ShotKind.MOON, 26, choice_required=True)
CHOICE = MoonChosen(1, 1, MoonChoice.OTHERS_ADD, None)
SHOT = evolve(a_deal_played_out(), MOON)
MISPLACED = {
    "a card before the game": (None, PLAYED),
    "a claim before the game": (None, SeatClaimed(0, "Ana", 1, None)),
    "a card in the lobby": (a_lobby("Ana", "bot", "bot", "bot"), PLAYED),
    "a card that is not held": (a_deal(seat0="3C"), PLAYED),
    "a claim in a deal": (a_deal(seat0="3C"), SeatClaimed(0, "Ana", 1, None)),
    "a pass in play": (a_deal(seat0="3C"), CardsPassed(1, 0, in_order("3C"), 20, None)),
    "a pass of other cards": (
        a_new_deal(seat0="3C 4C 5C"),
        CardsPassed(1, 0, in_order("3C 4C 6C"), 11, None),
    ),
    "a second pass": (
        after(a_new_deal(seat0="3C 4C 5C 6C"), pass_cards(0, "3C 4C 5C")),
        CardsPassed(1, 0, in_order("6C"), 11, None),
    ),
    "a card of another seat": (a_deal(seat0="3C", seat1="2C"), replace(PLAYED, seat=1)),
    "a card of no seat": (a_deal(seat0="3C"), replace(PLAYED, seat=4)),
    "a card on a full trick": (a_deal(trick=trick(0, "3C 4C 5C 6C"), seat0="2C"), PLAYED),
    "a card after the last trick": (a_deal_played_out(), PLAYED),
    "a trick that is not full": (
        a_deal(trick=trick(0, "2C 3C 4C")),
        TrickCompleted(1, 2, 0, 0, in_order("2C 3C 4C"), 0),
    ),
    "a pass that is not complete": (
        after(a_new_deal(seat0="3C 4C 5C"), pass_cards(0, "3C 4C 5C")),
        PassCompleted(1, 0, None, ((), (), (), ())),
    ),
    "a score in the middle of a deal": (a_deal(seat0="3C"), SCORED),
    "a score before the choice": (SHOT, SCORED),
    "a moon in the middle of a deal": (a_deal(seat0="3C"), MOON),
    "a second choice": (evolve(SHOT, CHOICE), CHOICE),
    "a choice that nobody has": (
        evolve(a_deal_played_out(), replace(MOON, choice_required=False)),
        CHOICE,
    ),
    "a deal out of order": (
        evolve(a_deal_played_out(), SCORED),
        DealDealt(3, 1, None, 0, 0, None, (0, 0, 0, 0)),
    ),
    "a claim of a bot's seat": (
        a_lobby("Ana", "bot", None, None),
        SeatClaimed(1, "Bea", 1, None),
    ),
    "a claim of a seat that is taken": (
        a_lobby("Ana", "bot", None, None),
        SeatClaimed(0, "Bea", 2, None),
    ),
    "a claim of no seat": (a_lobby("Ana", "bot", None, None), SeatClaimed(4, "Bea", 1, None)),
    "seeds for more seats": (a_lobby("Ana", "bot", "bot", "bot"), GameStarted(("-",) * 5)),
    "hands for fewer seats": (
        evolve(a_deal_played_out(), SCORED),
        DealDealt(2, 1, None, 0, 0, None, (0, 0, 0)),
    ),
    "totals for fewer seats": (a_deal_played_out(), replace(SCORED, totals=(0,) * 3)),
    "a result before the first deal": (
        fold(a_lobby("Ana", "bot", "bot", "bot"), [GameStarted(("-",) * 4)]),
        GameFinished((0,) * 4, (1,) * 4, (0, 1, 2, 3), Reason.TOO_LONG, ()),
    ),
    "a trick of other cards": (
        a_deal(trick=trick(0, "2C 3C 4C 5C")),
        TrickCompleted(1, 2, 0, 0, in_order("2C 3C 4C 6C"), 0),
    ),
    "a result in the middle of a deal": (
        a_deal(seat0="3C"),
        GameFinished((0,) * 4, (1,) * 4, (0, 1, 2, 3), Reason.TOO_LONG, ()),
    ),
}


@pytest.mark.parametrize(("state", "event"), MISPLACED.values(), ids=MISPLACED)
def test_an_event_out_of_place_is_a_corrupt_log(state, event):
    with pytest.raises(CorruptLogError, match="cannot follow on"):
        evolve(state, event)


def test_a_game_is_created_once():
    (created,) = decide(None, create(), link)

    with pytest.raises(CorruptLogError):
        fold(None, [created, created])


def test_nothing_follows_on_the_end():
    over = after(a_deal(seat0="2C 3C"), AbortGame())

    assert isinstance(over, Over)
    with pytest.raises(CorruptLogError):
        evolve(over, PLAYED)


def test_a_state_is_never_changed_in_place():
    game = a_deal(seat0="2C 3C", seat1="4C")
    copy = a_deal(seat0="2C 3C", seat1="4C")

    _, played = step(game, play(0, "2C"))

    assert game == copy
    assert isinstance(played, Playing)
    assert played.hands[0] == cards("3C")
