"""Who sits where, with which token, and when it begins; in the lobby and in a running game."""

from dataclasses import replace

import pytest

from engine import commands as c
from engine import events as e
from engine.decide import decide
from engine.errors import SeatsNotFilled
from engine.evolve import evolve, fold
from engine.lobby import said_again
from engine.shuffle import deal_hands
from engine.state import Lobby, Passing, Playing, Shooting, turn_of
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
)

SEED = "ab" * 32
OTHER_SEED = "cd" * 32
SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"
BOT = c.BotSeat("easy", "Easy Bot")
ROBO = c.BotSeat("random", "Robo")
FULL = a_lobby("Ana", "Bea", "bot", "bot")
OPEN = a_lobby("Ana", None, "bot", None)


def no_link(deal):
    raise AssertionError(deal)


def caused(game, command):
    """Return what *command* causes where nothing is dealt."""
    return decide(game, command, no_link)


def kinds(events):
    return [type(event).__name__ for event in events]


# Creating a table


def test_a_new_game_is_a_lobby_with_free_human_seats():
    events, lobby = step(None, create(seats=(c.HumanSeat(), *[BOT] * 3)))

    assert kinds(events) == ["GameCreated"]
    assert isinstance(lobby, Lobby)
    assert [player.is_free for player in lobby.table.players] == [True, False, False, False]
    assert lobby.version == 1


def test_the_creator_may_claim_a_seat_at_once():
    events = caused(None, create(claim=c.ClaimSeat(2, "Ana")))

    assert events[1:] == [e.SeatClaimed(2, "Ana", grant=1, client_seed=None)]


def test_the_creator_may_claim_no_seat_of_a_bot():
    seats = (BOT, *[c.HumanSeat()] * 3)

    assert refusal(None, create(seats=seats, claim=c.ClaimSeat(0, "Ana"))) == "seat_is_bot"
    assert refusal(None, create(seats=seats, claim=c.ClaimSeat(4, "Ana"))) == "seat_not_found"


def test_the_options_of_the_lobby_are_those_of_the_creation():
    (created,) = caused(None, create(is_open=False, auto_start=True, fill_with_bots=True))

    assert created.lobby == c.LobbyOptions(is_open=False, auto_start=True, fill_with_bots=True)
    assert after(None, create(is_open=False)).table.lobby.is_open is False


def test_the_creator_of_a_closed_lobby_may_claim_a_seat():
    events = caused(None, create(is_open=False, claim=c.ClaimSeat(0, "Ana")))

    assert kinds(events) == ["GameCreated", "SeatClaimed"]


# Claiming seats


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
    assert refusal(OPEN, c.ClaimSeat(wanted, "Bea")) == code


def test_any_seat_is_the_first_free_one():
    (claimed,) = caused(a_lobby("Ana", "bot", None, None), c.ClaimSeat(None, "Bea"))

    assert claimed.seat == 2


def test_a_full_table_has_no_seat_for_anybody():
    assert refusal(FULL, c.ClaimSeat(None, "Cid")) == "game_full"


def test_the_number_of_a_grant_is_never_below_the_time_of_the_claim():
    (claimed,) = caused(a_lobby(None, "Bea", "Cid", "Dag"), c.ClaimSeat(0, "A", elapsed=90))

    assert claimed.grant == 90


@pytest.mark.parametrize("wanted", [None, 0, 1, 2, 4])
def test_nobody_claims_a_seat_of_a_closed_lobby(wanted):
    closed = a_lobby("Ana", None, "bot", None, is_open=False)

    assert refusal(closed, c.ClaimSeat(wanted, "Bea")) == "lobby_closed"
    assert refusal(after(closed, c.ChangeOptions(is_open=True)), c.ClaimSeat(1, "Bea")) is None


# What a seat says of itself


def test_a_seat_changes_its_name():
    (updated,) = caused(FULL, c.UpdateSeat(0, name="Anna"))

    assert updated == e.SeatUpdated(0, "Anna", client_seed_given=False, client_seed=None)


