"""What only a real server can show: faults, frozen and killed servers, memory, permissions."""

import random
import re
from pathlib import Path

import pytest
from redis import Redis

from engine.errors import CorruptLogError
from engine.presets import preset_rules
from engine.shuffle import game_id_of
from service.store.archive import pack
from service.store.base import (
    NO_HEAD,
    Due,
    Expired,
    Marks,
    Row,
    StoreUnavailableError,
    VersionConflict,
    Word,
    head_of,
)
from service.store.keys import BELL, stream_key
from service.store.redis_store import RedisStore
from tests.streams import whole_stream

pytestmark = pytest.mark.store

GAME = "8814f3a0c2d94be1a7705d6e4f218b9c"
KEY = stream_key(GAME)
MARKS = Marks(70, Row(GAME, 5, b"row"))


def test_entries_lie_in_the_stream_under_their_numbers(redis_store):
    redis_store.append(GAME, 0, NO_HEAD, [b"one", b"two"], MARKS)

    with redis_store.client() as client:
        assert client.xrange(KEY) == [(b"1-0", {b"e": b"one"}), (b"2-0", {b"e": b"two"})]


def test_a_server_that_forgot_the_script_is_given_it_again(redis_store):
    redis_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    with redis_store.client() as client:
        client.script_flush()

    redis_store.append(GAME, 1, head_of(b"one"), [b"two"], MARKS)

    assert redis_store.last([GAME]) == [(2, b"two")]


def test_every_append_rings_the_bell_and_a_refused_one_does_not(redis_store):
    with redis_store.client() as client, client.pubsub() as bell:
        bell.subscribe(BELL)
        bell.get_message(timeout=1)

        redis_store.append(GAME, 0, NO_HEAD, [b"one", b"two"], MARKS)
        with pytest.raises(VersionConflict):
            redis_store.append(GAME, 0, NO_HEAD, [b"x"], MARKS)
        redis_store.append(GAME, 2, head_of(b"two"), [b"three"], MARKS)

        rung = [bell.get_message(timeout=1)["data"] for _ in range(2)]
        assert rung == [f"{GAME} 2".encode(), f"{GAME} 3".encode()]


@pytest.mark.parametrize(
    "entry_ids", [["1-0", "3-0"], ["2-0"], ["1-0", "2-1"], ["1-1"], ["0-1", "1-0"]]
)
def test_a_stream_with_other_numbers_is_corrupt(redis_store, entry_ids):
    with redis_store.client() as client:
        for entry_id in entry_ids:
            client.xadd(KEY, {"e": b"entry"}, id=entry_id)

    with pytest.raises(CorruptLogError):
        redis_store.tail(GAME, 0, NO_HEAD)


@pytest.mark.parametrize("fields", [{"f": b"entry"}, {"e": b"entry", "f": b"more"}])
def test_an_entry_with_other_fields_is_corrupt(redis_store, fields):
    with redis_store.client() as client:
        client.xadd(KEY, fields, id="1-0")

    with pytest.raises(CorruptLogError):
        redis_store.entries(GAME, 1, 1)


def test_what_is_no_stream_is_the_trouble_of_its_own_game(redis_store):
    """Fault case 84."""
    other = GAME[:-1] + "d"
    redis_store.append(other, 0, NO_HEAD, [b"one"], MARKS)
    with redis_store.client() as client:
        client.set(KEY, "no stream")

    with pytest.raises(CorruptLogError):
        redis_store.tail(GAME, 0, NO_HEAD)
    with pytest.raises(CorruptLogError):
        redis_store.entries(GAME, 1, 1)
    assert redis_store.last([other, GAME, other]) == [(1, b"one"), (0, b""), (1, b"one")]


def test_a_stream_that_has_lost_its_last_entry_takes_no_more(redis_store):
    redis_store.append(GAME, 0, NO_HEAD, [b"one", b"two"], MARKS)
    with redis_store.client() as client:
        client.xdel(KEY, "2-0")

    with pytest.raises(CorruptLogError):
        redis_store.append(GAME, 1, head_of(b"one"), [b"other"], MARKS)
    assert redis_store.tail(GAME, 0, NO_HEAD) == [b"one"]


def test_a_write_that_cannot_be_finished_is_not_begun(redis_store):
    with redis_store.client() as client:
        client.set(f"hearts:{{{GAME[:2]}}}:due", "no sorted set")

    with pytest.raises(StoreUnavailableError):
        redis_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)

    assert redis_store.last([GAME]) == [(0, b"")]


