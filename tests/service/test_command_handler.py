"""The one door: what is settled by reading the log again, and what is written."""

import pytest

from engine import commands as c
from engine.errors import GameNotStarted, NotYourTurn, SeatTaken
from service.command_handler import create_game, handle
from service.command_request import BusyError, Guard, Refused, TurnAlreadyPlayed
from service.store.base import StoreUnavailableError
from service.store.envelope import Actor
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.house import House, Together, at_once, code_of, legal_moves
from tests.table import rules

PEOPLE = (None,) * 4
NO_PASS = rules(passing={"cycle": ["hold"]}, play={"opening_lead": "eldest"})
LOST = [Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.LATE]


@pytest.fixture
def house():
    return House(MemoryStore())


def kinds(house, game_id):
    return [type(one.event).__name__ for one in house.log(game_id)]


def failing(house, *plan, methods=("append",)):
    """Let the calls of *house* go wrong as planned, and return the store that does it."""
    store = FaultyStore(house.deps.store, plan, methods)
    house.over(store)
    return store


def why(refused):
    return type(refused.value.reason)


# Others are faster


def test_a_conflict_is_decided_again(house):
    game_id = house.started(*PEOPLE)
    before = house.read(game_id)
    store = failing(house, Fault.CONFLICT, Fault.CONFLICT)

    outcome = house.ask(game_id, legal_moves(before)[0])

    assert outcome.game.version == before.version + 1
    assert store.calls.count("append") == 3


def test_tries_outlast_the_seats_and_then_end(house):
    game_id = house.started(*PEOPLE)
    store = failing(house, *[Fault.CONFLICT] * 100)
    move = legal_moves(house.read(game_id))[0]

    with pytest.raises(BusyError):
        house.ask(game_id, move)

    assert 4 + 4 <= store.calls.count("append") <= 4 + 6


def test_creating_a_game_is_tried_a_few_times(house):
    game_id, request = house.creation(*PEOPLE)
    store = failing(house, *[Fault.CONFLICT] * 100)

    with pytest.raises(BusyError):
        create_game(house.deps, game_id, request)

    assert store.calls.count("append") == 4


@pytest.mark.parametrize("seats", [3, 4, 7])
def test_all_seats_may_pass_in_the_same_instant(house, seats):
    """Fault case 62."""
    game_id = house.started(*(None,) * seats)
    game = house.read(game_id)
    store = Together(house.deps.store, seats)

    def passing(seat):
        guard = Guard(turn_id=game.turn.id)
        return lambda: House(store).ask(game_id, legal_moves(game, seat)[0], guard=guard)

    outcomes = at_once([passing(seat) for seat in range(seats)])

    assert [len(outcome.events) for outcome in outcomes].count(1) == seats - 1
    assert kinds(house, game_id).count("CardsPassed") == seats
    assert kinds(house, game_id).count("PassCompleted") == 1


def test_more_claims_than_seats_fill_each_seat_once(house):
    """Fault case 69."""
    game_id = house.open(*PEOPLE)
    store = Together(house.deps.store, 7)

    outcomes = at_once([lambda n=n: House(store).claim(game_id, name=f"P{n}") for n in range(7)])

    claims = [one.events[0].event for one in outcomes if not isinstance(one, Refused)]
    assert [code_of(one) for one in outcomes if isinstance(one, Refused)] == ["game_full"] * 3
    players = house.read(game_id).table.players
    told = {claim.seat: (claim.name, claim.grant) for claim in claims}
    assert told == {seat: (player.name, player.grant) for seat, player in enumerate(players)}


def test_one_of_many_claims_of_a_seat_wins(house):
    game_id = house.open(*PEOPLE)
    store = Together(house.deps.store, 5)

    outcomes = at_once([lambda n=n: House(store).claim(game_id, 2, name=f"P{n}") for n in range(5)])

    refused = [one for one in outcomes if isinstance(one, Refused)]
    assert [type(one.reason) for one in refused] == [SeatTaken] * 4
    (winner,) = [one for one in outcomes if one not in refused]
    assert winner.events[0].event.name == house.read(game_id).table.players[2].name


