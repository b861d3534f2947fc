"""A game as one small record: every kind of log comes back as it was, but for names."""

import base64
import random
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import msgpack

from engine.errors import CorruptLogError
from engine.presets import PRESETS, preset_rules
from engine.rules import Reveal
from service.store.archive import CannotArchiveError, last_of, pack, unpack, without_names
from service.store.codec import checked, decode_all
from tests.archives import finished_games
from tests.streams import entries_of, restless_game, stored_fork, stored_game, voided_game

HERE = Path(__file__).parent / "recorded"
STREAMS = sorted(HERE.glob("*-*.txt"))
STANDARD = preset_rules("standard", 4)


def whole(seed=1, make=stored_game, rules=STANDARD):
    return entries_of(make(rules, random.Random(seed)))


def comes_back(entries):
    """Check that *entries* come back, and return how many bytes they took."""
    record = pack(entries)
    back = unpack(record)
    before, after = decode_all(entries, 1, None), decode_all(back, 1, None)
    assert [one._replace(cause=None) for one in after] == [
        one._replace(cause=None) for one in before
    ]
    assert [one.cause is None for one in after] == [one.cause is None for one in before]
    assert back[-1] == entries[-1]
    assert last_of(record) == (len(entries), entries[-1])
    return len(record)


@pytest.mark.parametrize("make", [stored_game, voided_game, restless_game, stored_fork])
@pytest.mark.parametrize("name", PRESETS)
def test_games_of_every_preset_come_back(name, make):
    for seats in {PRESETS[name].seats[0], PRESETS[name].seats[-1]}:
        entries = whole(seats, make, preset_rules(name, seats))

        assert comes_back(entries) < 0.2 * sum(map(len, entries))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_streams_that_were_stored_long_ago_come_back(path):
    comes_back([base64.b64decode(line) for line in path.read_text().splitlines()[1:]])


@pytest.mark.parametrize("reveal", Reveal)
def test_games_that_open_late_come_back(reveal):
    comes_back(whole(rules=replace(STANDARD, reveal=reveal)))


@pytest.mark.parametrize("end", [1, 2, 5, 9, 40, 75])
def test_games_that_were_broken_off_come_back(end):
    comes_back(whole()[:end])


def test_a_game_of_one_command_comes_back():
    """An import has the times of the game that it was, and one command."""
    stored = stored_game(STANDARD, random.Random(7))
    copy = entries_of([*stored[:1], *(one._replace(cause=None) for one in stored[1:])])

    assert comes_back(copy) < 2_000


def test_an_average_finished_game_takes_few_bytes():
    sizes = [len(pack(entries)) for entries in finished_games(12)]

    assert sum(sizes) / len(sizes) < 1_300


def test_no_name_of_a_command_is_kept_but_the_last():
    stored = stored_game(STANDARD, random.Random(4))
    record = pack(entries_of(stored))

    back = decode_all(unpack(record), 1, None)

    names = [one.cause.command for one in back if one.cause is not None]
    assert len(set(names)) == len(names)
    assert not {one.cause for one in stored if one.cause} & {one.cause for one in back if one.cause}


def test_an_entry_of_a_later_code_comes_back():
    """Types, versions and values that nobody knows yet are only kept as they are."""
    entries = whole()[:30]
    row = [99, 7, 60_000, ["new", 1], b"n" * 16, {"of": [b"x" * 32, None]}, -1]
    entries.insert(-1, checked(msgpack.encode(row), 30))
    entries[-1] = checked(entries[-1][:-4], 31)

    assert unpack(pack(entries)) == without_names(entries)


@pytest.mark.parametrize(
    "row",
    [
        [8, 1, 0, 0, b"n" * 16, 1, 1, 0, 5, 3, False, None],
        [5, 1, 10**7, "system", b"n" * 16],
    ],
    ids=["back in time", "without values"],
)
def test_a_log_that_nobody_writes_is_not_archived(row):
    entries = whole()[:30]
    entries.insert(-1, checked(msgpack.encode(row), 30))

    with pytest.raises(CannotArchiveError):
        pack(entries)


@pytest.mark.parametrize("step", [1, 7, 97])
def test_a_damaged_record_is_noticed(step):
    record = pack(whole())
    for place in range(0, len(record), step * 13):
        damaged = bytearray(record)
        damaged[place] ^= 1 << step % 8
        for read in (unpack, last_of):
            with pytest.raises(CorruptLogError):
                read(bytes(damaged))
        with pytest.raises(CorruptLogError):
            unpack(record[:place])


def test_a_record_that_was_tampered_with_is_another_game_or_none():
    record, rng = pack(whole()), random.Random(3)
    for _ in range(150):
        body = bytearray(record[5:])
        body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        tampered = record[:1] + zlib.crc32(body).to_bytes(4, "little") + bytes(body)
        try:
            unpack(tampered)
        except CorruptLogError:
            continue


@pytest.mark.parametrize("line", (HERE / "archives.txt").read_text().splitlines())
def test_a_record_of_long_ago_is_read(line):
    name, record = line.split()
    lines = (HERE / f"{name}.txt").read_text().splitlines()[1:]

    assert unpack(base64.b64decode(record)) == without_names(list(map(base64.b64decode, lines)))