REFUSED_BY = {
    "full memory": ({"maxmemory": "1"}, {"maxmemory": "0"}),
    "no replica": ({"min-replicas-to-write": "1"}, {"min-replicas-to-write": "0"}),
}


@pytest.mark.parametrize(("refusing", "usual"), REFUSED_BY.values(), ids=REFUSED_BY)
def test_a_server_that_may_not_write_changes_nothing(redis_store, refusing, usual):
    """Fault case 108."""
    redis_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    with redis_store.client() as client:
        client.config_set(*refusing.popitem())
        try:
            with pytest.raises(StoreUnavailableError):
                redis_store.append(GAME, 1, head_of(b"one"), [b"two"], Marks(1))
            read = redis_store.tail(GAME, 0, NO_HEAD)
            due = redis_store.overdue(99, 9)
        finally:
            client.config_set(*usual.popitem())
    redis_store.append(GAME, 1, head_of(b"one"), [b"two"], Marks(1))

    assert read == [b"one"]
    assert due == [Due(GAME, 70)]
    assert redis_store.last([GAME]) == [(2, b"two")]


def test_a_replica_refuses_to_write(redis_store):
    redis_store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    with redis_store.client() as client:
        client.replicaof("127.0.0.1", 1)
        try:
            with pytest.raises(StoreUnavailableError):
                redis_store.append(GAME, 1, head_of(b"one"), [b"two"], MARKS)
        finally:
            client.replicaof("NO", "ONE")

    assert redis_store.last([GAME]) == [(1, b"one")]