def test_a_seat_gives_its_seed_once():
    given = after(FULL, c.UpdateSeat(0, client_seed=SEED))

    assert refusal(given, c.UpdateSeat(0, client_seed=OTHER_SEED)) == "client_seed_given"
    assert caused(given, c.UpdateSeat(0, client_seed=SEED)) == []


def test_an_update_that_changes_nothing_causes_nothing():
    assert caused(FULL, c.UpdateSeat(0, name="Ana")) == []
    assert caused(FULL, c.UpdateSeat(0, ready=False)) == []
    assert caused(FULL, c.UpdateSeat(0)) == []


def test_what_holds_can_be_said_again_and_changes_nothing():
    game = after(
        a_lobby(None, "Bea", "Cid", None),
        c.ClaimSeat(0, "Ana", SEED),
        c.UpdateSeat(0, ready=True),
        c.AssignBot(1, c.BotSeat("easy", "Bot"), 0),
    )
    commands = [
        c.UpdateSeat(0, name="Ana"),
        c.UpdateSeat(2, ready=False),
        c.AssignBot(1, c.BotSeat("easy", "Bot"), 0),
        c.OpenSeat(3, 0),
        c.ChangeOptions(rules=game.table.rules, is_open=True),
    ]

    for command in commands:
        assert caused(game, command) == []
        assert evolve(game, said_again(game, command)).table == game.table


def test_a_later_name_keeps_the_seed():
    game = after(FULL, c.UpdateSeat(0, client_seed=SEED), c.UpdateSeat(0, name="Anna"))

    assert game.table.players[0].client_seed == SEED
    assert game.table.players[0].name == "Anna"


def test_a_seed_given_with_the_claim_counts_as_given():
    game = after(a_lobby(None, "Bea", "Cid", "Dag"), c.ClaimSeat(0, "Ana", SEED))

    assert refusal(game, c.UpdateSeat(0, client_seed=OTHER_SEED)) == "client_seed_given"


def test_a_seat_is_ready_until_it_says_otherwise():
    ready = after(FULL, c.UpdateSeat(0, ready=True), c.UpdateSeat(0, name="Anna"))

    assert ready.table.players[0].ready
    assert caused(ready, c.UpdateSeat(0, ready=True)) == []
    assert not after(ready, c.UpdateSeat(0, ready=False)).table.players[0].ready


# What the host says of the table


def test_other_rules_withdraw_everybodys_readiness():
    lobby = a_lobby("Ana", "Bea", "bot", "bot", ready=[0, 1])
    later = rules(ending={"target": 50})

    events, changed = step(lobby, c.ChangeOptions(rules=later))

    assert events == [e.OptionsChanged(later)]
    assert changed.table.rules == later
    assert not any(player.ready for player in changed.table.players)


def test_the_same_rules_change_nothing():
    lobby = a_lobby("Ana", "Bea", "bot", "bot", ready=[0, 1])

    assert caused(lobby, c.ChangeOptions(rules=STANDARD, is_open=True)) == []
    assert caused(lobby, c.ChangeOptions()) == []


def test_rules_and_lobby_change_together():
    later = rules(ending={"target": 50})

    events = caused(FULL, c.ChangeOptions(rules=later, is_open=False))

    assert events == [e.OptionsChanged(later), e.LobbyChanged(is_open=False)]


@pytest.mark.parametrize(
    "other", [rules(seats=5), replace(STANDARD, seats=9), rules(passing={"count": 4, "cycle": []})]
)
def test_rules_that_do_not_go_with_the_table_are_refused(other):
    assert refusal(FULL, c.ChangeOptions(rules=other, is_open=False)) == "rules_conflict"


def test_the_deal_is_made_by_the_rules_that_hold_at_the_start():
    later = rules(passing={"cycle": ["hold"]})

    events = decide(after(FULL, c.ChangeOptions(rules=later)), c.StartGame(), link)

    assert of_type(e.DealDealt, events).direction == "hold"


