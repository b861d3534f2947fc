"""Commands and what they cause: lobby, start, phases, reveals. Plays are in test_playing."""

from dataclasses import replace

import pytest

from engine.cards import CODES
from engine.commands import (
    AbortGame,
    BotSeat,
    ChooseMoon,
    ClaimSeat,
    HumanSeat,
    StartGame,
    UpdateSeat,
)
from engine.decide import decide
from engine.errors import NotYourTurn, RuleViolation, SeatsNotFilled, WrongPhase
from engine.events import (
    DealDealt,
    DealScored,
    GameAborted,
    GameCreated,
    GameFinished,
    GameStarted,
    MoonChosen,
    MoonShot,
    SeatClaimed,
    SeatUpdated,
)
from engine.evolve import fold
from engine.scoring import MoonChoice
from engine.shuffle import deal_hands
from engine.state import Lobby, Over, Passing, Status, status_of, turn_of
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
    create,
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

SEED = "ab" * 32
OTHER_SEED = "cd" * 32
SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"
FULL = a_lobby("Ana", "Bea", "bot", "bot")


def no_link(deal):
    raise AssertionError(deal)


# Creating a table


def test_a_new_game_is_a_lobby_with_free_human_seats():
    events, lobby = step(None, create(seats=(HumanSeat(), *[BotSeat("easy", "Easy Bot")] * 3)))

    assert [type(event) for event in events] == [GameCreated]
    assert isinstance(lobby, Lobby)
    assert [player.is_free for player in lobby.table.players] == [True, False, False, False]
    assert lobby.version == 1


def test_the_creator_may_claim_a_seat_at_once():
    events = decide(None, create(claim=ClaimSeat(2, "Ana")), no_link)

    assert events[1:] == [SeatClaimed(2, "Ana", grant=1, client_seed=None)]


def test_the_creator_may_claim_no_seat_of_a_bot():
    seats = (BotSeat("easy", "Easy Bot"), *[HumanSeat()] * 3)

    assert refusal(None, create(seats=seats, claim=ClaimSeat(0, "Ana"))) == "seat_is_bot"
    assert refusal(None, create(seats=seats, claim=ClaimSeat(4, "Ana"))) == "seat_not_found"


# Claiming and updating seats


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (0, "seat_taken"),
        (1, None),
        (2, "seat_is_bot"),
        (3, None),
        (4, "seat_not_found"),
        (-1, "seat_not_found"),
    ],
)
def test_who_may_claim_what(wanted, code):
    assert refusal(a_lobby("Ana", None, "bot", None), ClaimSeat(wanted, "Bea")) == code


def test_any_seat_is_the_first_free_one():
    (claimed,) = decide(a_lobby("Ana", "bot", None, None), ClaimSeat(None, "Bea"), no_link)

    assert claimed.seat == 2


def test_a_full_table_has_no_seat_for_anybody():
    assert refusal(FULL, ClaimSeat(None, "Cid")) == "game_full"


def test_the_number_of_a_grant_is_never_below_the_time_of_the_claim():
    (claimed,) = decide(a_lobby(None, "Bea", "Cid", "Dag"), ClaimSeat(0, "A", elapsed=90), no_link)

    assert claimed.grant == 90


def test_a_seat_changes_its_name():
    (updated,) = decide(FULL, UpdateSeat(0, name="Anna"), no_link)

    assert updated == SeatUpdated(0, "Anna", client_seed_given=False, client_seed=None)


def test_a_seat_gives_its_seed_once():
    given = after(FULL, UpdateSeat(0, client_seed=SEED))

    assert refusal(given, UpdateSeat(0, client_seed=OTHER_SEED)) == "client_seed_given"
    assert decide(given, UpdateSeat(0, client_seed=SEED), no_link) == []


def test_an_update_that_changes_nothing_causes_nothing():
    assert decide(FULL, UpdateSeat(0, name="Ana"), no_link) == []
    assert decide(FULL, UpdateSeat(0), no_link) == []


def test_a_later_name_keeps_the_seed():
    game = after(FULL, UpdateSeat(0, client_seed=SEED), UpdateSeat(0, name="Anna"))

    assert game.table.players[0].client_seed == SEED
    assert game.table.players[0].name == "Anna"


def test_a_seed_given_with_the_claim_counts_as_given():
    game = after(a_lobby(None, "Bea", "Cid", "Dag"), ClaimSeat(0, "Ana", SEED))

    assert refusal(game, UpdateSeat(0, client_seed=OTHER_SEED)) == "client_seed_given"


# Starting


def test_a_start_needs_all_human_seats():
    with pytest.raises(SeatsNotFilled, match="seats 1, 3") as no:
        decide(a_lobby("Ana", None, "bot", None), StartGame(), no_link)

    assert no.value.open_seats == (1, 3)


def test_a_start_freezes_the_seeds_in_the_order_of_seats():
    events = decide(after(FULL, UpdateSeat(1, client_seed=SEED)), StartGame(), link)

    assert of_type(GameStarted, events).client_seeds == ("-", SEED, "-", "-")


def test_a_start_deals_the_first_deal_with_its_link():
    events, game = step(FULL, StartGame())

    dealt = of_type(DealDealt, events)
    assert dealt.hands == deal_hands(STANDARD, LINKS[1], COMMITMENT[:32], 1, ["-"] * 4)
    assert (dealt.deal, dealt.dealer, dealt.direction, dealt.pass_count) == (1, 3, "left", 3)
    assert (dealt.leader, dealt.opening_card) == (None, None)
    assert isinstance(game, Passing)


def test_seeds_change_the_deal():
    seeded = after(FULL, UpdateSeat(0, client_seed=SEED))

    plain, mixed = (of_type(DealDealt, decide(g, StartGame(), link)) for g in (FULL, seeded))

    assert plain.hands != mixed.hands


def test_games_and_deals_differ(rng):
    """Fault case 22."""
    events = [play_game(rules(ending={"target": None, "deals": 2}), rng) for _ in range(20)]

    hands = [event.hands for game in events for event in game if isinstance(event, DealDealt)]
    assert len(set(hands)) == len(hands) >= 40


def test_a_link_is_asked_for_only_when_its_deal_is_dealt_or_opened():
    asked = []

    def watched(deal):
        asked.append(deal)
        return link(deal)

    game = a_last_card("2H", SLAM.replace("2H ", ""))
    decide(game, last_card(game), watched)
    decide(a_deal(seat0="2C 3D"), play(0, "2C"), watched)

    assert asked == [1, 2]


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
LOBBY_COMMANDS = {
    "claim": ClaimSeat(0, "Eva"),
    "update": UpdateSeat(0, name="Eva"),
    "start": StartGame(),
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


@pytest.mark.parametrize("game", [PASSING, PLAYING, SHOOTING, FINISHED, ABORTED])
def test_the_lobby_closes_with_the_start(game):
    codes = {refusal(game, command) for command in LOBBY_COMMANDS.values()}

    assert codes == {"game_already_started"}


def test_nobody_claims_a_seat_of_a_game_aborted_in_the_lobby():
    codes = {refusal(ABORTED_EARLY, command) for command in LOBBY_COMMANDS.values()}

    assert codes == {"game_not_active"}


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

    assert events[0] == MoonChosen(1, 1, MoonChoice.SELF_SUBTRACT, "fallback")
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
