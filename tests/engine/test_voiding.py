"""A deal that is voided: what counts, what is opened, and which comes next."""

import random

import pytest

from engine import events as e
from engine import reasons
from engine.commands import AbortGame, StartGame, VoidDeal
from engine.decide import decide
from engine.errors import CorruptLogError
from engine.evolve import evolve, fold
from engine.passing import direction_of
from engine.rules import Reveal
from engine.scoring import Reason
from engine.seats import dealer_of
from engine.shuffle import deal_hands
from engine.state import Between, Over, Shooting, table_of, turn_of
from engine.view import view_for
from tests.games import play_commands, voiding
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
    play,
    refusal,
    rules,
    step,
)

VOID = VoidDeal(reasons.STORE_REWOUND)
SHORT = {"target": None, "deals": 2, "tie": "share"}
FULL = a_lobby("Ana", "Bea", "bot", "bot")
SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


def started(**options):
    lobby = a_lobby("Ana", "Bea", "bot", "bot", rules=rules(**options))
    return after(lobby, StartGame())


def voided_game(seed, skips=(0, 0, 3), **options):
    chosen = rules(**{"ending": SHORT, **options})
    commands = play_commands(chosen, random.Random(seed), voiding(0.02, skips=skips))
    return [event for _, events in commands for event in events]


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def test_the_running_deal_is_void_and_the_next_is_dealt_with_the_next_link():
    voided, dealt = decide(started(), VOID, link)

    assert (voided.deal, voided.reason) == (1, "store_rewound")
    assert dealt.deal == 2
    assert dealt.hands == deal_hands(STANDARD, LINKS[2], COMMITMENT[:32], 2, ["-"] * 4)


@pytest.mark.parametrize("skip", [0, 1, 7, 254])
def test_the_number_of_a_deal_is_that_of_its_link(skip):
    _, dealt = decide(started(), VoidDeal(reasons.STORE_RESTORED, skip), link)

    number = 2 + skip
    assert dealt.deal == number
    assert dealt.hands == deal_hands(STANDARD, LINKS[number], COMMITMENT[:32], number, ["-"] * 4)
    assert dealt.dealer == dealer_of(number, 4)
    assert dealt.direction == direction_of(STANDARD, number)


def test_a_voided_deal_is_opened_and_no_later_one():
    game = started()
    asked = []

    def watched(deal):
        asked.append(deal)
        return link(deal)

    voided, _ = decide(game, VoidDeal(reasons.STORE_RESTORED, 5), watched)

    assert (voided.opened.deal, voided.opened.seed) == (1, LINKS[1])
    assert voided.opened.hands == game.table.dealt[0]
    assert asked == [1, 7]


def test_a_voided_deal_waits_for_the_end_where_all_do():
    game = started(reveal="game_end")
    voided, _ = decide(game, VOID, link)
    game = after(game, VOID)

    assert voided.opened is None
    assert game.table.revealed_version == 0
    aborted = of_type(e.GameAborted, decide(game, AbortGame(), link))
    assert [deal.deal for deal in aborted.reveals] == [1, 2]


def test_an_abort_after_a_void_opens_the_running_deal_alone():
    game = after(started(), VoidDeal(reasons.STORE_RESTORED, 3))

    aborted = of_type(e.GameAborted, decide(game, AbortGame(), link))

    assert [(deal.deal, deal.seed) for deal in aborted.reveals] == [(5, LINKS[5])]


def test_the_totals_stay_and_the_deal_is_not_counted():
    game = a_deal(seat0="2C 3D", totals=[30, 20, 10, 18], deal=3)

    after_void = after(game, VOID)

    assert after_void.table.totals == (30, 20, 10, 18)
    assert (after_void.table.scored, after_void.table.ended) == (2, 3)
    assert after_void.table.numbers == (1, 2, 3, 4)
    assert after_void.table.voided_versions == (21,)


def test_a_deal_can_be_void_in_its_pass_in_its_play_and_before_its_moon_is_chosen():
    passing = a_new_deal(rules=STANDARD, seat0="2C", deal=1)
    shooting = after(game := a_last_card("", SLAM), last_card(game))
    assert isinstance(shooting, Shooting)

    for state in (passing, a_deal(seat0="2C 3D"), shooting):
        voided, dealt = decide(state, VOID, link)
        assert (voided.deal, dealt.deal) == (1, 2)
        assert turn_of(fold(state, [voided, dealt])) is not None


def test_only_a_running_deal_can_be_void():
    over = after(started(), AbortGame())

    assert refusal(FULL, VOID) == "game_not_started"
    assert refusal(over, VOID) == "game_not_active"


