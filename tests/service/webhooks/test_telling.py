"""From a log to deliveries: each message once, whatever dies on the way."""

import pytest

from engine import commands as c
from engine.clocks import Clock
from service.games import GameNotFoundError
from service.store.base import AnswerLost, StoreUnavailableError
from service.webhooks import messages as m
from service.webhooks import telling
from service.webhooks.deliveries import Deliveries
from service.webhooks.endpoints import Endpoints
from service.webhooks.telling import Teller
from service.wiring import connect
from tests.fakes import Died
from tests.house import House, Overtaken, legal_moves

HOUR = 3_600_000


class Dying:
    """Another object whose calls go on until the one numbered *last*, at which the process ends.

    With *after* it ends when the call is done.
    """

    def __init__(self, inner, budget, *, after):
        self._inner, self._budget, self._after = inner, budget, after

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def call(*args, **kwargs):
            self._budget[0] -= 1
            if self._budget[0] < 0 and not self._after:
                raise Died
            value = found(*args, **kwargs)
            if self._budget[0] < 0:
                raise Died
            return value

        return call


def teller(hooks, house=None):
    return Teller((house or hooks.house).deps, hooks.endpoints, hooks.deliveries)


def names(found):
    return [one.id for one in found]


def expected(hooks, game_id):
    game = hooks.house.read(game_id)
    found = hooks.house.deps.games.moments(game, 1, game.version)
    return [message.id for stored, moment in found for message in m.messages_of(stored, moment)]


def play_on(hooks, game_id, moves=1):
    for _ in range(moves):
        hooks.house.ask(game_id, legal_moves(hooks.house.read(game_id))[0])


def test_what_there_is_to_tell_is_written_down_once_and_in_order(hooks):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    one = teller(hooks)

    for _ in range(12):
        one.tell(game_id)
        one.tell(game_id)
        play_on(hooks, game_id)
    one.tell(game_id)

    assert names(hooks.waiting(endpoint)) == expected(hooks, game_id)


def test_a_long_game_is_told_of_bit_by_bit(hooks, monkeypatch):
    monkeypatch.setattr(telling, "_AT_ONCE", 4)
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    play_on(hooks, game_id, 20)

    teller(hooks).tell(game_id)
    play_on(hooks, game_id, 7)
    teller(hooks).tell(game_id)

    assert names(hooks.waiting(endpoint)) == expected(hooks, game_id)


def test_a_game_that_was_told_of_waits_no_more(hooks):
    hooks.endpoint()
    game_id = hooks.started(None, None, None)
    store = hooks.house.deps.store
    assert store.hooks_due(hooks.house.now, 10)

    teller(hooks).tell(game_id)
    assert store.hooks_due(hooks.house.now, 10) == []

    play_on(hooks, game_id)
    assert [one.game_id for one in store.hooks_due(hooks.house.now, 10)] == [game_id]


def test_games_without_an_application_are_never_marked(hooks):
    game_id = hooks.house.started(None, None, None)
    play_on(hooks, game_id, 5)

    assert hooks.house.deps.store.hooks == {}


def test_an_application_without_endpoints_pays_a_mark_alone(hooks):
    game_id = hooks.started(None, None, None)
    teller(hooks).tell(game_id)

    assert hooks.house.deps.store.hooks == {}
    assert hooks.client.keys("*") == []


@pytest.mark.parametrize("after", [False, True])
def test_whoever_dies_at_any_call_loses_nothing_and_doubles_nothing(hooks, after):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None, "easy")
    hooks.house.rest()
    calls, died = 0, True
    while died:
        play_on(hooks, game_id)
        hooks.house.rest()
        budget = [calls]
        house = House(Dying(hooks.house.deps.store, budget, after=after))
        house.now = hooks.house.now
        dying = Teller(
            house.deps,
            Dying(hooks.endpoints, budget, after=after),
            Dying(hooks.deliveries, budget, after=after),
        )
        try:
            dying.tell(game_id)
            died = False
        except Died:
            calls += 1
            # Whoever sweeps finds it: it is on the set as long as there is more.
            seen = hooks.deliveries.seen(game_id)
            is_told = seen is not None and seen.version == hooks.house.read(game_id).version
            assert is_told or game_id in hooks.house.deps.store.hooks
            teller(hooks).tell(game_id)

        assert names(hooks.waiting(endpoint)) == expected(hooks, game_id)
    assert calls > 4


def test_what_comes_while_it_is_told_is_told_as_well(hooks):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    house = hooks.house.restarted()
    house.over(Overtaken(hooks.house.deps.store, lambda: play_on(hooks, game_id)))

    teller(hooks, house).tell(game_id)

    assert names(hooks.waiting(endpoint)) == expected(hooks, game_id)
    assert hooks.house.deps.store.hooks == {}


