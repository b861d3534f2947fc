"""Games by id: what is remembered only saves time, and what makes no sense is left alone."""

import logging
import random

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import CorruptLogError
from engine.evolve import evolve
from engine.presets import preset_rules
from engine.shuffle import game_id_of
from service.command_handler import Guard, Refused
from service.games import AT_ONCE, GameNotFoundError, Games, QuarantinedError
from service.store.base import Marks, StoreUnavailableError
from service.store.codec import decode
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.house import House, legal_moves
from tests.streams import whole_stream
from tests.table import rules


@pytest.fixture
def house():
    return House(MemoryStore())


@pytest.fixture
def game_id(house):
    return house.started(None, None, None, None)


def move(house, game_id):
    return house.ask(game_id, legal_moves(house.read(game_id))[0]).game


def test_a_game_is_read_on_from_where_it_was_left(house, game_id):
    games = Games(house.deps.store)
    before = games.read(game_id)
    after = move(house, game_id)

    assert games.cached(game_id) is before
    assert games.read(game_id) == after
    assert games.cached(game_id) == after


def test_a_game_without_news_is_the_same_object(house, game_id):
    games = Games(house.deps.store)

    assert games.read(game_id) is games.read(game_id)


def test_a_game_that_is_not_there_is_not_found(house):
    games = Games(house.deps.store)

    assert games.find("0" * 32) is None
    with pytest.raises(GameNotFoundError):
        games.read("0" * 32)


def test_a_later_moment_is_not_forgotten_for_an_earlier_one(house, game_id):
    before = house.read(game_id)
    after = move(house, game_id)

    house.deps.games.keep(before)

    assert house.deps.games.cached(game_id) == after


def test_only_so_many_games_are_remembered(house):
    ids = [house.open(None, None, None, None) for _ in range(4)]
    games = Games(house.deps.store, kept=3)
    for one in ids[:3]:
        games.read(one)
    games.cached(ids[0])

    games.read(ids[3])

    assert [games.cached(one) is not None for one in ids] == [True, False, True, True]


def test_forgetting_changes_nothing(house, game_id):
    before = house.read(game_id)

    house.deps.games.forget(game_id)

    assert house.read(game_id) == before


def test_a_log_that_lost_its_tail_is_read_again(house, game_id):
    move(house, game_id)
    long = move(house, game_id)
    house.deps.store.cut(game_id, long.version - 1)

    game = house.read(game_id)

    *before, voided, dealt = house.log(game_id)
    assert before[-1].seq == long.version - 1
    assert isinstance(voided.event, e.DealVoided)
    assert (dealt.event.deal, dealt.seq) == (2, game.version)
    assert game == house.restarted().read(game_id)


def test_a_log_that_grew_back_otherwise_is_read_again(house, game_id):
    game = house.read(game_id)
    one, other = legal_moves(game)
    old = house.ask(game_id, one).game
    house.deps.store.cut(game_id, game.version)
    new = house.restarted().ask(game_id, other).game

    assert old.version == new.version
    game = house.read(game_id)
    assert game.table.voided_versions == (new.version + 1,)
    assert house.restarted().read(game_id) == game


def test_a_command_is_decided_on_what_the_log_has_after_a_loss(house, game_id):
    game = house.read(game_id)
    lost = house.ask(game_id, legal_moves(game, 0)[0]).game
    house.deps.store.cut(game_id, game.version)

    with pytest.raises(Refused, match="The open turn is"):
        house.ask(game_id, legal_moves(game, 1)[0], guard=Guard(turn_id=lost.turn.id))
    outcome = house.ask(game_id, legal_moves(house.read(game_id), 1)[0])

    assert [one.seq for one in outcome.events] == [game.version + 3]


def test_a_game_that_is_gone_is_not_made_again(house, game_id):
    house.read(game_id)
    house.deps.store.cut(game_id, 0)

    with pytest.raises(GameNotFoundError):
        house.ask(game_id, c.AbortGame())
    assert house.deps.store.streams[game_id] == []


@pytest.mark.parametrize("known", [True, False], ids=["remembered", "new"])
def test_a_corrupt_log_is_quarantined_alone_and_said_once(house, game_id, known, caplog):
    other = house.started(None, None, None, None)
    if known:
        house.read(game_id)
        move(house.restarted(), game_id)
    else:
        house.deps.games.forget(game_id)
    house.deps.store.streams[game_id][-1] = b"\xc1"

    for _ in range(2):
        with pytest.raises(QuarantinedError) as quarantined:
            house.deps.games.read(game_id)
        assert quarantined.value.game_id == game_id
    assert house.deps.games.cached(game_id) is None
    assert move(house, other)
    assert [text.partition(":")[0] for text in caplog.messages] == [f"quarantined {game_id} (log)"]