# What the host says of a seat


def test_a_bot_takes_a_free_seat():
    events, lobby = step(OPEN, c.AssignBot(1, ROBO))

    assert events == [e.SeatBotAssigned(1, "random", "Robo")]
    assert lobby.table.players[1].level == "random"
    assert refusal(lobby, c.ClaimSeat(1, "Bea")) == "seat_is_bot"


def test_a_bot_takes_the_seat_of_a_person_who_has_to_leave():
    seated = after(OPEN, c.ClaimSeat(1, "Bea", SEED, elapsed=70))

    events, lobby = step(seated, c.AssignBot(1, ROBO, elapsed=90))

    assert events == [e.SeatKicked(1, 90), e.SeatBotAssigned(1, "random", "Robo")]
    assert lobby.table.players[1].client_seed is None
    assert not lobby.table.players[1].has_token(90)


def test_a_bot_takes_the_seat_of_another_bot():
    assert caused(OPEN, c.AssignBot(2, ROBO)) == [e.SeatBotAssigned(2, "random", "Robo")]
    assert caused(OPEN, c.AssignBot(2, BOT)) == []


def test_a_bots_seat_is_opened_for_people():
    events, lobby = step(OPEN, c.OpenSeat(2, elapsed=50))

    assert events == [e.SeatReleased(2, 50, "bot_removed")]
    assert lobby.table.players[2].is_free
    assert lobby.table.players[2].name is None
    assert refusal(lobby, c.ClaimSeat(2, "Cid")) is None


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_of_a_person_is_open_already(seat):
    assert caused(OPEN, c.OpenSeat(seat)) == []


def test_a_kicked_seat_can_be_claimed_again():
    events, lobby = step(OPEN, c.KickSeat(0, "easy", elapsed=30))

    assert events == [e.SeatKicked(0, 30)]
    assert lobby.table.players[0].is_free
    assert not lobby.table.players[0].has_token(30)
    assert refusal(lobby, c.ClaimSeat(0, "Cid")) is None


def test_a_released_seat_can_be_claimed_again():
    seated = after(OPEN, c.ClaimSeat(1, "Bea", SEED), c.UpdateSeat(1, ready=True))

    events, lobby = step(seated, c.ReleaseSeat(1, "easy", elapsed=30))

    assert events == [e.SeatReleased(1, 30, "left")]
    claimed = after(lobby, c.ClaimSeat(1, "Cid")).table.players[1]
    assert (claimed.name, claimed.client_seed, claimed.ready) == ("Cid", None, False)


SEAT_COMMANDS = {
    "kick": lambda seat: c.KickSeat(seat, "easy"),
    "reissue": c.ReissueSeatToken,
}


@pytest.mark.parametrize("command", SEAT_COMMANDS.values(), ids=SEAT_COMMANDS)
def test_what_the_host_does_with_a_person_needs_one(command):
    codes = [refusal(OPEN, command(seat)) for seat in (-1, 0, 1, 2, 4)]

    assert codes == ["seat_not_found", None, "seats_not_filled", "seat_is_bot", "seat_not_found"]


@pytest.mark.parametrize("command", [lambda seat: c.AssignBot(seat, BOT), c.OpenSeat])
def test_a_seat_that_is_not_there_is_given_to_nobody(command):
    assert [refusal(OPEN, command(seat)) for seat in (-1, 4)] == ["seat_not_found"] * 2


# Tokens


def test_a_token_is_replaced_by_a_later_one():
    rotated = after(FULL, c.RotateSeatToken(0))
    reissued = after(rotated, c.ReissueSeatToken(0, elapsed=40))

    assert caused(FULL, c.RotateSeatToken(0)) == [e.SeatTokenRotated(0, 2)]
    assert caused(rotated, c.ReissueSeatToken(0, elapsed=40)) == [e.SeatTokenRotated(0, 40)]
    for lobby, grant in ((FULL, 1), (rotated, 2), (reissued, 40)):
        held = [number for number in range(50) if lobby.table.players[0].has_token(number)]
        assert held == [grant]


