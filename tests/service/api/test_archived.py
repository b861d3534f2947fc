"""An archived game answers as it did before: the same addresses, the same bytes."""

import random
import re
from dataclasses import replace

import pytest
import yaml

from service.archiving import ARCHIVED, outcomes
from service.requests import DEPS
from tests.contract.spec import PATH
from tests.histories import played, table_of
from tests.streams import restless_game, stored_fork, voided_game
from tests.table import rules
from tests.tables import (
    SHORT,
    Api,
    Table,
    forked_halfway,
    make_app,
    new_key,
    outcome_of,
    playing_table,
)
from tests.tables import started_table as people

AFTER_ALL = 2**43
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}
ASKED = {"Request-Id": "before-or-after-it"}
VIEWS = ("own", "public", "all", "seat:1")


def archive(api, table):
    """Archive the game, and forget what is remembered of it."""
    store = api.deps.store
    assert dict(outcomes(store, [table.id], AFTER_ALL)) == {table.id: ARCHIVED}
    api.over(store)


def targets(table):
    """Return the addresses of all that can be read of the game, below its own."""
    version, deals = table.version, range(1, 4)
    some = (1, version // 2, version)
    paths = ["", "/legal-moves", "/legal-moves?explain=true", "/knowledge", "/fairness"]
    paths += [f"?as={view}" for view in VIEWS]
    paths += [f"{path}?as={view}" for path in ("/events", "/deals") for view in VIEWS]
    paths += [f"/events?after={seq}&limit=500&as=all" for seq in some]
    paths += ["/events?type=card.played", f"/stream?after={version // 2}", "/stream"]
    paths += [f"/events/{seq}?as=all" for seq in some]
    paths += [f"/states/{seq}?as=all" for seq in some]
    paths += [f"/replay?after={seq}&as=all" for seq in some]
    paths += ["/replay?step=trick&as=all", "/replay?step=deal", "/replay?state=none&limit=100"]
    paths += [f"/deals/{deal}{more}" for deal in deals for more in ("", "?as=own", "/proof")]
    paths += [f"/analyses/{'0' * 32}"]
    paths += [f"/export?format={form}" for form in ("jsonl", "hgn", "json")]
    return [*paths, "/export?format=jsonl&as=own", "/events/0", f"/events/{version + 1}"]


def answers(table):
    """Return all that the game answers to everybody who may ask, by viewer and address."""
    found = {
        (viewer, path): answer_of(table.ask("GET", path, viewer, headers=ASKED))
        for viewer in (None, *sorted(table.tokens)[:1])
        for path in targets(table)
    }
    found["list"] = answer_of(table.api.ask("GET", "/v1/games?limit=100", headers=ASKED))
    return found


def changed(before, after):
    assert list(before) == list(after)
    return {asked: (was, after[asked]) for asked, was in before.items() if after[asked] != was}


def answer_of(answer):
    headers = {name: value for name, value in answer.headers if name not in {"Date", "Request-Id"}}
    # How long a stream's reader is to wait is drawn each time.
    return answer.status_code, headers, re.sub(rb"retry: [0-9]+", b"", answer.data)


def finished(api):
    table = people(api, rules=SHORT)
    table.play(random.Random(1))
    return table


def aborted(api):
    table = people(api)
    table.play(random.Random(2), until=lambda turn: turn["id"] > 30)
    table.ask("POST", "/abort", "host", expect=200)
    return table


def never_begun(api):
    table = people(api)
    table.ask("POST", "/abort", "host", expect=200)
    return table


def forked(api):
    return forked_halfway(finished(api))


def seeded(api):
    table = playing_table(api, rules=SHORT, dealing={"mode": "seeded", "seed": "5eed" * 16})
    table.play(random.Random(4))
    return table


def imported(api):
    file = finished(api).ask("GET", "/export?format=jsonl", expect=200).data
    made = api.send("POST", "/v1/imports", file, content_type="application/x-ndjson", expect=201)
    return Table(api, made.json | {"host_token": None, "seat": None})


def stored(make, **more):
    return lambda api: table_of(api, make(rules(**more), random.Random(5)))


GAMES = {
    "finished": finished,
    "aborted": aborted,
    "never begun": never_begun,
    "imported": imported,
    "forked": forked,
    "seeded": seeded,
    "voided": stored(
        lambda chosen, rng: voided_game(chosen, rng, 0.04), preset="standard", ending=TWO_DEALS
    ),
    "restless": stored(restless_game, preset="kitty", seats=5, ending=TWO_DEALS),
    "a whole fork": stored(stored_fork, preset="standard", ending=TWO_DEALS),
    "cancellation": lambda api: table_of(
        api, played(rules("cancellation", seats=7, ending=TWO_DEALS))
    ),
}


@pytest.fixture
def api(redis_url, redis_db):
    """A way in of its own, which a test may lead to another store."""
    return Api(make_app(redis_url))


@pytest.mark.parametrize("make", GAMES.values(), ids=GAMES)
def test_every_answer_is_the_same_before_and_after(api, make):
    table = make(api)
    before = answers(table)

    archive(api, table)

    assert changed(before, answers(table)) == {}


def test_every_address_of_a_game_that_can_be_read_is_asked(api):
    table = finished(api)
    asked = {path.partition("?")[0].strip("/").split("/")[0] for path in targets(table)}

    paths = [
        path for path, item in yaml.safe_load(PATH.read_text())["paths"].items() if "get" in item
    ]
    below = [path.split("/") for path in paths if path.startswith("/v1/games/{game_id}")]
    assert asked == {parts[4] if len(parts) > 4 else "" for parts in below}


def test_who_has_the_game_in_mind_reads_the_same(api):
    table = finished(api)
    before = answers(table)
    store = api.deps.store
    assert dict(outcomes(store, [table.id], AFTER_ALL)) == {table.id: ARCHIVED}

    assert changed(before, answers(table)) == {}


def test_a_fork_of_an_archived_game_goes_on_where_the_same_fork_of_the_game_does(api):
    table = finished(api)
    at = table.version // 2
    before = [fork_of(table, version) for version in range(at, at + 6)]

    archive(api, table)

    assert [fork_of(table, version) for version in range(at, at + 6)] == before


def fork_of(table, version):
    made = table.ask("POST", "/forks", None, {"at_version": version}, expect=201).json
    return made["origin"], made["version"]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_command_is_answered_as_to_a_game_that_is_over(api, is_known):
    table = finished(api)
    calls = [
        ("POST", "/moves", 0, {"type": "play", "card": "2C", "turn_id": table.version}),
        ("POST", "/abort", "host", None),
        ("POST", "/start", "host", None),
        ("PATCH", "/seats/1", 1, {"name": "Eva"}),
        ("POST", "/seats/2/rotate-token", 2, None),
        ("POST", "/host/rotate-token", "host", None),
    ]
    before = [outcome_of(table.ask(*call)) for call in calls]
    games = api.deps.games

    archive(api, table)
    if is_known:
        api.app.extensions[DEPS] = replace(api.deps, games=games)

    assert [outcome_of(table.ask(*call)) for call in calls] == before
    assert all(isinstance(one, tuple) for one in before)


def test_a_repeat_of_a_move_is_answered_by_its_turn_and_not_by_its_key(api):
    table, key = people(api, rules=SHORT), new_key()
    move = table.a_move(0)
    table.move(0, move, key=key, expect=201)
    table.play(random.Random(6))
    assert outcome_of(table.move(0, move, key=key)) == 201

    archive(api, table)

    other = {name: value for name, value in move.items() if name != "turn_id"}
    assert outcome_of(table.move(0, move, key=key)) == 200
    assert outcome_of(table.move(0, other, key=key))[0] == 409


def test_who_still_has_the_game_in_mind_answers_a_repeat(api):
    table, key = people(api, rules=SHORT), new_key()
    move = table.a_move(0)
    table.move(0, move, key=key, expect=201)
    table.play(random.Random(6))
    store = api.deps.store

    assert dict(outcomes(store, [table.id], AFTER_ALL)) == {table.id: ARCHIVED}

    assert outcome_of(table.move(0, move, key=key)) == 201