def test_health_names_what_endangers_games(own_server, own_store):
    """Fault case 108."""
    well = own_store.health()
    with Redis.from_url(own_server.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")

    ill = own_store.health()

    assert (well.eviction, well.aof, well.last_write_ok) == ("noeviction", True, True)
    assert (ill.eviction, ill.aof) == ("allkeys-lru", False)
    assert 0 < well.ms < 1_000


DOCUMENT = Path(__file__).parents[3] / "docs" / "stored-form.md"


def test_the_documented_permissions_suffice(own_server):
    found = re.findall(r"^    (~hearts:.*)$", DOCUMENT.read_text(), re.MULTILINE)
    for user, permissions in zip(("events", "archive"), found, strict=True):
        with Redis.from_url(own_server.url) as client:
            client.execute_command("ACL", "SETUSER", user, "on", ">secret", *permissions.split())
    store, archive = (
        RedisStore(own_server.url.replace("unix://", f"unix://{user}:secret@"))
        for user in ("events", "archive")
    )

    store.append(GAME, 0, NO_HEAD, [b"one"], MARKS)
    store.append(GAME, 1, head_of(b"one"), [b"two"], MARKS)

    assert store.tail(GAME, 1, head_of(b"one")) == [b"two"]
    assert store.last([GAME]) == [(2, b"two")]
    assert store.overdue(99, 9) == [Due(GAME, 70)]
    assert store.directory(None, 9, newest_first=True) == [Row(GAME, 5, b"row")]
    store.append(GAME, 2, head_of(b"two"), [b"three"], Marks(None, Row(GAME, 5, b"")))
    assert store.directory(None, 9, newest_first=True) == []
    assert store.health().aof
    with store.client() as client, client.pubsub() as bell:
        bell.subscribe(BELL)
        assert bell.get_message(timeout=1)["type"] == "subscribe"
    assert archive.streams_from(0) == (0, [GAME])
    with pytest.raises(StoreUnavailableError, match=r"can't run|ermission"):
        store.archive(GAME, 3, head_of(b"three"), b"record", 7)
    assert store.last([GAME]) == [(3, b"three")]
    archive.archive(GAME, 3, head_of(b"three"), b"record", 7)
    with pytest.raises(CorruptLogError):
        store.tail(GAME, 0, NO_HEAD)
    for one in (store, archive):
        one.close()


def test_who_archives_takes_no_game_away_without_further_permissions(own_server, own_store):
    game = whole_stream(preset_rules("plain", 4), random.Random(1))
    own_store.append(GAME, 0, NO_HEAD, game, MARKS)
    own_store.archive(GAME, len(game), head_of(game[-1]), pack(game), 7)
    _, permissions = re.findall(r"^    (~hearts:.*)$", DOCUMENT.read_text(), re.MULTILINE)
    rights = ["on", ">secret", *permissions.split()]
    word = Word(at=9, is_private=False, kept_ms=1_000_000)
    archive = RedisStore(own_server.url.replace("unix://", "unix://archive:secret@"))
    with Redis.from_url(own_server.url) as client:
        client.execute_command("ACL", "SETUSER", "archive", *rights)
        with pytest.raises(StoreUnavailableError, match=r"can't run|ermission"):
            archive.expire(GAME, len(game), head_of(game[-1]), word)
        assert own_store.last([GAME]) == [(len(game), game[-1])]
        client.execute_command("ACL", "SETUSER", "archive", "+set", "+hdel")

    archive.expire(GAME, len(game), head_of(game[-1]), word)

    with pytest.raises(Expired):
        own_store.tail(GAME, 0, NO_HEAD)
    archive.close()


def test_killing_the_server_loses_nothing_that_was_answered(own_server, own_store):
    head, entries = NO_HEAD, [b"event %d" % number for number in range(1, 60)]
    for version, entry in enumerate(entries):
        if version % 20 == 10:
            own_server.kill()
            own_server.start()
        own_store.append(GAME, version, head, [entry], Marks(version, Row(GAME, 5, entry)))
        head = head_of(entry)

    assert own_store.tail(GAME, 0, NO_HEAD) == entries
    assert own_store.overdue(99, 9) == [Due(GAME, 58)]
    assert own_store.directory(None, 9, newest_first=True) == [Row(GAME, 5, entries[-1])]


def test_a_file_cut_anywhere_has_all_of_a_command_or_nothing(own_server, own_store):
    """Fault case 82."""
    own_store.append(GAME, 0, NO_HEAD, [b"one"], Marks(1))
    (log,) = own_server.server.folder.glob("appendonlydir/*.incr.aof")
    before = log.stat().st_size
    batch = [b"two" * 9, b"three" * 9, b"four" * 9]
    own_store.append(GAME, 1, head_of(b"one"), batch, Marks(2, Row(GAME, 5, b"row")))
    own_server.kill()
    whole = log.read_bytes()
    cuts = [*range(before, len(whole), (len(whole) - before) // 9), len(whole) - 1, len(whole)]

    found = [(cut, *reloaded(own_server, own_store, log, whole[:cut])) for cut in cuts]

    nothing, everything = (1, [Due(GAME, 1)], 0), (4, [Due(GAME, 2)], 1)
    assert found == [(cut, *(everything if cut == len(whole) else nothing)) for cut in cuts]


def reloaded(own_server, own_store, log, content):
    log.write_bytes(content)
    own_server.start()
    version, _ = own_store.last([GAME])[0]
    due = own_store.overdue(99, 9)
    lines = len(own_store.directory(None, 9, newest_first=True))
    own_server.kill()
    return version, due, lines


MOST_BYTES_PER_EVENT = 130


@pytest.mark.parametrize(
    ("preset", "seats"),
    [
        ("standard", 4),
        ("standard", 7),
        ("plain", 3),
        ("omnibus", 5),
        ("spot", 6),
        ("black_maria", 4),
        ("new_moon", 4),
    ],
)
def test_a_finished_game_takes_little_memory(redis_store, preset, seats):
    entries = whole_stream(preset_rules(preset, seats), random.Random(f"{preset} {seats}"))
    version, head = 0, NO_HEAD
    for size in (5, *[3] * (len(entries) // 3)):
        batch = entries[version : version + size]
        if batch:
            redis_store.append(GAME, version, head, batch, MARKS)
            version, head = version + len(batch), head_of(batch[-1])

    with redis_store.client() as client:
        bytes_per_event = client.memory_usage(KEY, samples=0) / len(entries)

    assert redis_store.tail(GAME, 0, NO_HEAD) == entries
    assert bytes_per_event <= MOST_BYTES_PER_EVENT


def test_streams_are_named_after_their_games(redis_store):
    game = game_id_of("ab" * 32)

    redis_store.append(game, 0, NO_HEAD, [b"one"], Marks(1, Row(game, 5, b"row")))

    with redis_store.client() as client:
        assert sorted(client.keys()) == sorted(
            f"hearts:{{ab}}:{name}".encode() for name in (f"game:{game}", "due", "games", "rows")
        )