def test_a_rotation_changes_nothing_else():
    lobby = after(FULL, c.UpdateSeat(0, client_seed=SEED, ready=True))

    rotated = after(lobby, c.RotateSeatToken(0))

    assert rotated.table.players[0] == lobby.table.players[0]._replace(grant=2)


def test_the_hosts_token_is_replaced_by_a_later_one():
    events, lobby = step(FULL, c.RotateHostToken())

    assert events == [e.HostTokenRotated(2)]
    assert after(lobby, c.RotateHostToken(elapsed=90)).table.host_grant == 90


def test_a_grant_is_never_given_twice():
    """Whatever becomes of a seat, no number comes back."""
    coming_and_going = [
        c.ClaimSeat(1, "Bea", elapsed=10),
        c.RotateSeatToken(1),
        c.ReissueSeatToken(1),
        c.ReleaseSeat(1, "easy"),
        c.ClaimSeat(1, "Cid", elapsed=5),
        c.KickSeat(1, "easy"),
        c.ClaimSeat(1, "Dag"),
        c.AssignBot(1, ROBO),
        c.OpenSeat(1),
        c.ClaimSeat(1, "Eva"),
    ]
    lobby, grants = OPEN, []
    for command in coming_and_going:
        events, lobby = step(lobby, command)
        grants += [event.grant for event in events if hasattr(event, "grant")]

    assert grants == sorted(set(grants)) == list(range(10, 20))
    assert lobby.table.players[1].has_token(19)


# Starting


def test_a_start_needs_all_human_seats():
    with pytest.raises(SeatsNotFilled, match="seats 1, 3") as no:
        decide(OPEN, c.StartGame(filler=BOT), no_link)

    assert no.value.open_seats == (1, 3)


def test_a_start_freezes_the_seeds_in_the_order_of_seats():
    events = decide(after(FULL, c.UpdateSeat(1, client_seed=SEED)), c.StartGame(), link)

    assert of_type(e.GameStarted, events).client_seeds == ("-", SEED, "-", "-")


def test_a_start_deals_the_first_deal_with_its_link():
    events, game = step(FULL, c.StartGame())

    dealt = of_type(e.DealDealt, events)
    assert dealt.hands == deal_hands(STANDARD, LINKS[1], COMMITMENT[:32], 1, ["-"] * 4)
    assert (dealt.deal, dealt.dealer, dealt.direction, dealt.pass_count) == (1, 3, "left", 3)
    assert (dealt.leader, dealt.opening_card) == (None, None)
    assert isinstance(game, Passing)


def test_a_start_waits_for_nobodys_readiness():
    assert refusal(a_lobby("Ana", "Bea", "bot", "bot", ready=[1]), c.StartGame()) is None


@pytest.mark.parametrize("is_open", [True, False])
def test_a_started_game_takes_nobody_in(is_open):
    game = after(a_lobby("Ana", "Bea", "bot", "bot", is_open=is_open), c.StartGame())

    assert game.table.lobby.is_open is False


def test_bots_fill_the_free_seats_where_that_was_agreed():
    lobby = a_lobby("Ana", None, "bot", None, fill_with_bots=True)

    events, game = step(lobby, c.StartGame(filler=ROBO))

    assert events[:2] == [e.SeatBotAssigned(seat, "random", "Robo") for seat in (1, 3)]
    assert kinds(events[2:]) == ["GameStarted", "DealDealt"]
    assert [player.level for player in game.table.players] == [None, "random", "easy", "random"]


def test_a_full_table_needs_no_bots():
    lobby = a_lobby("Ana", "Bea", "bot", "bot", fill_with_bots=True)

    assert kinds(decide(lobby, c.StartGame(filler=ROBO), link)) == ["GameStarted", "DealDealt"]


# Starting by itself


def auto(*players, ready=(), **options):
    return a_lobby(*players, ready=ready, auto_start=True, **options)


