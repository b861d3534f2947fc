"""What a worker does with a hint, whatever came before, beside or instead of it."""

import random
from itertools import count, cycle, islice

import pytest

from engine import commands as c
from engine import events as e
from engine.bots import Tempo, choose, seed_for
from engine.clocks import Clock
from engine.presets import PRESETS
from engine.view import view_for
from service import jobs
from service.jobs import AT_A_TABLE_SECONDS, JOBS, play_due, think_due
from service.notify import ANALYSE, PLAY_DUE, THINK_DUE
from service.store.envelope import Actor
from service.tempo import waiting_bots
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.house import House, Overtaken, legal_moves
from tests.table import rules

BOTS = ("easy",) * 4
ONE_PERSON = (None, "easy", "random", "easy")
SHORT = {"ending": {"deals": 1}}


@pytest.fixture
def house():
    return House(MemoryStore())


def hinted(house, *seats, **more):
    """Return a game in which a bot is to act, and nobody has hinted at it."""
    game_id = house.started(*(seats or BOTS), **more)
    house.hinted.clear()
    return game_id


def one_move_each():
    """Return a timer by which every move takes too long for a second one."""
    return count().__next__


def played(house, game_id):
    return [one for one in house.log(game_id) if one.actor.kind == "bot"]


def no_turn_twice(house, game_id):
    turns = [
        (one.actor.seat, one.event.turn_id)
        for one in played(house, game_id)
        if isinstance(one.event, e.CardPlayed | e.CardsPassed)
    ]
    return turns and len(set(turns)) == len(turns)


# A hint


def test_the_name_in_a_hint_is_that_of_the_job():
    for known in (PLAY_DUE, THINK_DUE, ANALYSE):
        module, _, name = known.rpartition(".")
        assert module == jobs.__name__
        assert JOBS[known] is getattr(jobs, name)
    assert len(JOBS) == 3


def test_bots_move_until_a_person_is_to_act(house):
    """Fault case 97."""
    game_id = hinted(house, *ONE_PERSON)

    play_due(house.hands(), game_id)

    assert house.read(game_id).turn.seats == (0,)
    house.ask(game_id, legal_moves(house.read(game_id))[0])
    assert house.hinted == [game_id]


def test_a_bots_move_is_signed_by_it(house):
    game_id = hinted(house, *ONE_PERSON)

    play_due(house.hands(one_move_each()), game_id)

    (passed,) = played(house, game_id)
    assert passed.actor == Actor("bot", 1, "easy", 1)
    assert passed.event.auto is None


def test_anyone_with_the_link_can_choose_the_same_move_again(house):
    game_id = hinted(house)
    while not house.read(game_id).table.scored:
        game = house.read(game_id)
        play_due(house.hands(one_move_each()), game_id)
        move = next(one.event for one in house.log(game_id) if one.seq > game.version)
        view = view_for(game.turn.seats[0], game.state)
        link = house.deps.links(game)(view.deal.number)
        chosen = choose(view, "easy", seed_for(view, link))
        assert getattr(move, "card", None) == getattr(chosen, "card", None)
        assert set(getattr(move, "cards", ())) == set(getattr(chosen, "cards", ()))


@pytest.mark.parametrize("seats", range(3, 8))
def test_bots_finish_a_game_unattended(house, seats):
    """Fault cases 36, 97 and 101."""
    levels = ("random", *("easy",) * (seats - 1))
    game_id = hinted(house, *levels, rules=rules(seats=seats, ending={"target": 50}))

    play_due(house.hands(), game_id)

    assert house.read(game_id).is_over
    assert no_turn_twice(house, game_id)


@pytest.mark.parametrize("preset", PRESETS)
def test_bots_know_every_preset(house, preset):
    table = rules(preset, ending={"deals": 4})
    levels = islice(cycle(("easy", "random")), table.seats)
    game_id = hinted(house, *levels, rules=table)

    play_due(house.hands(), game_id)

    assert house.read(game_id).is_over


def test_other_games_come_first_after_a_while(house):
    game_id = hinted(house)
    ticks = iter([0.0, 0.01, 0.04, AT_A_TABLE_SECONDS + 0.001])

    play_due(house.hands(ticks.__next__), game_id)

    assert len(played(house, game_id)) == 3
    assert house.hinted == [game_id]


def test_a_table_at_which_a_person_is_next_is_not_come_back_to(house):
    game_id = hinted(house, "easy", None, None, None)

    play_due(house.hands(one_move_each()), game_id)

    assert len(played(house, game_id)) == 1
    assert house.hinted == []


class Passed(list):
    """The hints of a job, each with its tempo."""

    def __call__(self, game_id, tempo):
        self.append((game_id, tempo))


def test_quick_bots_move_until_a_slow_one_is_to_act(house):
    game_id = hinted(house, "easy", "easy", "hard", "easy")
    hints = Passed()

    play_due(house.hands()._replace(hint=hints), game_id)

    assert {one.actor.seat for one in played(house, game_id)} == {0, 1}
    assert hints == [(game_id, Tempo.SLOW)]


def test_where_slow_bots_wait_quick_ones_beside_them_move_as_well(house):
    game_id = hinted(house, "easy", "easy", "hard", "easy")

    think_due(house.hands(), game_id)

    assert house.read(game_id).is_over