def test_one_of_ten_starts_deals(house):
    """Fault case 70."""
    game_id = house.open(*PEOPLE)
    for seat in range(4):
        house.claim(game_id, seat)
    store = Together(house.deps.store, 10)

    outcomes = at_once([lambda: House(store).ask(game_id, c.StartGame())] * 10)

    refused = [code_of(one) for one in outcomes if isinstance(one, Refused)]
    assert refused == ["game_already_started"] * 9
    assert kinds(house, game_id).count("DealDealt") == 1


def test_two_cards_in_the_same_instant_are_a_card_and_a_refusal(house):
    """Fault case 63."""
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    game = house.read(game_id)
    store, guard = Together(house.deps.store, 2), Guard(turn_id=game.turn.id)
    moves = legal_moves(game)[:2]

    outcomes = at_once([lambda m=m: House(store).ask(game_id, m, guard=guard) for m in moves])

    (refused,) = [one for one in outcomes if isinstance(one, Refused)]
    assert isinstance(refused.reason, TurnAlreadyPlayed)
    assert house.read(game_id).version == game.version + 1


def test_twenty_moves_with_one_key_are_one_move_and_equal_answers(house):
    """Fault case 65."""
    game_id = house.started(*PEOPLE)
    move = legal_moves(house.read(game_id))[0]
    version = house.read(game_id).version
    store = Together(house.deps.store, 20)

    outcomes = at_once([lambda: House(store).ask(game_id, move, key="k")] * 20)

    assert house.read(game_id).version == version + 1
    assert [outcome.events for outcome in outcomes] == [outcomes[0].events] * 20
    assert [outcome.game.state for outcome in outcomes] == [outcomes[0].game.state] * 20
    assert [outcome.replayed for outcome in outcomes].count(False) == 1


# What is remembered may be old


def test_a_warm_cache_is_decided_on_without_reading(house):
    game_id = house.started(*PEOPLE)
    move = legal_moves(house.read(game_id))[0]
    house.over(FaultyStore(house.deps.store))
    game = house.read(game_id)
    house.deps.store.calls.clear()

    handle(house.deps, game_id, house.request(game, move))

    assert house.deps.store.calls == ["append"]


def test_an_old_memory_refuses_nothing(house):
    game_id = house.open(*PEOPLE)
    other = house.restarted()
    for seat in range(4):
        other.claim(game_id, seat)
    other.ask(game_id, c.StartGame())
    assert not house.deps.games.cached(game_id).table.dealt
    game = other.read(game_id)

    outcome = handle(house.deps, game_id, house.request(game, legal_moves(game)[0]))

    assert outcome.events


def test_an_old_memory_does_not_say_that_there_is_nothing_to_change(house):
    game_id = house.open(*PEOPLE)
    house.claim(game_id, 0, name="Ana")
    game = house.read(game_id)
    house.restarted().ask(game_id, c.UpdateSeat(0, name="Bo"))

    outcome = handle(house.deps, game_id, house.request(game, c.UpdateSeat(0, name="Ana")))

    assert [one.event.name for one in outcome.events] == ["Ana"]


def test_a_change_to_what_is_there_changes_nothing(house):
    game_id = house.open(*PEOPLE)
    house.claim(game_id, 0, name="Ana")

    outcome = house.ask(game_id, c.UpdateSeat(0, name="Ana"))

    assert outcome.events == ()
    assert outcome.game.version == house.read(game_id).version == 2


def test_a_refusal_shows_the_game_as_the_log_has_it(house):
    game_id = house.started(*PEOPLE, rules=NO_PASS)
    old = house.read(game_id)
    house.restarted().ask(game_id, legal_moves(old)[0])
    seat = old.turn.seats[0]

    with pytest.raises(Refused) as refused:
        handle(house.deps, game_id, house.request(old, legal_moves(old)[-1]))

    assert why(refused) is NotYourTurn
    assert refused.value.game.version == old.version + 1
    assert refused.value.seat == seat


# The answer is lost