STARTS_BY_ITSELF = {
    "the last person is ready": (
        auto("Ana", "Bea", "bot", "bot", ready=[0]),
        c.UpdateSeat(1, ready=True),
        ["SeatUpdated"],
    ),
    "the only person is ready": (
        auto("bot", "Bea", "bot", "bot"),
        c.UpdateSeat(1, name="Bo", client_seed=SEED, ready=True),
        ["SeatUpdated"],
    ),
    "a bot takes the last free seat": (
        auto("Ana", "bot", "bot", None, ready=[0]),
        c.AssignBot(3, BOT),
        ["SeatBotAssigned"],
    ),
    "a bot takes the seat of whoever was not ready": (
        auto("Ana", "Bea", "bot", "bot", ready=[0]),
        c.AssignBot(1, BOT),
        ["SeatKicked", "SeatBotAssigned"],
    ),
    "a bot takes the last seat of a person": (
        auto("Ana", "bot", "bot", "bot"),
        c.AssignBot(0, BOT),
        ["SeatKicked", "SeatBotAssigned"],
    ),
    "a closed lobby": (
        auto("Ana", "bot", "bot", "bot", is_open=False),
        c.UpdateSeat(0, ready=True),
        ["SeatUpdated"],
    ),
}


@pytest.mark.parametrize(
    ("lobby", "command", "first"), STARTS_BY_ITSELF.values(), ids=STARTS_BY_ITSELF
)
def test_a_game_starts_by_itself_once_nobody_is_waited_for(lobby, command, first):
    events, game = step(lobby, command)

    assert kinds(events) == [*first, "GameStarted", "DealDealt"]
    assert isinstance(game, Passing)


STARTS_NOT = {
    "somebody sits down": (
        auto("Ana", "bot", "bot", None, ready=[0]),
        c.ClaimSeat(3, "Dag"),
    ),
    "one of two is ready": (auto("Ana", "Bea", "bot", "bot"), c.UpdateSeat(0, ready=True)),
    "a free seat that bots may fill": (
        auto("Ana", None, "bot", "bot", fill_with_bots=True),
        c.UpdateSeat(0, ready=True),
    ),
    "one more bot": (auto("Ana", None, "bot", None, ready=[0]), c.AssignBot(1, BOT)),
    "the last person leaves": (
        auto("Ana", "bot", "bot", "bot"),
        c.ReleaseSeat(0, "easy"),
    ),
    "the last person is kicked": (auto("Ana", "bot", "bot", "bot"), c.KickSeat(0, "easy")),
    "other rules": (
        auto("Ana", None, "bot", "bot", ready=[0]),
        c.ChangeOptions(rules=rules(ending={"target": 9})),
    ),
    "nobody asked for it": (
        a_lobby("Ana", "bot", "bot", "bot"),
        c.UpdateSeat(0, ready=True),
    ),
}


@pytest.mark.parametrize(("lobby", "command"), STARTS_NOT.values(), ids=STARTS_NOT)
def test_a_game_does_not_start_as_long_as_somebody_is_waited_for(lobby, command):
    assert isinstance(after(lobby, command), Lobby)


def test_a_table_of_bots_starts_as_it_is_created():
    events, game = step(None, create(seats=(BOT,) * 4, auto_start=True))

    assert kinds(events) == ["GameCreated", "GameStarted", "DealDealt"]
    assert isinstance(game, Passing)


@pytest.mark.parametrize("claim", [None, c.ClaimSeat(0, "Ana")])
def test_a_table_with_a_person_does_not_start_as_it_is_created(claim):
    seats = (c.HumanSeat(), BOT, BOT, BOT)

    lobby = after(None, create(seats=seats, auto_start=True, claim=claim))

    assert isinstance(lobby, Lobby)


def test_whoever_asks_for_a_start_need_not_wait_for_one():
    lobby = auto("Ana", "Bea", "bot", "bot", ready=[0])

    assert kinds(decide(lobby, c.StartGame(), link)) == ["GameStarted", "DealDealt"]