def test_a_lost_answer_leaves_the_rest_to_the_sweeper(hooks):
    class Losing:
        def __getattr__(self, name):
            return getattr(hooks.house.deps.store, name)

        def append(self, *_):
            raise AnswerLost

    hooks.endpoint()
    game_id = hooks.started(None, None, None)

    teller(hooks, hooks.house.restarted().over(Losing())).tell(game_id)

    assert game_id in hooks.house.deps.store.hooks


def test_a_game_that_is_over_is_told_of_and_forgotten_even_in_the_archive(hooks):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    hooks.house.ask(game_id, c.AbortGame())

    teller(hooks).tell(game_id)
    teller(hooks).tell(game_id)

    assert names(hooks.waiting(endpoint)) == expected(hooks, game_id)
    assert hooks.waiting(endpoint)[-1].type == m.ABORTED
    assert hooks.house.deps.store.hooks == {}


def test_an_endpoint_hears_of_what_comes_after_it(hooks):
    game_id = hooks.started(None, None, None)
    hooks.house.now += 1_000
    endpoint = hooks.endpoint(created_at=hooks.house.now)
    play_on(hooks, game_id, 3)

    teller(hooks).tell(game_id)

    assert [one.turn_id for one in hooks.waiting(endpoint)] == [hooks.house.read(game_id).turn.id]


def test_other_applications_and_disabled_endpoints_hear_nothing(hooks):
    other, off = hooks.endpoint(1, app="other"), hooks.endpoint(2, disabled="request")
    game_id = hooks.started(None, None, None)

    teller(hooks).tell(game_id)

    assert hooks.waiting(other) == hooks.waiting(off) == []


def test_a_filter_lets_through_what_is_about_its_players(hooks):
    mine = hooks.endpoint(1, prefix="u_")
    few = hooks.endpoint(2, events=(m.STARTED, m.FINISHED))
    theirs = hooks.endpoint(3, prefix="x_")
    game_id = hooks.house.open(None, None, None, options=c.TableOptions(application="shop"))
    for seat, ref in enumerate(["u_1", None, "v_1"]):
        command = c.ClaimSeat(seat, f"P{seat}", None, 1, ref)
        hooks.house.claim_as(game_id, command)
    hooks.house.ask(game_id, c.StartGame())

    teller(hooks).tell(game_id)

    assert [(one.type, one.seat) for one in hooks.waiting(mine)] == [
        (m.STARTED, None),
        (m.OPENED, 0),
    ]
    assert [one.type for one in hooks.waiting(few)] == [m.STARTED]
    assert hooks.waiting(theirs) == []


def test_reminders_come_when_they_are_due_and_once(hooks):
    endpoint = hooks.endpoint(events=(m.REMINDER,))
    game_id = hooks.started(None, None, None, clock=Clock(3_600, 3_600, 3_600, "easy"))
    opened, store, one = hooks.house.now, hooks.house.deps.store, teller(hooks)

    one.tell(game_id)
    assert store.hooks[game_id] == opened + HOUR // 2
    hooks.house.now = opened + HOUR // 2
    one.tell(game_id)
    one.tell(game_id)
    assert store.hooks[game_id] == opened + HOUR * 4 // 5
    hooks.house.now = opened + HOUR * 9 // 10
    one.tell(game_id)

    words = [name.id.rpartition("reminder-")[2] for name in hooks.waiting(endpoint)]
    assert words == [f"{percent}-{seat}" for percent in (50, 80) for seat in range(3)]
    assert game_id not in store.hooks


def test_after_a_rewind_the_log_is_told_again_from_its_beginning(hooks):
    endpoint, game_id = hooks.endpoint(), hooks.started(None, None, None)
    play_on(hooks, game_id, 2)
    version = hooks.house.read(game_id).version
    play_on(hooks, game_id, 4)
    teller(hooks).tell(game_id)
    hooks.house.deps.store.cut(game_id, version)
    house = hooks.house.restarted()

    teller(hooks, house).tell(game_id)
    hooks.house = house
    play_on(hooks, game_id, 5)
    teller(hooks, house).tell(game_id)

    assert set(expected(hooks, game_id)) <= set(names(hooks.waiting(endpoint)))


def test_an_unknown_game_and_a_store_that_is_down_are_said(hooks):
    hooks.endpoint()
    with pytest.raises(GameNotFoundError):
        teller(hooks).tell("0" * 32)
    game_id = hooks.started(None, None, None)
    nowhere = connect("unix:///nowhere")
    with pytest.raises(StoreUnavailableError):
        Teller(hooks.house.deps, Endpoints(nowhere), Deliveries(nowhere)).tell(game_id)
    assert game_id in hooks.house.deps.store.hooks