def test_the_voided_deal_stays_in_sight_until_the_next_is_dealt():
    game = a_deal(seat0="2C 3D", deal=2)
    voided, dealt = decide(game, VOID, link)

    between = evolve(game, voided)

    assert isinstance(between, Between)
    view = view_for(0, between)
    assert (view.deal.number, view.turn) == (2, None)
    assert view.you.hand == game.hands[0]
    assert view.revealed_version == view.version == game.version + 1
    assert view_for(0, evolve(between, dealt)).deal.number == 3


def test_a_kitty_of_a_voided_deal_stays_hidden_where_all_is_opened_at_the_end():
    kitty = rules("kitty", 5, reveal="game_end")
    game = a_deal(rules=kitty, seat0="2C 3D", kitty="QS 4D", taken=["2H", "", "", "", ""])
    game = evolve(game, e.DealVoided(1, reasons.STORE_REWOUND, None))

    seats = view_for(None, game).seats
    assert [seat.deal_points for seat in seats] == [1, 0, 0, 0, 0]


def test_the_last_link_is_the_end_of_the_game():
    game = a_deal(seat0="2C 3D", totals=[4, 9, 4, 9], deal=256)
    events = decide(game, VOID, link)

    finished = of_type(e.GameFinished, events)
    assert (finished.reason, finished.winners) == (Reason.TOO_LONG, (0, 2))
    assert isinstance(fold(game, events), Over)


@pytest.mark.parametrize("skip", [255, 256, 10_000])
@pytest.mark.parametrize("reveal", list(Reveal))
def test_links_that_are_all_left_out_are_the_end_too(skip, reveal):
    events = decide(started(reveal=reveal), VoidDeal(reasons.STORE_RESTORED, skip), link)

    voided, finished = events
    assert finished.reason is Reason.TOO_LONG
    opened = [*([voided.opened] if voided.opened else []), *finished.reveals]
    assert [deal.deal for deal in opened] == [1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("reveal", list(Reveal))
def test_whole_games_count_only_what_was_scored(seed, reveal):
    events = voided_game(seed, reveal=reveal)

    scored, voided = of(e.DealScored, events), of(e.DealVoided, events)
    dealt = [event.deal for event in of(e.DealDealt, events)]
    opened = [one.opened for one in (*scored, *voided) if one.opened]
    opened += events[-1].reveals
    assert len(scored) == 2
    assert voided
    assert dealt == sorted(event.deal for event in (*scored, *voided))
    assert sorted(one.deal for one in opened) == dealt
    assert events[-1].reason is Reason.DEALS_PLAYED
    assert events[-1].totals == scored[-1].totals


def test_a_game_folds_the_same_in_steps():
    events, state = voided_game(5), None

    for event in events:
        state = evolve(state, event)

    assert state == fold(None, events)
    assert state.version == len(events)


def test_no_deal_comes_before_its_time():
    game = started()
    voided, dealt = decide(game, VoidDeal(reasons.STORE_RESTORED, 3), link)
    between = evolve(game, voided)

    assert evolve(between, dealt).table.numbers == (1, 5)
    game = a_last_card("2H", SLAM.replace("2H ", ""))
    ended = fold(game, decide(game, last_card(game), link)[:-1])
    for state, number in ((between, 1), (between, 0), (ended, 3), (ended, 1)):
        wrong = e.DealDealt(number, 0, None, 0, 0, None, dealt.hands)
        with pytest.raises(CorruptLogError):
            evolve(state, wrong)


def test_no_other_deal_than_the_running_one_is_void():
    game = a_deal(seat0="2C 3D", deal=2)

    for state, number in ((game, 1), (game, 3), (FULL, 1)):
        with pytest.raises(CorruptLogError):
            evolve(state, e.DealVoided(number, reasons.STORE_REWOUND, None))


def test_no_deal_is_void_in_the_middle_of_a_command():
    game = a_deal(seat0="2C", seat1="3C", seat2="4C", seat3="5C 6C")
    for code, seat in (("2C", 0), ("3C", 1), ("4C", 2)):
        game = after(game, play(seat, code))
    inside = fold(game, step(game, play(3, "5C"))[0][:1])
    assert turn_of(inside) is None

    with pytest.raises(CorruptLogError):
        evolve(inside, e.DealVoided(1, reasons.STORE_REWOUND, None))


def test_a_card_of_a_voided_deal_is_not_played_on():
    game = after(a_deal(seat0="2C 3D"), VOID)

    assert table_of(game).deals == 2
    assert refusal(game, play(0, "2C")) is not None