# Leaving a running game


PASSING = a_new_deal(seat0="2C 3C 4C 5C", seat1="2D 3D 4D", seat2="2S 3S 4S", seat3="2H 3H 4H")
PLAYING = a_deal(seat0="2C 3D", seat1="4C 5D", seat2="6C", seat3="7C")
SHOOTING = after(a_last_card("", SLAM), last_card(a_last_card("", SLAM)))
RUNNING = {"pass": PASSING, "play": PLAYING, "moon": SHOOTING}
MOVES = {
    "pass": pass_cards(1, "2D 3D 4D"),
    "play": play(0, "2C"),
    "moon": c.ChooseMoon(1, "others_add"),
}
LEAVING = {
    "release": (c.ReleaseSeat, e.SeatReleased(1, 7, "left"), "released"),
    "kick": (c.KickSeat, e.SeatKicked(1, 7), "kicked"),
}
in_every_phase = pytest.mark.parametrize("game", RUNNING.values(), ids=RUNNING)
in_either_way = pytest.mark.parametrize(("kind", "gone", "reason"), LEAVING.values(), ids=LEAVING)


def table(game):
    return game.played.table if isinstance(game, Shooting) else game.table


@in_every_phase
@in_either_way
def test_a_bot_stands_in_for_whoever_leaves(game, kind, gone, reason):
    events, left = step(game, kind(1, "easy", elapsed=7))

    assert events == [gone, e.ControlChanged(1, "easy", reason)]
    player = table(left).players[1]
    assert (player.name, player.claimed, player.playing_level) == ("Eva", False, "easy")
    assert not any(player.has_token(grant) for grant in range(10))


@in_every_phase
@pytest.mark.parametrize("kind", [c.ReleaseSeat, c.KickSeat])
def test_leaving_changes_neither_cards_nor_turn(game, kind):
    left = after(game, kind(1, "easy"))

    assert turn_of(left) == turn_of(game)
    before, now = (one.played if isinstance(one, Shooting) else one for one in (game, left))
    assert now.hands == before.hands
    assert left.version == game.version + 2


@pytest.mark.parametrize("phase", RUNNING)
def test_the_turn_that_was_open_is_the_bots(phase):
    left = after(RUNNING[phase], *(c.KickSeat(seat, "easy") for seat in range(4)))

    (moved, *_), _ = step(left, replace(MOVES[phase], auto="takeover"))

    assert (moved.turn_id, moved.auto) == (turn_of(RUNNING[phase]).id, "takeover")


@in_every_phase
def test_nobody_is_asked_while_a_seat_changes_hands(game):
    events = decide(game, c.KickSeat(1, "easy"), no_link)
    left = after(game, c.KickSeat(1, "easy"))
    back = decide(left, c.ReissueSeatToken(1), no_link)

    for state, (first, second) in ((game, events), (left, back)):
        between = fold(state, [first])
        assert turn_of(between) is None
        assert turn_of(fold(between, [second])) == turn_of(game)


@in_every_phase
def test_whoever_left_comes_back_with_a_new_token(game):
    left = after(game, c.ReleaseSeat(1, "easy", elapsed=7))

    events, back = step(left, c.ReissueSeatToken(1, elapsed=9))

    assert events == [e.SeatTokenRotated(1, 9), e.ControlChanged(1, None, "reissued")]
    player = table(back).players[1]
    assert (player.has_token(9), player.playing_level) == (True, None)
    assert turn_of(back) == turn_of(game)


@in_every_phase
def test_a_seat_whose_player_is_there_only_gets_a_new_token(game):
    assert decide(game, c.ReissueSeatToken(1), no_link) == [e.SeatTokenRotated(1, 2)]
    assert decide(game, c.RotateSeatToken(1), no_link) == [e.SeatTokenRotated(1, 2)]
    assert decide(game, c.RotateHostToken(), no_link) == [e.HostTokenRotated(2)]


