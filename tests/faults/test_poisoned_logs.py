"""A log that makes no sense closes its own game, and no other; nothing gives a 500."""

import dataclasses
import logging
import random

import pytest
from redis import Redis

from engine.cards import card
from engine.evolve import fold
from engine.shuffle import game_id_of
from engine.state import table_of
from service.store.codec import encode
from service.store.keys import stream_key
from tests.fakes import MemoryStore
from tests.streams import restless_game, stored_game
from tests.table import rules
from tests.tables import open_table, outcome_of, playing_table

QUARANTINED = (503, "game_quarantined")
OPEN_READS = ["", "/events?limit=500", "/events/1", "/states/2"]
READS = [*OPEN_READS, "/legal-moves?explain=true", "/knowledge"]


# Bytes


DAMAGE = {
    "garbage": {"e": b"\xc1garbage"},
    "nothing": {"e": b""},
    "another field": {"x": b"\x93\x01\x01\x01"},
    "two fields": {"e": b"\x93", "f": b"\x93"},
    "half an entry": lambda entry: {"e": entry[: len(entry) // 2]},
    "a flipped bit": lambda entry: {"e": entry[:-1] + bytes([entry[-1] ^ 1])},
    "an entry too long": lambda entry: {"e": entry + b"\0"},
    "an entry twice": lambda entry: {"e": entry},
    "a megabyte": {"e": b"\xc6\x00\x0f\x00\x00" + b"a" * 983_040},
}


@pytest.fixture
def redis(redis_db):
    with Redis.from_url(redis_db) as client:
        yield client


def damage(redis, table, kind):
    """Append an entry that makes no sense to the log of *table*."""
    key = stream_key(table.id)
    (number, fields), *_ = redis.xrevrange(key, count=1)
    version = int(number.partition(b"-")[0])
    fields = kind(fields[b"e"]) if callable(kind) else kind
    redis.xadd(key, fields, id=f"{version + 1}-0")


@pytest.mark.parametrize("kind", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_log_closes_its_own_game_alone(api, redis, kind):
    """Fault case 84."""
    poisoned, sound = playing_table(api), playing_table(api)
    damage(redis, poisoned, kind)

    for viewer in (None, "host", 0):
        for path in READS if viewer == 0 else OPEN_READS:
            answer = poisoned.ask("GET", path, viewer, expect=QUARANTINED)
            assert answer.headers["Retry-After"] == "5"
    seat = {"name": "Ana"}
    poisoned.ask("POST", "/seats/claim", body=seat, expect=QUARANTINED)
    poisoned.ask("POST", "/abort", "host", expect=QUARANTINED)
    poisoned.move(0, {"type": "play", "card": "2C"}, expect=QUARANTINED)
    sound.play(until=lambda turn: turn["id"] > sound.state()["version"] + 1 or turn["id"] > 12)
    assert api.ask("GET", f"/v1/games/{'0' * 32}").status_code == 404


@pytest.mark.parametrize("kind", DAMAGE.values(), ids=DAMAGE)
def test_a_list_goes_on_without_a_game_that_cannot_be_read(api, redis, kind):
    games = [open_table(api) for _ in range(3)]
    damage(redis, games[1], kind)

    answer = api.ask("GET", "/v1/games", expect=200)
    listed = {one["id"] for one in answer.json["items"]}
    assert {games[0].id, games[2].id} <= listed


def test_a_game_that_cannot_be_read_is_said_once_however_often_it_is_asked_for(api, redis, caplog):
    table = playing_table(api)
    damage(redis, table, DAMAGE["garbage"])

    for _ in range(3):
        for path in OPEN_READS:
            table.ask("GET", path, expect=QUARANTINED)
        api.ask("GET", "/v1/games", expect=200)

    said = [one.message for one in caplog.records if one.levelname == "ERROR"]
    assert [text.partition(":")[0] for text in said] == [
        f"quarantined {table.id} ({what})" for what in ("log", "line")
    ]


def test_what_is_no_stream_closes_its_own_game_alone(api, redis):
    games = [open_table(api) for _ in range(3)]
    redis.set(stream_key(games[1].id), "no stream")
    api.deps.games.forget(games[1].id)

    games[1].ask("GET", expect=QUARANTINED)
    answer = api.ask("GET", "/v1/games", expect=200)
    assert {one["id"] for one in answer.json["items"]} == {games[0].id, games[2].id}


def test_a_log_that_lost_its_last_entry_is_closed_to_commands(api, redis):
    table = playing_table(api, rules={"passing": {"count": 0}})
    seat = table.state()["turn"]["seats"][0]
    move = table.ask("GET", "/legal-moves", seat, expect=200).json["moves"][0]
    table.move(seat, move, expect=201)
    redis.xdel(stream_key(table.id), f"{table.version}-0")

    table.move(seat, move, expect=QUARANTINED)


def test_a_hole_in_a_log_is_noticed(api, redis):
    table = playing_table(api)
    redis.xdel(stream_key(table.id), "3-0")
    api.deps.games.forget(table.id)

    table.ask("GET", expect=QUARANTINED)
    table.ask("GET", "/events", expect=QUARANTINED)


# Events


def logs_with_a_fault(stored):
    """Yield the game's log with one value changed, for each value of each kind of event."""
    seen = set()
    for place, one in enumerate(stored):
        if place == 0 or type(one.event) in seen:
            continue
        seen.add(type(one.event))
        for field in dataclasses.fields(one.event):
            for value in others(getattr(one.event, field.name)):
                event = dataclasses.replace(one.event, **{field.name: value})
                changed = [*stored[:place], one._replace(event=event), *stored[place + 1 :]]
                yield f"{type(one.event).__name__}.{field.name}={value}", changed, place


def others(value):
    """Return values of the same kind, and some of other kinds."""
    match value:
        case bool():
            return [not value]
        case int():
            return [0, 1, 2, 3, 4, 6, 10, value + 1, card("2C"), card("AH")]
        case tuple():
            return [value[:-1], (*value, *value[:1]), value[::-1], ()]
        case None:
            return [0, 3, card("2C")]
        case _:
            return [None]


def logs_out_of_order(stored, rng):
    """Yield the game's log with events left out, doubled or exchanged."""
    for _ in range(20):
        place, other = rng.randrange(1, len(stored)), rng.randrange(1, len(stored))
        yield f"without {place}", [*stored[:place], *stored[place + 1 :]], place
        yield f"{place} twice", [*stored[:place], stored[place], *stored[place:]], place
        changed = list(stored)
        changed[place], changed[other] = changed[other], changed[place]
        yield f"{place} and {other} exchanged", changed, min(place, other)


def entries_of(stored):
    """Return the entries of a log, None if one cannot be written so that it can be read."""
    try:
        numbered = [one._replace(seq=seq) for seq, one in enumerate(stored, 1)]
        return [encode(one, stored[0].time) for one in numbered]
    except (ValueError, TypeError, AttributeError, OverflowError, AssertionError):
        return None


def credential(sign, game_id, stored):
    """Return the token of the first seat that somebody holds at the end."""
    players = table_of(fold(None, [one.event for one in stored])).players
    seat, grant = next((seat, one.grant) for seat, one in enumerate(players) if one.claimed)
    return sign.seat_token(game_id, seat, grant, sign.current)


@pytest.mark.parametrize("play", [stored_game, restless_game])
def test_whatever_a_log_says_it_is_read_or_closed(api, caplog, play):
    """Fault case 84: no log of whole entries gives a 500."""
    caplog.set_level(logging.CRITICAL, "service")  # thousands of lines that nobody reads
    rng = random.Random(f"whatever a {play.__name__} says")
    stored = play(rules(seats=4, ending={"target": None, "deals": 1, "tie": "share"}), rng)
    game_id = game_id_of(stored[0].event.commitment)
    store = MemoryStore()
    api.over(store)
    token = credential(api.deps.keyring, game_id, stored)

    found = set()
    for fault, changed, place in [*logs_with_a_fault(stored), *logs_out_of_order(stored, rng)]:
        for length in (place + 1, len(changed)):
            entries = entries_of(changed[:length])
            if entries is None:
                continue
            store.streams[game_id] = entries
            api.deps.games.forget(game_id)
            for path in ("", "/events", "/legal-moves?explain=true"):
                answer = api.app.test_client().get(
                    f"/v1/games/{game_id}{path}", headers={"Authorization": f"Bearer {token}"}
                )
                found.add(outcome_of(answer))
                assert answer.status_code != 500, f"{fault}, {length} events: {path}"
    assert {200, QUARANTINED} <= found