def test_a_log_that_ends_inside_a_command_is_quarantined(house):
    game_id = house.started(None, None, None, None, rules=rules(ending={"deals": 2}))
    while not house.read(game_id).is_over:
        move(house, game_id)
    entries = list(house.deps.store.streams[game_id])
    whole = {one.seq - 1 for one in house.log(game_id) if one.cause is not None}

    for version in range(1, len(entries)):
        house.deps.store.streams[game_id] = entries[:version]
        house.deps.games.forget(game_id)
        if version in whole:
            assert house.read(game_id).version == version
        else:
            with pytest.raises(QuarantinedError):
                house.read(game_id)


def test_a_log_that_was_mended_is_read_again(house, game_id, caplog):
    caplog.set_level(logging.INFO)
    entries = house.deps.store.streams[game_id]
    last, entries[-1] = entries[-1], b"\xc1"
    house.deps.games.forget(game_id)
    with pytest.raises(QuarantinedError):
        house.deps.games.read(game_id)

    entries[-1] = last

    assert house.read(game_id).version == len(entries)
    assert caplog.messages[-1] == f"no longer quarantined: {game_id} (log)"


def test_past_moments_and_events_come_from_the_log(house, game_id):
    before = house.read(game_id)
    after = move(house, game_id)
    games = house.deps.games

    past = games.at(after, before.version)
    assert (past.state, past.head, past.times) == (before.state, before.head, before.times)
    assert games.at(after, after.version) is after
    assert [one.seq for one in games.events(after, 2, 4)] == [2, 3, 4]
    assert games.events(after, 3, 2) == []


def test_events_that_cannot_be_read_are_said(house, game_id):
    game = house.read(game_id)
    house.deps.store.streams[game_id][1] = b"\xc1"

    with pytest.raises(CorruptLogError):
        house.deps.games.events(game, 1, 3)


def test_a_store_that_is_away_is_said(house, game_id):
    games = Games(FaultyStore(house.deps.store, [Fault.UNAVAILABLE], ("tail",)))

    with pytest.raises(StoreUnavailableError):
        games.read(game_id)
    assert games.read(game_id)


@pytest.fixture(scope="module")
def long():
    """The entries of a log that is longer than what is read at once."""
    entries = whole_stream(preset_rules("standard", 7), random.Random(1))
    assert len(entries) > AT_ONCE
    return entries


@pytest.fixture
def told(long):
    """Games over a counting store that holds the one of *long*, and that game."""
    store, game_id = MemoryStore(), game_id_of(decode(long[0], 1, None).event.commitment)
    store.append(game_id, 0, b"", long, Marks(None))
    games = Games(FaultyStore(store))
    return games, games.read(game_id)


def test_a_log_comes_in_batches(told, long):
    games, game = told
    for first, last in ((1, len(long)), (3, 7), (AT_ONCE, AT_ONCE + 1), (9, 9)):
        batches = list(games.batches(game, first, last))

        assert [one for batch in batches for one in batch] == games.events(game, first, last)
        assert all(len(batch) <= AT_ONCE for batch in batches)
    assert list(games.batches(game, 9, 8)) == []


def test_a_whole_log_comes_in_batches_without_its_game(told, long):
    games, game = told

    length, batches = games.log(game.game_id)
    found = list(batches)

    assert length == game.version > AT_ONCE
    assert [one for batch in found for one in batch] == games.events(game, 1, game.version)
    assert all(len(batch) <= AT_ONCE for batch in found)
    with pytest.raises(GameNotFoundError):
        games.log("0" * 32)


def test_moments_are_the_game_at_each_version(told, long):
    games, game = told
    for first, last in ((1, 20), (AT_ONCE - 2, AT_ONCE + 2), (len(long) - 2, len(long))):
        moments = list(games.moments(game, first, last))

        assert [stored for stored, _ in moments] == games.events(game, first, last)
        for stored, moment in moments:
            at = games.at(game, stored.seq)
            assert (moment.state, moment.times, moment.head) == (at.state, at.times, at.head)


def test_no_moments_cost_nothing(told, long):
    games, game = told
    games._store.calls.clear()

    for first, last in ((5, 4), (len(long) + 1, len(long)), (1, 0)):
        assert list(games.moments(game, first, last)) == []
    assert games._store.calls == []


def test_moments_fold_every_event_once(told, long, monkeypatch):
    games, game = told
    folded = []
    monkeypatch.setattr(
        "service.game.evolve", lambda state, event: folded.append(event) or evolve(state, event)
    )

    moments = list(games.moments(game, 101, 150))

    assert len(moments) == 50
    assert len(folded) == 150
