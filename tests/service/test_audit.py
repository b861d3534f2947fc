import copy
import random

import pytest

from engine.cards import CODES
from engine.presets import preset_rules
from engine.readable import rules_data
from engine.shuffle import game_id_of
from service.audit import disagreements
from service.schemas.responses import Viewer, event_data
from service.store.envelope import Actor, Stored
from tests.games import play_game
from tests.table import rules

SHORT = {"target": None, "deals": 30, "tie": "share"}
NOON = 1_790_000_000_000


@pytest.fixture(scope="module")
def game():
    """The log of a finished game as everybody may read it, and what its state says."""
    return told(preset_rules("omnibus", 4), seed=4)


def told(rules, seed):
    events = play_game(rules, random.Random(seed))
    stored = [Stored(seq, NOON, Actor("host"), None, one) for seq, one in enumerate(events, 1)]
    log = [event_data(one, Viewer(everything=True)) for one in stored]
    result = {name: list(log[-1]["data"][name]) for name in ("totals", "places", "winners")}
    state = {"id": game_id_of(events[0].commitment), "version": len(log), "result": result}
    return log, state


@pytest.fixture
def log(game):
    return copy.deepcopy(game[0])


@pytest.fixture
def state(game):
    return copy.deepcopy(game[1])


def data(log, kind):
    return next(one["data"] for one in log if one["type"] == kind)


def test_a_game_as_it_was_played_agrees(log, state):
    assert disagreements(log, state) == []


@pytest.mark.parametrize(
    "table",
    [
        rules("kitty", 7, deck={"kitty_to": "last_trick"}),
        rules("reverse"),
        rules("cancellation", 5),
        rules("cancellation", 11),
        # Small decks of many pairs, so that cards ride in almost every deal.
        *(
            rules("cancellation", seats, deck={"remove": list(CODES[8:])}, ending=SHORT)
            for seats in (5, 8)
        ),
    ],
    ids=lambda table: f"{table.preset} {table.seats} {len(table.deck_order)}",
)
def test_games_with_kitties_and_pairs_agree(table):
    assert disagreements(*told(table, seed=table.seats)) == []


def test_links_that_open_at_the_end_count_too(log, state):
    for one in log:
        if one["type"] == "deal.scored":
            opened = {"deal": one["data"]["deal"], **one["data"]["reveal"]}
            log[-1]["data"]["reveals"].append(opened)
            one["data"]["reveal"] = None

    assert disagreements(log, state) == []


def test_a_game_is_added_up_by_the_rules_that_held_at_its_start(log, state):
    """As if it had been created with other rules, which then were changed."""
    created, later = log[0]["data"], copy.deepcopy(log[1])
    later |= {"type": "game.options_changed", "data": {"changes": {"rules": created["rules"]}}}
    created["rules"] = rules_data(preset_rules("plain", 4))
    log.insert(1, later)
    for seq, one in enumerate(log, 1):
        one["seq"] = seq

    assert disagreements(log, {**state, "version": len(log)}) == []


def test_a_log_with_a_gap_is_not_believed(log, state):
    del log[20]

    assert disagreements(log, state) == [
        f"the log does not run from 1 to {state['version']} without a gap"
    ]


def test_an_empty_log_is_not_believed(state):
    assert len(disagreements([], state)) == 1


@pytest.mark.parametrize("name", ["totals", "places", "winners"])
def test_another_result_is_noticed(log, state, name):
    state["result"][name] = [*state["result"][name][::-1], 0]

    (wrong,) = disagreements(log, state)
    assert wrong.startswith(f"the log adds up to the {name} [")


def test_a_game_without_a_result_is_noticed(log, state):
    state["result"] = None

    assert len(disagreements(log, state)) == 3


def test_a_trick_that_went_to_the_wrong_seat_is_noticed(log, state):
    trick = data(log, "trick.completed")
    trick["winner"] = (trick["winner"] + 1) % 4

    assert "trick 1 of deal 1 is not what was played" in disagreements(log, state)


def test_points_that_nobody_took_are_noticed(log, state):
    data(log, "deal.scored")["taken"][2] += 1

    (wrong,) = disagreements(log, state)
    assert wrong.startswith("the tricks of deal 1 count [")


def test_totals_that_do_not_follow_are_noticed(log, state):
    data(log, "deal.scored")["totals"][2] += 1

    (wrong,) = disagreements(log, state)
    assert wrong.startswith("the totals after deal 1 are [")


def test_an_id_of_another_commitment_is_noticed(log, state):
    state["id"] = "0" * 32

    assert disagreements(log, state) == ["the game's id is not the first half of its commitment"]


def test_a_link_of_another_chain_is_noticed(log, state):
    data(log, "deal.scored")["reveal"]["seed"] = "ab" * 32

    assert disagreements(log, state) == ["the link of deal 1 does not lead to the commitment"]


def test_hands_that_were_not_shuffled_are_noticed(log, state):
    dealt = next(one for one in log if one["type"] == "deal.dealt")
    dealt["private"]["0"], dealt["private"]["1"] = dealt["private"]["1"], dealt["private"]["0"]

    assert disagreements(log, state) == ["the link of deal 1 does not lead to the hands dealt"]


def test_a_client_seed_put_in_afterwards_is_noticed(log, state):
    data(log, "game.started")["client_seeds"][3] = "cd" * 32

    assert "the link of deal 1 does not lead to the hands dealt" in disagreements(log, state)


def test_a_deal_that_stays_closed_is_noticed(log, state):
    data(log, "deal.scored")["reveal"] = None

    assert disagreements(log, state) == ["deal 1 was not opened"]
