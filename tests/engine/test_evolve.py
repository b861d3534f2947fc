"""The fold: facts are copied, and a log that makes no sense is refused."""

from contextlib import suppress
from dataclasses import replace

import pytest

from engine.cards import cards
from engine.commands import AbortGame, KickSeat, StartGame
from engine.decide import decide
from engine.errors import CorruptLogError
from engine.events import (
    CardPlayed,
    CardsPassed,
    ControlChanged,
    DealDealt,
    DealScored,
    GameFinished,
    GameStarted,
    HostTokenRotated,
    LobbyChanged,
    MoonChosen,
    MoonShot,
    OptionsChanged,
    PassCompleted,
    SeatBotAssigned,
    SeatClaimed,
    SeatKicked,
    SeatReleased,
    SeatTokenRotated,
    SeatUpdated,
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
    rules,
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
CHOICE = MoonChosen(1, 1, MoonChoice.OTHERS_ADD, 23, None)
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


WHERE = {
    "nothing": None,
    "a lobby": a_lobby("Ana", "bot", None, "bot"),
    "a start": fold(a_lobby("Ana", "bot", "bot", "bot"), [GameStarted(("-",) * 4)]),
    "a pass": a_new_deal(seat0="3C 4C 5C"),
    "play": a_deal(seat0="3C"),
    "the end of the tricks": a_deal_played_out(),
    "a shot": SHOT,
    "a scored deal": evolve(a_deal_played_out(), SCORED),
    "the end": after(a_deal(seat0="3C"), AbortGame()),
}
LOBBY = {"a lobby"}
RUNNING = {"a pass", "play", "the end of the tricks", "a shot"}
CHANGES = {
    "claimed": (SeatClaimed(2, "Eva", 2, None), LOBBY),
    "updated": (SeatUpdated(0, "Eva", client_seed_given=False, client_seed=None), LOBBY),
    "given to a bot": (SeatBotAssigned(2, "easy", "Robo"), LOBBY),
    "opened": (SeatReleased(1, 2, "bot_removed"), LOBBY),
    "released": (SeatReleased(0, 2, "left"), LOBBY | RUNNING),
    "kicked": (SeatKicked(0, 2), LOBBY | RUNNING),
    "a new token": (SeatTokenRotated(0, 2), LOBBY | RUNNING),
    "a new token of the host": (HostTokenRotated(2), LOBBY | RUNNING),
    "other rules": (OptionsChanged(STANDARD), LOBBY),
    "rules of another table": (OptionsChanged(rules(seats=5)), set()),
    "a closed lobby": (LobbyChanged(is_open=False), LOBBY),
}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize(("event", "allowed"), CHANGES.values(), ids=CHANGES)
def test_seats_and_options_change_where_they_can(where, event, allowed):
    state = WHERE[where]

    if where in allowed:
        assert evolve(state, event).version == state.version + 1
        return
    with pytest.raises(CorruptLogError, match="cannot follow on"):
        evolve(state, event)


IN_LOBBY = a_lobby("Ana", "bot", None, "bot")
LEFT = after(a_deal(seat0="3C"), KickSeat(2, "easy"))
OF_SEATS = [
    SeatClaimed(0, "Eva", 9, None),
    SeatUpdated(0, "Eva", client_seed_given=False, client_seed=None),
    SeatBotAssigned(0, "easy", "Robo"),
    SeatReleased(0, 9, "bot_removed"),
    SeatReleased(0, 9, "left"),
    SeatKicked(0, 9),
    SeatTokenRotated(0, 9),
    ControlChanged(0, "easy", "kicked"),
]
# Which of them fit: to a person, a bot, a free seat, a seat of which the first of two events told.
FITS = {
    "a person in a lobby": (IN_LOBBY, 0, {1, 4, 5, 6}),
    "a bot in a lobby": (IN_LOBBY, 1, {2, 3}),
    "a free seat": (IN_LOBBY, 2, {0, 2}),
    "a person in a deal": (LEFT, 0, {4, 5, 6}),
    "a bot in a deal": (after(a_lobby("Ana", "bot", "bot", "bot"), StartGame()), 1, set()),
    "a seat in other hands": (LEFT, 2, {6}),
    "a seat that was left this moment": (evolve(LEFT, SeatKicked(0, 7)), 0, {7}),
    "a seat that is given back this moment": (
        evolve(LEFT, SeatTokenRotated(2, 7)),
        2,
        {4, 5, 6, 7},
    ),
}


@pytest.mark.parametrize(("state", "seat", "fitting"), FITS.values(), ids=FITS)
def test_only_what_can_become_of_a_seat_becomes_of_it(state, seat, fitting):
    found = set()
    for number, event in enumerate(OF_SEATS):
        with suppress(CorruptLogError):
            evolve(state, replace(event, seat=seat))
            found.add(number)

    assert found == fitting


@pytest.mark.parametrize("seat", [4, 10])
@pytest.mark.parametrize("event", OF_SEATS)
def test_a_table_never_grows_by_a_seat(event, seat):
    for where in ("a lobby", "play"):
        with pytest.raises(CorruptLogError):
            evolve(WHERE[where], replace(event, seat=seat))


def test_only_the_seat_that_is_meant_changes():
    lobby = a_lobby("Ana", "Bea", "bot", None, ready=[0, 1])

    events = [SeatKicked(1, 9), SeatBotAssigned(1, "random", "Robo"), LobbyChanged(is_open=False)]
    table = fold(lobby, events).table

    assert table.players[1].level == "random"
    assert [table.players[seat] for seat in (0, 2, 3)] == [
        lobby.table.players[seat] for seat in (0, 2, 3)
    ]
    assert not table.lobby.is_open


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