def test_nobody_is_kicked_twice():
    left = after(PLAYING, c.KickSeat(1, "easy"))

    assert refusal(left, c.KickSeat(1, "easy")) == "seats_not_filled"


def test_a_seat_can_be_left_and_given_back_again_and_again():
    game = PLAYING
    for grant in (2, 4, 6):
        game = after(game, c.KickSeat(1, "easy"), c.ReissueSeatToken(1))
        assert table(game).players[1].grant == grant + 1


def test_a_bots_own_seat_is_nobodys_to_leave_or_give_back():
    game = after(FULL, c.StartGame())

    for command in (c.KickSeat(2, "easy"), c.ReissueSeatToken(2)):
        assert refusal(game, command) == "seat_is_bot"
    assert refusal(game, c.KickSeat(4, "easy")) == "seat_not_found"


def test_a_seed_that_was_given_stays_when_its_player_leaves():
    game = after(FULL, c.UpdateSeat(0, client_seed=SEED), c.StartGame())

    left = after(game, c.KickSeat(0, "easy"))

    assert left.table.players[0].client_seed == SEED
    assert left.table.client_seeds == game.table.client_seeds


def test_a_pass_of_a_stand_in_completes_the_pass():
    passes = [pass_cards(0, "2C 3C 4C"), pass_cards(2, "2S 3S 4S"), pass_cards(3, "2H 3H 4H")]
    left = after(PASSING, *passes, c.ReleaseSeat(1, "easy"))

    game = after(left, replace(pass_cards(1, "2D 3D 4D"), auto="takeover"))

    assert isinstance(game, Playing)


# Where what belongs


LOBBY_COMMANDS = {
    "claim": c.ClaimSeat(0, "Eva"),
    "rules": c.ChangeOptions(rules=rules(ending={"target": 9})),
    "close": c.ChangeOptions(is_open=False),
    "update": c.UpdateSeat(0, name="Eva"),
    "ready": c.UpdateSeat(0, ready=True),
    "bot": c.AssignBot(0, BOT),
    "open": c.OpenSeat(0),
    "start": c.StartGame(),
}
ANY_TIME = {
    "release": c.ReleaseSeat(0, "easy"),
    "kick": c.KickSeat(0, "easy"),
    "rotate": c.RotateSeatToken(0),
    "reissue": c.ReissueSeatToken(0),
    "rotate the host's": c.RotateHostToken(),
}
FINISHED = after(
    a_last_card("2H", SLAM.replace("2H ", ""), totals=(0, 99, 5, 5)),
    last_card(a_last_card("2H", SLAM.replace("2H ", ""))),
)
ABORTED = after(PLAYING, c.AbortGame())
ABORTED_EARLY = after(OPEN, c.AbortGame())


@pytest.mark.parametrize("game", [PASSING, PLAYING, SHOOTING, FINISHED, ABORTED])
def test_the_lobby_ends_with_the_start(game):
    codes = {name: refusal(game, command) for name, command in LOBBY_COMMANDS.items()}

    assert codes == dict.fromkeys(LOBBY_COMMANDS, "game_already_started")


def test_nothing_comes_of_a_lobby_that_was_aborted():
    codes = {name: refusal(ABORTED_EARLY, command) for name, command in LOBBY_COMMANDS.items()}

    assert codes == dict.fromkeys(LOBBY_COMMANDS, "game_not_active")
    assert ABORTED_EARLY.table.lobby.is_open is False


@pytest.mark.parametrize("game", [FULL, PASSING, PLAYING, SHOOTING])
def test_tokens_change_at_any_time(game):
    codes = {name: refusal(game, command) for name, command in ANY_TIME.items()}

    assert codes == dict.fromkeys(ANY_TIME, None)


@pytest.mark.parametrize("game", [FINISHED, ABORTED, ABORTED_EARLY])
def test_nobody_comes_or_goes_when_the_game_is_over(game):
    codes = {name: refusal(game, command) for name, command in ANY_TIME.items()}

    assert codes == dict.fromkeys(ANY_TIME, "game_not_active")