@pytest.mark.parametrize("fault", LOST)
def test_a_lost_answer_is_settled_by_the_log(house, fault):
    """Fault case 78."""
    game_id = house.started(*PEOPLE)
    before = house.read(game_id)
    failing(house, fault)

    outcome = house.ask(game_id, legal_moves(before)[0])

    assert [one.seq for one in outcome.events] == [before.version + 1]
    assert house.read(game_id).version == before.version + 1
    assert not outcome.replayed


@pytest.mark.parametrize("fault", LOST)
def test_a_game_whose_answer_is_lost_is_created_once(house, fault):
    game_id, request = house.creation(*PEOPLE)
    failing(house, fault)

    outcome = create_game(house.deps, game_id, request)

    assert not outcome.replayed
    assert house.read(game_id).version == 1


def test_a_write_that_lands_late_does_not_count_twice(house):
    game_id = house.started(*PEOPLE)
    before = house.read(game_id)
    failing(house, Fault.LATE, Fault.LATE, Fault.LATE)

    house.ask(game_id, legal_moves(before)[0])

    assert house.read(game_id).version == before.version + 1


def test_workers_hear_of_a_write_whose_answer_was_lost(house):
    game_id = house.open(None, "easy", "easy", "easy")
    house.claim(game_id, 0)
    failing(house, Fault.LOST_AFTER)

    house.ask(game_id, c.StartGame())

    assert house.hinted == [game_id]


def test_a_store_that_is_away_changes_nothing_and_is_said(house):
    game_id = house.started(*PEOPLE)
    before = house.read(game_id)
    failing(house, Fault.UNAVAILABLE)
    move = legal_moves(before)[0]

    with pytest.raises(StoreUnavailableError):
        house.ask(game_id, move, key="k")

    assert house.read(game_id).version == before.version
    assert not house.ask(game_id, move, key="k").replayed


def test_a_repeat_settles_a_write_that_nobody_could_confirm(house):
    game_id = house.started(*PEOPLE)
    move = legal_moves(house.read(game_id))[0]
    game = house.read(game_id)
    failing(house, Fault.LOST_AFTER, Fault.UNAVAILABLE, methods=("append", "tail"))
    house.deps.games.keep(game)
    request = house.request(game, move, key="k")

    with pytest.raises(StoreUnavailableError):
        handle(house.deps, game_id, request)
    outcome = handle(house.deps, game_id, request)

    assert outcome.replayed
    assert house.read(game_id).version == game.version + 1


# What is written


def test_events_of_a_command_share_its_actor_and_time_and_name_it_once(house):
    game_id = house.open(*PEOPLE)
    for seat in range(4):
        house.claim(game_id, seat)
    house.now += 5

    started, dealt = house.ask(game_id, c.StartGame(), key="k").events

    assert started.actor == dealt.actor == Actor("host")
    assert started.time == dealt.time == house.now
    assert started.cause is not None
    assert dealt.cause is None


def test_whoever_claims_a_seat_acts_for_it(house):
    game_id = house.open(*PEOPLE)

    (claimed,) = house.claim(game_id).events

    assert claimed.actor == Actor("seat", 0)


def test_times_never_go_back(house):
    game_id = house.started(*PEOPLE)
    first = house.log(game_id)[-1].time
    house.now -= 3_600_000

    outcome = house.ask(game_id, legal_moves(house.read(game_id))[0])

    assert outcome.events[0].time == first


def test_a_clock_that_went_back_does_not_hide_a_waiting_bot(house):
    game_id = house.open(None, "easy", "easy", "easy")
    house.claim(game_id, 0)
    house.now -= 3_600_000

    house.ask(game_id, c.StartGame())

    assert house.deps.store.overdue(house.now, 1)[0].game_id == game_id


def test_a_game_that_waits_for_people_is_not_due(house):
    game_id = house.started(*PEOPLE)

    assert house.deps.store.overdue(house.now + 10**9, 1) == []
    assert house.hinted == []
    assert house.read(game_id).turn is not None


def test_a_move_before_the_start_is_refused_by_the_rules(house):
    game_id = house.open(*PEOPLE)
    house.claim(game_id, 0)

    with pytest.raises(Refused) as refused:
        house.ask(game_id, c.PlayCard(0, 1))

    assert why(refused) is GameNotStarted