def test_among_slow_tables_each_gets_one_move_in_turn(house):
    game_ids = [hinted(house, *("hard",) * 4) for _ in range(3)]
    hints = Passed((game_id, Tempo.SLOW) for game_id in game_ids)
    hands = house.hands(one_move_each())._replace(hint=hints)

    for _ in range(9):
        think_due(hands, hints.pop(0)[0])

    assert [len(played(house, game_id)) for game_id in game_ids] == [3, 3, 3]
    assert hints == [(game_id, Tempo.SLOW) for game_id in game_ids]


def test_a_time_out_that_a_slow_level_plays_out_waits_among_the_slow(house):
    clock = Clock(60, 60, 60, "hard")
    game_id = hinted(house, *(None,) * 4, clock=clock)
    house.now += 60_000
    hints = Passed()
    hands = house.hands()._replace(hint=hints)

    play_due(hands, game_id)
    assert hints == [(game_id, Tempo.SLOW)]
    think_due(hands, game_id)

    assert {one.actor.kind for one in house.log(game_id)[-2:]} == {"timer"}


def test_a_hint_at_a_game_that_waits_for_nobody_does_nothing(house):
    lobby = house.open(*BOTS)
    person = hinted(house, None, None, None, None)
    over = hinted(house)
    play_due(house.hands(), over)
    versions = [house.read(one).version for one in (lobby, person, over)]

    for one in (lobby, person, over):
        play_due(house.hands(), one)

    assert [house.read(one).version for one in (lobby, person, over)] == versions
    assert house.trouble.parked == set()


def test_a_game_that_waits_for_nobody_leaves_the_due_set(house):
    lobby = house.open(*BOTS)
    person = hinted(house, None, None, None, None)
    over = hinted(house)
    play_due(house.hands(), over)
    store = house.deps.store
    for one in (lobby, person, over):
        store.due[one] = house.now

    for one in (lobby, person, over):
        play_due(house.hands(), one)

    assert store.due == {}


def test_a_due_time_that_was_just_written_stays(house):
    game_id = hinted(house, None, None, None, "easy")
    while waiting_bots(house.read(game_id)):
        play_due(house.hands(), game_id)
    late = house.restarted()

    class Overtaking:
        """A person moves between the worker's look and its word."""

        def __getattr__(self, name):
            return getattr(house.deps.store, name)

        def append(self, *args):
            while not waiting_bots(house.read(game_id)):
                house.ask(game_id, legal_moves(house.read(game_id))[0])
            house.deps.store.append(*args)

    play_due(late.over(Overtaking()).hands(), game_id)

    assert set(house.deps.store.due) == {game_id}


@pytest.mark.parametrize("text", ["", "0" * 31, "G" * 32, "0" * 32 + "\n", "../../etc", "É" * 32])
def test_a_hint_that_names_no_game_is_refused(house, text):
    with pytest.raises(ValueError, match="names no game"):
        play_due(house.hands(), text)


# Doubled, late, shuffled


def test_hints_in_any_number_and_order_make_no_move_twice(house):
    """Fault case 89."""
    rng = random.Random(5)
    game_ids = [hinted(house, rules=rules(**SHORT)) for _ in range(6)]
    hands = [house.restarted().hands(one_move_each()) for _ in range(4)]
    while not all(house.read(one).is_over for one in game_ids):
        for game_id in rng.choices(game_ids, k=10):
            play_due(rng.choice(hands), game_id)
    versions = [house.read(one).version for one in game_ids]

    for game_id in game_ids * 10:
        play_due(rng.choice(hands), game_id)

    assert [house.read(one).version for one in game_ids] == versions
    assert all(no_turn_twice(house, one) for one in game_ids)


def test_a_job_that_is_overtaken_plays_no_card_for_another_turn(house):
    """Fault case 89: when it comes to append, its seat is to act again, in the next trick."""
    game_id = hinted(house, rules=rules(passing={"cycle": ["hold"]}))
    (seat,) = house.read(game_id).turn.seats
    other = house.restarted()

    def a_round_is_played():
        play_due(other.hands(one_move_each()), game_id)
        while other.read(game_id).turn.seats != (seat,):
            play_due(other.hands(one_move_each()), game_id)

    slow = House(Overtaken(house.deps.store, a_round_is_played))
    play_due(slow.hands(), game_id)

    assert len([one for one in played(house, game_id) if one.actor.seat == seat]) == 1
    assert house.read(game_id).turn.seats == (seat,)


def test_a_job_that_was_overtaken_leaves_the_rest_to_the_other(house):
    game_id = hinted(house)
    other = house.restarted().hands(one_move_each())
    slow = House(
        Overtaken(house.deps.store, lambda: play_due(other, game_id)), hint=house.hinted.append
    )
    house.hinted.clear()

    play_due(slow.hands(), game_id)

    assert len(played(house, game_id)) == 1


def test_a_job_after_an_abort_does_nothing(house):
    game_id = hinted(house)
    abort = house.restarted()
    slow = House(Overtaken(house.deps.store, lambda: abort.ask(game_id, c.AbortGame())))

    play_due(slow.hands(), game_id)

    assert house.read(game_id).is_over
    assert played(house, game_id) == []


def test_a_move_that_meets_a_conflict_is_made(house):
    """Fault case 37."""
    game_id = hinted(house)
    house.over(FaultyStore(house.deps.store, [Fault.CONFLICT] * 3))

    play_due(house.hands(one_move_each()), game_id)

    assert len(played(house, game_id)) == 1
